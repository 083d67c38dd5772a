"""Grading again where marks change: what is shown before, and which attempt counts after."""

import json
import re
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.tests.test_class_grading import Captured, grade, hand_in, marks, rewritten, roster
from grader.tests.test_class_grading import course as course

pytestmark = pytest.mark.reads("grader/grading", "grader/course")


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
    assert "attempt 2 of 2 (the best one counts)" in capsys.readouterr().out


def test_with_last_only_the_last_attempt_is_graded_again(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    two_attempts(checkout, course, "last")
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
