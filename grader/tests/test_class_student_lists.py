"""Lists of students in any language, and lists that would make one student of two."""

import csv
import io
from pathlib import Path

import pytest

from grader.base.errors import UsageError
from grader.course import roster
from grader.course.student_lists import read_list
from grader.export import canvas, moodle
from grader.export.grade import Grade, Policy
from grader.tests.fakes import LAB
from grader.tests.test_class_lists import GERMAN, GRADE

pytestmark = [pytest.mark.reads("grader/course", "grader/export"), pytest.mark.unit]

PARTICIPANTS = ("Vorname;Nachname;E-Mail-Adresse;Gruppen\r\nAda;Lovelace;ada@x.edu;\r\n"
                "Jörg;Müller;j@x.edu;A\r\n")  # fmt: skip


@pytest.mark.parametrize(("text", "names", "moodle_ids"), [
    (GERMAN, ["Ada Lovelace", "Emmy Noether"], ["Participant 501", "Participant 504"]),
    (PARTICIPANTS, ["Ada Lovelace", "Jörg Müller"], [None, None]),
])  # fmt: skip
def test_moodles_lists_in_another_language_are_rosters(
    tmp_path: Path, text: str, names: list[str], moodle_ids: list[str | None]
) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(text.encode("cp1252"))
    system, found = read_list(path)
    assert system == "Moodle in another language"
    assert [one.name for one in found] == names
    assert [one.ids.get("moodle_id") for one in found] == moodle_ids
    assert found[0].email == "ada@x.edu"


@pytest.mark.parametrize("text", [
    "Kurs;Raum;Mail\nGPU;101;ada@x.edu\n",  # a room is nobody's name
    "Nr;Name;Mail\n1;Ada Lovelace;ada@x.edu\n",
    "Vorname;Nachname;Mail\nAda;Lovelace;ada@x.edu\nBob;Bee;-\n",
    "Mail;Vorname;Nachname\nada@x.edu;Ada;Lovelace\n",
])  # fmt: skip
def test_a_table_of_something_else_is_no_roster(tmp_path: Path, text: str) -> None:
    (tmp_path / "list.csv").write_text(text)
    with pytest.raises(UsageError, match="its columns are those of no list"):
        read_list(tmp_path / "list.csv")


SPOILED = """Student;ID;SIS User ID;SIS Login ID;Section;Lab 1 (9)
"Turing, Alan";{};U1;alan@x.edu;S1;
"Lovelace, Ada";{};U2;ada@x.edu;S1;
"""


@pytest.mark.parametrize(("first", "second", "said"), [
    ("1,00E+13", "1,00E+13", "the id 1,00E\\+13 of Turing, Alan was rounded by a spreadsheet"),
    ("1E+13", "11", "the id 1E\\+13 of Turing, Alan was rounded"),
    ("11", "11", "Turing, Alan and Lovelace, Ada have the same canvas_id 11"),
    ("11", "12", ""),
])  # fmt: skip
def test_a_list_that_makes_one_student_of_two_is_refused(
    tmp_path: Path, first: str, second: str, said: str
) -> None:
    path = tmp_path / "list.csv"
    path.write_text(SPOILED.format(first, second))
    if said:
        with pytest.raises(UsageError, match=said):
            read_list(path)
    else:
        assert [one.id for one in read_list(path)[1]] == ["alan", "ada"]


@pytest.mark.parametrize(("row", "said"), [
    ("Alan,Turing,u2,alan@x.edu,Student,S1", ""),
    ('Alan,"Turing, Jr",u2,alan@x.edu,Student,S1', ""),
    ("Alan,Turing, Jr,u2,alan@x.edu,Student,S1", "line 3 has 7 cells, but the first line has 6"),
    ("Alan,Turing, Jr,u2,alan@x.edu,Student,", "line 3 has 7 cells"),
    ("Alan,Turing, Jr,u2,alan@x.edu,Student", "line 3 has 'u2' where an e-mail address belongs"),
])  # fmt: skip
def test_a_row_that_a_comma_in_a_name_shifts_is_refused(
    tmp_path: Path, row: str, said: str
) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"First Name,Last Name,SID,Email,Role,Section\nAda,Lovelace,u1,,,\n{row}\n")
    if said:
        with pytest.raises(UsageError, match=f"{said}.* in quotes"):
            read_list(path)
    else:
        assert [one.id for one in read_list(path)[1]] == ["u1", "u2"]


def test_a_list_of_which_each_row_ends_with_a_comma_is_read(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text("student,name,email\nann,Ann,ann@x,\nbob,Bob,bob@x,\n")
    assert [one.id for one in roster.load(path)] == ["ann", "bob"]


@pytest.mark.parametrize("row", ["ada,Lovelace, Ada,ada@x.edu", "ada,Lovelace, Ada"])
def test_a_shifted_row_of_the_roster_is_refused(tmp_path: Path, row: str) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(f'student,name,email\nann,"Ann\nAnt",ann@x\n{row}\n')
    with pytest.raises(UsageError, match="line 4 has .* in quotes"):
        roster.load(path)


def test_a_sheet_with_a_shifted_row_is_not_filled() -> None:
    sheet = SPOILED.format("11", "12")
    with pytest.raises(UsageError, match="line 2 has 7 cells"):
        canvas.fill(sheet.replace('"Turing, Alan"', "Turing; Alan"), [GRADE], "9", Policy())


def test_who_is_in_a_list_twice_is_one_student(tmp_path: Path) -> None:
    """Of two sections, with an address in another case; and a row that knows less."""
    path = tmp_path / "list.csv"
    path.write_text(SPOILED.format("11", "11").replace("U2", "U1").replace("ada@x", "ALAN@x"))
    assert len(roster.merged([], read_list(path)[1])[0]) == 1
    path.write_text(SPOILED.format("11", "11").replace("U2", "").replace("ada@x.edu", ""))
    assert len(roster.merged([], read_list(path)[1])[0]) == 1


def test_a_sheet_with_rounded_ids_is_not_filled() -> None:
    """Canvas finds rows by their ID first."""
    sheet = SPOILED.format("1,00E+13", "12")
    with pytest.raises(UsageError, match="the ID 1,00E\\+13 of Turing, Alan was rounded"):
        canvas.fill(sheet, [GRADE], "9", Policy())
    assert "17.5" in canvas.fill(sheet.replace("1,00E+13", "11"), [GRADE], "9", Policy()).text


def test_a_row_is_found_by_moodles_number_in_any_language() -> None:
    """The roster is from an English list, the sheet is a German one without addresses."""
    grade = Grade("ada", LAB, 17.5, 20, ids={"moodle_id": "Participant 501"})
    sheet = GERMAN.replace("ada@x.edu", "")
    filled = moodle.fill(sheet, [grade], Policy(), column="Bewertung").text
    rows = csv.DictReader(io.StringIO(filled))
    assert [row["Bewertung"] for row in rows] == ["17.5", ""]
