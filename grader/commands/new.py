"""`./lab new NN-name`: starts a lab with two stages that already builds."""

import argparse
import shutil

from ..authoring.scaffold import contents
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, UsageError
from ..base.files import write_atomically
from ..base.outcome import Outcome
from ..lab_file.manifest import LAB_NAME
from .parser import Commands


def add(commands: Commands) -> None:
    new = commands.add("new", run, "start a new lab: one folder in labs/, one in reference/")
    new.add_argument("name", metavar="NN-name")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Write labs/NN-name and reference/NN-name. If that fails, neither folder remains. Raises
    UsageError."""
    name = arguments.name
    if not LAB_NAME.fullmatch(name):
        raise UsageError(f"'{name}' is not a lab name; it must look like 06-scan.")
    room, solved = checkout.labs / name, checkout.reference / name
    for folder in (room, solved):
        if folder.exists():
            raise UsageError(f"{folder.relative_to(checkout.root)} already exists.")
    if taken := sorted(path.name for path in checkout.labs.glob(f"{name[:2]}-*")):
        raise UsageError(f"labs/{taken[0]} already has the number {name[:2]}.")
    files = contents(name)
    try:
        for path, text in files.items():
            write_atomically(checkout.root / path, text)
    except BaseException:
        for folder in (room, solved):
            shutil.rmtree(folder, ignore_errors=True)
        raise
    text = "\n".join([*files, f"Prove it with: ./lab dev check {name}"])
    return Outcome(ALL_PASSED, {"lab": name, "files": list(files)}, text)
