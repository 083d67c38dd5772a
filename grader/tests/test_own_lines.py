"""Slips that the stage's own lines show: loops without end, kept memory, sizes of pointers."""

from pathlib import Path

import pytest

from grader.study import device_variables, likely, loops, own_memory

pytestmark = [pytest.mark.reads("grader/study", "labs/kit"), pytest.mark.unit]

FILE = "demo.cu"
KIT = Path(__file__).parents[2] / "labs/kit"
RUNNING = "f(in, 5): the call did not return within 10 s: kernel k was still running (block (0"
KEPT = "f(in, 5) keeps device memory that it has allocated; free it before the end of the call"


def row(verdict: str, message: str) -> dict[str, object]:
    return {"name": "global", "verdict": verdict, "message": message, "case": "", "cases": []}


def of_stage(code: str) -> str:
    return f"// BEGIN STAGE 1 global: do\n{code}\n// END STAGE 1\n"


# ---- loops that never end ----


@pytest.mark.parametrize(("code", "said"), [
    ("while (i < n) { sum += i; }", "2 never ends: nothing in it changes i or n."),
    ("while (i < n) { sum += i; i += 2; }", ""),
    ("while (i < n)\n  i++;", ""),
    ("while (i < n);\n  i++;", "2 never ends: nothing in it changes i or n."),
    ("do { i += step; } while (i < n);", ""),
    ("while (i < n) { if (a[i] > 0) break; }", ""),
    ("__shared__ int done;\nwhile (done == 0) { __nanosleep(9); }", ""),
    ("void k(volatile int* p) { volatile int seen = 0; while (seen < 1) {} }", ""),
    ("int i = 0; next(&i); while (i < n) { }", ""),
    ("while (flag[0] == 0) { }", ""),
    ("while (*flag == 0) { }", ""),
    ("while (true) { x++; }", "2 never ends: nothing leaves it."),
    ("while (true) { if (x++ > 9) return; }", ""),
    ("for (int i = t; i < n; i += 0) { x++; }", "2 never ends: nothing in it changes i or n."),
    ("for (int i = t; i < n; i += 0x10) { x++; }", ""),
    ("for (int i = t; i < n; j++) { x++; }", "2 never ends: nothing in it changes i or n."),
    ("for (int i = t; i < n; i *= 2) { x++; }", ""),
    ("int s = 1;\nfor (int i = t; s < blockDim.x; i++) { x++; }", "3 never ends: nothing in it"),
    ("for (unsigned j = n - 1; j >= 0; --j) { x++; }",
     "2 never ends: j is unsigned, and j >= 0 is always true."),
    ("for (int j = n - 1; j >= 0; --j) { x++; }", ""),
    ("// while (i < n) { }", ""),
])  # fmt: skip
def test_a_loop_that_nothing_ends_is_named(code: str, said: str) -> None:
    source = of_stage(code)
    found = loops.unending(row("timed out", RUNNING), FILE, source)
    assert found == ((found[0],) if said else ())
    assert not said or found[0].startswith(f"The loop of line {said}")
    assert loops.unending(row("wrong answer", RUNNING), FILE, source) == ()
    assert loops.unending(row("timed out", "f(in, 5): 9 launches"), FILE, source) == ()


# ---- loops that go one too far ----


@pytest.mark.parametrize(("test", "at", "use", "named"), [
    ("j <= n", 5, "x += in[j];", True), ("j < n", 5, "x += in[j];", False),
    ("j <= n", 6, "x += in[j];", False), ("j <= n", 5, "x += in[j + 1];", False),
    ("j <= n", 5, "x += out[j];", False), ("k <= n", 5, "x += in[j];", False),
])  # fmt: skip
def test_a_loop_that_goes_on_to_n_is_named(test: str, at: int, use: str, named: bool) -> None:
    source = f"\nfor (int j = 0; {test}; ++j) {{\n  {use}\n}}\n"
    found = (f"global memory in[{at}] (20 bytes): kernel k, block (0,0,0), thread (0,0,0) reads 4 "
             "bytes past its end at demo.cu:3")  # fmt: skip
    said = loops.one_too_far(row("wrote outside", "f(in, 5) wrote outside"), found, source)
    assert bool(said) == named
    if named:
        assert said[0].startswith("The loop in line 2 goes on while j <= n: once too often.")


# ---- memory ----


@pytest.mark.parametrize(("code", "said"), [
    ("cudaMalloc(&p, 4);\nk(p);", "p gets memory in line 2, and nothing frees it: cudaFree(p)"),
    ("cudaMalloc((void**)&p, 4);\ncudaMalloc(&q, 4);\ncudaFree(p);", "q gets memory in line 3"),
    ("CUDA_CHECK(cudaMallocAsync(&p, 4, 0));\nCUDA_CHECK(cudaFreeAsync(p, 0));", ""),
    ("cudaMalloc(&p, 4);\nif (n == 1) return 0;\ncudaFree(p);",
     "p gets memory in line 2. Line 3 may return before line 4 frees it."),
    ("if (n == 1) return 0;\ncudaMalloc(&p, 4);\ncudaFree(p);\nreturn 1;", ""),
    ("// cudaMalloc(&p, 4);\n", ""),
])  # fmt: skip
def test_memory_that_a_call_keeps_is_named(code: str, said: str) -> None:
    source = of_stage(code)
    found = own_memory.not_freed(row("wrong answer", KEPT), FILE, source)
    assert found == ((found[0],) if said else ()) and (not said or found[0].startswith(said))
    assert own_memory.not_freed(row("wrong answer", "f(in, 5): 4"), FILE, source) == ()


