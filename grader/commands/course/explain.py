"""`./lab class explain`: how a mark came about."""

import argparse

from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED
from ...base.outcome import Outcome
from ...course.book import book
from ...course.course import Course
from ...course.explain import explain
from ...course.status import remarks
from ..parser import Commands, course_flag


def add(commands: Commands) -> None:
    made = commands.add("explain", run, "how a mark came about, from the file to the last decision")
    made.add_argument("student", metavar="STUDENT", help="an id, an address or a whole name")
    made.add_argument("lab", metavar="LAB", nargs="?", help="default: every lab")
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    course = Course.find(checkout, arguments.course)
    labs = [course.settings.lab(arguments.lab).lab.name] if arguments.lab else []
    entries = book(course, [course.student(arguments.student).id], labs)
    texts = [explain(course, entry) for entry in entries]
    document = {"student": entries[0].student.id, "labs": [
        {"lab": entry.lab.name, "state": entry.state, "points": entry.mark.points,
         "possible": entry.mark.possible, "open_points": entry.mark.open_points,
         "task": entry.stored and entry.stored.task,
         "lines": [vars(line) for line in entry.mark.lines]} for entry in entries]}  # fmt: skip
    return Outcome(ALL_PASSED, document, "\n\n".join(texts + remarks(course, entries)))
