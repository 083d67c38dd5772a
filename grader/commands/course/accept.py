"""`./lab class accept`: results of grading again become the ones that count."""

import argparse

from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED
from ...base.outcome import Outcome
from ...base.text import counted
from ...course import index, ledger
from ...course.book import book
from ...course.course import Course, alone
from ...course.earlier import changes
from ..parser import Commands, course_flag


def add(commands: Commands) -> None:
    made = commands.add("accept", run, "let the results of grading again count")
    made.add_argument("--lab", help="only this lab")
    made.add_argument("--student", help="only what this student handed in")
    made.add_argument("--because", required=True, metavar="TEXT", help="the reason; it is kept")
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Append a decision for each result. The old results stay where they are."""
    course = Course.find(checkout, arguments.course)
    labs = [course.settings.lab(arguments.lab).lab.name] if arguments.lab else []
    students = [course.student(arguments.student).id] if arguments.student else []
    with alone(course):
        found = changes(course, book(course, students, labs))
        tasks = sorted({later.task for one in found for later in one.entry.later})
        for task in tasks:
            ledger.append(course.decisions, "accept", arguments.because, {"task": task})
        index.refresh(course, book(course))
    text = [f"{one.entry.student.id} {one.entry.lab.name}: {one.said}" for one in found if one.said]
    same = len(found) - len(text)
    text.append(f"From new results now: {counted(len(found), 'mark')}, {same} of them as before."
                if found else "Nothing was graded again.")  # fmt: skip
    return Outcome(ALL_PASSED, {"accepted": tasks}, "\n".join(text))
