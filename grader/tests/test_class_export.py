"""Exports: the sheets that Canvas and Moodle handed out come back filled, byte for byte as kept.

The golden files are in fixtures/export; a changed form is a changed file there.
"""

import csv
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from grader.base.errors import UsageError
from grader.export import canvas, gradescope, junit, moodle
from grader.export.grade import Grade, Policy, number, text_cell
from grader.export.sheet import Filled
from grader.export.table import table
from grader.grading.derived import complete
from grader.grading.read_result import read_result
from grader.tests.fakes import FIXTURES, LAB

pytestmark = [pytest.mark.reads("grader/export", "grader/grading"), pytest.mark.unit]

GOLDEN = FIXTURES / "export"
BLANK = Policy()
GRADES = [
    Grade("ada", LAB, 17.5, 20, name="Ada Lovelace", email="ada@x.edu",
          ids={"canvas_id": "11", "moodle_id": "Participant 501"}, feedback="global: passed"),
    Grade("alan", LAB, 12, 20, 5, email="alan@x.edu",
          ids={"sis_login_id": "alan", "moodle_id": "Participant 502"}, feedback="=1+2"),
    Grade("grace", LAB, None, 20, is_missing=True, email="grace@x.edu", ids={"canvas_id": "13"}),
    Grade("emmy", LAB, 20, 20, is_excused=True, email="emmy@x.edu", ids={"canvas_id": "14"}),
    Grade("eve", LAB, 20, 20, email="eve@x.edu", ids={"canvas_id": "99"}),
]  # fmt: skip


def golden(name: str, made: str) -> None:
    """Compare with the kept file; WARPWISE_GOLDEN=write keeps what is made now."""
    path = GOLDEN / name
    if os.environ.get("WARPWISE_GOLDEN") == "write":
        path.write_bytes(made.encode())
    assert path.read_bytes().decode() == made


def given(name: str) -> str:
    return (GOLDEN / name).read_bytes().decode()


def document() -> dict[str, Any]:
    """One stage passed and one with a race, handed in by somebody with a dangerous message."""
    made = read_result(FIXTURES / "result-1.json")
    del made["decisions"]
    first, second = made["stages"]
    first |= {"verdict": "passed", "message": ""}
    first["points"]["correct"]["earned"] = 10
    second["message"] = "demo.cu:7: two threads wrote \x1b[31m<b> & \u0000"
    made["machine"]["cpu"] = "A CPU"
    return complete(made)


def canvas_filled(policy: Policy = BLANK, wanted: str = "Demo sort") -> Filled:
    return canvas.fill(given("canvas.csv"), GRADES, wanted, policy)


def test_canvas_round_trip() -> None:
    filled = canvas_filled()
    golden("canvas.filled.csv", filled.text)
    assert filled.not_in_sheet == ("eve",) and filled.not_in_course == ("Nobody, Known",)
    assert dict(filled.blank) == {"alan": "5 points wait for a person",
                                  "grace": "nothing was handed in"}  # fmt: skip
    assert filled.notes == ()


def test_canvas_gets_what_the_policy_says() -> None:
    rows = list(csv.reader(io.StringIO(canvas_filled(Policy("earned", "zero")).text)))
    assert {row[0]: row[-1] for row in rows[2:]} == {
        "Lovelace, Ada": "17.5", "Turing, Alan": "12", "Hopper, Grace": "0",
        "Noether, Emmy": "EX", "Nobody, Known": "",
    }  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), [
    ('"Nobody, Known",15,', '"Nobody, Known",11,', "two rows are ada's"),
    ('"Turing, Alan",12,u2,alan', '"Turing, Alan",11,u2,alan', "row of 11, u2, alan is ada"),
    ('"Nobody, Known",15,', '"Nobody, Known",16,', ""),
])  # fmt: skip
def test_a_row_is_one_students_and_a_student_has_one_row(old: str, new: str, said: str) -> None:
    sheet = given("canvas.csv").replace(old, new)
    if not said:
        assert canvas.fill(sheet, GRADES, "Demo sort", BLANK).text
        return
    with pytest.raises(UsageError, match=said):
        canvas.fill(sheet, GRADES, "Demo sort", BLANK)


