"""A hand-in that cannot be graded: what its mark says, who is asked, and where it is found."""

import csv
import dataclasses
import json
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.course.book import as_it_counts, book
from grader.course.course import Course
from grader.grading.derived import complete
from grader.tests import fake_class
from grader.tests.fakes import LAB
from grader.tests.test_class_decided import REJECTED, weight
from grader.tests.test_class_grading import course as course
from grader.tests.test_class_grading import grade, hand_in, roster

pytestmark = pytest.mark.reads("grader/grading", "grader/course", "grader/export")

Captured = pytest.CaptureFixture[str]
Say = Callable[..., int]
BROKEN = "\ufeffPK broken".encode()
WHY = ("--because", "looked.")


@pytest.fixture
def say(checkout: Checkout, course: Path) -> Say:
    """Runs `./lab class ...`: ann has all points, bob is rejected, cid's zip is damaged."""
    roster(course, "ann", "bob", "cid", "dan")
    hand_in(course, "ann", "// good")
    hand_in(course, "bob", REJECTED)
    hand_in(course, "cid", "\ufeffPK broken", name="work.zip")  # looked up without its mark
    fake_class.graded_once(course, lambda: grade(checkout, course))
    return lambda *words: main(["class", words[0], "--course", str(course), *words[1:]], checkout)


def waiting(course: Path, say: Say, capsys: Captured) -> dict[str, tuple[int, int, int]]:
    """What waits for a person: by the CSV, by the index, and by `status --review`."""
    assert say("export", "csv") == say("index") == say("status", "--review") == 0
    listed = capsys.readouterr().out.splitlines()
    with (course / "exports" / "marks.csv").open(newline="") as file:
        rows = {row["student"]: int(row["needs_review"]) for row in csv.DictReader(file)}
    with sqlite3.connect(course / "gradebook.sqlite") as base:
        indexed = dict(base.execute("SELECT student, needs_review FROM grades").fetchall())
    return {name: (count, indexed[name], sum(one.startswith(f"{name} {LAB}") for one in listed))
            for name, count in rows.items()}  # fmt: skip


def test_what_waits_for_a_person_is_one_number(course: Path, say: Say, capsys: Captured) -> None:
    none, two, one = (0, 0, 0), (2, 2, 2), (1, 1, 1)
    found = waiting(course, say, capsys)
    assert found == {"ann": none, "bob": two, "cid": one, "dan": none}
    assert say("decide", "bob", f"{LAB}.global", "--points", "3", *WHY) == 0
    assert waiting(course, say, capsys)["bob"] == one
    assert say("decide", "bob", LAB, "--points", "3", *WHY) == 0
    assert say("excuse", "cid", LAB, *WHY) == 0
    assert set(waiting(course, say, capsys).values()) == {none}


def lines(checkout: Checkout, course: Path, student: str) -> list[float]:
    [entry] = book(Course.load(checkout, course), [student])
    assert entry.mark.points == round(sum(line.points for line in entry.mark.lines), 2)
    return [line.points for line in entry.mark.lines]


def test_a_decision_about_all_of_it_is_a_line_in_the_courses_points(
    checkout: Checkout, course: Path, say: Say
) -> None:
    """12 of 100 is a line of 12, not one of the lab's own points that is converted afterwards."""
    weight(course, 100)
    for student in ("ann", "cid"):
        assert say("decide", student, LAB, "--points", "12", *WHY) == 0
    assert lines(checkout, course, "cid") == [0, 12]
    assert lines(checkout, course, "ann") == [10, 10, 80, -88]


def test_the_mean_is_of_all_marks_that_are_known(course: Path, say: Say, capsys: Captured) -> None:
    def mean() -> str:
        capsys.readouterr()
        assert say("status") == 0
        return capsys.readouterr().out.splitlines()[1].split()[-3]

    assert mean() == "20"  # ann's; bob's and cid's are all open
    assert say("decide", "cid", LAB, "--points", "10", *WHY) == 0
    assert say("decide", "dan", LAB, "--points", "0", *WHY) == 0
    assert mean() == "10"
    assert say("excuse", "dan", LAB, *WHY) == 0
    assert mean() == "15"


def test_a_page_has_the_stages_that_count(
    checkout: Checkout, course: Path, say: Say
) -> None:
    """ann's other stage passed, too; beside half of the points that would be a riddle."""
    text = (course / "course.toml").read_text()
    text = text.replace('# stages = ["global"]', 'stages = ["global"]')
    (course / "course.toml").write_text(text)
    settings = Course.load(checkout, course).settings
    for entry in book(Course.load(checkout, course)):
        shown = as_it_counts(settings, entry)
        assert [stage.name for stage in shown.lab.stages] == ["global"]
        assert shown.mark == entry.mark
        if shown.document and shown.state == "graded":
            assert [stage["name"] for stage in shown.document["stages"]] == ["global"]
            assert shown.document["points"]["possible"] == 10
    assert say("report") == 0
    page = (course / "class.html").read_text()
    assert ">global<" in page and ">strided<" not in page


