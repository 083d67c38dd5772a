"""The technique check: which kernel holds which instruction, and what becomes of the verdict."""

import json
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.compiling.worker import compile_ptx
from grader.judging import gathered, technique
from grader.lab_file import manifest
from grader.lab_file.manifest import Lab
from grader.lab_file.rules import Requirement
from grader.machine import hardware
from grader.tests.fakes import LAB, plan

pytestmark = pytest.mark.reads("labs", "reference")

TEXTURE = Requirement(r"tex\.1d", "read through the texture")

# As nvcc 13 writes it: demo::(anonymous namespace)::fetch(float*), demo::plain<4>(float*), a
# function that was not inlined, extern "C" alone(), and a kernel that only names the instruction.
PTX = """
.version 9.0
.func  (.param .b32 func_retval0) _ZN4demo6helperEy
(
	.param .b64 _ZN4demo6helperEy_param_0
)
;
.visible .entry _ZN4demo44_GLOBAL__N__1e639f59_11_odd_even_cu_b6e049ec5fetchEPf(
	.param .u64 fetch_param_0
)
.maxntid 256
{
	.reg .b32 	%r<4>;
	tex.1d.v4.f32.s32 	{%f1, %f2, %f3, %f4}, [%rd1, {%r1}];
	ret;

}
	// .globl	plain
.visible .entry _ZN4demo5plainILi4EEEvPf(
	.param .u64 plain_param_0
)
{
	ld.global.f32 	%f1, [%rd1];   // tex.1d would be faster
	ret;

}
.visible .entry alone()
{
	{ // callseq 0, 0
	call.uni (retval0), _ZN4demo6helperEy, (param0);
	} // callseq 0
	ret;

}
.func  (.param .b32 func_retval0) _ZN4demo6helperEy(
	.param .b64 _ZN4demo6helperEy_param_0
)
{
	tex.1d.v4.s32.s32 	{%r1, %r2, %r3, %r4}, [%rd1, {%r5}];
	ret;

}
"""


def test_a_listing_is_read_function_by_function() -> None:
    found = technique.parse(PTX)
    kernels = sorted(function.name for function in found.values() if function.is_kernel)
    assert kernels == ["alone", "fetch", "plain"]
    assert found["_ZN4demo6helperEy"].name == "helper"
    assert "ld.global" in found["_ZN4demo5plainILi4EEEvPf"].body


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z5relaxPfS_i", "relax"),
        ("_ZL5relaxPf", "relax"),
        ("_ZN4sssp5relaxIfLi4EEEvPKT_i", "relax"),
        ("_ZN4sssp12_GLOBAL__N_15relaxEv", "relax"),
        ("relax", "relax"),
        ("_Zsomething_else", "_Zsomething_else"),
    ],
)
def test_a_symbol_ends_in_its_name(symbol: str, name: str) -> None:
    assert technique.source_name(symbol) == name


@pytest.mark.parametrize(
    ("launch", "name"),
    [
        ("relax", "relax"),
        ("sssp::relax<float, 4>", "relax"),
        ("(n > 4 ? a : b)", "(n > 4 ? a : b)"),
    ],
)
def test_a_launch_is_named_without_scope_and_arguments(launch: str, name: str) -> None:
    assert technique.spelled_name(launch) == name


@pytest.mark.parametrize(
    ("launched", "found"),
    [
        (["fetch"], True),
        (["plain<4>"], False),  # a comment is no instruction
        (["plain<4>", "fetch"], True),
        (["alone"], True),  # in a function that it calls
        (["kernel"], True),  # a pointer: any kernel may be meant
        ([], True),  # nothing is known: the same
    ],
)
def test_only_kernels_that_the_stage_launched_count(launched: list[str], found: bool) -> None:
    reason = technique.missing(PTX, launched, TEXTURE)
    assert (reason == "") is found
    if not found:
        assert "read through the texture" in reason and "plain" in reason and "tex.1d" in reason


@pytest.mark.parametrize(
    ("launched", "found"),
    [
        (["fetch"], True),
        (["fetch", "plain<4>"], True),
        (["fetch", "alone"], False),  # in a function that it calls
        (["kernel"], True),  # a pointer: nobody knows which kernel is meant
    ],
)
def test_what_no_launched_kernel_may_contain(launched: list[str], found: bool) -> None:
    floats = Requirement(r"tex\.1d", "read floats", never=r"tex\.1d\.v4\.s32")
    reason = technique.missing(PTX, launched, floats)
    assert (reason == "") is found
    if not found:
        assert "read floats (nvcc's PTX of alone reads memory in another way)" in reason


