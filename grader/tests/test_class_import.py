"""Rosters and downloads of Canvas, Moodle, Gradescope and nbgrader: sorted in, or told and kept."""

import io
import json
import shutil
import struct
import sys
import tracemalloc
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.commands.cli import main
from grader.course import roster
from grader.course.course import Course
from grader.course.hand_ins import all_hand_ins
from grader.course.roster import Finder, Student, merged
from grader.course.student_lists import read_list
from grader.course.unpacking import unpacked
from grader.tests.fakes import LAB
from grader.tests.situations.hand_in import encrypted

pytestmark = [pytest.mark.reads("grader/course"), pytest.mark.unit]

Captured = pytest.CaptureFixture[str]
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Demo sort (901),Current Score
    Points Possible,,,,,20,
"Lovelace, Ada",11,u1,ada@x.edu,S1,,
"Turing, Alan",12,u2,alan,S1,,
"Student, Test",99,,,S1,,
"""
MOODLE = """\ufeff"First name","Last name","ID number","Email address"
Ada,Lovelace,u1,ada@x.edu
Emmy,Noether,u4,emmy@x.edu
"""
WORKSHEET = """Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Last modified (submission)"
"Participant 501","Ada Lovelace",ada@x.edu,Submitted,,20.00,"Friday, 20 November 2026, 11:58 PM"
"Participant 504","Emmy Noether",emmy@x.edu,Submitted,,20.00,-
"""  # noqa: E501
GRADESCOPE = """First Name,Last Name,SID,Email,Role,Section
Ada,Lovelace,u1,ada@x.edu,Student,S1
Tina,Assistant,t1,tina@x.edu,TA,
Alan,Turing,u2,alan@x.edu,Student,S1
"""
METADATA = """---
submission_7001:
  :submitters:
  - :name: Ada Lovelace
    :sid: u1
    :email: ada@x.edu
  - :name: Alan Turing
    :sid: u2
    :email: alan@x.edu
  :created_at: 2026-11-20 14:30:00.123456000 -08:00
  :score: 0.0
submission_7002:
  :submitters:
  - :name: Emmy Noether
    :email: emmy@x.edu
  :created_at: 2026-11-21 10:00:00 Z
