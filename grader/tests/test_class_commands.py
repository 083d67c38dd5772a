"""./lab class as an instructor types it: decide, extend, excuse, explain, export, select by SQL."""

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.course import index
from grader.course.book import book
from grader.course.course import Course
from grader.tests import fake_class
from grader.tests.fakes import LAB
from grader.tests.test_class_grading import course as course
from grader.tests.test_class_grading import grade, hand_in, marks, roster

pytestmark = pytest.mark.reads("grader/grading", "grader/course", "grader/export")

Captured = pytest.CaptureFixture[str]
Lab = Callable[..., int]
REJECTED = '// GRADE {"verdict": "rejected", "earned": null, "message": "names std::sort"}'


@pytest.fixture
def lab_class(checkout: Checkout, course: Path) -> Lab:
    """Runs `./lab class ...` about a graded class of four."""
    roster(course, "ann", "bob", "cid", "dan")
    hand_in(course, "ann", "// good")
    hand_in(course, "bob", REJECTED)
    hand_in(course, "cid", '// GRADE {"verdict": "wrong answer", "earned": 0, "message": "n = 3"}')
    for student, time in (("ann", "2026-11-21T12:00:00Z"), ("bob", "2026-11-01T12:00:00Z")):
        record = {"student": student, "lab": LAB, "attempt": 1, "handed_in": time, "notes": [],
                  "imported": time, "source": "a test", "schema": 1}  # fmt: skip
        (course / "submitted" / student / LAB / "1.json").write_text(json.dumps(record))
    text = (course / "course.toml").read_text()
    text = text.replace("percent_per_day = 0", "percent_per_day = 10")
    text = text.replace("# due = 2026-11-30T23:59:00", "due = 2026-11-20T12:00:00")
    (course / "course.toml").write_text(text)
    fake_class.graded_once(course, lambda: grade(checkout, course))
    return lambda *words: main(["class", words[0], "--course", str(course), *words[1:]], checkout)


def selected(checkout: Checkout, folder: Path, where: str) -> set[str]:
    of = Course.load(checkout, folder)
    index.rebuild(of, book(of))
    return {student for student, _ in index.select(of, where)}


def test_a_record_that_is_damaged_is_named_once(
    course: Path, lab_class: Lab, capsys: Captured
) -> None:
    capsys.readouterr()
    assert lab_class("status") == 0
    assert "is not a whole record" not in capsys.readouterr().err
    (course / "submitted" / "ann" / LAB / "1.json").write_text("[]")
    assert lab_class("status") == 0
    said = capsys.readouterr().err
    assert said.count("ann/" + LAB + "/1.json: is not a whole record, so the hand-in's time") == 1


def test_a_selection_of_nothing_is_not_called_an_empty_class(
    checkout: Checkout, course: Path, lab_class: Lab, capsys: Captured
) -> None:
    capsys.readouterr()
    assert grade(checkout, course, "--where", "points > 1000") == 0
    assert "Nothing to grade: --where selects no hand-in." in capsys.readouterr().out


def test_a_decision_settles_open_points(
    checkout: Checkout, course: Path, lab_class: Lab, capsys: Captured
) -> None:
    capsys.readouterr()
    assert lab_class("status", "--review") == 0
    assert f"bob {LAB}.global: names std::sort" in capsys.readouterr().out
    for stage in ("global", "strided"):
        words = ("bob", f"{LAB}.{stage}", "--points", "6", "--because", "only in a comment")
        assert lab_class("decide", *words) == 0
    shown = capsys.readouterr().out
    assert "decided 6 of 10, by " in shown and "12  of 20" in shown
    assert marks(checkout, course)["bob"] == ("graded", 12)
    assert lab_class("status", "--review") == 0
    assert "Nothing waits for a person." in capsys.readouterr().out
    assert lab_class("decide", "bob", f"{LAB}.global", "--as-graded", "--because", "no") == 0
    assert marks(checkout, course)["bob"] == ("graded", 6)


