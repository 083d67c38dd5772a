"""A wrong file in another student's words is recognised when it fails; another mistake is not."""

import re
from dataclasses import asdict

import pytest

from grader.base.checkout import Checkout
from grader.base.verdict import CRASHED, RACE, WRONG_ANSWER, WROTE_OUTSIDE, Run
from grader.judging.judge import check_once, run_once
from grader.judging.workers import build_for_grading, make_bench, make_checked
from grader.lab_file import manifest
from grader.sandbox import bubblewrap
from grader.study import causes, launch_size, where
from grader.tests import choice

pytestmark = [pytest.mark.reads("labs", "reference", "judging")]

HERE = Checkout.here()
STUDY = HERE.root / "grader" / "study"


def judged(lab: manifest.Lab, source: str, stage: str) -> Run:
    build_for_grading(HERE, "cpu")
    bench, message = make_checked(HERE, lab, source.encode(), 1, bubblewrap.find())
    assert bench is not None, message
    return check_once(bench, stage)


def row(stage: str, run: Run) -> dict[str, object]:
    return {**asdict(run), "name": stage}


def test_a_missing_barrier_under_other_names_and_on_other_lines() -> None:
    lab = manifest.find(manifest.discover(HERE), "03")
    path = HERE.reference / lab.name / "wrong" / "missing_barrier.cu"
    text = re.sub(r"\btile\b", "mine", path.read_text().replace("merge_tiles", "my_kernel"))
    text = "\n".join(["// my solution", "", "", *text.split("\n")[2:]])
    run = judged(lab, text, "shared")
    assert run.verdict == RACE
    [said] = causes.likely(causes.known(HERE, lab.name), row("shared", run))
    assert said.startswith("No barrier between two steps")


@pytest.mark.parametrize(
    ("name", "stage"),
    [("ranks_in_one_launch", "tiled"), ("runs_twice_as_long", "tiled"),
     ("network_on_a_padded_copy", "tiled"), ("ranks_as_merges", "merge-split"),
     ("ranks_by_warps", "merge-split")],
)  # fmt: skip
def test_the_checker_alone_sees_another_sort(name: str, stage: str) -> None:
    """Where a GPU grades, no other run leaves out blocks. What these would have written is read."""
    lab = manifest.find(manifest.discover(HERE), "04")
    path = HERE.reference / lab.name / "wrong" / f"{name}.cu"
    run = judged(lab, path.read_text(), stage)
    assert run.verdict == WRONG_ANSWER
    assert "this is another algorithm" in run.message or "covers all keys" in run.message


def test_a_message_names_the_call_once() -> None:
    lab = manifest.find(manifest.discover(HERE), "01")
    path = HERE.reference / lab.name / "wrong" / "local_array_overrun.cu"
    run = judged(lab, path.read_text(), "global")
    assert run.message.startswith("rank_sort::global(in, out, 5): an array of type")
    assert run.message.count("rank_sort::global(") == 1


@pytest.mark.unit
@pytest.mark.parametrize("lab", manifest.discover(HERE), ids=lambda lab: lab.name)
def test_a_recorded_message_names_the_call_once(lab: manifest.Lab) -> None:
    for mistake in causes.known(HERE, lab.name):
        first = mistake.message.splitlines()[0] if mistake.message else ""
        calls = re.findall(r"\w+::\w+\([^)]*\)", first)
        assert len(calls) == len(set(calls)), first


@pytest.mark.parametrize(("right", "wrong", "verdict", "line", "words"), choice.first_of(1, [
    ("  if (i >= n) return;  // the last block is seldom full\n", "", WROTE_OUTSIDE,
     "const float mine = in[i];", "reads 4 bytes past its end"),
    ("tile[kTile / 4]", "tile[kTile / 8]", CRASHED, "word[j] =", "writes 4 bytes past its end"),
], STUDY))  # fmt: skip
def test_a_failure_without_a_line_gets_the_one_that_the_checker_found(
    right: str, wrong: str, verdict: str, line: str, words: str
) -> None:
    lab = manifest.find(manifest.discover(HERE), "01")
    text = (HERE.reference / lab.name / lab.source).read_text()
    assert right in text
    text = text.replace(right, wrong, 1)
    number = next(n for n, code in enumerate(text.splitlines(), 1) if line in code)
    build_for_grading(HERE, "cpu")
    stage = {"name": "global" if wrong == "" else "tiled", "verdict": verdict, "message": "no line"}
    document = {"stages": [stage], "seed": {"public": 1}}
    [said] = where.places(HERE, lab, text.encode(), document, bubblewrap.find()).values()
    assert words in said and f"rank_sort.cu:{number}" in said
    document["stages"] = [{**stage, "message": "at rank_sort.cu:3"}]  # it is known
    assert not where.places(HERE, lab, text.encode(), document, bubblewrap.find())