"""


@pytest.fixture
def course(checkout: Checkout, tmp_path: Path) -> Path:
    """With Ada, Alan and Emmy, known from three systems."""
    folder = tmp_path / "cs101"
    lists = {"canvas.csv": CANVAS, "moodle.csv": MOODLE, "gradescope.csv": GRADESCOPE}
    for name, text in lists.items():
        (tmp_path / name).write_text(text)
    assert main(["class", "new", str(folder)], checkout) == 0
    files = [str(tmp_path / name) for name in lists]
    assert main(["class", "roster", "--course", str(folder), *files], checkout) == 0
    return folder


def take_in(checkout: Checkout, folder: Path, *words: object) -> int:
    return main(["class", "import", "--course", str(folder), *map(str, words)], checkout)


def placed(checkout: Checkout, folder: Path) -> dict[str, Any]:
    return {f"{one.student}/{one.attempt}": one.record and one.record.handed_in
            for one in all_hand_ins(Course.load(checkout, folder))}  # fmt: skip


def pack(path: Path, files: Mapping[str, str | bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)  # the same bytes at any time
    return made.getvalue()


def tree(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_lists_of_three_systems_name_each_student_once(checkout: Checkout, course: Path) -> None:
    students = {one.id: one for one in roster.load(course / "roster.csv")}
    assert set(students) == {"ada", "alan", "u4"}  # no assistant, no test student
    assert students["ada"].ids == {
        "canvas_id": "11", "sis_user_id": "u1", "sis_login_id": "ada@x.edu", "id_number": "u1",
        "gradescope_id": "u1",
    }  # fmt: skip
    assert students["alan"].email == "alan@x.edu" and students["u4"].email == "emmy@x.edu"


def test_reading_a_list_again_changes_nothing(
    checkout: Checkout, course: Path, tmp_path: Path
) -> None:
    before = (course / "roster.csv").read_bytes()
    words = ["class", "roster", "--course", str(course), str(tmp_path / "moodle.csv")]
    assert main(words, checkout) == 0
    assert (course / "roster.csv").read_bytes() == before


def test_numbers_of_different_systems_are_not_mixed_up() -> None:
    one = Student("a", ids={"canvas_id": "7"})
    students, added = merged([one], [Student("b", ids={"gradescope_id": "7"})])
    assert added == 1 and len(students) == 2


def test_who_would_be_two_students_is_an_error() -> None:
    known = [Student("a", email="a@x"), Student("b", ids={"sis_user_id": "7"})]
    with pytest.raises(UsageError, match="is both a and b"):
        merged(known, [Student("c", email="a@x", ids={"id_number": "7"})])


@pytest.mark.parametrize("name", ["Ada Lovelace", "lovelace, ada", "Lovelace Ada", "lovelaceada",
                                  "ADA", "u1", "ada@x.edu"])  # fmt: skip
def test_a_student_is_found_by_whatever_a_system_writes(name: str) -> None:
    ada = Student("ada", "Ada Lovelace", "ada@x.edu", ids={"sis_user_id": "u1"})
    assert Finder([ada, Student("bob", "Bob Lovelace")]).find(name) is ada
    assert Finder([ada, Student("u1", "Ada Lovelace")]).find("Ada Lovelace") is None  # which one?


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("a,b\n1,2\n", "its columns are those of no list that is known"),
        ("Student,ID,Section\n", "names no student"),
        ('student,name,email\n"ann,x', "is not a CSV file"),
        (b"student,name,email\n\x81\n", "is not UTF-8"),  # nor of Windows
        ("student,name,email\nann smith,Ann,a@x\n", "cannot be a student's id"),
        ("<!DOCTYPE html><html>", "is a web page and no list"),
        (b"PK\x03\x04xlsx", "is a spreadsheet"),
    ],
)
def test_what_is_no_list_is_one_sentence(tmp_path: Path, text: str | bytes, said: str) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(UsageError, match=said):
        read_list(path)


@pytest.mark.parametrize("row", ["../up,Eve,e@x", ",Eve,e@x", ".hidden,Eve,e@x", "ann,Eve,ann@x"])
def test_a_roster_with_dangerous_or_doubled_ids_is_refused(tmp_path: Path, row: str) -> None:
    (tmp_path / "roster.csv").write_text(f"student,name,email\nann,Ann,ann@x\n{row}\n")
    with pytest.raises(UsageError):
        roster.load(tmp_path / "roster.csv")


def test_gradescope_groups_and_times(checkout: Checkout, course: Path, tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    download = pack(tmp_path / "submissions.zip", {
        "assignment_1_export/submission_metadata.yml": METADATA,
        "assignment_1_export/submission_7001/demo.cu": "// a group's",
        "assignment_1_export/submission_7002/Demo (1).CU": "// one's",
        "assignment_1_export/submission_7002/.DS_Store": "x",
    })  # fmt: skip
    assert take_in(checkout, course, download) == 0
    expected = {"ada/1": "2026-11-20T22:30:00Z", "alan/1": "2026-11-20T22:30:00Z",
                "u4/1": "2026-11-21T10:00:00Z"}  # fmt: skip
    assert placed(checkout, course) == expected
    before = tree(course / "submitted")
    assert take_in(checkout, course, download) == 0  # the same again adds nothing
    assert tree(course / "submitted") == before
    newer = METADATA.replace("2026-11-21 10:00:00 Z", "2026-11-22 10:00:00 Z")
    pack(download, {"submission_metadata.yml": newer, "submission_7001/demo.cu": "// a group's",
                    "submission_7002/demo.cu": "// a second attempt"})  # fmt: skip
    assert take_in(checkout, course, download) == 0
    assert placed(checkout, course) == {**expected, "u4/2": "2026-11-22T10:00:00Z"}


def test_without_yaml_one_sentence_says_what_to_install(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setitem(sys.modules, "yaml", None)
    download = pack(tmp_path / "submissions.zip", {"submission_metadata.yml": METADATA,
                                                   "submission_7001/demo.cu": "// a"})  # fmt: skip
    assert take_in(checkout, course, download) == 2
    assert "python3-yaml" in capsys.readouterr().err and tree(course / "submitted") == []


def test_moodle_folders_loose_files_and_the_worksheets_times(
    checkout: Checkout, course: Path, tmp_path: Path
) -> None:
    download = pack(tmp_path / "CS101-Lab 1-4711.zip", {
        "Ada Lovelace_501_assignsubmission_file_/demo.cu": "// ada's",
        "Emmy Noether_504_assignsubmission_file_demo.cu": "// emmy's",
    })  # fmt: skip
    (tmp_path / "grades.csv").write_text(WORKSHEET)
    assert take_in(checkout, course, download, tmp_path / "grades.csv") == 0
    assert placed(checkout, course) == {"ada/1": "2026-11-20T23:58:00Z", "u4/1": None}
    assert tree(course / "submitted/u4") == [f"{LAB}/1.json", f"{LAB}/1/demo.cu"]


def test_a_disk_that_is_full_while_a_zip_is_unpacked_is_told(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    download = pack(tmp_path / "submissions.zip", {"lovelaceada_11_4001_demo.cu": "// ada's"})
    with monkeypatch.context() as patched:
        patched.setattr("grader.course.unpacking._unpack", full)
        assert take_in(checkout, course, download) == 3
    said = capsys.readouterr().err
    assert f"{course}: No space left on device while submissions.zip was unpacked" in said
    assert tree(course / "submitted") == [] and take_in(checkout, course, download) == 0


def test_canvas_files_are_found_by_their_numbers(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured
) -> None:
    download = pack(tmp_path / "submissions.zip", {
        "lovelaceada_11_4001_demo.cu": "// ada's",
        "turingalan_LATE_12_4002_demo-1.cu": "// alan's",
    })  # fmt: skip
    assert take_in(checkout, course, download) == 0
    assert placed(checkout, course) == {"ada/1": None, "alan/1": None}
    late = {one.student for one in all_hand_ins(Course.load(checkout, course))
            if one.is_late_by_unknown}  # fmt: skip
    assert late == {"alan"}
    said = capsys.readouterr().out
    assert "The time of 1 hand-in is not known, so it is not late: " in said
    assert "1 is marked late, without a time." in said and "list of submissions" in said


@pytest.mark.parametrize("before", ["", "while(1);"])
def test_canvas_times_are_in_its_list_of_submissions(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured, before: str
) -> None:
    download = pack(tmp_path / "submissions.zip", {
        "lovelaceada_11_4001_demo.cu": "// ada's", "de_la_turing_LATE_12_4002_demo.cu": "// alan's",
    })  # fmt: skip
    times = tmp_path / "submissions.json"
    times.write_text(before + json.dumps([
        {"user_id": 11, "submitted_at": "2026-11-20T22:58:00Z"},
        {"user_id": 12, "submitted_at": "2026-11-22T10:00:00+01:00"},
        {"user_id": 13, "submitted_at": None},
    ]))  # fmt: skip
    assert take_in(checkout, course, download) == 0  # at first without the times
    assert take_in(checkout, course, download, times) == 0
    assert "The time of 2 earlier hand-ins is known now." in capsys.readouterr().out
    known = {"ada/1": "2026-11-20T22:58:00Z", "alan/1": "2026-11-22T09:00:00Z"}
    assert placed(checkout, course) == known
    assert take_in(checkout, course, download) == 0 and placed(checkout, course) == known


def test_a_time_that_is_still_to_come_is_named(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured
) -> None:
    for student, number, year in (("lovelaceada", 11, 2999), ("de_la_turing", 12, 2020)):
        download = pack(tmp_path / f"{year}.zip", {f"{student}_{number}_4001_demo.cu": "// mine"})
        times = tmp_path / f"{year}.json"
        times.write_text(f'[{{"user_id": {number}, "submitted_at": "{year}-01-01T00:00:00Z"}}]')
        assert take_in(checkout, course, download, times) == 0
        said = capsys.readouterr().out
        assert ("still to come, such as ada's, 2999-01-01T00:00:00Z" in said) == (year == 2999)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"user_id": 1}]',
                                  '[{"user_id": 1, "submitted_at": "soon"}]'])  # fmt: skip
def test_a_list_of_times_that_is_none_is_refused(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured, text: str
) -> None:
    download = pack(tmp_path / "s.zip", {"lovelaceada_11_4001_demo.cu": "// ada's"})
    (tmp_path / "times.json").write_text(text)
    assert take_in(checkout, course, download, tmp_path / "times.json") == 2
    assert "is not Canvas's list of submissions" in capsys.readouterr().err
    assert tree(course / "submitted") == []


def test_nbgraders_tree_with_its_times(checkout: Checkout, course: Path, tmp_path: Path) -> None:
    for assignment in ("problem 1", LAB):  # a name of the course's own, and the lab's
        submitted_by_nbgrader(tmp_path, assignment)
        assert take_in(checkout, course, tmp_path / "submitted") == 0
        assert placed(checkout, course) == {
            "ada/1": "2026-11-20T23:59:00Z", "alan/1": "2026-11-21T07:59:00Z"
        }  # fmt: skip
        assert tree(course / "submitted/ada") == [f"{LAB}/1.json", f"{LAB}/1/demo.cu"]
        shutil.rmtree(course / "submitted")
        (course / "submitted").mkdir()


def submitted_by_nbgrader(folder: Path, assignment: str) -> None:
    shutil.rmtree(folder / "submitted", ignore_errors=True)
    for student, time in (("ada", "2026-11-20 23:59:00 UTC"),
                          ("alan", "2026-11-20 23:59:00.5 America/Los_Angeles")):  # fmt: skip
        place = folder / "submitted" / student / assignment
        place.mkdir(parents=True)
        (place / "demo.cu").write_text(f"// {student}'s")
        (place / "timestamp.txt").write_text(time + "\n")


def test_a_zip_of_zips_and_a_folder_of_anything(
    checkout: Checkout, course: Path, tmp_path: Path
) -> None:
    download = pack(tmp_path / "all.zip", {
        "lab1/ada.zip": zipped({"demo.cu": "// a"}), "lab1/Turing Alan/demo.cu": "// b",
        "lab1/emmy@x.edu.cu": "// c", "__MACOSX/._ada.zip": "x", "lab1/.DS_Store": "x",
    })  # fmt: skip
    assert take_in(checkout, course, download) == 0
    assert set(placed(checkout, course)) == {"ada/1", "alan/1", "u4/1"}


def test_a_folder_with_one_student_is_that_students(
    checkout: Checkout, course: Path, tmp_path: Path
) -> None:
    (tmp_path / "submitted" / "ada").mkdir(parents=True)
    (tmp_path / "submitted" / "ada" / "demo.cu").write_text("// a")
    assert take_in(checkout, course, tmp_path / "submitted") == 0
    assert set(placed(checkout, course)) == {"ada/1"}


@pytest.mark.parametrize(("place", "is_placed", "unknown"), [
    ("ada/{lab}/demo.cu", True, ""),
    ("eve/{lab}/demo.cu", False, "eve"),  # and not somebody who is called like the file
    ("submitted/eve/{lab}/demo.cu", False, "eve"),
    ("work/{lab}/ada.cu", True, ""),  # a file for each student, in the lab's folder
])  # fmt: skip
def test_nbgraders_tree_of_one_student(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured,
    place: str, is_placed: bool, unknown: str,
) -> None:  # fmt: skip
    file = tmp_path / "given" / place.format(lab=LAB)
    file.parent.mkdir(parents=True)
    file.write_text("// a")
    assert take_in(checkout, course, tmp_path / "given") == (0 if is_placed else 2)
    assert set(placed(checkout, course)) == ({"ada/1"} if is_placed else set())
    assert f"does not say who 1 of them is: {unknown}." in capsys.readouterr().err or is_placed


def test_unknown_students_are_told_before_anything_is_written(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured
) -> None:
    download = pack(tmp_path / "all.zip", {"ada/demo.cu": "// a", "mallory/demo.cu": "// m"})
    assert take_in(checkout, course, download) == 2
    assert "mallory" in capsys.readouterr().err and tree(course / "submitted") == []
    assert not (course / "unplaced").exists()
    assert take_in(checkout, course, download, "--keep-unknown") == 4
    assert set(placed(checkout, course)) == {"ada/1"}
    [reasons] = (course / "unplaced").glob("*/reasons.json")
    [one] = json.loads(reasons.read_text())["unplaced"]
    assert one["names"] == ["mallory"] and "roster" in one["reason"]
    kept = [path for path in tree(course / "unplaced") if path.endswith("demo.cu")]
    assert len(kept) == 1
    # The same file of somebody else is kept, too; the same download again adds nothing.
    other = pack(tmp_path / "others.zip", {"ada/demo.cu": "// a", "eve/demo.cu": "// m"})
    for _ in range(2):
        assert take_in(checkout, course, other, "--keep-unknown") == 4
    said = [path.read_text() for path in (course / "unplaced").glob("*/reasons.json")]
    assert sorted("eve" in text for text in said) == [False, True]


def test_hostile_names_in_a_zip_write_nowhere_else(
    checkout: Checkout, course: Path, tmp_path: Path
) -> None:
    download = pack(tmp_path / "all.zip", {
        "ada/demo.cu": "// a", "../../evil": "x", "/etc/evil": "x", "ada/../../evil": "x",
        "ada/" + "n" * 300: "x",
    })  # fmt: skip
    with zipfile.ZipFile(download, "a") as archive:
        link = zipfile.ZipInfo("ada/link.cu")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert take_in(checkout, course, download) == 0
    assert tree(course / "submitted") == [f"ada/{LAB}/1.json", f"ada/{LAB}/1/demo.cu"]
    assert not list(tmp_path.rglob("evil")) and not Path("/etc/evil").exists()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.zip", b"no zip", "the zip is damaged"),
        ("a.zip", encrypted(zipped({f"ada/{LAB}/demo.cu": "x"})), "the zip is encrypted"),
        ("a.txt", b"x", "is neither a folder nor a zip"),
        ("a.zip", zipped({}), "holds nothing"),
        ("grades.csv", b"a,b\n1,2\n", "is neither a grading worksheet"),
    ],
)
def test_what_is_no_download_is_one_sentence(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured, name: str, content: bytes,
    said: str,
) -> None:  # fmt: skip
    (tmp_path / name).write_bytes(content)
    assert take_in(checkout, course, tmp_path / name) == 2
    err = capsys.readouterr().err
    assert said in err and len(err.splitlines()) == 1
    assert take_in(checkout, course, tmp_path / "missing.zip") == 2


METHODS = [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("is_damaged", [True, False])
def test_a_download_is_told_damaged_however_it_is_packed(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured, method: int,
    is_damaged: bool,
) -> None:  # fmt: skip
    download = tmp_path / "all.zip"
    with zipfile.ZipFile(download, "w", method) as archive:
        archive.writestr(f"ada/{LAB}/demo.cu", "".join(f"// {i * i}\n" for i in range(9000)))
    data = bytearray(download.read_bytes())
    if is_damaged:
        data[200:220] = bytes(20)
    download.write_bytes(data)
    assert take_in(checkout, course, download) == (2 if is_damaged else 0)
    err = capsys.readouterr().err
    assert ("the zip is damaged" in err) == is_damaged and "Traceback" not in err


@pytest.mark.longer
@pytest.mark.parametrize("method", METHODS[1:])
def test_no_more_of_a_download_is_unpacked_than_its_headers_say(
    tmp_path: Path, method: int
) -> None:
    download = tmp_path / "all.zip"
    with zipfile.ZipFile(download, "w", method) as archive:
        archive.writestr("ada/demo.cu", b" " * (64 << 20))
    data = bytearray(download.read_bytes())
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 500)
    download.write_bytes(data)
    tracemalloc.start()
    with pytest.raises(UsageError, match="CRC"):
        unpacked(download, tmp_path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 16 << 20  # LZMA's dictionary is 8 MiB


def test_a_broken_hand_in_is_kept_and_has_a_row(
    checkout: Checkout, course: Path, tmp_path: Path
) -> None:
    download = pack(tmp_path / "all.zip", {"ada/work.zip": "broken", "alan/demo.cu": "// b"})
    assert take_in(checkout, course, download) == 0  # the course has one lab, so it is that one's
    assert set(placed(checkout, course)) == {"ada/1", "alan/1"}


TWO_LABS = '''
[[lab]]
name = "02-other"
'''


def second_lab(checkout: Checkout, course: Path) -> None:
    """A lab whose file is other.cu: now a file must say which lab it is for."""
    for place in (checkout.labs, checkout.reference):
        shutil.copytree(place / LAB, place / "02-other")
        for path in (place / "02-other").rglob("demo.cu"):
            path.rename(path.with_name("other.cu"))
    toml = checkout.labs / "02-other" / "lab.toml"
    toml.write_text(toml.read_text().replace("demo.cu", "other.cu"))
    with (course / "course.toml").open("a") as settings:
        settings.write(TWO_LABS)


NAMES = {"Canvas": "lovelaceada_11_7_{}", "Moodle": "Ada Lovelace_501_assignsubmission_file_/{}",
         "a folder": "ada/{}"}  # fmt: skip
OTHERS = {"Canvas": "turingalan_12_8_demo.cu", "Moodle":
          "Alan Turing_502_assignsubmission_file_/demo.cu", "a folder": "alan/demo.cu"}  # fmt: skip


@pytest.mark.parametrize("system", NAMES)
@pytest.mark.parametrize("file", ["work.zip", "notes.txt"])
def test_a_file_that_says_no_lab_is_of_its_assignments(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured, system: str, file: str
) -> None:
    """A download of an LMS is of one assignment; a folder of anything may hold several labs."""
    second_lab(checkout, course)
    download = pack(tmp_path / "all.zip", {NAMES[system].format(file): "broken",
                                           OTHERS[system]: "// a"})  # fmt: skip
    is_one = system != "a folder"
    assert take_in(checkout, course, download) == (0 if is_one else 4)
    said = capsys.readouterr().out
    assert (f"doubtful, but taken for {LAB}: ada: " in said) == is_one
    assert set(placed(checkout, course)) == ({"ada/1", "alan/1"} if is_one else {"alan/1"})
    assert "import again and say --lab" in said or is_one


def test_a_download_with_files_of_two_labs_says_nothing_of_a_third(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured
) -> None:
    second_lab(checkout, course)
    download = pack(tmp_path / "all.zip", {
        "lovelaceada_11_7_demo.cu": "// a", "turingalan_12_8_other.cu": "// b",
        "noetheremmy_13_9_work.zip": "broken"})  # fmt: skip
    with (course / "roster.csv").open("a") as rows:
        rows.write("emma,Emma Lee,emma@x.edu,,13\n")
    assert take_in(checkout, course, download) == 4
    assert set(placed(checkout, course)) == {"ada/1", "alan/1"}
    assert "not placed: user 13: work.zip: the zip file is damaged" in capsys.readouterr().out


@pytest.mark.parametrize(("cids", "is_named"), [("demo.cu", True), ("other.cu", False)])
def test_a_file_of_another_lab_than_most_is_named(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured, cids: str, is_named: bool
) -> None:
    """It counts for that lab; where one half is of each lab, nobody knows what is meant."""
    second_lab(checkout, course)
    with (course / "roster.csv").open("a") as rows:
        rows.write("cid,Cid Lee,cid@x.edu,,13\neve,Eve Lee,eve@x.edu,,14\n")
    download = pack(tmp_path / "all.zip", {
        "lovelaceada_11_7_demo.cu": "// a", "turingalan_12_8_other.cu": "// b",
        f"leecid_13_9_{cids}": "// c", "leeeve_14_10_demo.cu": "// d"})  # fmt: skip
    assert take_in(checkout, course, download) == 0
    said = capsys.readouterr().out
    assert (f"another lab than most: alan: the file is 02-other's, and counts for it; the download "
            f"is mostly of {LAB}." in said) == is_named  # fmt: skip
    assert set(placed(checkout, course)) == {"ada/1", "alan/1", "cid/1", "eve/1"}
    assert take_in(checkout, course, download, "--lab", LAB) == 0
    assert "another lab than most" not in capsys.readouterr().out


OF_ANOTHER = "other.cu has the name of 02-other's file."


@pytest.mark.parametrize("kept", ["all labs", "this lab"])
@pytest.mark.parametrize(("file", "content", "said"), [
    ("work.zip", zipped({"hand-in/other.cu": "// b"}), OF_ANOTHER),
    ("other.cu", "// b", OF_ANOTHER),
    ("demo.cu", '#include "other.hpp"', "it looks like the file of 02-other"),
    ("work.zip", "PK", "the zip file is damaged"),
    ("work.zip", zipped({"hand-in/solution.cu": "// b"}), ""), ("demo.cu", "// b", ""),
])  # fmt: skip
def test_a_file_of_another_lab_is_named_and_kept(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured, kept: str, file: str,
    content: str | bytes, said: str,
) -> None:  # fmt: skip
    """Also if it is of a lab that the course leaves out, or if --lab says what the download is."""
    before = (course / "course.toml").read_text()
    second_lab(checkout, course)
    for room in (checkout.labs, checkout.reference):
        for path in (room / "02-other").rglob("demo.hpp"):
            path.rename(path.with_name("other.hpp"))
    toml = checkout.labs / "02-other" / "lab.toml"
    toml.write_text(toml.read_text().replace("demo.hpp", "other.hpp"))
    if kept == "this lab":
        (course / "course.toml").write_text(before)
    download = pack(tmp_path / "all.zip", {f"ada/{file}": content, "alan/demo.cu": "// a"})
    words = ["--lab", LAB] if kept == "all labs" else []
    assert take_in(checkout, course, download, *words) == 0
    shown = capsys.readouterr().out
    assert (f"doubtful, but taken for {LAB}: ada: " in shown and said in shown) == bool(said)
    assert "doubtful" not in shown or said
    assert (course / "submitted" / "ada" / LAB / "1" / file).is_file()


def test_what_is_graded_already_and_comes_again_without_a_time_is_no_new_attempt(
    checkout: Checkout, course: Path, tmp_path: Path
) -> None:
    """It would be in time, whatever the first one was, and no decision would hold for it."""
    (tmp_path / "grades.csv").write_text(WORKSHEET)
    moodle = pack(tmp_path / "moodle.zip", {
        "Ada Lovelace_501_assignsubmission_file_/demo.cu": "// ada's",
        "Emmy Noether_504_assignsubmission_file_/work.zip": "damaged",
    })  # fmt: skip
    assert take_in(checkout, course, moodle, tmp_path / "grades.csv") == 0
    once = {"ada/1": "2026-11-20T23:58:00Z", "u4/1": None}
    assert placed(checkout, course) == once

    clones = tmp_path / "clones"
    for name, text in {"ada": "// ada's", "alan": "// ada's"}.items():
        place = clones / name / f"labs/{LAB}"
        place.mkdir(parents=True)
        (place / "demo.cu").write_text(text)
        (clones / name / "README.md").write_text("a clone has more")
    assert take_in(checkout, course, clones) == 0
    assert placed(checkout, course) == {**once, "alan/1": None}  # somebody else's is new

    place = clones / "u4" / f"labs/{LAB}"  # what was refused is there, too
    place.mkdir(parents=True)
    (place / "work.zip").write_text("damaged")
    (clones / "u4" / "README.md").write_text("the kit's")
    assert take_in(checkout, course, clones) == 0
    assert placed(checkout, course) == {**once, "alan/1": None}
    (place / "more.zip").write_text("damaged, too")
    assert take_in(checkout, course, clones) == 0
    assert placed(checkout, course) == {**once, "alan/1": None, "u4/2": None}
    once["u4/2"] = None

    (clones / f"ada/labs/{LAB}/demo.cu").write_text("// ada's, mended")
    assert take_in(checkout, course, clones) == 0
    assert placed(checkout, course) == {**once, "alan/1": None, "ada/2": None}

    later = WORKSHEET.replace("20 November 2026, 11:58 PM", "21 November 2026, 11:58 PM")
    (tmp_path / "grades.csv").write_text(later)  # with a time the same file is a new attempt
    assert take_in(checkout, course, moodle, tmp_path / "grades.csv") == 0
    assert placed(checkout, course)["ada/3"] == "2026-11-21T23:58:00Z"


CLASSROOM = """github_username,roster_identifier,student_repository_name,submission_timestamp
octo,ada,demo-octo,2026-11-20T21:58:00Z
cat,alan,demo-cat,{alan}
dog,u4,demo-cat,{alan}
"""


@pytest.mark.parametrize(("said", "time"), [
    ("2026-11-21 01:02:03 UTC", "2026-11-21T01:02:03Z"), ("", None), ("yesterday", None),
])  # fmt: skip
def test_github_classroom_says_whose_a_clone_is_and_since_when(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured, said: str, time: str | None
) -> None:
    """A folder has the name of the repository; one that two have is a group's."""
    clones = tmp_path / "clones"
    for name in ("demo-octo", "demo-cat"):
        (clones / name).mkdir(parents=True)
        (clones / name / "demo.cu").write_text(f"// {name}")
    capsys.readouterr()
    assert take_in(checkout, course, clones) == 2  # nobody is called octo
    (tmp_path / "grades.csv").write_text(CLASSROOM.replace("{alan}", said))
    assert take_in(checkout, course, clones, tmp_path / "grades.csv") == 0
    ada = {"ada/1": "2026-11-20T21:58:00Z"}
    assert placed(checkout, course) == {**ada, "alan/1": time, "u4/1": time}
    assert ("yesterday" in capsys.readouterr().out) == (said == "yesterday")


