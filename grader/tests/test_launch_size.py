"""What a failed call launches, computed from the source; and nothing where it is unknown."""

import pytest

from grader.study import launch_size
from grader.study.causes import UNCHANGED

pytestmark = [pytest.mark.reads("grader/study"), pytest.mark.unit]

SOURCE = """
constexpr int kBlock = 128;
__global__ void place(const float* in, float* out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {body}
}}
void global(const float* in, float* out, int n) {{
  // BEGIN STAGE 1 global: launch
  {code}
  // END STAGE 1
}}
"""
UNWRITTEN = "r::global(in, out, {}) on keys: nothing was written to index 7, where 1 is expected"
BODY = "if (i < n) out[i] = in[i];"


def row(message: str, verdict: str = "wrong answer") -> dict[str, object]:
    return {"name": "global", "verdict": verdict, "message": message}


@pytest.mark.parametrize(("code", "n", "launched"), [
    ("place<<<(n + 255) / 512, 256>>>(in, out, n);", 600, "1 block of 256 threads"),
    ("place<<<kit::ceil_div(n, 2 * kBlock), kBlock>>>(in, n);", 300, "2 blocks of 128 threads"),
    ("place<<<kit::ceil_div(n, kBlock), kBlock>>>(in, n);", 300, ""),  # enough
    ("const int b = n / 256u; place<<<b, 256>>>(in, out, n);", 700, "2 blocks of 256 threads"),
    ("place<<<(unsigned)min(n, 9) % 5, 1 + 0 * n, 0, s>>>(in, n);", 8, "3 blocks of 1 thread"),
    ("place<<<1, n / 2>>>(in, n); place<<<1, n>>>(in, n);", 9,
     "1 block of 4 threads; line 9 launches 1 block of 9 threads"),
    ("dim3 t(16, 16); place<<<dim3(n / 256, 1), t>>>(in, n);", 700,
     "2 x 1 blocks of 16 x 16 threads"),
    ("int b = n / 256; if (b < 1) b = 1; place<<<b, 256>>>(in, out, n);", 9, ""),  # changes
    ("place<<<blocks_for(n), 256>>>(in, out, n);", 9, ""),
    ("if (n == 0) return;\n  place<<<1, 4>>>(in, n);", 9, "1 block of 4 threads"),
    ("if (n > 4) place<<<1, 4>>>(in, n);", 9, ""),
    ("if (n > 0) place<<<1, 4>>>(in, n);", 9, "1 block of 4 threads"),  # else it would be an error
    ("if (n > 4) {\n    f();\n    place<<<1, 4>>>(in, n);\n  }", 9, ""),
    ("if (n > 4) {\n    f();\n  } else {\n    place<<<1, 4>>>(in, n);\n  }", 9, ""),
    ("if (n > 4)\n    place<<<1, 4>>>(in, n);", 9, ""),
    ("if (n > 4) {\n    f();\n  }\n  place<<<1, 4>>>(in, n);", 9, "1 block of 4 threads"),
    ("place<<<n / (n - 9), 256>>>(in, out, n);", 9, ""),
    ("n += 1; place<<<1, 4>>>(in, out, n);", 9, "1 block of 4 threads"),
    ("n += 1; place<<<n / 8, 4>>>(in, out, n);", 9, ""),
    ("// place<<<n, 256>>>(in, out, n);", 9, ""),
    ("place<<<n, 8>>>(in, n); place<<<f(n), 8>>>(in, n);", 9, ""),  # one of two is unknown
])  # fmt: skip
def test_a_launch_is_computed(code: str, n: int, launched: str) -> None:
    source = SOURCE.format(code=code, body=BODY)
    said = launch_size.told(row(UNWRITTEN.format(n)), "a.cu", source)
    line = 9 + code.count("\n", 0, code.index("place"))
    assert said == (f"With n = {n}, line {line} launches {launched}." if launched else "")
    assert not launch_size.told(row(UNWRITTEN.format(n), "crashed"), "a.cu", source)


@pytest.mark.parametrize(("call", "is_told"), [
    ("relax(start, 528, 33)", True),
    ("relax(start, 256, 999)", False),
    ("relax(start, 528)", False),
])  # fmt: skip
def test_an_edge_needs_one_thread(call: str, is_told: bool) -> None:
    source = SOURCE.format(code="place<<<1, 256>>>(start, edges, n);", body=BODY)
    source = source.replace("void global(const float* in, float* out, int n)",
                            "int relax(const int* start, int edges, int n)")  # fmt: skip
    said = f"s::{call} on a graph: dist[1] = 90, should be 75"
    assert bool(launch_size.told(row(said), "a.cu", source)) == is_told


