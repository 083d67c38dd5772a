"""`./lab decide`: a person settles points that the grader left open, as it does in `rejected`."""

import argparse
import os
from pathlib import Path

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, UsageError
from ..base.outcome import Outcome
from ..base.text import line
from ..grading import decisions
from ..grading.result import FILE_NAME
from ..grading.result_table import table
from .parser import Commands, points

COURSE = "course.toml"  # in a course's folder, above results/TASK/


def add(commands: Commands) -> None:
    made = commands.add("decide", run, "settle a stage's open points, with a reason that is kept")
    made.add_argument("result", metavar="RESULT", help="a result.json, or the folder that has one")
    made.add_argument("stage", metavar="STAGE")
    made.add_argument("--points", type=points, required=True, metavar="N",
                      help="how many of the stage's open points are earned")  # fmt: skip
    made.add_argument("--because", required=True, metavar="TEXT", help="kept in the result")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Append the decision to RESULT and show the table that follows. Raises UsageError."""
    path = Path(arguments.result)
    if os.path.isdir(path):
        path /= FILE_NAME
    if (path.absolute().parent.parent.parent / COURSE).is_file():
        raise UsageError(f"{path}: belongs to a course, and to all who handed in the same; say "
                         "./lab class decide STUDENT LAB.STAGE.")  # fmt: skip
    because = line(" ".join(arguments.because.split()), decisions.LONGEST_REASON)
    if not because:
        raise UsageError("--because must give a reason.")
    document = decisions.append(path, arguments.stage, arguments.points, because)
    text = f"{table(document)}\nKept in {checkout.shown(path)}"
    return Outcome(ALL_PASSED, document, text)