def test_an_index_that_nobody_set_is_found_if_places_were_left_out() -> None:
    lab = manifest.find(manifest.discover(HERE), "01")
    text = (HERE.reference / lab.name / lab.source).read_text()
    right, wrong = "if (t < kServed) rank[t] = 0;", "if (t == 0) rank[t] = 0;"
    assert right in text
    build_for_grading(HERE, "cpu")
    stage = {"name": "tiled", "verdict": "wrong answer",
             "message": "tiled(in, out, 2): wrong set\n  got  0  nan(0xffffffff)"}  # fmt: skip
    document = {"stages": [stage], "seed": {"public": 1}}
    said = where.places(HERE, lab, text.replace(right, wrong).encode(), document,
                        bubblewrap.find())  # fmt: skip
    assert "shared memory rank[" in said["tiled"] and "never written" in said["tiled"]
    assert not where.places(HERE, lab, text.encode(), document, bubblewrap.find())


# Both leave 2, 1 as it is: one drops the last key, the other wants it that way.
SWAP = """  // BEGIN STAGE 1 phases: put one pair of neighbours in order
  int left = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (left + 1 < n && keys[left] {compare} keys[left + 1]) {{
    float other = keys[left]; keys[left] = keys[left + 1]; keys[left + 1] = other;
  }}
  // END STAGE 1"""
LAUNCH = """  // BEGIN STAGE 1 phases: n phases
  for (int phase = 0; phase < n; ++phase)
    compare_neighbours<<<n / 512 + 1, 256>>>(keys, n {less}, phase & 1);
  CUDA_CHECK_LAUNCH();
  // END STAGE 1"""


@pytest.mark.parametrize(("compare", "less", "cause"), choice.first_of(1, [
    (">", "- 1", "Counts pairs from the front"), ("<", "", "Swaps neighbours that are in"),
], STUDY))  # fmt: skip
def test_of_two_mistakes_with_the_same_first_message_the_right_one_is_named(
    compare: str, less: str, cause: str
) -> None:
    lab = manifest.find(manifest.discover(HERE), "04")
    parts = iter((SWAP.format(compare=compare), LAUNCH.format(less=less)))
    text = re.sub(r" *// BEGIN STAGE 1 .*?// END STAGE 1", lambda _: next(parts),
                  (HERE.labs / lab.name / lab.source).read_text(), flags=re.DOTALL)  # fmt: skip
    build_for_grading(HERE, "cpu")
    bench, message = make_bench(HERE, lab, text.encode(), "cpu", 1, bubblewrap.find(), check=False)
    assert bench is not None, message
    run = run_once(bench, "phases", "forward")
    assert run.verdict == WRONG_ANSWER and "got 2, expected 1" in run.message
    said = causes.likely(causes.known(HERE, lab.name), row("phases", run))
    assert [one[: len(cause)] for one in said] == [cause]


@pytest.mark.parametrize(("condition", "launches"), choice.first_of(1, [
    ("threads < n", "the call made 1 launch"),  # for n = 0 alone; other calls follow that make none
    ("n > 0 || threads > 0", "the call made 0 launches"),
], STUDY))  # fmt: skip
def test_the_launches_that_are_told_are_those_of_the_call_that_failed(
    condition: str, launches: str
) -> None:
    lab = manifest.find(manifest.discover(HERE), "01")
    text = (HERE.reference / lab.name / lab.source).read_text()
    first = "  if (n == 0) return;\n  place_by_rank_strided<<<"
    assert first in text
    text = text.replace(first, first.replace("n == 0", condition))
    build_for_grading(HERE, "cpu")
    bench, message = make_bench(HERE, lab, text.encode(), "cpu", 1, bubblewrap.find(), check=False)
    assert bench is not None, message
    run = run_once(bench, "strided", "forward")
    assert launches in run.message.splitlines() or run.message == launch_size.NO_CALL
    case = run.cases[0]
    assert launches in case.message.splitlines()
