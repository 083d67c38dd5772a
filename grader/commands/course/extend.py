"""`./lab class extend`: a later due date for one student and lab."""

import argparse
from datetime import datetime

from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED, UsageError
from ...base.outcome import Outcome
from ...course import ledger
from ...course.book import book
from ...course.course import Course, alone
from ...course.explain import explain
from ...course.hand_ins import write_time
from ..parser import Commands, course_flag


def add(commands: Commands) -> None:
    made = commands.add("extend", run, "give a student a later due date")
    made.add_argument("student", metavar="STUDENT")
    made.add_argument("lab", metavar="LAB")
    made.add_argument("--until", required=True, metavar="DATE",
                      help="such as 2026-12-03T23:59, in the course's time zone")
    made.add_argument("--because", required=True, metavar="TEXT")
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    course = Course.find(checkout, arguments.course)
    lab = course.settings.lab(arguments.lab).lab
    student = course.student(arguments.student)
    try:
        until = datetime.fromisoformat(arguments.until)
    except ValueError as error:
        said = f"--until {arguments.until}: is not a date; write 2026-12-03T23:59."
        raise UsageError(said) from error
    if until.tzinfo is None:
        until = until.replace(tzinfo=course.settings.zone)
    with alone(course):
        about = {"student": student.id, "lab": lab.name, "until": write_time(until)}
        ledger.append(course.decisions, "extend", arguments.because, about)
        [entry] = book(course, [student.id], [lab.name])
    return Outcome(ALL_PASSED, about, explain(course, entry))
