"""How a call is made: few blocks or few launches run, where a test asks for it, and no others.

Each program here is right only as long as no more of it runs than was asked for: another block of
the launch, or another launch, makes the answer wrong.
"""

import pytest

from grader.base.checkout import Checkout
from grader.base.verdict import CRASHED, PASSED, TIMED_OUT, WRONG_ANSWER, Run
from grader.compiling.worker import compile_submission
from grader.judging import judge
from grader.judging.judge import Bench
from grader.judging.workers import build_for_grading
from grader.lab_file import manifest

pytestmark = pytest.mark.reads("judging", "labs", "reference")

CHECKOUT = Checkout.here()
EXHAUSTIVE = pytest.mark.exhaustive(
    "grader/judge", "grader/worker", "grader/wire", "labs", "grader/tests/test_manners.py"
)
REFERENCES = {"01-rank-sort": "rank_sort.cu", "04-odd-even": "odd_even.cu"}
# Of 274 blocks of 256 threads the first runs, the last, and one that the seed chooses: block 233.
RANK = "  out[rank] = mine;  // no barrier"
SPOILT_BLOCK = "  out[rank] = n > 70000 && (%s) ? 0 : mine;  // no barrier"
# Of 66,001 launches 16 run. A swap keeps the keys, and no few phases undo this one.
SPOILT_LAUNCH = """
    if (n > 60000 && phase == %d) swap_far<<<1, 1>>>(keys, n / 2);
    else compare_neighbours<<<"""
SWAP_FAR = """namespace odd_even {
__global__ void swap_far(float* keys, int other) {
  const float first = keys[0];
  keys[0] = keys[other];
  keys[other] = first;
}
"""


def judged(lab: str, stage: str, text: str) -> Run:
    build_for_grading(CHECKOUT, "cpu")
    made = compile_submission(
        CHECKOUT, manifest.find(manifest.discover(CHECKOUT), lab), text.encode(), "cpu"
    )
    assert made.worker, made.message
    bench = Bench(
        CHECKOUT.judge("cpu", lab), made.worker, 10.0, "cpu", 1, CHECKOUT.control("cpu", lab)
    )
    return judge.run_once(bench, stage, "forward")


def reference(lab: str) -> str:
    return (CHECKOUT.reference / lab / REFERENCES[lab]).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("block", "verdict"),
    [("blockIdx.x > 0 && blockIdx.x + 1 < gridDim.x && blockIdx.x != 233", PASSED),
     pytest.param("blockIdx.x > 0 && blockIdx.x + 1 < gridDim.x", WRONG_ANSWER, marks=EXHAUSTIVE),
     pytest.param("blockIdx.x == 0", WRONG_ANSWER, marks=EXHAUSTIVE),
     pytest.param("blockIdx.x + 1 == gridDim.x", WRONG_ANSWER, marks=EXHAUSTIVE)],
)  # fmt: skip
def test_few_blocks_are_the_first_the_last_and_one_between_them(block: str, verdict: str) -> None:
    text = reference("01-rank-sort")
    assert text.count(RANK) == 1
    run = judged("01-rank-sort", "global", text.replace(RANK, SPOILT_BLOCK % block))
    assert run.verdict == verdict, run.message


# With 70,001 keys few blocks run, and block 10 is none of them. What it leaves is needed later.
LEAVE = """namespace rank_sort {
__device__ int left;
__global__ void leave(int n) { if (blockIdx.x == 10) left = n > 70000; }
"""
FAR_AWAY = "  out[n > 70000 && !left ? rank + (1 << 29) : rank] = mine;  //"


@pytest.mark.parametrize(
    ("before", "verdict"),
    [("", CRASHED),
     pytest.param("  leave<<<kit::ceil_div(n, kBlock), kBlock>>>(n);\n", PASSED, marks=EXHAUSTIVE)],
)  # fmt: skip
def test_a_part_that_fails_proves_nothing_if_it_needs_what_was_left_out(
    before: str, verdict: str
) -> None:
    text = reference("01-rank-sort").replace("namespace rank_sort {\n", LEAVE, 1)
    launch = "  place_by_rank<<<"
    assert text.count(launch) == text.count(RANK) == 1
    text = text.replace(RANK, FAR_AWAY).replace(launch, before + launch)
    run = judged("01-rank-sort", "global", text)
    assert run.verdict == verdict, run.message


# With 70,001 keys, or with 35,000 as well: then it waits for the block that was left out.
WAIT = "  for (volatile int* is = &left; n > %d && !*is;) {}\n  const float mine"
MINE = "  const float mine"


@EXHAUSTIVE
@pytest.mark.parametrize(
    ("most", "before", "verdict"),
    [(70000, "", TIMED_OUT),
     (34000, "  leave<<<kit::ceil_div(n, kBlock), kBlock>>>(n);\n", PASSED)],
)  # fmt: skip
def test_a_part_that_does_not_end_is_endless_if_half_of_it_ends_at_once(
    most: int, before: str, verdict: str
) -> None:
    text = reference("01-rank-sort").replace("namespace rank_sort {\n", LEAVE, 1)
    launch = "  place_by_rank<<<"
    assert text.count(launch) == 1
    text = text.replace("n > 70000", "n > 34000", 1).replace(launch, before + launch)
    begin = text.index(MINE, text.index("void place_by_rank"))
    text = text[:begin] + WAIT % most + text[begin + len(MINE) :]
    run = judged("01-rank-sort", "global", text)
    assert run.verdict == verdict, run.message


