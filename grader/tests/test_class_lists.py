"""Lists as Excel, Canvas, Moodle and Gradescope save them: encodings, separators, dates, ids."""

import csv
import io
import os
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from grader.base import lists
from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.commands.cli import main
from grader.course import dates, roster
from grader.course.dates import read_date
from grader.course.student_lists import read_list
from grader.course.times import read_times
from grader.export import canvas, moodle
from grader.export.grade import Grade, Policy
from grader.tests.fakes import LAB
from grader.tests.test_class_import import METADATA, pack, placed, take_in, tree
from grader.tests.test_class_import import course as course

pytestmark = [pytest.mark.reads("grader/course", "grader/export"), pytest.mark.unit]

Captured = pytest.CaptureFixture[str]
PEOPLE = "student,name,email\r\njose,José Núñez,jose@x.edu\r\nmueller,Jürgen Müller,jm@x.edu\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be",
                                      "cp1252"])  # fmt: skip
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_roster_is_read_however_a_spreadsheet_saved_it(
    tmp_path: Path, encoding: str, separator: str, capsys: Captured
) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(PEOPLE.replace(",", separator).encode(encoding))
    _, found = read_list(path)
    assert [one.name for one in found] == ["José Núñez", "Jürgen Müller"]
    assert ("read as Windows-1252" in capsys.readouterr().err) == (encoding == "cp1252")


def test_a_pipe_is_no_list_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "list.csv")
    with pytest.raises(UsageError, match="is a device, pipe or socket, not a file"):
        read_list(tmp_path / "list.csv")


@pytest.mark.parametrize("first", ["sep=;\r\n", '"sep=;"\n', "SEP=;\n", "\ufeffsep=;\n"])
def test_the_line_that_excel_wants_is_no_row(tmp_path: Path, first: str) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes((first + PEOPLE.replace(",", ";")).encode())
    assert [one.id for one in read_list(path)[1]] == ["jose", "mueller"]
    sheet = "Identifier;Email address;Grade\r\nParticipant 1;ada@x.edu;{}\r\n"
    filled = moodle.fill(first + sheet.format(""), [GRADE], Policy()).text
    assert filled.removeprefix("\ufeff") == sheet.format("17.5").replace(
        "\r\n", "\r\n" if "\r" in first else "\n")  # fmt: skip


def test_a_separator_within_quotes_does_not_count() -> None:
    text = '"Section, groups, teams, or none";ID;Name\r\n"a, b";7;"Ann; Ant"\r\n'
    rows, delimiter = lists.cells(text, "x")
    assert delimiter == ";" and rows[1] == ["a, b", "7", "Ann; Ant"]


GRADE = Grade("ada", LAB, 17.5, 20, email="ada@x.edu", ids={"canvas_id": "11"})
SHEETS = {
    "canvas": 'Student,ID,SIS User ID,SIS Login ID,Section,Demo sort (9){end}"Núñez, Ada",11,007,'
    "ada,S,{cell}{end}",
    "moodle": "Identifier,Full name,Email address,Grade{end}Participant 7,Ada Núñez,ada@x.edu,"
    "{cell}{end}",
    # As Moodle writes it: what has a space is in quotes.
    "moodle in quotes": 'Identifier,"Full name","Email address",Grade,"Last modified (grade)"{end}'
    '"Participant 7","Ada ""A"" Núñez",ada@x.edu,{cell},"Friday, 20 November{end}2026"{end}',
}


@pytest.mark.parametrize("kind", SHEETS)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_sheet_comes_back_as_it_was_but_for_one_cell(
    checkout: Checkout, course: Path, tmp_path: Path, kind: str, mark: str, end: str
) -> None:
    """Through the command, from bytes to bytes."""
    sheet = tmp_path / "sheet.csv"
    before = mark + SHEETS[kind].format(cell="", end=end)
    sheet.write_bytes(before.encode())
    decide = ["decide", "--course", str(course), "ada", LAB, "--points", "7", "--because", "x"]
    assert main(["class", *decide], checkout) == 0
    system = kind.split()[0]
    words = ["export", "--course", str(course), system, str(sheet), "--lab", LAB]
    assert main(["class", *words], checkout) == 0
    made = (course / "exports" / f"{system}-{LAB}.csv").read_bytes()
    assert made.decode() == mark + SHEETS[kind].format(cell="7", end=end)


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_a_sheet_that_a_spreadsheet_saved_is_written_as_every_lms_reads_it(
    tmp_path: Path, encoding: str
) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_bytes(SHEETS["canvas"].format(cell="", end="\r\n").encode(encoding))
    filled = canvas.fill(lists.read(sheet), [GRADE], "9", Policy()).text
    mark = "\ufeff" if encoding == "utf-16" else ""
    assert filled == mark + SHEETS["canvas"].format(cell="17.5", end="\r\n")


