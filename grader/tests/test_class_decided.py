"""Points that a person decided, and labs that are excused: from the ledger to every export."""

import csv
import json
import re
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.course import ledger
from grader.course.book import book
from grader.course.course import Course
from grader.grading.decisions import total
from grader.tests import fake_class
from grader.tests.fakes import LAB
from grader.tests.test_class_grading import course as course
from grader.tests.test_class_grading import grade, hand_in, marks, roster

pytestmark = pytest.mark.reads("grader/grading", "grader/course", "grader/export")

Captured = pytest.CaptureFixture[str]
Say = Callable[..., int]
WHY = ("--because", "looked")
REJECTED = '// GRADE {"verdict": "rejected", "earned": null, "message": "names std::sort"}'


@pytest.fixture
def say(checkout: Checkout, course: Path) -> Say:
    """Runs `./lab class ...`: ann has 20 of the lab's 20 points, bob is rejected, dan missing."""
    roster(course, "ann", "bob", "dan")
    hand_in(course, "ann", "// good")
    hand_in(course, "bob", REJECTED)
    fake_class.graded_once(course, lambda: grade(checkout, course))
    return lambda *words: main(["class", words[0], "--course", str(course), *words[1:]], checkout)


def settings(course: Path, old: str, new: str) -> None:
    text = (course / "course.toml").read_text()
    assert old in text
    (course / "course.toml").write_text(text.replace(old, new))


def weight(course: Path, points: float) -> None:
    settings(course, "# weight = 20  ", f"weight = {points:g}  ")


@pytest.mark.parametrize(("weighs", "target", "most", "mark"), [
    (None, LAB, 20, 20), (100, LAB, 100, 100), (5, LAB, 5, 5),
    (None, f"{LAB}.global", 10, 10), (100, f"{LAB}.global", 50, 50), (5, f"{LAB}.global", 2.5, 2.5),
])  # fmt: skip
def test_as_much_can_be_decided_as_it_is_worth_in_the_course(
    checkout: Checkout, course: Path, say: Say, capsys: Captured,
    weighs: float | None, target: str, most: float, mark: float,
) -> None:  # fmt: skip
    if weighs:
        weight(course, weighs)
    capsys.readouterr()
    assert say("decide", "bob", target, "--points", f"{most + 0.01}", *WHY) == 2
    assert f"--points must be from 0 to {most:g}: that is what" in capsys.readouterr().err
    assert not (course / "decisions.jsonl").exists()
    assert say("decide", "bob", target, "--points", f"{most}", *WHY) == 0
    assert marks(checkout, course)["bob"] == ("graded", mark)
    assert say("decide", "bob", target, "--points", f"{most / 2}", *WHY) == 0
    assert marks(checkout, course)["bob"] == ("graded", mark / 2)


def test_a_stage_that_does_not_count_cannot_be_decided(
    checkout: Checkout, course: Path, say: Say, capsys: Captured
) -> None:
    settings(course, '# stages = ["global"]', 'stages = ["strided"]')
    capsys.readouterr()
    assert say("decide", "bob", f"{LAB}.global", "--points", "1", *WHY) == 2
    assert "is no graded stage of 01-demo that counts in this course; those are: strided." in (
        capsys.readouterr().err)  # fmt: skip
    assert say("decide", "bob", LAB, "--points", "20", *WHY) == 2
    assert say("decide", "bob", LAB, "--points", "10", *WHY) == 0
    assert marks(checkout, course)["bob"] == ("graded", 10)


def test_a_verdict_of_more_stages_than_count_says_so(
    course: Path, say: Say, capsys: Captured
) -> None:
    """`failed` beside full points would be a riddle."""
    capsys.readouterr()
    assert say("explain", "bob") == 0 and "this course counts" not in capsys.readouterr().out
    settings(course, '# stages = ["global"]', 'stages = ["global"]')
    assert say("explain", "bob") == 0
    assert " (all 2 stages; this course counts 1)\n" in capsys.readouterr().out
    assert say("grade", "--again") == 0
    assert f"below are of all stages of {LAB}; marks are of those" in capsys.readouterr().err


@pytest.mark.parametrize(("stages", "verdict"), [
    ('["global", "strided"]', "failed"), ('["global"]', "passed"), ('["strided"]', "failed"),
])  # fmt: skip
def test_the_verdict_in_a_table_is_that_of_the_stages_that_count(
    checkout: Checkout, course: Path, say: Say, stages: str, verdict: str
) -> None:
    wrong = '{"only": "strided", "verdict": "wrong answer", "earned": 0}'
    hand_in(course, "ann", f"// GRADE {wrong}", 2)
    assert grade(checkout, course) == 0
    settings(course, '# stages = ["global"]', f"stages = {stages}")
    assert say("export", "csv") == 0
    with (course / "exports" / "marks.csv").open() as file:
        [row] = [row for row in csv.DictReader(file) if row["student"] == "ann"]
    assert row["verdict"] == verdict


