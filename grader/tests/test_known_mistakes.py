"""A wrong file in another student's words is recognised when it fails; the reference is not."""

import re

import pytest

from grader.base.checkout import Checkout
from grader.base.verdict import PASSED, RACE, Run
from grader.judging.judge import check_once
from grader.judging.workers import build_for_grading, make_checked
from grader.lab_file import manifest
from grader.sandbox import bubblewrap
from grader.study import causes

pytestmark = [pytest.mark.reads("labs", "reference", "judging")]

HERE = Checkout.here()


def judged(lab: manifest.Lab, source: str, stage: str) -> Run:
    build_for_grading(HERE, "cpu")
    bench, message = make_checked(HERE, lab, source.encode(), 1, bubblewrap.find())
    assert bench is not None, message
    return check_once(bench, stage)


def row(stage: str, run: Run) -> dict[str, str]:
    return {"name": stage, "verdict": run.verdict, "case": run.case, "message": run.message}


def test_a_missing_barrier_under_other_names_and_on_other_lines() -> None:
    lab = manifest.find(manifest.discover(HERE), "03")
    path = HERE.reference / lab.name / "wrong" / "missing_barrier.cu"
    text = re.sub(r"\btile\b", "mine", path.read_text().replace("merge_tiles", "my_kernel"))
    text = "\n".join(["// my solution", "", "", *text.split("\n")[2:]])
    run = judged(lab, text, "shared")
    assert run.verdict == RACE
    [said] = causes.likely(causes.known(HERE, lab.name), row("shared", run))
    assert said.startswith("No barrier between two steps")


def test_the_reference_resembles_no_mistake() -> None:
    lab = manifest.find(manifest.discover(HERE), "03")
    text = (HERE.reference / lab.name / lab.source).read_text()
    run = judged(lab, text, "shared")
    assert run.verdict == PASSED
    assert causes.likely(causes.known(HERE, lab.name), row("shared", run)) == ()
