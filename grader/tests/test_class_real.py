"""A small class on the real CPU backend: killed five times, it ends as if nobody disturbed it."""

from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.lab_file import manifest
from grader.sandbox import bubblewrap
from grader.tests.make_class import make
from grader.tests.show_class import grade, make_course, results, sheets

pytestmark = pytest.mark.reads(
    "judging", "grader/grading", "grader/course", "grader/export", "labs", "reference"
)
LAB = "02-in-place"
STUDENTS = 8
CPU = ("--backend", "cpu")


@pytest.mark.exhaustive("grader/course", "grader/grading", "grader/commands/course")
@pytest.mark.skipif(not bubblewrap.find(), reason=bubblewrap.find().text)
def test_a_class_that_was_killed_five_times_has_the_same_marks(tmp_path: Path) -> None:
    labs = [one for one in manifest.discover(Checkout.here()) if one.name == LAB]
    made = tmp_path / "made"
    made.mkdir()
    make(made, labs, STUDENTS, unique=False)
    disturbed, quiet = tmp_path / "disturbed", tmp_path / "quiet"
    for folder, kills in ((quiet, 0), (disturbed, 5)):
        make_course(folder, made, [LAB])
        grade(folder, kills, CPU, longest=10)
    assert results(disturbed) == results(quiet) and len(results(quiet)) >= 4
    assert sheets(disturbed, made, [LAB]) == sheets(quiet, made, [LAB])
    verdicts = {document["verdict"] for document in results(quiet).values()}
    assert verdicts >= {"passed", "failed", "refused"}
