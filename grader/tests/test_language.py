"""The language as nvcc reads it: rules about host and device, in language/*.cu, line by line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grader.cpu.compiler import options, processes, wide_vectors
from grader.cpu.compiler.casts import wrong_casts
from grader.cpu.compiler.host_functions import of_the_host
from grader.cpu.compiler.language import Rules, report
from grader.cpu.compiler.rewrite import translate
from grader.cpu.compiler.scopes import scopes
from grader.cpu.compiler.tokens import RewriteError, tokenize
from grader.machine import hardware
from grader.tests import choice

TESTS = Path(__file__).resolve().parent / "language"
CUCC = Path(__file__).resolve().parents[1] / "cpu" / "cucc.py"
COMPILER = CUCC.with_name("compiler")
MISTAKEN = ["of_the_host", "of_the_device", "sizes", "constexpr_of_the_host", "letters", "shared",
            "shared_of_any", "constructed", "statics", "arrays", "unfit"]  # fmt: skip

pytestmark = pytest.mark.reads("cpu backend", "grader/tests/language")


def compiled(folder: Path, source: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, CUCC, "-O0", "-c", source, "-o", folder / "made.o", *flags]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def expected(name: str, mark: str = "ERROR") -> dict[int, str]:
    lines = (TESTS / f"{name}.cu").read_text().splitlines()
    return {number: line.partition(f"// {mark}")[2].strip()
            for number, line in enumerate(lines, start=1) if f"// {mark}" in line}  # fmt: skip


@pytest.mark.unit
@pytest.mark.parametrize(("called", "is_suspect"), [
    ("other(p);", True), ("nested(p);", True), ("if (*p) { *p = 0; other(p); }", True),
    ("other<<<1, 1>>>(p);", False), ("nested<<<1, 1>>>(p);", False),
    ("int other = 1; p[other] = 2;", False),
])  # fmt: skip
def test_a_kernel_that_calls_a_kernel_is_looked_at(called: str, is_suspect: bool) -> None:
    other = "__global__ void other(int *p) { p[0] = 1; }\n"
    unit = translate(f"{other}__global__ void nested(int *p) {{ {called} }}", False, False, False)
    assert Rules(unit, frozenset()).are_in_doubt() == is_suspect


# The rules are the same, and are told by the same part of the compiler.
OTHER_MODE = pytest.mark.exhaustive("grader/cpu/compiler", "grader/tests/language")


def said(output: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for number, text in re.findall(r"\.cu:(\d+):\d+: error: (.*)", output):
        found[int(number)] = found.get(int(number), "") + text
    return found


@pytest.mark.parametrize("flags", [
    (), *(pytest.param(("--mode", mode), marks=OTHER_MODE) for mode in ("check", "count"))
])  # fmt: skip
@pytest.mark.parametrize("name", choice.first_of(3, MISTAKEN, COMPILER, TESTS))
def test_each_mistake_is_told_with_its_line_and_nothing_else_is(tmp_path, name, flags):
    done = compiled(tmp_path, TESTS / f"{name}.cu", *flags)
    found, wanted = said(done.stderr), expected(name)
    assert done.returncode == 1 and not (tmp_path / "made.o").exists()
    assert sorted(found) == sorted(wanted), done.stderr
    assert [line for line in wanted if wanted[line] not in found[line]] == []


@pytest.mark.parametrize("flags", [
    (), *(pytest.param(words, marks=OTHER_MODE)
          for words in (("--mode", "check"), ("--audit", "audit.o")))
])  # fmt: skip
def test_what_nvcc_accepts_is_accepted(tmp_path, monkeypatch, flags):
    monkeypatch.chdir(tmp_path)
    done = compiled(tmp_path, TESTS / "allowed.cu", *flags)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_rules_are_those_of_the_flags(tmp_path):
    source = tmp_path / "flags.cu"
    source.write_text(
        "#include <algorithm>\n"
        "template <class F> __global__ void apply(F f, int *p) { p[0] = std::max(f(1), p[1]); }\n"
        "int main() {\n"
        "  int *p = nullptr;\n"
        "  apply<<<1, 1>>>([] __device__(int i) { return i; }, p);\n"
        "}\n"
    )
    assert sorted(said(compiled(tmp_path, source).stderr)) == [2, 5]
    allowed = compiled(tmp_path, source, "--extended-lambda", "--expt-relaxed-constexpr")
    assert (allowed.returncode, allowed.stderr) == (0, "")
    assert compiled(tmp_path, source, "--rules", "off").returncode == 0


@OTHER_MODE
def test_the_flag_for_lambdas_brings_the_headers_that_it_brings_in_nvcc(tmp_path):
    source = tmp_path / "most.cu"
    source.write_text("int main() { return std::max({1, 2}); }\n")
    assert compiled(tmp_path, source).returncode != 0
    assert compiled(tmp_path, source, "--extended-lambda").returncode == 0


@pytest.mark.parametrize(("line", "advice"), [
    ("cudaMalloc(&p, 64);", "kernels take memory from malloc()"),
    ("p = (int *)malloc(64);", ""),
])  # fmt: skip
def test_what_serves_instead_of_a_function_of_the_host_is_said(tmp_path, line, advice):
    source = tmp_path / "of_the_host.cu"
    source.write_text(f"__global__ void k(int **out) {{\n  int *p;\n  {line}\n  *out = p;\n}}\n")
    done = compiled(tmp_path, source)
    assert (done.returncode != 0, advice in done.stderr) == (bool(advice), True), done.stderr
    assert not advice or "of_the_host.cu:3:" in done.stderr


@pytest.mark.skipif(not hardware.find_nvcc(), reason="no nvcc to compare with")
@OTHER_MODE
@pytest.mark.parametrize("name", [*MISTAKEN, "allowed"])
def test_nvcc_refuses_the_same_lines(tmp_path, name):
    command = [hardware.find_nvcc(), "-std=c++20", "-arch=sm_90", "-c", TESTS / f"{name}.cu"]
    done = subprocess.run([*command, "-o", tmp_path / "made.o"], capture_output=True, text=True,
                          check=False)  # fmt: skip
    told = re.findall(r"\.cu[(:](\d+)(?:\)|:\d+): error", done.stdout + done.stderr)
    lines = {int(number) for number in told}  # also those of the host's compiler
    assert lines == {*expected(name), *expected(name, "NVCC")}, done.stderr


def rules(text: str, *flags: str) -> Rules:
    return Rules(translate(text), frozenset(flags))


@pytest.mark.unit
@pytest.mark.parametrize(("text", "words"), [
    ("struct S { static __global__ void k(int *p) { *p = 1; } };", "`k` is a member of a class"),
    ("template <class T> class S { template <class U> static __global__ void k(U); };", "member"),
    ("struct S { struct T { int x; } t; static __global__ void k(int *); };", "member"),
    ("__global__ int k(int *p) { return *p; }", "`k` returns a value"),
    ("__global__ auto k(int *p) -> int { return *p; }", "`k` returns a value"),
    ("auto __global__ k(int *p) -> void { *p = 1; }", ""),
    ("__host__ __global__ void k(int *p) {}", "`k` is __host__, too"),
    ("__global__ void __device__ k(int *p) {}", "`k` is __device__, too"),
    ("__global__ void k(int *p, ...) {}", "`k` takes `...`"),
    ("template <class... T> __global__ void k(T...) {} __device__ int f(int a, ...);", ""),
    ("__global__ void k(int *p) noexcept { *p = 1; }", "`k` is noexcept: leave"),
    ("__global__ void k(int *p) throw();", "`k` is throw: leave"),
    ("__device__ int f(int a) noexcept { return a; } __global__ void k() { f(1); }", ""),
    ("struct S { friend __global__ void k(int *); };", ""),
    ("struct S { int x; }; __global__ void k(S s) {}", ""),
    ("namespace a { struct S { int x; }; } namespace b { __global__ void k(a::S s) {} }", ""),
    ("struct S { void f() { launch(); } }; template <class T> __global__ void k(T *p) {}", ""),
])  # fmt: skip
def test_what_no_kernel_can_be(text, words):
    if words:
        with pytest.raises(RewriteError, match=words):
            rules(text)
    else:
        rules(text)


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(int *p, int n) { if (threadIdx.x < n) atomicAdd(p, __popc(n)); }\n"
        "void f(int n) { k<<<n, 32>>>(0, n); std::sort(a, b, [](int x) { return x; }); }\n",
        "struct Buffer { Buffer(int n); ~Buffer(); operator int *() const; };\n"
        "__global__ void k(int *p) { extern __shared__ float s[]; s[0] = fmaxf(p[0], sqrtf(2)); }\n"
        "void f() { Buffer b(3); k<<<1, 1>>>(b); }\n",
        "__global__ void k(float *p, int n) { const int m = 4; float a[kMost], b[4]; a[m] = b[n];\n"
        "  p[n] = a[n] * p[n]; float c = a[n] * p[n]; if (n) p[n] = c; else p[m] = c; }\n",
        "template <class T> __device__ T twice(T a) { return a + a; }\n"
        "template <class T> __global__ void k(T *p) { *p = twice(*p) + max(p[0], T(2)); }\n",
    ],
)
@pytest.mark.unit
def test_a_usual_file_is_not_compiled_twice(text):
    assert not rules(text).are_in_doubt()


@pytest.mark.parametrize(
    "line",
    [
        "__device__ int f(int n) { return count(n); }",
        "__device__ int f(int n) { return std::clamp(n, 1, 2); }",
        "__device__ int f(int n) { Vector v(n); return 1; }",
        "__device__ int f(int n) { return total; }",
        "__device__ int f(int n) { int a[3], b[2 * n]; return a[0] + b[0]; }",
        "__device__ int f() { int *a[blockDim.x]; return *a[0]; }",
        "__device__ int f(int n) { return unknown_function(n); }",
        "__device__ int f(int n) { cudaFree(p); }",
        "void f(int n) { on_device(n); }",
        "void f(int n) { kernel(n); }",
        "void f(int n) { __syncthreads(); }",
        "template <class F> __global__ void k(F f) { f(1); }\n"
        "void f() { k<<<1, 1>>>([](int i) { return i; }); }",
    ],
)
@pytest.mark.unit
def test_a_suspect_is_compiled_twice(line):
    names = ("int count(int n) { return n; }\nstruct Vector { Vector(int n) {} };\nint total = 1;\n"
             "__device__ int on_device(int n);\n__global__ void kernel(int n) {}\n")  # fmt: skip
    assert rules(names + line + "\n").are_in_doubt()


KERNEL = "__global__ void k(const int *p, int n = 3);\n"


@pytest.mark.unit
@pytest.mark.parametrize(("text", "is_told"), [
    (f"{KERNEL}void k(const int *q, int m) {{}}", True),
    ("void k(int *p);\n__global__ void k(int *p) {}", True),
    ("template <class T> __global__ void k(T *p);\ntemplate <class T> void k(T *q) {}", True),
    ("namespace n { __global__ void k(int *p); }\nvoid n::k(int *p) {}", True),
    (f"{KERNEL}__global__ void k(const int *q, int m) {{}}", False),
    (f"{KERNEL}void k(const float *q, int m) {{}}", False),
    (f"{KERNEL}template <class T> void k(const T *q, int m) {{}}", False),
    (f"{KERNEL}namespace n {{ void k(const int *p, int n) {{}} }}", False),
    (f"{KERNEL}struct S {{ void k(const int *p, int n) {{}} }};", False),
    (f"{KERNEL}void f(int *p) {{ k<<<1, 1>>>(p, 1); }}", False),
])  # fmt: skip
def test_a_kernel_is_one_wherever_it_is_declared(text, is_told):
    found = [said for _, said in rules(text).plain_mistakes()]
    assert ["write __global__ in both" in said for said in found] == [True] * is_told


@pytest.mark.unit
@pytest.mark.parametrize(("members", "is_told"), [
    ("int x; __device__ C() : x(1) {}", True), ("int x; __device__ C(int a = 1) { x = a; }", True),
    ("int x; __device__ C() {}", False), ("int x; __device__ C(int a) { x = a; }", False),
    ("int x;", False),
])  # fmt: skip
def test_a_constructor_of_shared_memory_that_nobody_runs_is_told(members, is_told):
    text = f"struct C {{ {members} }};\n__global__ void k(int *p) {{ __shared__ C c[2]; }}\n"
    found = [said for _, said in rules(text).warnings()]
    assert ["nobody runs the constructor" in said for said in found] == [True] * is_told


@pytest.mark.unit
@pytest.mark.parametrize(("text", "calls"), [
    ("__global__ void __cluster_dims__(2, 1, 1) k(int *p) { f(); }", "keep_cluster(2, 1, 1);"),
    ("template <int N> __global__ __cluster_dims__(N) void k() { f(); }", "keep_cluster(N);"),
    ("__global__ __cluster_dims__(4) void k(int *p); __global__ void k(int *p) { f(); }",
     "keep_cluster(4);"),
    ("__global__ __launch_bounds__(64) __cluster_dims__(2) void k() { f(); }",
     "keep_cluster(2); { constexpr long long cuda_on_cpu_bound = (64);"),
    ("__global__ __cluster_dims__(2) __launch_bounds__(64, 2) void k() { f(); }",
     "keep_cluster(2); { constexpr long long cuda_on_cpu_bound = (64);"),
    ("__global__ __cluster_dims__(2) void k(int *p); __global__ void k(float *p) { f(); } "
     "__global__ void l() { f(); }", "k(float *p) { ::cuda_on_cpu::keep_cluster(2); f(); }"),
])  # fmt: skip
def test_a_kernel_begins_with_its_cluster(text, calls):
    made = translate(text).text
    assert calls.replace(" ", "") in made.replace(" ", "") and "__cluster_dims__" not in made
    assert made.count("keep_cluster") == 1


@pytest.mark.unit
def test_clusters_of_what_is_no_kernel_are_refused():
    with pytest.raises(RewriteError, match=r"__cluster_dims__ on `f`, which is no kernel"):
        rules("__device__ __cluster_dims__(2) void f() {}\n")


@pytest.mark.unit
@pytest.mark.parametrize("line", [
    "__global__ void k(cudaGraphConditionalHandle h) {}",
    "__global__ void k(unsigned h) { cudaGraphSetConditional(h, 0); }",
])  # fmt: skip
def test_conditional_nodes_are_refused_in_one_sentence(line):
    with pytest.raises(RewriteError, match=r"a\.cu:2: `\w+`: .* conditional nodes"):
        rules(f'# 1 "a.cu"\n\n{line}\n')
    rules("void f(cudaGraph_t g) { cudaGraphExec_t e; cudaGraphInstantiate(&e, g, 0); }\n")


@pytest.mark.unit
def test_a_program_may_have_clusters_of_its_own():
    rules("int this_cluster(int n) { return n; } int cluster_group = 3, all = this_cluster(1);\n")


@pytest.mark.unit
@pytest.mark.parametrize(("text", "told"), [
    ("int main() { float x = 1; run([&] __device__ (int i) { d[i] = x; }); }", "what it uses"),
    ("int main() { float x = 1; run([=, &x] __device__ (int i) { d[i] = x; }); }", "`x`"),
    ("int main() { float x = 1; run([&x](int i) __host__ __device__ { d[i] = x; }); }", "`x`"),
    ("int main() { float x = 1; run([=] __device__ (int i) { d[i] = x & 1; }); }", ""),
    ("int main() { float x = 1; run([y = &x[0]] __device__ (int i) { d[i] = *y; }); }", ""),
    ("__global__ void k() { int x = 1; auto f = [&] __device__ (int i) { x += i; }; f(1); }", ""),
    ("int main() { float x = 1; on_host([&](int i) { x = i; }); }", ""),
])  # fmt: skip
def test_a_lambda_of_a_device_captures_by_value(text, told):
    found = [said for _, said in rules(text, "--extended-lambda").plain_mistakes()]
    assert len(found) == bool(told) and all(f"captures {told} by reference" in s for s in found)


@pytest.mark.parametrize(("line", "told"), choice.first_of(2, [
    ('__device__ int n = atoi("3");', True),
    ("__constant__ int n = of_the_host(3);", True),
    ("__managed__ unsigned n = rand();", True),
    ("__device__ float4 v = make_float4(1, 2, 3, 4);", False),
    ("__device__ int n = square(3), *p = nullptr;", False),
    ("__device__ int f(int *p) { static int n = *p; return n; }", True),
    ("__global__ void k(int *p) { static int n = 3 * 2; *p = n++; }", False),
    ("__device__ float *p = (float *)16; __device__ int (*q)(int) = square;", False),
    ("int n = of_the_host(3); __device__ int m;", False),
    ('__device__ const int n = atoi("3");', True),
    ("static __constant__ const int n = of_the_host(3);", True),
    ("__device__ const int n = square(3) + sizeof(int);", False),
    ("const int two = 2; __device__ const float n[2] = {float(two), 1.0f / 3};", False),
    ("int other = 1; __constant__ int n = other;", True),
    ("__device__ int other = 1; __device__ int n = other + 1;", True),
    ("__global__ void k() { static int n = threadIdx.x; }", True),
    ("__global__ void k(int *p) { static int n{*p}; }", True),
    ("__device__ int m, *n = &m; __global__ void k(int *p) { static int n{3}; *p = n++; }", False),
    ("const int two = 2; __constant__ float n = two * 2.5f; __device__ char *c = (char *)&n;",
     False),
], COMPILER, TESTS))  # fmt: skip
def test_a_variable_of_the_device_begins_with_a_constant(tmp_path, line, told):
    source = tmp_path / "begins.cu"
    source.write_text("#include <cstdlib>\nconstexpr int square(int a) { return a * a; }\n"
                      f"int of_the_host(int a) {{ return a + 1; }}\n{line}\n")  # fmt: skip
    done = compiled(tmp_path, source)
    assert (done.returncode != 0) == told, done.stderr
    said = "begins.cu:4:", "variable ‘n’ of the device has an initialiser that is computed"
    assert not told or all(words in done.stderr for words in said), done.stderr


OF_ATOMICS = """#include <atomic>
std::atomic<int> of_host;
__device__ std::atomic<int> n;
__global__ void k(std::atomic<int> *p, std::atomic_flag *flag, int *q) {
  atomicAdd(q, 1);
  LINE
}
int main() { of_host.fetch_add(1); k<<<1, 1>>>(nullptr, nullptr, nullptr); return of_host; }
"""


@pytest.mark.parametrize(("line", "told"), choice.first_of(2, [
    ("p->fetch_add(1);", "fetch_add"), ("q[1] = __atomic_fetch_add(q, 1, __ATOMIC_RELAXED);", ""),
    ("p->store(1, std::memory_order_relaxed);", "store"),
    ("n++;", "operator++"), ("while (flag->test_and_set()) {}", "test_and_set"),
    ("std::atomic_thread_fence(std::memory_order_seq_cst);", "std::atomic_thread_fence"),
], COMPILER, TESTS))  # fmt: skip
def test_an_atomic_of_the_cpp_library_is_for_the_host(tmp_path, line, told):
    source = tmp_path / "atomics.cu"
    source.write_text(OF_ATOMICS.replace("LINE", line))
    found = said(compiled(tmp_path, source).stderr)
    assert list(found) == ([6] if told else []) and told in found.get(6, ""), found


@pytest.mark.parametrize(("line", "told"), choice.first_of(2, [
    ("__device__ __launch_bounds__(128) int f(int n) { return n; }", "`f`, which is no kernel"),
    ("__launch_bounds__(128) static __global__ void k(int *p) { *p = 1; }", ""),
    ("__launch_bounds__(64, 2) void f(int n);", "`f`, which is no kernel"),
    ("struct S { __launch_bounds__(64) __device__ void f() {} };", "`f`, which is no kernel"),
    ("int n = 1; __global__ void __launch_bounds__(n) k() {}", "not usable in a constant"),
    ("template <int N> __global__ void __launch_bounds__(N * 2, 1) k(int *p) { *p = N; }", ""),
    ("__global__ void __launch_bounds__(0) k(int *p) { *p = 1; }", ""),
], COMPILER, TESTS))  # fmt: skip
def test_launch_bounds_are_for_kernels(tmp_path, line, told):
    source = tmp_path / "bounds.cu"
    source.write_text(f"// the first line\n{line}\n")
    done = compiled(tmp_path, source)
    assert (done.returncode == 0) == (not told), done.stderr
    assert not told or ("bounds.cu:2:" in done.stderr and told in done.stderr), done.stderr


@pytest.mark.unit
@pytest.mark.parametrize(("text", "told"), [
    ("struct S { static __device__ int n; };", "n"),
    ("template <class T> class R { inline static __constant__ T m = 1; };", "m"),
    ("struct S { __device__ int n; static int m; static __device__ int f(); };", ""),
    ("struct S { __device__ int f() { static int n; return n; } }; static __device__ int n;", ""),
    ("namespace a { static __managed__ int n; }", ""),
])  # fmt: skip
def test_a_member_of_a_class_is_no_variable_of_the_device(text, told):
    found = [s for _, s in rules(text).plain_mistakes() if "is a member of a class" in s]
    assert len(found) == bool(told) and all(s.startswith(f"`{told}`") for s in found)


@pytest.mark.unit
@pytest.mark.parametrize(("code", "told"), [
    ("__global__ void k() { __device__ int n; }", "`n` is a variable of a function"),
    ("void f() { __managed__ int n = 4; }", "`n` is a variable of a function"),
    ("__global__ void k() { if (a) { const __constant__ float n[2] = {1, 2}; } }", "`n` is a var"),
    ("__global__ void k() { static __device__ int n; __constant__ static int m = 1; }", ""),
    ("__global__ void k() { struct L { __device__ int f(); int n; } l; auto g = [] { }; }", ""),
    ("__global__ void k() { extern __shared__ int n[]; f(sizeof(n) / 4); }", "`sizeof(n)`"),
    ("extern __shared__ int n[]; __global__ void k() { f(sizeof (n)); }", "`sizeof(n)`"),
    ("__global__ void k() { extern __shared__ int n[]; f(sizeof(n[0]) + sizeof(*n)); }", ""),
    ("__global__ void k() { extern __shared__ int n[]; } int n[4], m = sizeof(n);", ""),
    ("__global__ void k() { __shared__ int n[4]; f(sizeof(n)); }", ""),
])  # fmt: skip
def test_words_of_memories_and_sizes_in_functions(code, told):
    found = [said for _, said in rules(code, "--extended-lambda").plain_mistakes()]
    assert len(found) == bool(told) and all(said.startswith(told) for said in found), found


@pytest.mark.unit
@pytest.mark.parametrize(("code", "count"), [
    ("int main() { S s{d, 1}; s.f = d; g(&d, c ? d : nullptr); return 0; }", 4),
    ("int main() { return d(1) + s.d + sizeof(d); }", 0),
    ("int main() { k<int, d, 3><<<1, 1>>>(); constexpr auto p = d; }", 0),
    ("__device__ S s = {d, 1}; __global__ void k(S s) { s.f = d; auto p = d; }", 0),
    ("int main(int d) { g(d); }", 0),
    ("__host__ __device__ int d(float a) { return 1; } int main() { int (*p)(int) = d; }", 0),
    ("int main() { auto f = [=] __host__ __device__ (int) { return g(d); }; g(d); }", 1),
])  # fmt: skip
def test_host_code_has_the_hosts_address_of_a_function(code, count):
    tokens = tokenize(f"__host__ __device__ int d(int a) {{ return a; }}\n{code}\n")
    assert len(of_the_host(tokens, scopes(tokens))) == count


@pytest.mark.unit
@pytest.mark.parametrize(("body", "is_told"), [
    ("threadIdx.x = 3;", True), ("++blockIdx.y;", True), ("gridDim.x *= 2;", True),
    ("if (threadIdx.x == 3) p[threadIdx.x] = blockDim.x;", False),
    ("int i = threadIdx.x; i += blockDim.x * gridDim.x;", False),
    ("uint3 threadIdx = {1, 2, 3}; p[0] = threadIdx.x;", False),
])  # fmt: skip
def test_a_thread_does_not_change_its_number(body, is_told):
    said = [s for _, s in rules(f"__global__ void k(int *p) {{ {body} }}").plain_mistakes()]
    assert [s for s in said if "which it only reads" in s] == said and bool(said) == is_told


@pytest.mark.unit
@pytest.mark.parametrize(("text", "are"), [
    ("__global__ void k(float4 *p) {}", True),
    ("float4 v = load<float4>(p);", True),
    ("auto q = reinterpret_cast<const double2 *>(p);", True),
    ("float4 v = make_float4(1, 2, 3, 4); float2 *p;", False),
    ("struct double2x { int x; } *p; int4 a;", False),
])  # fmt: skip
def test_pointers_to_vectors_of_sixteen_bytes(text, are):
    assert wide_vectors.are_pointed_to(tokenize(text)) == are


@pytest.mark.unit
def test_a_sentence_has_file_line_and_column():
    text = '# 1 "a.cu"\n__global__ void k() {\n  throw 1;\n}\n'
    made = rules(text)
    assert report(translate(text), made.plain_mistakes()) == (
        "a.cu:2:3: error: kernel `k` uses `throw`, which devices do not have\n"
    )


@pytest.mark.unit
@pytest.mark.parametrize(("text", "words"), [
    ("void f(int *p) { k<<<1, 1>>>(p); } int main() { f<<<1, 1>>>(0); }", "`f` .* of the host"),
    ("__device__ void d(int *p) {} int main() { d<<<1, 1>>>(0); }", "`d` .* of the device"),
    ("namespace a { namespace { __device__ void d(int *p) {} void f() { d<<<1, 1>>>(0); } } }",
     "`d` .* of the device"),
    ("template <class T> __device__ void d(T *p) {} int main() { d<int><<<1, 1>>>(0); }", "`d`"),
    ("template <class T> __global__ void d(T *p) {} int main() { d<int><<<1, 1>>>(0); }", ""),
    ("namespace a { struct S { void (*d)(int *); void f() { d<<<1, 1>>>(0); } }; void d(); }", ""),
    ("namespace a { template <class F> void f(F d) { d<<<1, 1>>>(0); } void d() {} }", ""),
    ("template <class F> void f(F g) { g<<<1, 1>>>(0); } void g() {}", ""),
    ("using K = void (*)(int *); K choose(); int main() { K c = choose(); c<<<1, 1>>>(0); }", ""),
    ("void f(void (*c)(int *)) { c<<<1, 1>>>(0); } void c();", ""),
    ("namespace a { void k(int *p) { ::k<<<1, 1>>>(p); } }", ""),
    ("struct L { void k() { ::k<<<1, 1>>>(p); } int *p; };", ""),
    ("void k(float *p) { k<<<1, 1>>>((int *)p); }", ""),
])  # fmt: skip
def test_only_kernels_are_launched(text, words):
    text = f"__global__ void k(int *p) {{ *p = 1; }}\n{text}\n"
    if words:
        with pytest.raises(RewriteError, match=words):
            rules(text)
    else:
        rules(text)


@pytest.mark.unit
@pytest.mark.parametrize(
    ("expression", "is_told"),
    [
        ("std::numeric_limits<int>::max()", True),
        ("::std::max(n, 2)", True),
        ("cuda::std::numeric_limits<int>::max()", False),
        ("::cuda::std::max(n, 2)", False),
    ],
)
def test_the_library_of_cuda_is_for_devices(expression, is_told):
    made = rules(f"__global__ void k(int *p, int n) {{ p[0] = {expression}; }}\n")
    assert bool(made.plain_mistakes()) == is_told


@pytest.mark.unit
@pytest.mark.parametrize(
    ("cast", "told"),
    [
        ("(unsigned)5e9", "5e9 does not fit type unsigned"),
        ("static_cast<int>(-3e9f)", "-3e9f does not fit type int"),
        ("int(4294967296.0)", "4294967296.0 does not fit type int"),
        ("(unsigned char)-1.5", "-1.5 does not fit type unsigned char"),
        ("(unsigned)4e9", ""),
        ("(int)-2147483648.0", ""),
        ("(unsigned char)255.9", ""),
        ("(int)(3e10 * f)", ""),
        ("static_cast<float>(5e9)", ""),
        ("f(3e10)", ""),
    ],
)
def test_a_constant_that_a_cast_does_not_hold_is_told(cast, told):
    tokens = tokenize(f"__global__ void k(float f) {{ use({cast}); }}")
    said = [sentence for _, sentence in wrong_casts(tokens, scopes(tokens))]
    assert [sentence.split(":")[0] for sentence in said] == ([told] if told else [])


@pytest.mark.unit
@pytest.mark.parametrize(("text", "words"), [
    ("__constant__ float taps[4]; __global__ void k() { taps[1] = 2; }", "code writes `taps`"),
    ("__constant__ S s; __device__ void f() { s.w[2] += 1; }", "device code writes `s`"),
    ("__constant__ int c; __global__ void k() { ++c; }", "device code writes `c`"),
    ("__constant__ float taps[4]; __global__ void k(int *p) { if (taps[1] == 2) p[0] = taps[1]; }",
     ""),
    ("__constant__ int c; __global__ void k() { int c = 3; c = 4; }", ""),
    ("__constant__ float *out; __global__ void k() { out[1] = 2; *out = 3; }", ""),
    ("__constant__ float *out; __global__ void k() { out = nullptr; }", "code writes `out`"),
    ("__constant__ float *rows[4]; __global__ void k() { rows[1][2] = 4; }", ""),
    ("struct I { float *p; }; __constant__ I i; __global__ void k() { i.p[0] = 1; }", ""),
    ("struct I { float *p; }; __constant__ I i; __global__ void k() { i.p = 0; }", "writes `i`"),
    ("__constant__ int c; __global__ void k(S *p) { p->c = 4; }", ""),
    ("__device__ int c; __global__ void k() { c = 4; }", ""),
    ("__device__ int c; void f() { c = 4; }", "host code writes `c`"),
    ("__device__ int t[3]; void f() { t[1] += 4; }", "host code writes `t`"),
    ("__device__ int c; int f() { return c; }", "host code reads `c`"),
    ("__device__ int c; bool f() { return (c == 3); }", "host code reads `c`"),
    ("__device__ int c; void f(int *p) { cudaMemcpyToSymbol(c, p, 4); }", ""),
    ("__device__ __managed__ int c; void f() { c = 4; }", ""),
    ("__device__ int t[3]; void f(int *p) { cudaMemcpy(t, p, 4, cudaMemcpyHostToDevice); }",
     "the address of `t`"),
    ("__device__ int c; void f(int *p) { cudaMemcpy(p, &c, 4, cudaMemcpyDeviceToHost); }",
     "the address of `c`"),
    ("__device__ int t[3]; void f() { k<<<1, 1>>>(t, 3); }", "the address of `t`"),
    ("__device__ int t[3]; void f() { int *p = t; g(p); }", "the address of `t`"),
    ("__device__ int t[3]; void f() { auto &p = t; g(p); }", ""),
    ("__device__ int t[3]; void f(int *p) { cudaMemcpyToSymbol(t, p, sizeof(t)); g(t); }", ""),
    ("__device__ int t[3]; void f(void *p) { cudaGetSymbolAddress(&p, t); }", ""),
    ("__managed__ int t[3]; void f() { k<<<1, 1>>>(t, 3); }", ""),
    ("__device__ __managed__ int t[3]; void f() { k<<<1, 1>>>(t, 3); }", ""),
    ("__device__ int t[3]; __device__ int *f() { int *p = t; return p; }", ""),
    ("__device__ int t[3]; void f(int *t) { k<<<1, 1>>>(t, 3); }", ""),
    ("__device__ int t[3]; void f() { int t[3]; cudaMemset(t, 0, 4); }", ""),
    ("__device__ int c; void f() { int c = 3; c = 4; }", ""),
    ("__device__ int c; void f(int c) { c = 4; }", ""),
    ("__device__ int c; struct S { int x; S(int c) { x = c; } };", ""),
    ("__device__ int c; struct S { int x; S(int b) { x = c; } };", "host code reads `c`"),
    ("__host__ __device__ int d(int a) { return a; } void f() { k<<<1, 1>>>(d, 3); }",
     "host's address of `d`"),
    ("template <class T> __device__ T d(T a); void f() { k<<<1, 1>>>(3, &d<int>); }", "of `d`"),
    ("__host__ __device__ int d(int a); void f() { k<<<1, 1>>>(d(2), S<d>(), p.d); }", ""),
    ("__host__ __device__ int d(int a); void f(int *d) { k<<<1, 1>>>(d); }", ""),
    ("__device__ int d(int a); void f() { int n = g(1), d = 2; k<<<1, 1>>>(n, d); }", ""),
    ("__device__ int d(int a); void f() { auto [n, d] = g(); k<<<1, 1>>>(n, d); }", ""),
    ("__host__ __device__ int d(int a); void f() { int *d = g(); k<<<1, 1>>>(d); }", ""),
    ("__device__ int d(int a); void f() { auto p = &d; g(p); }", "host's address of `d`"),
    ("__host__ __device__ int d(int a); void f() { auto p = d; g(p); }", ""),
    ("__device__ int d(int a); void f() { constexpr auto p = d; k<p><<<1, 1>>>(); }", ""),
    ("__device__ int d(int a); void f(int d) { int p = d; g(p); }", ""),
    ("int main() { if (g()) return 1; return; }", "write `return 0;`"),
    ("int main(int n, char **) { auto f = [&](int m) { return; }; f(n); return n; }", ""),
    ("int main() { auto f = [] { return; }; struct S { void g() { return; } }; return 1; }", ""),
    ("int main() { for_each(3, [=] __device__(int i) { if (i) return; }); return 0; }", ""),
    ("int main() { auto f = [] __host__ __device__ { return; }; return 0; }", ""),
    ("int main() { auto f = []<class T, class... U>(T a) { return; }; return 0; }", ""),
    ("int main() { if (a[1] < n) { return; } return 1; }", "write `return 0;`"),
    ("int main() { struct S : B<C<int>>, D { void f() { return; } }; return 1; }", ""),
    ("int main() { struct alignas(16) S { void f() { return; } }; return 1; }", ""),
    ("int main() { g(sizeof(struct S)); if (n) { return; } return 1; }", "write `return 0;`"),
    ("void main2() { return; } void f() { main(); return; }", ""),
    ("__device__ void f(__shared__ int *p, int n) { *p = n; }", "nothing of a parameter"),
    ("__global__ void k(int *p) { for (int i = 0; i < 2; ++i) { __shared__ int s; } }", ""),
])  # fmt: skip
def test_what_nvcc_only_warns_of(text, words):
    said = [sentence for _, sentence in rules(text).warnings()]
    assert (len(said) == 1 and words in said[0]) if words else said == []


@pytest.mark.unit
@pytest.mark.parametrize(("text", "count"), [
    ("__global__ void c(int *p); __global__ void k(int *p) { c<<<1, 1>>>(p); }", 1),
    ("__global__ void c(int *p); __device__ void d(int *p) { c<<<1, 1>>>(p); }", 1),
    ("__global__ void c(int *p); void f(int *p) { c<<<1, 1>>>(p); }", 0),
    ("__global__ void k(int *p) { *p = 1 << *p >> 1; }", 0),
    ("inline __device__ constexpr int n = 4;", 1),
    ("namespace a { __constant__ inline int n[4]; }", 1),
    ("template <class T> inline __device__ constexpr T n = T(4);", 1),
    ("static inline __device__ constexpr int n = 4;", 0),
    ("namespace a { namespace { inline __device__ int n; } }", 0),
    ("inline namespace a { __device__ int n; } inline constexpr int m = 4;", 0),
    ("inline __device__ int f() { return 4; }", 0),
])  # fmt: skip
def test_a_submission_needs_no_flag_for_device_code_of_several_files(text, count):
    unit = translate(text)
    said = [sentence for _, sentence in Rules(unit, frozenset(), True).warnings()]
    assert len(said) == count and all("-rdc=true" in sentence for sentence in said)
    assert rules(text).warnings() == []  # another program may get the flag


@pytest.mark.unit
@pytest.mark.parametrize(("text", "count"), [
    ("void f(int *p) { p[0] = threadIdx.x + blockIdx.x; }", 2),
    ("int main() { return threadIdx.x; } __global__ void k(int *p) { p[0] = threadIdx.x; }", 1),
    ("__global__ void k(int *p) { p[threadIdx.x] = blockIdx.x; }", 0),
    ("__host__ __device__ int f() { return threadIdx.x; }", 0),
    ("struct S { __device__ int f(); }; int S::f() { return threadIdx.x; }", 0),
    ("void f() { dim3 threadIdx(1); }", 0),
    ("int f(const S &s) { return s.threadIdx; }", 0),
])  # fmt: skip
def test_host_code_has_no_thread_index(text, count):
    said = [sentence for _, sentence in rules(text).plain_mistakes()]
    assert len([sentence for sentence in said if "host code uses" in sentence]) == count


@pytest.mark.unit
def test_an_output_that_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with processes.written_at_once(pipe, 0o666) as temporary:
        Path(temporary).write_text("made")
    assert pipe.is_fifo() and os.read(reader, 9) == b"made"
    os.close(reader)


@pytest.mark.unit
def test_an_output_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    wrong = (tmp_path / "file" / "a.o", "Not a directory"), (tmp_path / "no" / "a.o", "No such")
    for output, words in wrong:
        said = f"cannot write {output}: {words}"
        with pytest.raises(options.UsageError, match=re.escape(said)):
            with processes.written_at_once(output, 0o666):
                pass
    with processes.written_at_once(tmp_path / "a.o", 0o666) as temporary:
        Path(temporary).write_text("made")
    assert (tmp_path / "a.o").read_text() == "made"