def test_a_decision_is_about_what_was_handed_in_then(
    checkout: Checkout, course: Path, lab_class: Lab, capsys: Captured
) -> None:
    assert lab_class("decide", "cid", LAB, "--points", "9", "--because", "looked") == 0
    assert marks(checkout, course)["cid"] == ("graded", 9)
    hand_in(course, "cid", '// GRADE {"earned": 1}', 2)
    assert grade(checkout, course) == 0
    assert marks(checkout, course)["cid"] == ("graded", 2)
    capsys.readouterr()
    assert lab_class("explain", "cid", LAB) == 0
    assert "does not apply: it was about attempt 1" in capsys.readouterr().out


def test_extensions_and_excuses(
    checkout: Checkout, course: Path, lab_class: Lab, capsys: Captured
) -> None:
    assert marks(checkout, course)["ann"] == ("graded", 18)
    capsys.readouterr()
    assert lab_class("extend", "ann", LAB, "--until", "2026-11-22T12:00", "--because", "ill") == 0
    assert "due 2026-11-22 12:00:00 UTC" in capsys.readouterr().out
    assert marks(checkout, course)["ann"] == ("graded", 20)
    assert lab_class("excuse", "dan", LAB, "--because", "joined late") == 0
    assert marks(checkout, course)["dan"] == ("excused", None)
    assert lab_class("excuse", "dan", LAB, "--not-any-more", "--because", "a mistake") == 0
    assert marks(checkout, course)["dan"] == ("missing", None)
    assert lab_class("decide", "dan", LAB, "--points", "3", "--because", "on paper") == 0
    assert marks(checkout, course)["dan"] == ("missing", 3)


@pytest.mark.parametrize(("until", "due"), [
    ("2026-11-25", "2026-11-25T23:59:59Z"), ("2026-11-25T08:00", "2026-11-25T08:00:00Z"),
    ("2026-11-25 08:00+02:00", "2026-11-25T06:00:00Z"),
    ("2026-11-20T12:00", "2026-11-20T12:00:00Z"),  # takes an extension back
])  # fmt: skip
def test_a_day_lasts_until_its_end(
    checkout: Checkout, course: Path, lab_class: Lab, until: str, due: str
) -> None:
    assert lab_class("extend", "ann", LAB, "--until", until, "--because", "ill") == 0
    [line] = (course / "decisions.jsonl").read_text().splitlines()
    assert json.loads(line)["about"]["until"] == due


@pytest.mark.parametrize("until", [
    "2026-11-20", "2026-11-19T12:00", "2025-12-01", "0001-01-01T00:00+23:00",
    "9999-12-31T23:59-23:00", "25.11.2026", "",
])  # fmt: skip
def test_no_extension_is_earlier_than_the_due_date_or_no_date(
    checkout: Checkout, course: Path, lab_class: Lab, until: str, capsys: Captured
) -> None:
    code = lab_class("extend", "ann", LAB, "--until", until, "--because", "ill")
    assert code == (0 if until == "2026-11-20" else 2)  # the end of that day is later
    assert (course / "decisions.jsonl").exists() == (code == 0)


def test_a_settings_file_of_a_windows_editor_is_read(checkout: Checkout, course: Path) -> None:
    path = course / "course.toml"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert main(["class", "status", "--course", str(course)], checkout) == 0


def test_explain_goes_from_the_hash_to_the_last_decision(
    lab_class: Lab, course: Path, capsys: Captured
) -> None:
    capsys.readouterr()
    assert lab_class("explain", "ann") == 0
    shown = capsys.readouterr().out
    for words in ("handed in: attempt 1, 2026-11-21 12:00:00 UTC; due 2026-11-20 12:00:00 UTC",
                  "sha256: ", "result: results/", "seed: public, 1", "global: passed, 10 of 10",
                  "1 day late: 10 % of what was earned", "18  of 20"):  # fmt: skip
        assert words in shown