@pytest.mark.parametrize("weighs", [None, 100])
def test_without_a_hand_in_the_same_points_mean_the_same(
    checkout: Checkout, course: Path, say: Say, weighs: float | None
) -> None:
    worth = weighs or 20
    if weighs:
        weight(course, weighs)
    for student in ("bob", "dan"):
        assert say("decide", student, LAB, "--points", f"{worth + 1}", *WHY) == 2
        assert say("decide", student, LAB, "--points", f"{worth / 4}", *WHY) == 0
    found = marks(checkout, course)
    assert found["bob"] == ("graded", worth / 4) and found["dan"] == ("missing", worth / 4)


def test_a_decision_keeps_its_share_if_the_weight_changes(
    checkout: Checkout, course: Path, say: Say
) -> None:
    weight(course, 100)
    assert say("decide", "bob", f"{LAB}.global", "--points", "25", *WHY) == 0
    assert say("decide", "dan", LAB, "--points", "50", *WHY) == 0
    settings(course, "weight = 100", "weight = 10")
    found = marks(checkout, course)
    assert found["bob"] == ("graded", 2.5) and found["dan"] == ("missing", 5)


@pytest.mark.parametrize(("stage", "points", "mark"), [
    (None, 10, 50), (None, 25, 100), ("global", 5, 25), ("global", 15, 50),
])  # fmt: skip
def test_a_decision_of_an_earlier_kit_is_in_the_labs_points_and_never_above_them(
    checkout: Checkout, course: Path, say: Say, stage: str | None, points: float, mark: float
) -> None:
    weight(course, 100)
    [entry] = book(Course.load(checkout, course), ["bob"])
    assert entry.hand_in
    about = {"student": "bob", "lab": LAB, "stage": stage, "points": points, "attempt": 1,
             "source": entry.hand_in.sha256}  # fmt: skip
    ledger.append(course / "decisions.jsonl", "decide", "old", about)
    assert marks(checkout, course)["bob"] == ("graded", mark)


def test_the_result_with_a_courses_decision_adds_up(
    checkout: Checkout, course: Path, say: Say
) -> None:
    weight(course, 100)
    assert say("decide", "ann", f"{LAB}.global", "--points", "20", *WHY) == 0  # of 50, had 50
    [entry] = book(Course.load(checkout, course), ["ann"])
    assert entry.document and total(entry.document)["earned"] == 14  # 4 and 10 of the lab's own
    assert entry.mark.points == 70


