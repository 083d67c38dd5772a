"""The barrier that a race needs: named where the source lacks it, and nowhere else."""

import pytest

from grader.study import barriers

pytestmark = [pytest.mark.reads("grader/study/barriers.py"), pytest.mark.unit]

RACE = (
    "f(in, 5): shared memory s[1]: kernel k, block (0,0,0): thread (0,0,0) {one} at a.cu:{first}; "
    "thread (1,0,0) {other} at a.cu:{second}; no {warp}__syncthreads() between"
)
LINES = """__device__ float load() { return s[0]; }
__global__ void k(float* in, int n) {
  s[threadIdx.x] = 0;  // {0}
  for (int j = 0; j < n; j += 32) {
    {0}
    s[threadIdx.x] = in[j];
    {1}
    sum += s[31 - threadIdx.x];
    {2}
  }
  in[0] = s[0];
}
"""
SYNC = "__syncthreads();"


def source(*barriers_written: str) -> str:
    text = LINES
    for number, barrier in enumerate(barriers_written):
        text = text.replace(f"{{{number}}}", barrier)
    return text


def row(message: str, verdict: str = "race") -> dict[str, str]:
    return {"name": "f", "verdict": verdict, "message": message}


def race(first: int, one: str, second: int, other: str, warp: bool = False) -> dict[str, str]:
    return row(RACE.format(first=first, one=one, second=second, other=other,
                           warp="__syncwarp() or " if warp else ""))  # fmt: skip


LOAD_AND_USE = race(8, "reads", 6, "writes")
UNREAD = f"a thread that is ahead overwrites what others still have to read. {barriers.RULE}"
UNWRITTEN = f"a thread that is ahead reads what others have not written yet. {barriers.RULE}"


def test_no_barrier_between_the_two_lines() -> None:
    for text in (source("", "", ""), source(SYNC, "", SYNC), source("", "// " + SYNC, "")):
        [cause] = barriers.missing(LOAD_AND_USE, "a.cu", text)
        assert cause == ("No barrier between line 6, which writes s, and line 8, which reads it: "
                         + UNWRITTEN)  # fmt: skip
    [cause] = barriers.missing(race(6, "reads", 8, "writes"), "a.cu", source("", "", ""))
    assert cause.endswith("which writes it: " + UNREAD)
    [cause] = barriers.missing(race(6, "writes", 8, "writes"), "a.cu", source("", "", ""))
    assert cause.startswith("Threads (0,0,0) and (1,0,0) both write s[1], in lines 6 and 8, ")


def test_no_barrier_between_two_rounds_of_a_loop() -> None:
    [cause] = barriers.missing(LOAD_AND_USE, "a.cu", source("", SYNC, ""))
    assert cause == ("No barrier between line 8, which reads s, and line 6, which writes it in the "
                     "next round of the loop in line 4: " + UNREAD)  # fmt: skip


@pytest.mark.parametrize("text", [source("", SYNC, SYNC), source(SYNC, SYNC, "")])
def test_barriers_on_every_way_name_no_place(text: str) -> None:
    assert not barriers.missing(LOAD_AND_USE, "a.cu", text)  # one is in a branch, perhaps


def test_a_barrier_between_lines_that_are_in_no_loop_names_no_place() -> None:
    after = race(6, "writes", 11, "reads")
    assert barriers.missing(after, "a.cu", source("", "", ""))
    assert not barriers.missing(after, "a.cu", source("", "", SYNC))


def test_a_barrier_of_a_warp_orders_a_warp_alone() -> None:
    text = source("", "__syncwarp();", "__syncwarp();")
    assert barriers.missing(LOAD_AND_USE, "a.cu", text)
    assert not barriers.missing(race(6, "writes", 8, "reads", warp=True), "a.cu", text)
    group = source("", "block.sync();", "cooperative_groups::sync(block);")
    assert not barriers.missing(LOAD_AND_USE, "a.cu", group)