def test_canvas_takes_the_assignment_that_is_meant_and_no_other() -> None:
    for wanted in ("Demo sort (901)", "901", "demo sort"):
        assert canvas_filled(wanted=wanted).text == canvas_filled().text
    for wanted in ("Nothing", ""):
        with pytest.raises(UsageError, match="--column"):
            canvas_filled(wanted=wanted)
    with pytest.raises(UsageError, match="is not a gradebook"):
        canvas.fill("a,b\n1,2\n", GRADES, "a", BLANK)


def test_canvas_says_when_its_maximum_is_another_one() -> None:
    sheet = given("canvas.csv").replace("Points Possible,,,,,20", "Points Possible,,,,,100")
    assert "100" in canvas.fill(sheet, GRADES, "Demo sort", BLANK).notes[0]


def test_moodle_round_trip() -> None:
    filled = moodle.fill(given("moodle.csv"), GRADES, BLANK)
    golden("moodle.filled.csv", filled.text)
    assert filled.not_in_course == ("nobody@x.edu",) and "eve" in filled.not_in_sheet


def test_moodles_maximum_must_be_the_courses() -> None:
    with pytest.raises(UsageError, match="weight = 100"):
        moodle.fill(given("moodle.csv").replace("20.00", "100.00"), GRADES, BLANK)
    with pytest.raises(UsageError, match="no column 'Bewertung'"):
        moodle.fill(given("moodle.csv"), GRADES, BLANK, column="Bewertung")


def test_a_sheet_keeps_its_mark_delimiter_and_line_ends() -> None:
    sheet = "\ufeffIdentifier;Email address;Grade\r\nP 1;ada@x.edu;{}\r\n"
    assert moodle.fill(sheet.format(""), GRADES, BLANK).text == sheet.format("17.5")


@pytest.mark.parametrize("text", ["=1+2", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "|x"])
def test_a_formula_becomes_text_everywhere(text: str) -> None:
    assert text_cell(text) == "'" + text
    assert f"'{text}" in table(("a", "b"), [(1, text)])
    sheet = f'Identifier,"Full name","Email address",Grade\nP 1,"{text}",x@x.edu,\n'
    assert f"'{text}" in moodle.fill(sheet, GRADES, BLANK).text


@pytest.mark.parametrize("text", ["-2.5", "+3", "-", "Ada", "a=b", "12,5", ""])
def test_honest_cells_stay_as_they_are(text: str) -> None:
    assert text_cell(text) == text


def test_numbers_have_a_point_and_no_more_than_two_decimals() -> None:
    assert [number(value) for value in (1, 2.5, 1 / 3, 0)] == ["1", "2.5", "0.33", "0"]
    assert number(100.0) == "100"


def test_an_unknown_mark_is_never_a_zero() -> None:
    unknown = Grade("ann", LAB, None, 20)
    for policy in (Policy(), Policy("earned", "zero")):
        assert policy.points(unknown) is None and policy.why_blank(unknown)
    missing = Grade("ann", LAB, None, 20, is_missing=True)
    assert Policy(missing="zero").points(missing) == 0 and Policy().points(missing) is None
    decided = Grade("ann", LAB, 5, 20, is_missing=True)
    assert Policy().points(decided) == 5


def test_gradescopes_results() -> None:
    grade = Grade("ada", LAB, 10, 20, feedback="global: passed, 10 of 10")
    made = gradescope.results(document(), grade, BLANK)
    golden("gradescope.json", json.dumps(made, indent=1) + "\n")
    assert {test["name"] for test in made["tests"] if "score" not in test} == {
        "global: speed (open)"
    }
    assert "staff" not in json.dumps(made)


