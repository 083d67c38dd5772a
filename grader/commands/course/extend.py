"""`./lab class extend`: a later due date for one student and lab."""

import argparse
import re
from datetime import UTC, datetime, tzinfo

from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED, UsageError
from ...base.local_time import latest_time
from ...base.outcome import Outcome
from ...course import ledger
from ...course.book import book
from ...course.course import Course, alone
from ...course.explain import explain
from ...course.hand_ins import write_time
from ..parser import Commands, course_flag

DAY = re.compile(r"\d{4}-\d\d-\d\d")


def add(commands: Commands) -> None:
    made = commands.add("extend", run, "give a student a later due date")
    made.add_argument("student", metavar="STUDENT", help="an id, an address or a whole name")
    made.add_argument("lab", metavar="LAB", help="such as 02")
    made.add_argument("--until", required=True, metavar="DATE",
                      help="such as 2026-12-03T23:59, in the course's time zone; a day alone lasts "
                      "until its end")  # fmt: skip
    made.add_argument("--because", required=True, metavar="TEXT", help="the reason; it is kept")
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    course = Course.find(checkout, arguments.course)
    wanted = course.settings.lab(arguments.lab)
    lab = wanted.lab
    student = course.student(arguments.student)
    until = _date(arguments.until, course.settings.zone)
    if wanted.due and until < wanted.due:
        due = wanted.due.astimezone(course.settings.zone)
        raise UsageError(f"--until {arguments.until}: is before {lab.name} is due for all "
                         f"({due:%Y-%m-%dT%H:%M}); an extension gives a later date.")  # fmt: skip
    with alone(course):
        about = {"student": student.id, "lab": lab.name, "until": write_time(until)}
        ledger.append(course.decisions, "extend", arguments.because, about)
        [entry] = book(course, [student.id], [lab.name])
    return Outcome(ALL_PASSED, about, explain(course, entry))


def _date(text: str, zone: tzinfo) -> datetime:
    """A day alone lasts until its end. Raises UsageError."""
    try:
        until = datetime.fromisoformat(text)
        if DAY.fullmatch(text):
            until = until.replace(hour=23, minute=59, second=59)
        return latest_time(until, zone).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"--until {text}: is not a date; write 2026-12-03T23:59.") from error