@pytest.mark.parametrize("one", [
    race(1, "reads", 6, "writes"),  # in another function
    race(6, "writes", 6, "reads"),
    race(6, "writes", 99, "reads"),
    {**LOAD_AND_USE, "verdict": "wrong answer"},
    row(LOAD_AND_USE["message"].replace("shared memory s[1]", "global memory s[1]")),
    row(LOAD_AND_USE["message"].replace("shared memory s[1]", "shared memory s")),  # one variable
    row(LOAD_AND_USE["message"].replace("a.cu:8", "b.cu:8")),
])  # fmt: skip
def test_other_failures_have_no_such_cause(one: dict[str, str]) -> None:
    assert not barriers.missing(one, "a.cu", source("", "", ""))


def test_memory_of_the_launch_has_no_name() -> None:
    of_the_launch = "dynamic shared memory (8 bytes), element 1"
    said = LOAD_AND_USE["message"].replace("shared memory s[1]", of_the_launch)
    [cause] = barriers.missing(row(said), "a.cu", source("", "", ""))
    assert cause.startswith("No barrier between line 6, which writes dynamic shared memory, and")


def test_a_line_that_reads_and_writes() -> None:
    text = source("", "", "")
    [cause] = barriers.in_one_line(race(6, "writes", 6, "reads"), "a.cu", text)
    assert cause.startswith("Line 6 reads s and writes it.")
    for other in (LOAD_AND_USE, race(6, "writes", 6, "writes"),
                  {**race(6, "writes", 6, "reads"), "verdict": "crashed"}):  # fmt: skip
        assert not barriers.in_one_line(other, "a.cu", text)


EXCHANGE = """__device__ void step(float* s, int i, int j) {
  const float a = s[i], b = s[j];
  if (a > b) {
    s[i] = b;
    s[j] = a;
  }
  {0}
}
"""
BETWEEN_STEPS = race(2, "reads", 5, "writes")


def test_a_barrier_in_an_exchange_is_never_the_one_that_is_missing() -> None:
    """Who reads two elements and writes the same two waits for nobody in between."""
    [cause] = barriers.missing(BETWEEN_STEPS, "a.cu", EXCHANGE)
    assert cause.startswith("No barrier after the exchange in lines 2 to 5: ")
    [cause] = barriers.missing(BETWEEN_STEPS, "a.cu", EXCHANGE.replace("{0}", SYNC))
    assert cause.startswith("Threads (0,0,0) and (1,0,0) both have s[1] in one step. ")


def in_helper(said: dict[str, str], line: int) -> dict[str, str]:
    """The second place is in a helper, which that line calls."""
    called = f"a.cu:1 (called from a.cu:{line}); no"
    return row(said["message"].replace(f"a.cu:{line}; no", called))


def test_a_place_in_a_helper_is_where_it_is_called() -> None:
    [cause] = barriers.missing(in_helper(LOAD_AND_USE, 6), "a.cu", source("", "", ""))
    assert cause.startswith("No barrier between line 6, which writes s, and line 8, which reads it")
    swaps = EXCHANGE.replace("s[i] = b;", "swap(s[i], s[j]);").replace("    s[j] = a;\n", "")
    [cause] = barriers.missing(in_helper(race(2, "reads", 4, "writes"), 4), "a.cu", swaps)
    assert cause.startswith("No barrier after the exchange in lines 2 to 4: ")
    assert not barriers.in_one_line(in_helper(race(6, "reads", 6, "writes"), 6), "a.cu", swaps)


@pytest.mark.parametrize("barrier", [f"if (i > 32) {SYNC}", f"if (i > 32)\n    {SYNC}",
                                     f"if (i > 32) {{\n    {SYNC}\n  }}"])  # fmt: skip
