"""`./lab class seed new`: the secret that a course's hidden tests are made from."""

import argparse

from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED
from ...base.outcome import Outcome
from ...course import seeds
from ...course.course import Course, alone
from ..parser import Commands, course_flag


def add(commands: Commands) -> None:
    group = commands.group("seed", "the secret of the hidden tests", "ACTION")
    made = group.add("new", run, "make a secret seed, which only this course's folder has")
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Nobody sees the secret: it is written, with mode 0600. Raises UsageError if there is one."""
    course = Course.find(checkout, arguments.course)
    with alone(course):
        path = seeds.make(course)
    text = (f"{path} has a new secret. Only you may read it; no result has it. "
            "Keep it until the last appeal: with it every grading can be repeated.")  # fmt: skip
    if course.settings.seed != "secret":
        text += '\nIt is used once course.toml says seed = "secret".'
    return Outcome(ALL_PASSED, {"file": str(path)}, text)