def test_every_time_that_a_person_reads_is_of_the_course_s_zone(
    lab_class: Lab, course: Path, capsys: Captured
) -> None:
    assert lab_class("decide", "bob", f"{LAB}.global", "--points", "6", "--because", "ok") == 0
    path = course / "course.toml"
    path.write_text(path.read_text().replace('"UTC"', '"America/New_York"'))
    capsys.readouterr()
    assert lab_class("explain", "bob", LAB) == 0
    assert lab_class("explain", "ann", LAB) == 0
    shown = capsys.readouterr().out
    assert "handed in: attempt 1, 2026-11-21 07:00:00 EST; due 2026-11-20 12:00:00 EST" in shown
    assert re.search(r"graded: [-\d]+ [:\d]+ E[SD]T, ", shown)
    assert len(re.findall(r"by .* at [-\d]+ [:\d]+ E[SD]T: ok", shown)) == 2
    assert " UTC" not in shown and not re.search(r"\d\dZ", shown)


@pytest.mark.parametrize(
    "words",
    [
        ("decide", "nobody", LAB, "--points", "1", "--because", "x"),
        ("decide", "ann", "99-none", "--points", "1", "--because", "x"),
        ("decide", "ann", f"{LAB}.nowhere", "--points", "1", "--because", "x"),
        ("decide", "ann", f"{LAB}.global", "--points", "11", "--because", "x"),
        ("decide", "ann", f"{LAB}.global", "--points", "-1", "--because", "x"),
        ("decide", "ann", f"{LAB}.global", "--points", "nan", "--because", "x"),
        ("decide", "ann", f"{LAB}.global", "--points", "1", "--because", " "),
        ("decide", "ann", f"{LAB}.global", "--because", "x"),
        ("extend", "ann", LAB, "--until", "soon", "--because", "x"),
        ("extend", "ann", LAB, "--until", "2026-11-22"),
        ("excuse", "ann", LAB),
        ("grade", "--where", "verdict = "),
        ("grade", "--where", "points > 1; DROP TABLE grades"),
        ("grade", "--where", "1) OR (1"),
        ("grade", "--where", "no_column = 1"),
        ("grade", "--lab", "99"),
        ("export", "canvas"),
        ("export", "canvas", "missing.csv", "--lab", LAB),
        ("export", "gradescope"),
        ("accept",),
    ],
)
def test_what_is_typed_wrong_is_one_sentence_and_changes_nothing(
    checkout: Checkout, course: Path, lab_class: Lab, capsys: Captured, words: tuple[str, ...]
) -> None:
    before = marks(checkout, course)
    capsys.readouterr()
    assert lab_class(*words) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1 and "Traceback" not in said
    assert marks(checkout, course) == before and not (course / "decisions.jsonl").exists()


@pytest.mark.parametrize(
    ("where", "students"),
    [
        ("verdict = 'failed'", {"bob", "cid"}),
        ('verdict = "failed"', {"bob", "cid"}),
        ("state = 'missing'", {"dan"}),
        ("open_points > 0", {"bob"}),
        ("days_late > 0", {"ann"}),
        ("penalty BETWEEN 1 AND 3", {"ann"}),
        ("(points < 19 AND lab LIKE '01-%') OR 0", {"ann", "bob", "cid"}),
        ("student IN (SELECT student FROM stages WHERE code = 'wrong-answer')", {"cid"}),
    ],
)
def test_sql_selects(
    checkout: Checkout, course: Path, lab_class: Lab, where: str, students: set[str]
) -> None:
    assert selected(checkout, course, where) == students


def test_sql_only_reads(checkout: Checkout, course: Path, lab_class: Lab) -> None:
    from grader.base.errors import UsageError

    selected(checkout, course, "1")
    of = Course.load(checkout, course)
    for where in ("load_extension('x')", "1 UNION SELECT 1", "(", "')", "1 -- x", "1 /* x"):
        with pytest.raises(UsageError):
            index.select(of, where)