def test_a_file_without_the_instruction_fails_whatever_was_launched() -> None:
    for launched in ([], ["fetch"], ["kernel"]):
        assert technique.missing(PTX.replace("tex.1d", "tld4.2d"), launched, TEXTURE)


# One edge: weight[e] follows the thread's own number, dist[start[e]] one that was loaded.
GATHERS = """
	ld.param.u64 	%rd1, [weight];
	ld.param.u64 	%rd2, [dist];
	ld.param.u32 	%r9, [first];
	add.s32 	%r1, %r9, %r8;
	mul.wide.s32 	%rd3, %r1, 4;
	add.s64 	%rd4, %rd1, %rd3;
	ld.global.f32 	%f1, [%rd4];
	@%p1 ld.global.v2.u32 	{%r2, %r3}, [%rd5];
	cvt.s64.s32 	%rd6, %r3;
	shl.b64 	%rd7, %rd6, 2;
	add.s64 	%rd8, %rd2, %rd7;
	ld.volatile.global.f32 	%f2, [%rd8];
	ld.shared.f32 	%f3, [%rd8];
"""


def test_loads_that_follow_a_loaded_index_are_marked() -> None:
    found = gathered.mark(GATHERS)
    assert [line.strip().split()[0] for line in found.splitlines() if "gathering." in line] == [
        "gathering.ld.volatile.global.f32"
    ]
    assert found.replace("gathering.", "") == GATHERS
    # What a function gets may be such an index.
    assert "gathering.ld.global.f32" in gathered.mark(GATHERS, is_kernel=False)
    assert "gathering." not in gathered.mark(GATHERS.replace("v2.u32", "v2.f32"))


@pytest.mark.parametrize(
    ("ptx", "shown"),
    [(r"tex\.1d", "(nvcc's PTX of plain contains no tex.1d)"),
     (r"tex\.(1d|2d)\.", "(nvcc's PTX of plain contains no such instructions)")],
)  # fmt: skip
def test_an_instruction_is_named_and_a_pattern_is_not(ptx: str, shown: str) -> None:
    assert shown in technique.missing(PTX, ["plain<4>"], Requirement(ptx, "read textures"))


# ---- in a grading, with a compiler that copies and a judge that obeys ---------------------------


@pytest.fixture
def required(checkout: Checkout) -> Checkout:
    path = checkout.labs / LAB / "lab.toml"
    text = path.read_text() + 'requires = { ptx = "tex\\\\.1d", because = "read textures" }\n'
    path.write_text(text)
    return checkout


@pytest.mark.parametrize(
    ("kernel", "verdict", "code"), [("fetch", "passed", 0), ("plain", "rejected", 1)]
)
def test_right_answers_by_another_way_are_rejected(
    required: Checkout, capsys: pytest.CaptureFixture[str], kernel: str, verdict: str, code: int
) -> None:
    text = plan("strided", "any", json.dumps({"verdict": "passed", "launched": [kernel]})) + PTX
    assert grade(required, text) == code
    result = json.loads(capsys.readouterr().out)["results"][0]
    stage = result["stages"][1]
    assert (stage["verdict"], stage["orders"]["technique"]) == (verdict, verdict)
    assert ("read textures" in stage["message"]) is (verdict == "rejected")
    assert stage["points"]["correct"]["earned"] == (10 if verdict == "passed" else None)
    assert "technique" not in result["stages"][0]["orders"]  # which requires nothing