def test_gradescopes_zip_hands_out_exactly_the_students_result(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf// ada's"
    import hashlib

    name = gradescope.name_of("Ada@x.edu", hashlib.sha256(b"// ada's").hexdigest())
    packed = gradescope.autograder([(name, {"score": 7})])
    assert packed == gradescope.autograder([(name, {"score": 7})])
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(tmp_path / "source")
        modes = {e.filename: e.external_attr >> 16 for e in archive.infolist()}
    assert modes["setup.sh"] & 0o111 and modes["run_autograder"] & 0o111
    (tmp_path / "submission").mkdir()
    script = (tmp_path / "source/run_autograder").read_text()
    script = script.replace('"/autograder"', repr(str(tmp_path)))

    def score(email: str, content: bytes) -> int:
        (tmp_path / "submission" / "demo.cu").write_bytes(content)
        users = {"users": [{"email": email}]}
        (tmp_path / "submission_metadata.json").write_text(json.dumps(users))
        subprocess.run([sys.executable, "-c", script], check=True)
        return int(json.loads((tmp_path / "results/results.json").read_text())["score"])

    assert score("ada@x.edu", data) == 7
    assert score("ada@x.edu", b"// another") == 0 and score("bob@x.edu", data) == 0
    (tmp_path / "submission_metadata.json").write_text("{")
    subprocess.run([sys.executable, "-c", script], check=True)  # a result in every case


# What junit-10.xsd of Jenkins' xUnit plugin lets each element have.
JENKINS = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp",
                  "hostname", "id", "package", "file", "log", "url"},
    "properties": set(), "property": {"name", "value"},
    "testcase": {"name", "time", "classname", "group"},
    "failure": {"type", "message"}, "error": {"type", "message"}, "skipped": {"type", "message"},
}  # fmt: skip


def refused_by_jenkins(xml: str) -> list[str]:
    """Elements and attributes that the schema does not know, and times that are none."""
    found = [(one.tag, key, text) for one in ElementTree.fromstring(xml).iter()
             for key, text in [("", ""), *one.items()]]  # fmt: skip
    return [f"{tag} {key}" for tag, key, text in found
            if tag not in JENKINS or (key and key not in JENKINS[tag])
            or (key == "time" and not re.fullmatch(r"\d*(\.\d*)?", text))]  # fmt: skip


@pytest.mark.parametrize(("was", "now", "said"), [
    ('classname="', 'line="3" classname="', "testcase line"),
    ('name="warpwise"', 'name="warpwise" skipped="0"', "testsuites skipped"),
    ('time="0.000"', 'time="1e-05"', "testcase time"),
])  # fmt: skip
def test_what_jenkins_refuses_is_found(was: str, now: str, said: str) -> None:
    made = (GOLDEN / "junit.xml").read_text(encoding="utf-8")
    assert was in made and refused_by_jenkins(made) == []
    assert refused_by_jenkins(made.replace(was, now, 1)) == [said]


def test_junit_is_xml_whatever_a_student_wrote() -> None:
    refused = {**document(), "verdict": "refused", "stages": [],
               "refusal": {"code": "zip-damaged", "reason": "the zip is <damaged>"}}  # fmt: skip
    made = junit.junit([(document(), Grade("ann", LAB, 8, 20, 5)),
                        (refused, Grade("bob", LAB, 20, 20, is_excused=True))])  # fmt: skip
    golden("junit.xml", made)
    root = ElementTree.fromstring(made)
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["3", "1", "1"]
    assert refused_by_jenkins(made) == []
    [failure] = root.iter("failure")
    assert failure.get("message") == "race" and "\\x1b[31m<b> & \\x00" in (failure.text or "")


def test_the_plain_table() -> None:
    made = table(("student", "name", "points"), [("ada", "Lovelace, Ada", 17.5),
                                                 ("bob", '=HYPERLINK("x")', None)])  # fmt: skip
    golden("table.csv", made)
