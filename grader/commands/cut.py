"""`./lab cut`: makes the skeletons in labs/ from the references."""

import argparse
import difflib

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, SOME_FAILED, UsageError
from ..base.files import write_atomically
from ..base.outcome import Outcome
from ..lab_file import manifest, marks
from .parser import Commands, with_references


def add(commands: Commands) -> None:
    cut = commands.add("cut", run, "write the skeletons from the references",
                       before=with_references("skeletons are cut from references"))  # fmt: skip
    cut.add_argument("--check", action="store_true", help="write nothing; exit 1 if they differ")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Write every lab's skeleton from its reference, or with --check report the differences."""
    changed: list[str] = []
    text: list[str] = []
    for lab in manifest.discover(checkout):
        reference = checkout.reference / lab.name / lab.source
        if not reference.is_file():
            raise UsageError(f"reference/{lab.name}/{lab.source} is missing; write it first.")
        where = f"reference/{lab.name}/{lab.source}"
        skeleton = marks.cut(reference.read_text(encoding="utf-8"), where, lab.stage_names)
        target = checkout.labs / lab.name / lab.source
        name = f"labs/{lab.name}/{lab.source}"
        old = target.read_text(encoding="utf-8") if target.is_file() else ""
        if old == skeleton and target.is_file():
            continue
        changed.append(name)
        if arguments.check:
            text += difflib.unified_diff(
                old.splitlines(), skeleton.splitlines(), name, f"cut({where})", lineterm="", n=1
            )
        else:
            write_atomically(target, skeleton)
    if not changed:
        text.append("Every skeleton is the cut of its reference.")
    else:
        verb = "differs from the cut of its reference: run ./lab cut" if arguments.check else "cut"
        text += [f"{name}: {verb}" for name in changed]
    code = SOME_FAILED if changed and arguments.check else ALL_PASSED
    return Outcome(code, {"changed": changed}, "\n".join(text))
