"""`./lab upgrade`: new handouts and tests, without touching what a student wrote."""

import argparse

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED
from ..base.outcome import Outcome
from ..base.text import counted
from ..lab_file import manifest
from ..study.upgrade import Plan, carry_out, plan
from .parser import Commands

SHOWN_FILES = 20


def add(commands: Commands) -> None:
    upgrade = commands.add("upgrade", run, "get new handouts and tests; what you wrote stays")
    upgrade.add_argument("--from", dest="source", default="origin", metavar="WHERE",
                         help="a remote and a branch for git fetch (default: origin)")  # fmt: skip
    upgrade.add_argument("--check", action="store_true", help="only say what would change")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Every lab's file is kept as a version first. A frame that changes is shown as a diff."""
    labs = manifest.discover(checkout)
    planned = plan(checkout, labs, arguments.source)
    if not planned.files and not planned.moved:
        return Outcome(ALL_PASSED, _document(planned, False), "The kit is up to date.")
    diff = planned.frame_diff(checkout)
    if not arguments.check:
        carry_out(checkout, labs, planned)
    word = "Would change" if arguments.check else "Changed"
    lines = [f"{word}: {counted(len(planned.files), 'file')}"]
    labs_first = sorted(planned.files, key=lambda name: not name.startswith("labs/"))
    lines += [f"  {name}" for name in labs_first[:SHOWN_FILES]]
    more = len(planned.files) - SHOWN_FILES
    lines += [f"  and {more} more"] if more > 0 else []
    lines += ["Outside of your stages:", *(f"  {line}" for line in diff)] if diff else []
    lines.append("What you wrote is as it was; ./lab restore LAB lists versions.")
    return Outcome(ALL_PASSED, _document(planned, not arguments.check), "\n".join(lines))


def _document(planned: Plan, done: bool) -> dict[str, object]:
    return {"new": planned.new, "files": list(planned.files), "frames": list(planned.moved),
            "done": done}  # fmt: skip
