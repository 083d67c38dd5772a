"""Several attempts; grading again where marks change: what is shown before, what counts after."""

import hashlib
import json
import re
import zipfile
from pathlib import Path
from typing import Any, cast

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.export import gradescope
from grader.tests.fakes import LAB
from grader.tests.test_class_grading import Captured, grade, hand_in, marks, rewritten, roster
from grader.tests.test_class_grading import course as course

pytestmark = pytest.mark.reads("grader/grading", "grader/course", "grader/export")


def by_a_newer_kit(course: Path, earned: dict[int, int | None]) -> None:
    """As if the second grading had given each stage these points instead of the first one's."""
    for second in (course / "results").glob("*.2/result.json"):
        document = json.loads(second.read_text())
        for stage in document["stages"]:
            points, part = stage["points"], stage["points"]["correct"]
            part["earned"] = earned[part["earned"]]
            points["earned"] = part["earned"] or 0
            points["not_measured"] = 10 if part["earned"] is None else 0
        rewritten(course, second, document)


def class_(checkout: Checkout, course: Path, *words: str) -> int:
    return main(["class", words[0], "--course", str(course), *words[1:]], checkout)


def two_attempts(checkout: Checkout, course: Path, rule: str) -> None:
    roster(course, "ann")
    text = (course / "course.toml").read_text()
    (course / "course.toml").write_text(re.sub('attempt = "last" ', f'attempt = "{rule}" ', text))
    hand_in(course, "ann", '// GRADE {"earned": 8}', 1)
    hand_in(course, "ann", '// GRADE {"earned": 6}', 2)
    assert grade(checkout, course) == 0


def test_by_other_tests_another_attempt_may_be_the_best(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    """Only the best one was graded again: after `accept` the worse one's old mark counted."""
    two_attempts(checkout, course, "best")
    assert marks(checkout, course)["ann"] == ("graded", 16)
    assert grade(checkout, course, "--again") == 0
    by_a_newer_kit(course, {8: 1, 6: 10})
    capsys.readouterr()
    assert grade(checkout, course) == 0
    out = capsys.readouterr().out
    assert re.search(r"graded again: ann \S+: 16 -> 20 of 20", out)
    assert marks(checkout, course)["ann"] == ("graded", 16)  # nothing of it counts yet
    assert class_(checkout, course, "accept", "--because", "the tests were wrong") == 0
    assert marks(checkout, course)["ann"] == ("graded", 20)
    assert class_(checkout, course, "explain", "ann") == 0
    out = capsys.readouterr().out
    assert "attempt 2 of 2 (the best one counts)" in out
    assert re.search(r"this result was accepted by \w+ at .* UTC: the tests were wrong\n", out)
    assert re.search(r"before that: results/\S+: 12 of 20 points\n", out)
    assert re.search(r"attempt 1 \(.*\) does not count: 2 of 20 points, graded", out)


def test_with_last_only_the_last_attempt_is_graded_again(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    two_attempts(checkout, course, "last")
    capsys.readouterr()
    assert class_(checkout, course, "explain", "ann") == 0
    out = capsys.readouterr().out
    assert "attempt 1 (the time is not known) does not count: not graded\n" in out
    assert "before that" not in out and "accepted" not in out
    assert grade(checkout, course, "--again") == 0
    assert len(list((course / "results").glob("*.2"))) == 1
    assert "graded again: no change of 1 mark." in capsys.readouterr().out
    assert grade(checkout, course) == 0
    assert "Nothing to grade: every hand-in has a result." in capsys.readouterr().out


def test_points_that_become_open_are_a_change(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    """The points stay, but some wait for a person now: an export would leave the mark out."""
    roster(course, "ann")
    hand_in(course, "ann", "// good")
    assert grade(checkout, course) == 0
    assert grade(checkout, course, "--again") == 0
    by_a_newer_kit(course, {10: None})
    capsys.readouterr()
    assert class_(checkout, course, "accept", "--because", "a person looks at it") == 0
    assert re.search(r"ann \S+: 20 -> 0 \(20 open\) of 20", capsys.readouterr().out)


@pytest.mark.parametrize(("rule", "counts"), [("best", 1), ("last", 2)])
def test_gradescope_shows_the_mark_whichever_attempt_is_active_there(
    checkout: Checkout, course: Path, rule: str, counts: int
) -> None:
    """The one that does not count was "not graded yet", with score 0."""
    two_attempts(checkout, course, rule)
    assert class_(checkout, course, "export", "gradescope", "--lab", LAB) == 0
    score = {1: 16, 2: 12}[counts]
    for attempt in (1, 2):
        shown = in_gradescope(course, "ann", attempt)
        said = f"Attempt {counts} counts, not this file."
        assert shown["score"] == score
        assert (said in shown["output"], bool(shown["tests"])) == (
            (False, True) if attempt == counts else (True, False)
        )


def test_gradescope_shows_no_stage_that_does_not_count(checkout: Checkout, course: Path) -> None:
    two_attempts(checkout, course, "last")
    settings = (course / "course.toml").read_text()
    (course / "course.toml").write_text(settings.replace("# stages =", "stages ="))
    assert class_(checkout, course, "export", "gradescope", "--lab", LAB) == 0
    shown = in_gradescope(course, "ann", 2)
    assert (shown["score"], [one["name"] for one in shown["tests"]]) == (6, ["global: correct"])


def in_gradescope(course: Path, student: str, attempt: int) -> dict[str, Any]:
    """What the autograder's zip has for this file."""
    file = course / "submitted" / student / LAB / str(attempt) / "demo.cu"
    name = gradescope.name_of(f"{student}@x.edu", hashlib.sha256(file.read_bytes()).hexdigest())
    with zipfile.ZipFile(course / "exports" / f"gradescope-{LAB}.zip") as archive:
        return cast("dict[str, Any]", json.loads(archive.read(f"results/{name}.json")))