@pytest.mark.parametrize(("n", "is_told"), [(512, False), (513, True)])
def test_a_pair_needs_one_thread(n: int, is_told: bool) -> None:
    source = SOURCE.format(code="place<<<1, 256>>>(in, out, n);", body="i = 2 * i; " + BODY)
    said = f"r::global(in, out, {n}) on keys: not in order: 2 at index 0 comes before 1"
    assert bool(launch_size.told(row(said), "a.cu", source)) == is_told
    assert not launch_size.told(row(said.replace("not in order", "9 launches")), "a.cu", source)


def test_a_launch_in_a_function_of_the_students_own_is_unknown() -> None:
    source = SOURCE.format(code="place<<<1, n / 2>>>(in, n);", body=BODY)
    assert launch_size.told(row(UNWRITTEN.format(9)), "a.cu", source)
    own = source.replace("  // BEGIN", "// BEGIN").replace("  // END", "// END")
    assert not launch_size.told(row(UNWRITTEN.format(9)), "a.cu", own)
    assert not launch_size.told(row("r::strided(in, 9): wrong"), "a.cu", source)
    assert not launch_size.told(row(UNWRITTEN.format(9)), "a.cu", source.replace("// END", "// D"))
    other = source.replace("void global(", "void descending(")  # the stage has several functions
    assert not launch_size.told(row(UNWRITTEN.format(9)), "a.cu", other)
    called = other + "void global(const float* in, float* out, int n) {\n  descending(in, n);\n}\n"
    assert launch_size.told(row(UNWRITTEN.format(9)), "a.cu", called)


@pytest.mark.parametrize(("shape", "body", "n", "words"), [
    ("(n + 255) / 256, 128", BODY, 129, "n is 129, and line 9 launches 1 block of 128 threads: "),
    ("(n + 255) / 256, dim3(16, 16)", BODY, 26, "Line 9 launches 1 block of 16 x 16 threads, but"),
    ("(n + 255) / 256, dim3(16, 16)", "i += 16 * threadIdx.y; " + BODY, 6, ""),
    ("(n + 255) / 256, dim3(8, 16)", "i += 8 * threadIdx.y; " + BODY, 200, "n is 200, and line 9"),
    ("(n + 255) / 256, 256", BODY, 129, ""),
    ("1, 128", "for (int k = i; k < n; k += 128) out[k] = 1;", 129, ""),
    ("1, 128", "while (i < n) out[i++] = 1;", 129, ""),
    ("1, 128", "for (int k = 0; k < n; ++k) r += k; out[r] = 1;", 129, "n is 129, and line 9"),
])  # fmt: skip
def test_fewer_threads_than_elements(shape: str, body: str, n: int, words: str) -> None:
    source = SOURCE.format(code=f"place<<<{shape}>>>(in, out, n);", body=body)
    found = launch_size.too_small(row(UNWRITTEN.format(n)), "a.cu", source)
    assert [cause[: len(words)] for cause in found] == ([words] if words else [])
    assert not launch_size.too_small(row(f"r::global(in, out, {n}): not in order"), "a.cu", source)


@pytest.mark.parametrize(("code", "message", "said"), [
    ("if (n > 9) place<<<1, 4>>>(in, n);\n  CUDA_CHECK_LAUNCH();",
     UNWRITTEN.format(5) + "\nthe call made 0 launches",
     "No kernel is launched for n = 5: the call never comes to line 9 (place). Look at each if, "),
    ("place<<<n / 9, 4>>>(in, n);", UNWRITTEN.format(5) + "\nthe call made 0 launches",
     "No kernel runs for n = 5: either the call never comes to line 9 (place), or the launch fai"),
    ("place<<<1, 4>>>(in, n);", UNWRITTEN.format(5) + "\nthe call made 1 launches", ""),
    ("place<<<1, 4>>>(in, n);", UNWRITTEN.format(5), ""),  # a GPU does not count
    ("f(); place<int><<<1, 4>>>(n);\n  kit::launch_cooperatively(g, 1, n);", launch_size.NO_CALL,
     "No kernel runs: either the call never comes to line 9 (place), line 10 (launch_cooper"),
    ("if (n > 9) place<int>\n  <<<1, 4>>>(n); cudaGetLastError();", launch_size.NO_CALL,
     "No kernel is launched: the call never comes to line 9 (place)."),
    ("// place<<<1, 4>>>(n);", launch_size.NO_CALL,
     "No kernel is launched. Is there a <<<...>>> for this stage?"),
    ("g();", "r::global(in, out, 5) made 0 launches; the contract asks\nthe call made 0 launches",
     "No kernel is launched for n = 5. Is there a <<<...>>> for this stage?"),
    ("g();", "r::global(in, out, 5) on a: returned 0 edges, should be 1\nthe call made 0 launches",
     "No kernel is launched for n = 5"),
    ("g();", "r::global(in, out, 5) returned sorted\nthe call made 0 launches", ""),  # as it should
])  # fmt: skip
def test_a_call_without_a_launch_is_told(code: str, message: str, said: str) -> None:
    source = SOURCE.format(code=code, body=BODY)
    told = launch_size.none(row(message), "a.cu", source)
    assert told[0].startswith(said) if said else not told