def test_an_endless_condition_ends(
    checkout: Checkout, course: Path, lab_class: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.base.errors import UsageError

    monkeypatch.setattr(index, "QUERY_SECONDS", 0.2)
    numbers = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
    endless = f"0 IN ({numbers} SELECT n FROM r)"
    with pytest.raises(UsageError):
        selected(checkout, course, endless)


def test_the_index_is_made_again_from_nothing(
    checkout: Checkout, course: Path, lab_class: Lab
) -> None:
    path = course / "gradebook.sqlite"
    path.write_bytes(b"rubbish")
    assert lab_class("index") == 0
    with sqlite3.connect(path) as base:
        rows = base.execute("SELECT student, state, points FROM grades ORDER BY 1").fetchall()
        count = base.execute("SELECT count(*) FROM stages").fetchone()
    assert rows == [("ann", "graded", 18), ("bob", "graded", 0), ("cid", "graded", 0),
                    ("dan", "missing", None)]  # fmt: skip
    assert count == (6,) and path.stat().st_mode & 0o077 == 0


def test_all_exports_of_a_class_are_written(
    checkout: Checkout, course: Path, lab_class: Lab, tmp_path: Path, capsys: Captured
) -> None:
    moodle = tmp_path / "worksheet.csv"
    moodle.write_text("Identifier,Email address,Grade,Maximum grade,Feedback comments\n" + "".join(
        f"Participant {n},{name}@x.edu,,20.00,\n"
        for n, name in enumerate(("ann", "bob", "cid", "dan"))))  # fmt: skip
    capsys.readouterr()
    assert lab_class("export", "moodle", str(moodle), "--lab", LAB) == 0
    shown = capsys.readouterr().out
    assert "no grade: 20 points wait for a person: bob" in shown
    filled = (course / "exports" / f"moodle-{LAB}.csv").read_text().splitlines()
    assert filled[1].startswith("Participant 0,ann@x.edu,18,20.00,global: passed, 10 of 10".replace(
        ",20.00,global: passed, 10", ',20.00,"global: passed, 10'))  # fmt: skip
    assert filled[2] == "Participant 1,bob@x.edu,,20.00,"
    for kind in ("csv", "junit", "json"):
        assert lab_class("export", kind) == 0
    assert lab_class("export", "gradescope", "--lab", LAB) == 0
    made = sorted(path.name for path in (course / "exports").iterdir())
    assert made == [f"gradescope-{LAB}.zip", "junit.xml", "marks.csv", "marks.json",
                    f"moodle-{LAB}.csv"]  # fmt: skip
    first: Any = json.loads((course / "exports/marks.json").read_text())["results"][0]
    assert first["submission"]["student"] == "ann" and first["submission"]["attempt"] == 1
    assert first["submission"]["handed_in"] == "2026-11-21T12:00:00Z"


def test_a_courses_results_are_not_decided_one_by_one(
    checkout: Checkout, course: Path, lab_class: Lab, capsys: Captured
) -> None:
    [path] = [entry.folder for entry in book(Course.load(checkout, course), ["bob"])]
    assert path
    before = (path / "result.json").read_bytes()
    words = ("global", "--points", "1", "--because", "x")
    capsys.readouterr()
    assert main(["decide", str(path), *words], checkout) == 2
    assert "./lab class decide" in capsys.readouterr().err
    assert (path / "result.json").read_bytes() == before


def test_every_students_document_fits_the_schema(
    checkout: Checkout, course: Path, lab_class: Lab
) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    folder = Checkout.here().root / "grader" / "grading"
    schema = json.loads((folder / "result.schema.json").read_text())
    hand_in(course, "dan", "x", name="report.pdf")
    assert grade(checkout, course) == 0
    assert lab_class("decide", "bob", f"{LAB}.global", "--points", "6", "--because", "x") == 0
    documents = [entry.document for entry in book(Course.load(checkout, course))]
    assert [d["verdict"] for d in documents if d] == ["passed", "failed", "failed", "refused"]
    for document in documents:
        jsonschema.Draft202012Validator(schema).validate(document)