@pytest.mark.parametrize(("code", "named"), [
    ("cudaMemcpy(&x, in, sizeof(in), cudaMemcpyDeviceToHost);", True),
    ("cudaMemset(in, 0, n * sizeof(in));", True),
    ("cudaMemcpy(&x, in, sizeof(*in), cudaMemcpyDeviceToHost);", False),
    ("cudaMemcpy(&x, in, sizeof(in[0]), cudaMemcpyDeviceToHost);", False),
    ("cudaMemcpy(&x, in, sizeof(float), cudaMemcpyDeviceToHost);", False),
    ("cudaMemcpy(&x, in, sizeof x, cudaMemcpyDeviceToHost);", False),
    ("cudaMemcpyToSymbol(where, &in, sizeof(in));", False),
    ("cudaMemcpy(to, &in, sizeof(in), cudaMemcpyHostToDevice);", False),  # the pointer itself
    ("cudaMemcpy(&x, wide, sizeof(wide), cudaMemcpyDeviceToHost);", False),  # as large, by chance
    ("cudaMalloc(&in, n * sizeof(in));", False),  # too much does no harm
])  # fmt: skip
def test_the_size_of_a_pointer_is_named(code: str, named: bool) -> None:
    source = of_stage(f"void f(const float* in, double* wide) {{ float x;\n{code}\n}}")
    found = own_memory.size_of_a_pointer(row("crashed", "f(in): a copy"), FILE, source)
    assert bool(found) == named
    assert not named or found[0].startswith("sizeof(in) in line 3 is the size of an address")


@pytest.mark.parametrize(("call", "said"), [
    ("sum_before(count, n, first);", "It is sum_before of labs/kit that failed; you use it in li"),
    ("kit::sum_before<int>(count, n, first);", "It is sum_before of labs/kit"),
    ("// sum_before(count, n, first);", ""), ("sum_of(count);", ""),
])  # fmt: skip
def test_who_called_the_kits_function_that_failed_is_named(call: str, said: str) -> None:
    header = (KIT / "prefix_sum.hpp").read_text().split("\n")
    line = next(n for n, text in enumerate(header, 1) if "cudaMemcpyAsync(first + n" in text)
    message = f"f(in, 2): failed: labs/kit/prefix_sum.hpp:{line}: cudaMemcpyAsync(first + n): no"
    failure = likely.Failure(row("crashed", message), FILE, f"\n\n{call}\n", "", "", (), KIT)
    found = "".join(likely.cause(failure))
    assert found.startswith(said) and bool(found) == bool(said)
    elsewhere = own_memory.in_the_kit(row("crashed", message), f"{call}\n", KIT / "none")
    assert elsewhere == ()


# ---- variables of the device ----

FLAG = "__device__ int changed;\nint other;\n"
SEGV = "f(in, 5): it last said:\nmemory: host code dereferences device pointer 0x5 at demo.cu:3: c"
GIVEN = "f(in, 5): e: copy direction: DeviceToHost given, the source is host memory (demo.cu:3)"


@pytest.mark.parametrize(("message", "line", "is_told"), [
    (SEGV, "int any = changed;", True),
    (SEGV, "int any = in[0];", False),
    (GIVEN, "cudaMemcpy(&any, &changed, 4, cudaMemcpyDeviceToHost);", True),
    (GIVEN, "cudaMemcpy(&any, &other, 4, cudaMemcpyDeviceToHost);", False),
    (GIVEN, "launch(changed);", False),
    (SEGV, "changed_now = in[0];  // changed", False),
])  # fmt: skip
@pytest.mark.parametrize(("declared", "is_device"), [
    (FLAG, True), (FLAG.replace("int changed", "static unsigned changed[4] = {}"), True),
    (FLAG.replace("__device__", "__device__ __managed__"), False),
    (FLAG.replace("changed;", "changed() { return 0; }"), False), ("\nint other;\n", False),
])  # fmt: skip
def test_host_code_that_takes_a_variable_of_the_device_for_its_own(
    message: str, line: str, is_told: bool, declared: str, is_device: bool
) -> None:
    found = device_variables.on_the_host(row("crashed", message), FILE, declared + line)
    assert bool(found) == (is_told and is_device)
    assert not found or "cudaMemcpyFromSymbol(&mine, changed, " in found[0]
    assert not device_variables.on_the_host(row("race", message), FILE, declared + line)


CLEARED = (
    "f(in, 5): variable changed (4 bytes), element 0: kernel k, block (0,0,0): thread (0,0,0) "
    "writes at demo.cu:1; thread (1,0,0) writes at demo.cu:2; no __syncthreads() between"
)


@pytest.mark.parametrize(("code", "is_told"), [
    ("if (i == 0) changed = 0;\nif (a > b) changed = 1;", True),
    ("if (a > b) *changed = true;\nif (i == 0) *changed = false;", True),
    ("if (i == 0) changed = 1;\nif (a > b) changed = 1;", False),
    ("if (i == 0) other = 0;\nif (a > b) changed = 1;", False),
])  # fmt: skip
def test_a_flag_that_is_cleared_while_others_raise_it(code: str, is_told: bool) -> None:
    found = device_variables.set_to_zero(row("race", CLEARED), FILE, code)
    assert bool(found) == is_told
    line = 1 if code.find("= 0") < code.find("= 1") else 2
    assert not found or found[0].startswith(f"Line {line} sets changed to 0 in the launch")
    shared = CLEARED.replace("variable changed", "shared memory changed")  # a barrier is missing
    assert not device_variables.set_to_zero(row("race", shared), FILE, code)