NIGHT = datetime(2026, 11, 20, 23, 58, tzinfo=UTC)


@pytest.mark.parametrize("text", [
    "Friday, 20 November 2026, 11:58 PM", "Friday, November 20, 2026, 11:58 p.m.",
    "Freitag, 20. November 2026, 23:58", "vendredi 20 novembre 2026, 23:58",
    "viernes, 20 de noviembre de 2026, 23:58", "venerdì, 20 novembre 2026, 23:58",
    "sexta-feira, 20 de novembro de 2026 às 23:58", "vrijdag, 20 november 2026, 23:58",
    "piątek, 20 listopada 2026, 23:58", "petak, 20. studenoga 2026, 23:58",
    "pátek, 20. listopadu 2026, 23.58", "perjantaina 20. marraskuuta 2026, 23.58",
    "2026. november 20., péntek, 23:58", "20 Kasım 2026, Cuma, 11:58 PM",
    "пятница, 20 ноября 2026, 23:58", "Παρασκευή, 20 Νοεμβρίου 2026, 11:58 μμ",
    "2026年 11月 20日(金曜日) 23:58", "2026年11月20日 星期五 下午11:58",
    "2026년 11월 20일 금요일 오후 11:58", "2026-11-20 23:58:00", "20.11.2026 23:58",
    "20/11/2026, 23:58",
])  # fmt: skip
def test_moodles_date_in_any_language(text: str) -> None:
    assert read_date(text, UTC) == NIGHT


def test_two_days_in_one_text_are_no_date() -> None:
    assert read_date("11/20/26 is no date, 20 November 2026 is, 23:58", UTC) is None


@pytest.mark.parametrize("text", [
    "", "-", "3/4/2026 10:00", "20 November 2026", "Mai 2026 10:00", "40 May 2026, 10:00",
    "20 May 2026, 25:00", "20 May 2026, 13:00 PM", "20 May or 21 June 2026, 10:00", "soon, 10:00",
    "Submitted for grading - 2 days 10:00 late",
])  # fmt: skip
def test_what_could_be_two_dates_is_none(text: str) -> None:
    assert read_date(text, UTC) is None


def test_a_month_that_two_languages_share_is_told_by_the_day_of_the_week() -> None:
    polish = read_date("wtorek, 20 listopada 2026, 10:00", UTC)
    croatian = read_date("utorak, 20. listopada 2026, 10:00", UTC)
    assert polish and croatian and (polish.month, croatian.month) == (11, 10)


def test_no_word_means_two_months() -> None:
    words = [word for month in dates.MONTHS.split(",") for word in month.split()]
    assert len(words) == len(set(words)) and len(dates.MONTHS.split(",")) == 12


GERMAN = (
    "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,"
    '"Zuletzt geändert (Abgabe)","Zuletzt geändert (Bewertung)"\n'
    'Teilnehmer/in501,Ada Lovelace,ada@x.edu,Abgegeben,,20,"Freitag, 20. November 2026, 23:58",'
    '"Montag, 23. November 2026, 08:00"\n'
    "Teilnehmer/in504,Emmy Noether,emmy@x.edu,,,20,-,-\n"
)