def exported(say: Say, course: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    """What each export has for each student, as the other system would read it."""
    canvas, moodle = tmp_path / "canvas.csv", tmp_path / "moodle.csv"
    people = list(enumerate(("ann", "bob", "dan"), 1))
    canvas.write_text("Student,ID,SIS User ID,SIS Login ID,Section,Demo sort (9)\n" + "".join(
        f"{name},{n},,{name}@x.edu,S,\n" for n, name in people))  # fmt: skip
    moodle.write_text("Identifier,Email address,Grade,Feedback comments\n" + "".join(
        f"Participant {n},{name}@x.edu,,\n" for n, name in people))  # fmt: skip
    assert say("roster", str(canvas)) == 0
    assert say("export", "canvas", str(canvas), "--lab", LAB) == 0
    assert say("export", "moodle", str(moodle), "--lab", LAB) == 0
    for kind in ("csv", "json", "junit"):
        assert say("export", kind) == 0
    assert say("index") == 0
    out = course / "exports"

    def rows(name: str, key: str, column: str) -> dict[str, str]:
        with (out / name).open(newline="") as file:
            return {row[key].partition("@")[0]: row[column] for row in csv.DictReader(file)}

    marks = json.loads((out / "marks.json").read_text())["marks"]
    suites = re.findall(r'<testsuite name="\S+?\.(\w+)".*?</testsuite>',
                        (out / "junit.xml").read_text(), re.S)  # fmt: skip
    bodies = (out / "junit.xml").read_text().split("<testsuite ")[1:]
    found = {name: re.search(r'"points" value="([^"]*)"', body)
             for name, body in zip(suites, bodies, strict=True)}  # fmt: skip
    with sqlite3.connect(course / "gradebook.sqlite") as base:
        indexed = base.execute("SELECT student, points, possible FROM grades").fetchall()
    return {
        "canvas": rows(f"canvas-{LAB}.csv", "SIS Login ID", "Demo sort (9)"),
        "moodle": rows(f"moodle-{LAB}.csv", "Email address", "Grade"),
        "csv": rows("marks.csv", "student", "points"),
        "possible": rows("marks.csv", "student", "possible"),
        "json": {one["student"]: _said(one["points"]) for one in marks},
        "junit": {name: match[1] if match else "" for name, match in found.items()},
        "index": {row[0]: _said(row[1]) for row in indexed},
        "index possible": {row[0]: _said(row[2]) for row in indexed},
    }


def _said(value: Any) -> str:
    return "" if value is None else f"{value:g}"


def test_decided_points_are_the_same_in_every_export(
    course: Path, say: Say, tmp_path: Path
) -> None:
    weight(course, 100)
    assert say("decide", "bob", LAB, "--points", "75", *WHY) == 0
    assert say("decide", "dan", LAB, "--points", "30", *WHY) == 0
    found = exported(say, course, tmp_path)
    for kind in ("canvas", "moodle", "csv", "json", "index"):
        assert found[kind] == {"ann": "100", "bob": "75", "dan": "30"}, kind
    assert found["junit"] == {"ann": "100", "bob": "75"}


def test_decisions_are_counted_once_and_not_when_they_are_taken_back(
    course: Path, say: Say
) -> None:
    def counts() -> dict[str, str]:
        assert say("export", "csv") == 0
        with (course / "exports" / "marks.csv").open(newline="") as file:
            return {row["student"]: row["decided"] for row in csv.DictReader(file)}

    for target, points, count in ((f"{LAB}.global", "4", "1"), (f"{LAB}.global", "5", "1"),
                                  (LAB, "9", "2")):  # fmt: skip
        assert say("decide", "bob", target, "--points", points, *WHY) == 0
        assert counts() == {"ann": "0", "bob": count, "dan": "0"}
    for target, count in ((f"{LAB}.global", "1"), (LAB, "0")):
        assert say("decide", "bob", target, "--as-graded", *WHY) == 0
        assert counts() == {"ann": "0", "bob": count, "dan": "0"}


def test_points_that_wait_are_no_number_in_a_sheet(course: Path, say: Say, tmp_path: Path) -> None:
    found = exported(say, course, tmp_path)
    for kind in ("canvas", "moodle", "csv"):
        assert found[kind] == {"ann": "20", "bob": "", "dan": ""}, kind


def test_an_excused_lab_has_no_points_anywhere(course: Path, say: Say, tmp_path: Path) -> None:
    """Though ann handed in something that is worth all points, and dan's zero was decided."""
    assert say("decide", "dan", LAB, "--points", "0", *WHY) == 0
    for student in ("ann", "dan"):
        assert say("excuse", student, LAB, *WHY) == 0
    found = exported(say, course, tmp_path)
    assert {name: found["canvas"][name] for name in ("ann", "dan")} == {"ann": "EX", "dan": "EX"}
    for kind in ("moodle", "csv", "json", "index", "possible", "index possible"):
        assert (found[kind]["ann"], found[kind]["dan"]) == ("", ""), kind
        assert found[kind]["bob"] == ("20" if "possible" in kind else
                                      "0" if kind in ("json", "index") else "")  # fmt: skip
    assert found["junit"]["ann"] == ""
    feedback = (course / "exports" / f"moodle-{LAB}.csv").read_text()
    assert "Participant 1,ann@x.edu,,excused" in feedback


def test_gradescope_says_excused_and_shows_no_points_of_stages(course: Path, say: Say) -> None:
    def results() -> list[dict[str, Any]]:
        assert say("export", "gradescope", "--lab", LAB) == 0
        with zipfile.ZipFile(course / "exports" / f"gradescope-{LAB}.zip") as archive:
            return [json.loads(archive.read(name)) for name in archive.namelist()
                    if name.startswith("results/")]  # fmt: skip

    assert sorted(one["score"] for one in results()) == [0, 20]
    assert say("excuse", "ann", LAB, *WHY) == 0
    [ann] = [one for one in results() if one["output"].startswith("You are excused")]
    assert ann["tests"] == [] and not ann["extra_data"]["warpwise"]["graded"]


def test_moodle_keeps_an_earlier_grade_of_who_is_excused_and_that_is_said(
    course: Path, say: Say, tmp_path: Path, capsys: Captured
) -> None:
    assert say("excuse", "ann", LAB, *WHY) == 0
    sheet = tmp_path / "moodle.csv"
    sheet.write_text("Identifier,Email address,Grade\nParticipant 1,ann@x.edu,17.00\n"
                     "Participant 2,bob@x.edu,3.00\n")  # fmt: skip
    capsys.readouterr()
    assert say("export", "moodle", str(sheet), "--lab", LAB) == 0
    said = capsys.readouterr().out
    assert "note: ann is excused, but has 17.00 in Moodle" in said and "bob is excused" not in said
