"""`./lab class excuse`: a lab does not count for a student."""

import argparse

from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED
from ...base.outcome import Outcome
from ...course import ledger
from ...course.book import book
from ...course.course import Course, alone
from ...course.explain import explain
from ..parser import Commands, course_flag


def add(commands: Commands) -> None:
    made = commands.add("excuse", run, "a lab does not count for a student")
    made.add_argument("student", metavar="STUDENT", help="an id, an address or a whole name")
    made.add_argument("lab", metavar="LAB", help="such as 02")
    made.add_argument("--because", required=True, metavar="TEXT", help="the reason; it is kept")
    made.add_argument("--not-any-more", action="store_true", help="take the excuse back")
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    course = Course.find(checkout, arguments.course)
    lab = course.settings.lab(arguments.lab).lab
    student = course.student(arguments.student)
    with alone(course):
        about = {"student": student.id, "lab": lab.name, "excused": not arguments.not_any_more}
        ledger.append(course.decisions, "excuse", arguments.because, about)
        [entry] = book(course, [student.id], [lab.name])
    return Outcome(ALL_PASSED, about, explain(course, entry))