@pytest.mark.parametrize(("code", "message", "said"), [
    ("for (int p = 0; p < n; ++p)\n    place<<<1, 256>>>(in, n);", "the call made 1 launches",
     "The call made 1 launch."),
    ("for (int p = 0; p < n; ++p)\n    place<<<1, 256>>>(in, n);", "something else", ""),
    ("place<<<1, 256>>>(in, n);", f"the call made 1 launch\n{UNCHANGED}",
     "The call made 1 launch and left its buffers as they were."),
    ("place<<<1, 256>>>(in, n);", f"the call made 0 launches\n{UNCHANGED}", ""),
    ("place<<<1, 256>>>(a, n);\n  std::swap(a, b);", f"the call made 3 launches\n{UNCHANGED}",
     "The call made 3 launches and left its buffers as they were. Of two arrays that change "
     "places, the last launch must write the caller's."),
    ("place<<<1, 256>>>(in, n);\n  for (;;) break;", "the call made 3 launches", ""),
    # The kernel's own loop makes no launch, wherever the kernel is.
    ("}\n__global__ void more(int n) {\n  for (int k = 0; k < n; ++k) { }\n}\nvoid launch() {\n"
     "  place<<<1, 256>>>(in, n);", "the call made 1 launch", ""),
    ("}\n__device__ int more(int n) { while (n) --n; return n; }\nvoid launch() {\n"
     "  while (n) place<<<1, 256>>>(in, --n);", "the call made 7 launches",
     "The call made 7 launches."),
    ("for (int p = 0; p < n; ++p)\n    place<<<1, 4>>>(in, n);", "the call made 6 launches",
     "With n = 5, line 10 launches 1 block of 4 threads. The call made 6 launches."),
])  # fmt: skip
def test_the_launches_of_a_loop_are_told(code: str, message: str, said: str) -> None:
    source = SOURCE.format(code=code, body=BODY)
    wrong = "r::global(in, out, 5) on 5 keys: not in order: 2 at index 0 comes before 1"
    assert launch_size.told(row(f"{wrong}\n{message}"), "a.cu", source) == said


@pytest.mark.parametrize(("blocks", "said"), [("arrays", "33 blocks"), ("1", "1 block")])
def test_a_call_of_several_numbers_that_changes_nothing_tells_its_grid(
    blocks: str, said: str
) -> None:
    source = SOURCE.replace("int n)", "int n, int arrays)").format(
        code=f"place<<<{blocks}, 256>>>(in, n);", body=BODY)  # fmt: skip
    wrong = "r::global(in, out, 2, 33) on 33 arrays of 2 keys: not in order: 0 at index 0 comes be"
    told = launch_size.told(row(f"{wrong}\nthe call made 1 launch\n{UNCHANGED}"), "a.cu", source)
    assert told == (f"With n = 2, arrays = 33, line 9 launches {said} of 256 threads. The call made"
                    " 1 launch and left its buffers as they were.")  # fmt: skip


@pytest.mark.parametrize(("text", "found"), [
    ("n << 3", (8,)), ("n << 64", ()), ("n << -1", ()), ("n << 10000000000", ()),
    ("4000000000 * 4000000000", (16 * 10**18,)), (" * ".join(["4000000000"] * 3), ()),
    ("(" * 5000 + "n" + ")" * 5000, ()), ("-" * 100_000 + "n", ()),
], ids=lambda value: str(value)[:20])  # fmt: skip
def test_a_size_that_no_memory_holds_is_not_known(text: str, found: tuple[int, ...]) -> None:
    assert launch_size.size(text, {"n": (1,)}) == found
