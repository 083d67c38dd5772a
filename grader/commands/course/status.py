"""`./lab class status`: where the class stands, and what waits for a person."""

import argparse

from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED
from ...base.outcome import Outcome
from ...base.text import line
from ...course.book import book
from ...course.course import Course
from ...course.status import next_step, remarks, standing, table
from ..parser import Commands, course_flag


def add(commands: Commands) -> None:
    made = commands.add("status", run, "where the class stands")
    made.add_argument("--review", action="store_true", help="list what a person must look at")
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    course = Course.find(checkout, arguments.course)
    entries = book(course)
    found = standing(course, entries)
    text = table(found)
    if arguments.review:
        text = [f"{one['student']} {one['lab']}{'.' + one['stage'] if one['stage'] else ''}: "
                f"{line(one['text'])}" for one in found["reviews"]]  # fmt: skip
        text.append("./lab class decide STUDENT LAB[.STAGE] --points N --because TEXT settles one."
                    if text else "Nothing waits for a person.")  # fmt: skip
    elif step := next_step(entries):
        text.append(step)
    remarked = remarks(course, entries)
    return Outcome(ALL_PASSED, {**found, "remarks": remarked}, "\n".join([*text, *remarked]))