def test_points_that_only_a_gpu_measures_are_on_no_page_if_they_do_not_count(
    checkout: Checkout, course: Path, say: Say
) -> None:
    """The page's points of a stage and those of its mark have one maximum, whatever counts."""
    [entry] = book(Course.load(checkout, course), ["ann"])
    assert entry.document
    part = {"possible": 7, "earned": None, "verdict": "not measured", "code": "no-gpu",
            "measured": None, "reason": ""}  # fmt: skip
    entry.document["stages"][0]["points"]["fast"] = part
    complete(entry.document)
    settings = Course.load(checkout, course).settings
    for policy, possible in (("leave-out", 20), ("open", 27)):
        made = as_it_counts(dataclasses.replace(settings, without_gpu=policy), entry)
        assert made.document and made.document["points"]["possible"] == possible
    assert entry.document["points"]["possible"] == 27  # the result itself is as it was


def handed_out(course: Path, tmp_path: Path, student: str, files: dict[str, bytes]) -> dict:
    """What Gradescope shows for these files, which it has unpacked."""
    place = tmp_path / "autograder"
    with zipfile.ZipFile(course / "exports" / f"gradescope-{LAB}.zip") as archive:
        archive.extractall(place / "source")
    subprocess.run(["rm", "-rf", place / "submission"], check=True)
    (place / "submission").mkdir()
    for name, content in files.items():
        (place / "submission" / name).write_bytes(content)
    users = {"users": [{"email": f"{student}@x.edu"}]}
    (place / "submission_metadata.json").write_text(json.dumps(users))
    script = (place / "source" / "run_autograder").read_text()
    script = script.replace('"/autograder"', repr(str(place)))
    subprocess.run([sys.executable, "-c", script], check=True)
    return dict(json.loads((place / "results" / "results.json").read_text()))


def test_gradescope_finds_what_was_decided_about_a_file_that_nobody_could_grade(
    course: Path, say: Say, tmp_path: Path
) -> None:
    assert say("decide", "cid", LAB, "--points", "7", *WHY) == 0
    assert say("export", "gradescope", "--lab", LAB) == 0
    found = handed_out(course, tmp_path, "cid", {"work.zip": BROKEN, ".DS_Store": b"x"})
    assert found["score"] == 7 and "looked" in found["output"]
    assert handed_out(course, tmp_path, "cid", {"demo.cu": b"// new"})["score"] == 0
    assert handed_out(course, tmp_path, "bob", {"work.zip": BROKEN})["score"] == 0
    good = {"demo.cu": b"// good", "work.zip": BROKEN}
    assert handed_out(course, tmp_path, "ann", good)["score"] == 20


def test_who_gradescope_cannot_find_is_named(course: Path, say: Say, capsys: Captured) -> None:
    rows = (course / "roster.csv").read_text().replace("ann@x.edu", "")
    (course / "roster.csv").write_text(rows)
    capsys.readouterr()
    assert say("export", "gradescope", "--lab", LAB) == 0
    said = capsys.readouterr().out
    assert "note: ann has no e-mail address in roster.csv" in said
    assert "no grade: 20 points wait for a person: bob, cid" in said and "bob has no" not in said


def test_a_reason_that_ends_with_a_full_stop_has_one(course: Path, say: Say) -> None:
    weight(course, 100)
    assert say("decide", "cid", LAB, "--points", "7", *WHY) == 0
    sheet = course / "moodle.csv"
    sheet.write_text("Identifier,Email address,Grade,Feedback comments\n"
                     "Participant 1,cid@x.edu,,\n")  # fmt: skip
    assert say("export", "moodle", str(sheet), "--lab", LAB) == 0
    text = (course / "exports" / f"moodle-{LAB}.csv").read_text()
    assert ".; " not in text and text.rstrip().endswith(': looked"')


def test_an_extension_is_told_in_the_courses_time(
    course: Path, say: Say, capsys: Captured
) -> None:
    text = (course / "course.toml").read_text().replace('"UTC" ', '"Asia/Tokyo" ')
    (course / "course.toml").write_text(text)
    assert say("extend", "ann", LAB, "--until", "2026-12-05", *WHY) == 0
    said = capsys.readouterr().out
    assert "decision 1: due 2026-12-05 23:59:59 JST, by" in said
