"""`./lab class roster`: who takes the course, from the lists of other systems."""

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

from ...base.checkout import Checkout
from ...base.columns import cut, padded, width
from ...base.errors import ALL_PASSED
from ...base.outcome import Outcome
from ...base.rows import PAGE
from ...base.text import counted, line, named
from ...course import roster
from ...course.course import Course, alone
from ...course.roster import Student
from ...course.student_lists import read_list
from ..parser import Commands, course_flag


def add(commands: Commands) -> None:
    made = commands.add("roster", run, "read who takes the course; without FILE, show it")
    made.add_argument("files", nargs="*", metavar="FILE",
                      help="CSV from Canvas (grades), Moodle (participants, grades or worksheet) "
                      "or Gradescope (roster)")  # fmt: skip
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Add the lists' students and ids to roster.csv. Raises UsageError; then nothing is changed."""
    course = Course.find(checkout, arguments.course)
    path = course.folder / roster.FILE_NAME
    text = []
    with alone(course):
        students, listed = list(course.students), list[Student]()
        for file in map(Path, arguments.files):
            system, found = read_list(file)
            students, added = roster.merged(students, found)
            listed += found
            count = counted(len(found), "student")
            text.append(f"{file}: {count} from {system}, {added} of them new.")
        if arguments.files:
            roster.save(path, students)
    gone = roster.absent(course.students, listed) if arguments.files else []
    text += _said_of_absent(gone)
    otherwise = roster.otherwise(course.students, listed)
    text += _said_of_otherwise(otherwise)
    known = {student.id for student in course.students}
    new = [student for student in students if student.id not in known]
    text += [f"namesakes: {' and '.join(ids)}; if that is one person, put the ids into one row of "
             "roster.csv." for ids in roster.namesakes(students, new)]  # fmt: skip
    text += _said_of_renamed(students, new, listed)
    document = {"students": [vars(student) for student in students],
                "absent": [student.id for student in gone],
                "otherwise": [[student.id, now] for student, now in otherwise]}  # fmt: skip
    if not arguments.files:
        text = _listed(students)
    text.append(f"{counted(len(students), 'student')} in {checkout.shown(path)}")
    return Outcome(ALL_PASSED, document, "\n".join(text))


def _listed(students: Sequence[Student]) -> list[str]:
    """A line for each, cut where a terminal ends."""
    most = shutil.get_terminal_size((PAGE, 24)).columns
    ids, names = (max((width(text) for text in texts), default=0) for texts in (
        [one.id for one in students], [line(one.name) for one in students]))  # fmt: skip
    rows = [f"{padded(one.id, ids)}  {padded(line(one.name), names)}  {line(one.email)}".rstrip()
            for one in students]  # fmt: skip
    return [row if width(row) <= most else f"{cut(row, most - 1)}>" for row in rows]


def _said_of_absent(gone: list[Student]) -> list[str]:
    if not gone:
        return []
    who = named([_called(one) for one in gone])
    return [f"not named any more: {who}. They stay on the roster with all that they handed in; "
            "who has left the course is taken out of roster.csv by hand."]  # fmt: skip


def _said_of_otherwise(found: Sequence[tuple[Student, str]]) -> list[str]:
    if not found:
        return []
    each = [f"{_called(one)} is {line(now)} there" for one, now in found]
    return [f"otherwise in the list: {named(each)}. roster.csv stays as it is; correct it "
            "by hand if the list is right."]  # fmt: skip


def _said_of_renamed(
    students: Sequence[Student], new: Sequence[Student], listed: Sequence[Student]
) -> list[str]:
    """Whose id somebody else had; of people with one name the line about namesakes tells it."""
    ids = {one.id for one in listed}
    has = {one.id: one for one in students}
    text = []
    for one in new:
        other = has.get(one.id.rpartition("-")[0])
        if one.id in ids or not other or roster.namesakes([one, other], [one]):
            continue
        text.append(f"same id: {_called(one)} has the id {other.id} in the list, but that is "
                    f"{_called(other)} here. If it is a mistake, correct the first column of "
                    "roster.csv before anything is imported.")  # fmt: skip
    return text


def _called(one: Student) -> str:
    return f"{one.id} ({line(one.name)})" if one.name else one.id