def test_wrong_answers_are_not_asked_for_their_technique(
    required: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    assert grade(required, plan("strided", "any", '{"verdict": "wrong answer"}')) == 1
    stage = json.loads(capsys.readouterr().out)["results"][0]["stages"][1]
    assert stage["verdict"] == "wrong answer" and "technique" not in stage["orders"]


def test_without_nvcc_the_technique_reads_not_measured(
    required: Checkout, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "find_nvcc", lambda: None)
    text = plan("strided", "any", '{"verdict": "passed", "launched": ["plain"]}') + PTX
    assert grade(required, text) == 0
    result = json.loads(capsys.readouterr().out)["results"][0]
    stage = result["stages"][1]
    assert (stage["verdict"], stage["orders"]["technique"]) == ("passed", "not measured")
    assert any("strided: technique not measured: there is no nvcc" in n["text"]
               for n in result["staff_notes"])


def grade(checkout: Checkout, text: str) -> int:
    path = checkout.root.parent / "demo.cu"
    path.write_text(text)
    return main(["grade", str(path), "--json"], checkout)


# ---- with the real compiler, where it is --------------------------------------------------------

SOURCE = """
namespace demo {
namespace {
__global__ void fetch(float* out, cudaTextureObject_t from) {
  out[threadIdx.x] = tex1Dfetch<float>(from, threadIdx.x);
}
template <int k>
__global__ void plain(float* out, const float* from) { out[threadIdx.x] = k * from[threadIdx.x]; }
__global__ void read_only(float* out, const float* __restrict__ from) {
  out[threadIdx.x] = __ldg(from + threadIdx.x);
}
}
// Two edges: an unrolled loop reads two weights, each by the thread's number.
__global__ void two_edges(const int2* edge, const float* weight, const float* __restrict__ dist,
                          const float* also, float* written) {
  for (int e = 2 * threadIdx.x; e < 2 * threadIdx.x + 2; ++e) {
    const float a = dist[edge[e].x], b = also[edge[e].y], w = weight[e];
    if (a + w < b) written[edge[e].y] = a + w;
  }
}
__global__ void two_edges_cached(const int2* edge, const float* weight,
                                 const float* __restrict__ dist, float* written) {
  for (int e = 2 * threadIdx.x; e < 2 * threadIdx.x + 2; ++e) {
    const float a = dist[edge[e].x], b = dist[edge[e].y], w = weight[e];
    if (a + w < b) written[edge[e].y] = a + w;
  }
}
// The same distances as integers; and by indices that are loaded two at a time, as one number.
__global__ void as_integers(const int2* edge, const float* weight, const int* dist,
                            float* written) {
  const int e = threadIdx.x;
  const float a = __int_as_float(dist[edge[e].x]), b = __int_as_float(dist[edge[e].y]);
  if (a + weight[e] < b) written[edge[e].y] = a + weight[e];
}
__global__ void packed(const unsigned long long* edge, const float* weight, const float* dist,
                       float* written) {
  const unsigned long long both = edge[threadIdx.x];
  const float a = dist[both & 0xFFFFFFFF], b = dist[both >> 32];
  if (a + weight[threadIdx.x] < b) written[both >> 32] = a + weight[threadIdx.x];
}
// A pointer that is loaded is no index.
struct Arrays { const float* weight; const float* dist; };
__constant__ Arrays arrays;
__global__ void by_constants(const int2* edge, float* written) {
  const int e = threadIdx.x;
  const float a = __ldg(arrays.dist + edge[e].x), b = __ldg(arrays.dist + edge[e].y);
  if (a + arrays.weight[e] < b) written[edge[e].y] = a + arrays.weight[e];
}
// One template for two stages.
template <bool kCached>
__global__ void either(const int2* edge, const float* dist, float* written) {
  const int u = edge[threadIdx.x].x, v = edge[threadIdx.x].y;
  const float a = kCached ? __ldg(dist + u) : written[u];
  const float b = kCached ? __ldg(dist + v) : written[v];
  if (a < b) written[v] = a;
}
void stages(float* out, const float* from, cudaTextureObject_t texture) {
  either<true><<<1, 32>>>(nullptr, from, out);
  either<false><<<1, 32>>>(nullptr, from, out);
  fetch<<<1, 32>>>(out, texture);
  plain<4><<<1, 32>>>(out, from);
  read_only<<<1, 32>>>(out, from);
}
}
"""
NVCC = hardware.find_nvcc()


@pytest.mark.skipif(NVCC is None, reason="no nvcc: what it writes cannot be read")
def test_what_nvcc_writes_is_understood(
    checkout: Checkout, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert NVCC
    monkeypatch.setenv("PATH", f"{Path(NVCC).parent}:/usr/bin:/bin")
    listing, message = compile_ptx(checkout, lab, SOURCE.encode())
    assert listing is not None, message
    read_only = Requirement(r"ld\.global\.nc", "read-only loads")
    assert not technique.missing(listing, ["fetch"], TEXTURE)
    assert not technique.missing(listing, ["read_only"], read_only)
    for launch in ("plain<4>", "read_only"):
        assert technique.missing(listing, [launch], TEXTURE)
    assert technique.missing(listing, ["plain<4>"], read_only)
    stages = manifest.find(manifest.discover(Checkout.here()), "05-sssp").stages
    distances = next(stage.requires for stage in stages if stage.name == "restrict")
    assert distances
    assert technique.missing(listing, ["two_edges"], distances)
    assert not technique.missing(listing, ["two_edges_cached"], distances)
    for honest in (["by_constants"], ["either<true>"], ["read_only", "two_edges_cached"]):
        assert not technique.missing(listing, honest, distances), honest
    for other in ("two_edges", "as_integers", "packed"):  # beside one that is launched for show
        said = technique.missing(listing, ["two_edges_cached", other], distances)
        assert f"nvcc's PTX of {other} reads memory in another way" in said
    broken, message = compile_ptx(checkout, lab, b"__global__ void broken(")
    assert broken is None and "error" in message