def test_times_alone_are_not_imported_in_silence(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured
) -> None:
    sheet = tmp_path / "grades.csv"
    sheet.write_text(WORKSHEET)
    assert take_in(checkout, course, sheet) == 2
    said = capsys.readouterr().err
    assert "no hand-ins" in said and "together with the download" in said
    moodle = pack(tmp_path / "moodle.zip",
                  {"Ada Lovelace_501_assignsubmission_file_/demo.cu": "// ada's"})  # fmt: skip
    assert take_in(checkout, course, moodle) == 0  # and the times later, with the download
    assert take_in(checkout, course, sheet, moodle) == 0
    assert placed(checkout, course) == {"ada/1": "2026-11-20T23:58:00Z"}
    assert "The time of 1 earlier hand-in is known now." in capsys.readouterr().out


def test_who_is_not_on_the_roster_is_added_there(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured
) -> None:
    download = pack(tmp_path / "all.zip", {"lovelaceada_11_7_demo.cu": "// a",
                                           "strangerbob_99_8_demo.cu": "// b"})  # fmt: skip
    assert take_in(checkout, course, download, "--keep-unknown") == 4
    said = capsys.readouterr().out
    assert "not placed: user 99: nobody on the roster has this name" in said
    assert "add them with ./lab class roster" in said and "--lab LAB" not in said


