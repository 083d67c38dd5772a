"""`./lab class new`: a folder for a course, with a course.toml to fill in."""

import argparse
from pathlib import Path

from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED
from ...base.outcome import Outcome
from ...course import course
from ...machine import hardware
from ..parser import Commands


def add(commands: Commands) -> None:
    made = commands.add("new", run, "make a folder for a course, outside of the checkout")
    made.add_argument("folder", metavar="FOLDER")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Raises UsageError if the folder is a course already, or is in the checkout."""
    backend = hardware.choose_backend(arguments.backend)
    folder = Path(arguments.folder)
    files = course.make(checkout, folder, backend)
    text = (f"{folder} is a course now. Next: fill in {folder / files[0].name}, then\n"
            f"  ./lab class roster --course {folder} FILE    who takes it; from Canvas, Moodle or "
            "Gradescope")  # fmt: skip
    return Outcome(ALL_PASSED, {"files": [str(path) for path in files]}, text)
