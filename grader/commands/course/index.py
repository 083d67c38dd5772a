"""`./lab class index`: makes gradebook.sqlite again from hand-ins, results and decisions."""

import argparse
import textwrap

from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED
from ...base.outcome import Outcome
from ...base.text import counted
from ...course import index
from ...course.book import book
from ...course.course import Course
from ..parser import Commands, course_flag


def add(commands: Commands) -> None:
    made = commands.add("index", run, "make gradebook.sqlite again, for your own SQL")
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    course = Course.find(checkout, arguments.course)
    entries = book(course)
    path = index.rebuild(course, entries)
    columns = index.columns()
    names = textwrap.fill(", ".join(columns), 78, initial_indent="  ", subsequent_indent="  ")
    rows = counted(len(entries), "row")
    text = f"{checkout.shown(path)}: {rows} in `grades`, with the columns\n{names}"
    return Outcome(ALL_PASSED, {"index": str(path), "rows": len(entries), "columns": columns}, text)