def test_an_import_that_was_killed_between_two_steps_is_completed(
    checkout: Checkout, course: Path, tmp_path: Path
) -> None:
    download = pack(tmp_path / "all.zip", {"ada/demo.cu": "// a"})
    assert take_in(checkout, course, download) == 0
    record = course / "submitted" / "ada" / LAB / "1.json"
    record.unlink()
    assert take_in(checkout, course, download) == 0
    assert record.is_file() and set(placed(checkout, course)) == {"ada/1"}


def test_namesakes_are_named_and_the_worksheet_tells_them_apart(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured
) -> None:
    with (course / "roster.csv").open("a") as rows:
        rows.write("wei1,Li Wei,wei1@x.edu\nwei2,Li Wei,wei2@x.edu\n")
    files = {f"Li Wei_{number}_assignsubmission_file_/demo.cu": "// x" for number in (1, 2)}
    download = pack(tmp_path / "all.zip", files)
    assert take_in(checkout, course, download) == 2
    said = capsys.readouterr().err
    assert "Li Wei (wei1 or wei2?)" in said and "tells namesakes apart" in said
    rows = WORKSHEET.splitlines()[:1] + [
        f'"Participant {n}","Li Wei",wei{n}@x.edu,Submitted,,20.00,-' for n in (1, 2)
    ]
    (tmp_path / "sheet.csv").write_text("\n".join(rows) + "\n")
    assert take_in(checkout, course, download, tmp_path / "sheet.csv") == 0
    assert {"wei1/1", "wei2/1"} <= set(placed(checkout, course))


def test_a_student_s_own_folder_is_named_by_the_folder(
    checkout: Checkout, course: Path, tmp_path: Path, capsys: Captured
) -> None:
    for student, code in (("zoe", 2), ("Emmy Noether", 0)):
        folder = tmp_path / f"all-{code}" / student
        folder.mkdir(parents=True)
        (folder / "demo.cu").write_text("// x")
        assert take_in(checkout, course, tmp_path / f"all-{code}") == code
    assert "zoe" in capsys.readouterr().err
