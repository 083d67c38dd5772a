"""A roster that changes: who has left is named, Canvas's own rows are nobody, namesakes are two."""

from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.commands.cli import main
from grader.course import roster
from grader.course.course import Course
from grader.course.hand_ins import all_hand_ins
from grader.export import canvas, moodle
from grader.export.grade import Grade, Policy
from grader.tests.fakes import LAB

pytestmark = [pytest.mark.reads("grader/course", "grader/export"), pytest.mark.unit]

Captured = pytest.CaptureFixture[str]
HEAD = "Student,ID,SIS User ID,SIS Login ID,Section,Demo sort (901)\n"
POSSIBLE = "    Points Possible,,,,,20\n"
ANN, BOB = '"Ant, Ann",11,u1,ann,S1,\n', '"Bee, Bob",12,u2,bob,S1,\n'
CID = '"Cat, Cid",13,u3,cid,S2,\n'
TEST = '"Student, Test",99,,5f4dcc3b5aa765d61d8327deb882cf99,S1,\n'


@pytest.fixture
def course(checkout: Checkout, tmp_path: Path, capsys: Captured) -> Path:
    assert main(["class", "new", str(tmp_path / "cs101")], checkout) == 0
    read(checkout, tmp_path / "cs101", ANN + BOB + CID)
    capsys.readouterr()
    return tmp_path / "cs101"


def read(checkout: Checkout, folder: Path, rows: str, head: str = HEAD) -> int:
    sheet = folder.parent / "grades.csv"
    sheet.write_text(head + POSSIBLE + rows)
    return main(["class", "roster", "--course", str(folder), str(sheet)], checkout)


def ids(checkout: Checkout, folder: Path) -> list[str]:
    return [student.id for student in Course.load(checkout, folder).students]


def hand_in(folder: Path, student: str) -> None:
    place = folder / "submitted" / student / LAB / "1"
    place.mkdir(parents=True)
    (place / "demo.cu").write_text("// x")