def test_a_worksheet_in_another_language_has_its_times(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text(GERMAN)
    times = read_times(tmp_path / "w.csv", ZoneInfo("Europe/Berlin"))
    assert times.rows["504"] == ("emmy@x.edu", None) and times.unread == ()
    email, time = times.rows["501"]
    assert email == "ada@x.edu" and time and time.astimezone(UTC) == NIGHT.replace(hour=22)


def test_a_worksheet_in_another_language_is_filled() -> None:
    with pytest.raises(UsageError, match="no column 'Grade'"):
        moodle.fill(GERMAN, [GRADE], Policy())
    filled = moodle.fill(GERMAN, [GRADE], Policy(), column="Bewertung").text
    rows = list(csv.DictReader(io.StringIO(filled)))
    assert [row["Bewertung"] for row in rows] == ["17.5", ""]


def test_times_that_nobody_can_read_are_told(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured
) -> None:
    sheet = GERMAN.replace("Freitag, 20. November 2026, 23:58", "am Freitag um 23:58")
    (tmp_path / "w.csv").write_text(
        sheet.replace("Zuletzt geändert (Abgabe)", "Last modified (submission)"))
    download = pack(tmp_path / "m.zip", {
        "Ada Lovelace_501_assignsubmission_file_/demo.cu": "// ada's"})  # fmt: skip
    assert take_in(checkout, course, download, tmp_path / "w.csv") == 0
    said = capsys.readouterr().out
    assert "1 time in the sheet could not be read, such as 'am Freitag um 23:58'" in said
    assert placed(checkout, course) == {"ada/1": None}


def test_ids_keep_their_zeros_everywhere(
    checkout: Checkout, course: Path, tmp_path: Path
) -> None:
    """YAML would read 0042 as 34, 1e5 as a number, and no as false."""
    path = tmp_path / "list.csv"
    path.write_text("First Name,Last Name,SID,Email,Role\nZoe,Zero,0042,,Student\n"
                    "Yan,Wei,1e5,,Student\nNo,One,0x1F,,Student\n")  # fmt: skip
    assert main(["class", "roster", "--course", str(course), str(path)], checkout) == 0
    ids = {one.id for one in roster.load(course / "roster.csv")}
    assert {"0042", "1e5", "0x1F"} <= ids
    records = "".join(f"submission_{n}:\n  :submitters:\n  - :name: no\n    :sid: {sid}\n"
                      "  :created_at: 2026-11-20 14:30:00.123456000 -08:00\n"
                      for n, sid in enumerate(("0042", "1e5", "0x1F")))  # fmt: skip
    files = {f"submission_{n}/demo.cu": f"// {n}" for n in range(3)}
    download = pack(tmp_path / "g.zip", {"submission_metadata.yml": "---\n" + records, **files})
    assert take_in(checkout, course, download) == 0
    assert placed(checkout, course) == dict.fromkeys(
        ("0042/1", "1e5/1", "0x1F/1"), "2026-11-20T22:30:00Z")  # fmt: skip


@pytest.mark.parametrize("submitters", [
    "  :submitters: []\n", "  :submitters:\n", "  :submitters:\n  - :name: ''\n    :sid: ~\n",
    "  :submitters: nobody\n", "",
])  # fmt: skip
def test_a_gradescope_folder_without_a_name_stops_nobody_else(
    checkout: Checkout, course: Path, tmp_path: Path, submitters: str, capsys: Captured
) -> None:
    record = f"submission_7003:\n{submitters}  :created_at: 2026-11-21 10:00:00 Z\n"
    download = pack(tmp_path / "g.zip", {
        "submission_metadata.yml": METADATA + record, "submission_7001/demo.cu": "// a group's",
        "submission_7002/demo.cu": "// one's", "submission_7003/demo.cu": "// nobody's",
        "submission_7004/demo.cu": "// not in the list"})  # fmt: skip
    assert take_in(checkout, course, download) == 4
    said = capsys.readouterr().out
    for folder in ("submission_7003", "submission_7004"):
        assert f"not placed: {folder}: the download does not say whose it is" in said
    assert set(placed(checkout, course)) == {"ada/1", "alan/1", "u4/1"}
    kept = [name for name in tree(course / "unplaced") if name.endswith("demo.cu")]
    assert len(kept) == 2


@pytest.mark.parametrize("name", ["", "..", "submission_7001/..", "/etc", "'~'"])
def test_a_gradescope_list_names_no_other_folder(
    checkout: Checkout, course: Path, tmp_path: Path, name: str
) -> None:
    """An empty name once meant the whole download."""
    record = f'"{name}":\n  :submitters:\n  - :sid: u4\n  :created_at: 2026-11-21 10:00:00 Z\n'
    first = METADATA.partition("submission_7002")[0]
    download = pack(tmp_path / "g.zip", {"submission_metadata.yml": first + record,
                                         "submission_7001/demo.cu": "// a group's"})  # fmt: skip
    assert take_in(checkout, course, download) == 4
    assert set(placed(checkout, course)) == {"ada/1", "alan/1"}


@pytest.mark.parametrize(("head", "kind"), [
    (b"Rar!\x1a\x07\x00", "a RAR archive"), (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"<html>login", "a web page"),
])  # fmt: skip
def test_a_download_that_is_no_zip_is_told_so(
    checkout: Checkout, course: Path, tmp_path: Path, head: bytes, kind: str, capsys: Captured
) -> None:
    (tmp_path / "all.zip").write_bytes(head + bytes(100))
    assert take_in(checkout, course, tmp_path / "all.zip") == 2
    said = capsys.readouterr().err
    assert f"is {kind} that was named .zip" in said and len(said.splitlines()) == 1


@pytest.mark.parametrize(("name", "sis", "is_one"), [
    ("Student, Test", "", True), ("Test Student", "", True), ("studenttest", "", True),
    (" student,  TEST ", " ", True), ("Student, Test", "u9", False), ("Tess Student", "", False),
])  # fmt: skip
def test_canvas_own_student_is_known_in_one_place(name: str, sis: str, is_one: bool) -> None:
    assert lists.is_test_student(name, sis) is is_one
    places = [path for path in Path(lists.__file__).parents[1].rglob("*.py")
              if "tests" not in path.parts and "studenttest" in path.read_text()]  # fmt: skip
    assert places == [Path(lists.__file__)]