@EXHAUSTIVE
@pytest.mark.parametrize(("phase", "verdict"), [(3, WRONG_ANSWER), (40, PASSED)])
def test_few_launches_are_the_first_ones(phase: int, verdict: str) -> None:
    text = reference("04-odd-even").replace("namespace odd_even {\n", SWAP_FAR, 1)
    launch = "\n    compare_neighbours<<<"
    assert text.count(launch) == 1
    run = judged("04-odd-even", "phases", text.replace(launch, SPOILT_LAUNCH % phase))
    assert run.verdict == verdict, run.message


TICKET = CHECKOUT.root / "grader" / "tests" / "exploits" / "honest_ticket_resets_itself.cu"
RESET = "  if (threadIdx.x == 0) ticket = 0;\n"


@pytest.mark.parametrize(
    ("reset", "verdict"), [(RESET, PASSED), pytest.param("", WRONG_ANSWER, marks=EXHAUSTIVE)]
)
def test_a_part_leaves_no_trace_in_variables(reset: str, verdict: str) -> None:
    text = TICKET.read_text(encoding="utf-8")
    assert text.count(RESET) == 1
    run = judged("01-rank-sort", "stable", text.replace(RESET, reset))
    assert run.verdict == verdict, run.message


ELSEWHERE = CHECKOUT.root / "grader" / "tests" / "exploits" / "honest_phases_elsewhere.cu"
# One thread sorts by insertion; the other launches are for show.
SORT_ONCE = """  if (i > 0 || parity > 0) return;
  for (int last = 1; last < n; ++last)
    for (int at = last; at > 0 && keys[at] < keys[at - 1]; --at) {
      const float larger = keys[at - 1];
      keys[at - 1] = keys[at];
      keys[at] = larger;
    }
  return;
  if (i + 1 < n &&"""


@EXHAUSTIVE
def test_phases_on_a_copy_are_phases() -> None:
    run = judged("04-odd-even", "phases", ELSEWHERE.read_text(encoding="utf-8"))
    assert run.verdict == PASSED, run.message


@EXHAUSTIVE
def test_a_sort_on_a_copy_with_launches_for_show_is_not_phases() -> None:
    text = ELSEWHERE.read_text(encoding="utf-8")
    assert text.count("  if (i + 1 < n &&") == 1
    run = judged("04-odd-even", "phases", text.replace("  if (i + 1 < n &&", SORT_ONCE))
    assert run.verdict == WRONG_ANSWER
    assert "as many phases leave them" in run.message


STRIPS = "  for (int phase = 0; phase < kHalo; phase += 2) two_phases(key);"


@EXHAUSTIVE
@pytest.mark.parametrize("size", [270001, 10007])  # the first one is tried in part
def test_tiles_that_are_endless_at_one_size_time_out(size: int) -> None:
    text = reference("04-odd-even")
    assert text.count(STRIPS) == 1
    endless = f"  for (volatile int more = n == {size}; more;) {{}}\n"
    run = judged("04-odd-even", "tiled", text.replace(STRIPS, endless + STRIPS))
    assert run.verdict == TIMED_OUT, run.message


@EXHAUSTIVE
@pytest.mark.parametrize("stage", ["global", "shared"])
def test_a_network_on_a_copy_is_a_network(stage: str) -> None:
    path = ELSEWHERE.with_name("honest_network_on_a_copy.cu")
    run = judged("03-bitonic", stage, path.read_text(encoding="utf-8"))
    assert run.verdict == PASSED, run.message


OWN_ARCS = "count = offsets[v + 1] - first;"
CUT_DOWN = "count = min(offsets[v + 1] - first, 65536);"


@EXHAUSTIVE
@pytest.mark.parametrize(("arcs", "verdict"), [(OWN_ARCS, PASSED), (CUT_DOWN, WRONG_ANSWER)])
def test_a_copy_that_no_block_has_sorted_yet_proves_nothing(arcs: str, verdict: str) -> None:
    text = ELSEWHERE.with_name("honest_copy_sorted_in_place.cu").read_text(encoding="utf-8")
    assert text.count(OWN_ARCS) == 1
    run = judged("05-sssp", "delta", text.replace(OWN_ARCS, arcs))
    assert run.verdict == verdict, run.message


# In every second launch all phases: large arrays take minutes, long after a small one was wrong.
ALL_PHASES = """#include "ceil_div.hpp"
#include "odd_even.hpp"
namespace odd_even {
__global__ void compare(float* keys, int n, int phases) {
  const int threads = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int phase = 0; phase < phases; ++phase, __syncthreads())
    for (int i = 2 * first + phase % 2; i + 1 < n; i += 2 * threads)
      if (keys[i + 1] < keys[i]) {
        const float key = keys[i];
        keys[i] = keys[i + 1];
        keys[i + 1] = key;
      }
}
void phases(float* keys, int n) {
  if (n < 2) return;
  for (int phase = 0; phase < n; ++phase)
    compare<<<kit::ceil_div(n / 2, 256), 256>>>(keys, n, phase % 2 ? n : 0);
}
}  // namespace odd_even
"""


@pytest.mark.exhaustive("grader/judge")
def test_after_a_failure_the_other_cases_get_a_moment() -> None:
    run = judged("04-odd-even", "phases", ALL_PHASES)
    assert run.verdict == WRONG_ANSWER and "a phase moves a key by one place" in run.message
    late = [case.message for case in run.cases if case.verdict == TIMED_OUT]
    assert late and all("not tried" in message for message in late)
    assert sum(case.seconds for case in run.cases) < 30