def test_a_barrier_under_a_condition_says_nothing_of_an_exchange(barrier: str) -> None:
    assert not barriers.missing(BETWEEN_STEPS, "a.cu", EXCHANGE.replace("{0}", barrier))


@pytest.mark.parametrize("exchange", [
    EXCHANGE.replace("s[j] = a;", "t[j] = a;"),  # a sum: s[j] is another thread's
    EXCHANGE.replace("s[i], b = s[j]", "s[i], b = s[i + 1]"),
])  # fmt: skip
def test_what_reads_elements_of_others_is_no_exchange(exchange: str) -> None:
    for barrier in ("", SYNC):
        [cause] = barriers.missing(race(2, "reads", 4, "writes"), "a.cu",
                                   exchange.replace("{0}", barrier))  # fmt: skip
        assert cause.startswith("No barrier between line 2, which reads s, and line 4, ")


def test_a_loop_without_braces_is_not_the_one_around() -> None:
    text = """__device__ void merge(float* s, float* word) {
  for (int left = 9; left > 0; --left) {
    for (int k = 0; k < 4; ++k)
      word[k] = s[place(k)];
    for (int k = 0; k < 4; ++k)
      s[place(k)] = word[k];
    __syncthreads();
  }
}
"""
    [cause] = barriers.missing(race(6, "writes", 4, "reads"), "a.cu", text)
    assert cause.startswith("Threads (0,0,0) and (1,0,0) both have s[1] in one step. ")


STEPS = """__global__ void steps(int n) {
  __shared__ float s[9];
  __syncthreads();
  for (int size = 2; size <= n; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      for (int t = threadIdx.x; t < n; t += 32) {
        if (s[t] > s[j]) { float x = s[t]; s[t] = s[j]; s[j] = x; }
      }
      {0}
    }
}
"""


@pytest.mark.parametrize("steps", [
    STEPS,
    STEPS.replace("{ float x = s[t]; s[t] = s[j]; s[j] = x; }", "swap(s[t], s[j]);"),
])  # fmt: skip
def test_an_exchange_in_one_line_waits_after_it(steps: str) -> None:
    """The barrier of the steps is in another loop than the line."""
    said = race(7, "writes", 7, "reads")
    [cause] = barriers.in_one_line(said, "a.cu", steps.replace("{0}", ""))
    assert cause.startswith("No barrier after the exchange in line 7: ")
    [cause] = barriers.in_one_line(said, "a.cu", steps.replace("{0}", SYNC))
    assert cause.startswith("Threads (0,0,0) and (1,0,0) both have s[1] in one step. ")
    shifted = steps.replace("s[j]", "s[t + 1]").replace("s[t + 1] = x; ", "").replace(
        "swap(s[t], s[t + 1]);", "s[t] = s[t + 1];")  # fmt: skip
    [cause] = barriers.in_one_line(said, "a.cu", shifted)
    assert cause.startswith("Line 7 reads s and writes it. ")


def test_a_kernel_without_any_barrier_may_look_like_nothing() -> None:
    kernel = """__global__ void sort(float* keys, int n) {
  // BEGIN STAGE 1 f: sort (about 5 lines)
  __shared__ float s[9];
  s[threadIdx.x] = keys[threadIdx.x];
  {0}
  for (int j = 0; j < n; ++j) rank += s[j] < mine;
  keys[rank] = mine;
  // END STAGE 1
}
"""
    said = {"name": "f", "verdict": "not attempted", "message": "f is not implemented"}
    [cause] = barriers.without_any(said, "a.cu", kernel)
    assert cause.startswith("The threads share s of line 3, but the kernel has no barrier: ")
    for other in (kernel.replace("{0}", SYNC), kernel.replace("s[j] <", "s[threadIdx.x] <"),
                  kernel.replace("__shared__ ", "")):  # fmt: skip
        assert not barriers.without_any(said, "a.cu", other), other
    assert not barriers.without_any({**said, "verdict": "crashed"}, "a.cu", kernel)
