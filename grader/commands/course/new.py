"""`./lab class new`: a folder for a course, with a course.toml to fill in."""

import argparse
from pathlib import Path
from shlex import quote

from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED, UsageError
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
    if not arguments.folder.strip():
        raise UsageError("name the course's folder, such as ../cs101.")
    folder = Path(arguments.folder)
    files = course.make(checkout, folder, backend)
    next_one = f"./lab class roster --course {quote(str(folder))} FILE"
    text = (f"{folder} is a course now. Next: fill in {folder / files[0].name}, then\n"
            f"  {next_one}    who takes it; from Canvas, Moodle or Gradescope")
    return Outcome(ALL_PASSED, {"files": [str(path) for path in files]}, text)