def test_who_is_called_otherwise_in_a_new_list_is_named_and_stays(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    assert read(checkout, course, ANN.replace("Ant, Ann", "Ann Ant") + BOB + CID) == 0
    assert "otherwise in" not in capsys.readouterr().out  # the same name
    assert read(checkout, course, ANN.replace("Ant, Ann", "Bell, Ann") + BOB + CID) == 0
    said = capsys.readouterr().out
    assert "otherwise in the list: ann (Ant, Ann) is Bell, Ann there." in said
    assert {one.id: one.name for one in Course.load(checkout, course).students}["ann"] == "Ant, Ann"


def test_who_is_in_another_section_now_is_named_and_stays(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    assert read(checkout, course, ANN + BOB.replace("S1", "S2") + CID) == 0
    said = capsys.readouterr().out
    assert "otherwise in the list: bob (Bee, Bob) is in section S2 there. roster.csv stays" in said
    found = {one.id: one.section for one in Course.load(checkout, course).students}
    assert found["bob"] == "S1"


def test_who_is_not_in_a_new_list_is_named_and_stays(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    hand_in(course, "bob")
    assert read(checkout, course, ANN) == 0
    said = capsys.readouterr().out
    assert "not named any more: bob (Bee, Bob)." in said and "taken out of roster.csv" in said
    assert "cid" not in said  # this list is of another section
    assert ids(checkout, course) == ["ann", "bob", "cid"]
    assert (course / "submitted" / "bob" / LAB / "1" / "demo.cu").is_file()


def test_lists_that_name_everybody_say_nothing_of_it(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    assert read(checkout, course, ANN + BOB + CID + '"Doe, Dan",14,u4,dan,S1,\n') == 0
    assert "any more" not in capsys.readouterr().out
    assert ids(checkout, course) == ["ann", "bob", "cid", "dan"]


@pytest.mark.parametrize("words", [["status"], ["export", "csv"], ["report"]])
@pytest.mark.longer
def test_hand_ins_of_somebody_who_was_taken_out_are_named(
    checkout: Checkout, course: Path, words: list[str], capsys: Captured
) -> None:
    hand_in(course, "bob")
    assert main(["class", *words, "--course", str(course)], checkout) == 0
    assert "not on the roster" not in capsys.readouterr().out
    rows = (course / "roster.csv").read_text().splitlines(keepends=True)
    (course / "roster.csv").write_text("".join(row for row in rows if "bob" not in row))
    assert main(["class", *words, "--course", str(course)], checkout) == 0
    assert "not on the roster: bob. What they handed in stays" in capsys.readouterr().out


@pytest.mark.parametrize("row", [
    TEST, '" student,  TEST ",99,,x,S1,\n', '"Test Student",99,,x,S1,\n',
])  # fmt: skip
def test_canvas_own_rows_are_no_students(checkout: Checkout, course: Path, row: str) -> None:
    assert read(checkout, course, ANN + BOB + CID + row + "  Manual Posting,,,,,\n") == 0
    assert ids(checkout, course) == ["ann", "bob", "cid"]


def test_a_person_may_be_called_test_student(checkout: Checkout, course: Path) -> None:
    row = TEST.replace("99,,", "99,u9,").replace("5f4dcc3b5aa765d61d8327deb882cf99", "test")
    assert read(checkout, course, ANN + BOB + CID + row) == 0
    assert ids(checkout, course) == ["ann", "bob", "cid", "test"]


def test_names_in_two_columns(checkout: Checkout, course: Path) -> None:
    head = HEAD.replace("Student,", "LastName,FirstName,", 1)
    assert read(checkout, course, "Fox,Fay,15,u5,fay,S1,\nStudent,Test,99,,x,S1,\n", head) == 0
    [fay] = [s for s in Course.load(checkout, course).students if s.id == "fay"]
    assert fay.name == "Fay Fox" and len(ids(checkout, course)) == 4


def grade(student: str, number: str) -> Grade:
    return Grade(student, LAB, 7, 20, ids={"canvas_id": number})


@pytest.mark.parametrize(("row", "named"), [
    (TEST, ()), (TEST.replace("99,,", "99,u9,"), ("Student, Test",)),
    ('"Doe, Dan",14,u4,dan,S1,\n', ("Doe, Dan",)),
])  # fmt: skip
def test_canvas_test_student_is_no_stranger_in_a_sheet(row: str, named: tuple[str, ...]) -> None:
    filled = canvas.fill(HEAD + POSSIBLE + ANN + row, [grade("ann", "11")], "901", Policy())
    assert filled.not_in_course == named and ",7\n" in filled.text


def test_a_sheet_with_names_in_two_columns_is_filled() -> None:
    head = HEAD.replace("Student,", "LastName,FirstName,", 1)
    text = head + "    Points Possible,,,,,,20\nAnt,Ann,11,u1,ann,S1,\nStudent,Test,99,,x,S1,\n"
    filled = canvas.fill(text, [grade("ann", "11")], "901", Policy())
    assert "Ant,Ann,11,u1,ann,S1,7\n" in filled.text and not filled.not_in_course


@pytest.mark.parametrize("said", ["(read only)", "n/a", "nan", "inf", "-"])
def test_a_maximum_that_is_no_number_is_none(said: str) -> None:
    rows = HEAD + POSSIBLE.replace("20", said) + ANN
    assert canvas.fill(rows, [grade("ann", "11")], "901", Policy()).notes == ()
    sheet = f'Identifier,"Email address",Grade,"Maximum grade"\nParticipant 5,a@x,,{said}\n'
    assert moodle.fill(sheet, [Grade("ann", LAB, 7, 20, email="a@x")], Policy()).text


def test_a_maximum_with_a_comma_is_a_number() -> None:
    rows = HEAD + POSSIBLE.replace("20", '"20,5"') + ANN
    [note] = canvas.fill(rows, [grade("ann", "11")], "901", Policy()).notes
    assert "Canvas says 20.5 points possible, the course 20" in note


def canvas_zip(folder: Path, *names: str) -> Path:
    place = folder.parent / "all"
    place.mkdir()
    for name in names:
        (place / name).write_text("// x")
    return place


@pytest.mark.parametrize("name", ["studenttest_99_7_demo.cu", "teststudent_LATE_99_7_demo.cu"])
def test_what_the_test_student_handed_in_is_left_out(
    checkout: Checkout, course: Path, name: str, capsys: Captured
) -> None:
    place = canvas_zip(course, name, "antann_11_5_demo.cu")
    assert main(["class", "import", "--course", str(course), str(place)], checkout) == 0
    assert "test student handed in was left out" in capsys.readouterr().out
    assert [one.student for one in all_hand_ins(Course.load(checkout, course))] == ["ann"]


def test_what_another_stranger_handed_in_is_refused(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    place = canvas_zip(course, "studenttess_98_7_demo.cu", "antann_11_5_demo.cu")
    assert main(["class", "import", "--course", str(course), str(place)], checkout) == 2
    assert "nothing was imported" in capsys.readouterr().err


@pytest.mark.parametrize(("row", "joined"), [
    ("ann,Ann Ant,ann@x.edu,", True),  # written by hand, without what Canvas calls her
    ("ANN,\"Ant, Ann\",ann@x.edu,", True),
    ("ann,Ann Bee,ann@x.edu,", False),
    ("ann,Ann Ant,ann@x.edu,77", False),  # another one in Canvas
])  # fmt: skip
def test_a_row_by_hand_and_a_list_are_one_student_if_id_and_name_say_so(
    checkout: Checkout, course: Path, row: str, joined: bool, capsys: Captured
) -> None:
    (course / "roster.csv").write_text(f"student,name,email,canvas_id\n{row}\n")
    assert read(checkout, course, ANN) == 0
    said = capsys.readouterr().out
    assert len(ids(checkout, course)) == (1 if joined else 2)
    assert ("namesakes: ann and ann-2" in said) == ("77" in row)
    assert ("same id: ann-2 (Ant, Ann) has the id ann" in said) == ("Bee" in row)


def test_a_new_namesake_is_named(checkout: Checkout, course: Path, capsys: Captured) -> None:
    assert read(checkout, course, ANN + BOB + CID + '"Ant, Ann",17,u7,ann7,S1,\n') == 0
    assert "namesakes: ann and ann7; if that is one person" in capsys.readouterr().out
    assert read(checkout, course, ANN + BOB + CID) == 0  # known by now
    assert "namesakes" not in capsys.readouterr().out


NAMESAKES = [roster.Student("ann", "Ant, Ann"), roster.Student("ann-2", "Ann Ant"),
             roster.Student("ada", "Bob Bee"), roster.Student("u7", "Ada")]  # fmt: skip


def test_namesakes_are_named_by_their_ids(checkout: Checkout, course: Path) -> None:
    roster.save(course / "roster.csv", NAMESAKES)
    of = Course.load(checkout, course)
    with pytest.raises(UsageError, match="are several students; give the id: ann or ann-2"):
        of.student("Ann Ant")
    with pytest.raises(UsageError, match=r"is not a student of \S+roster.csv; its"):
        of.student("Zoe")
    for typed, meant in (("bee", r"ada \(Bob Bee\)"), ("ANT", r"ann \(Ant, Ann\) or ann-2 \("),
                         ("adda", r"ada \(Bob Bee\)"), ("Bob Bees", "ada")):  # fmt: skip
        with pytest.raises(UsageError, match=rf"did you mean {meant}"):
            of.student(typed)
    assert of.student("ann-2").id == "ann-2" and of.student("bee, bob").id == "ada"
    assert of.student("ada").id == "ada"  # an id comes before a name
