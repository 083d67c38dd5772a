"""`./lab reset LAB[.STAGE]`: the handout's text again; a backup is kept."""

import argparse
from dataclasses import asdict

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, UsageError
from ..base.files import write_atomically
from ..base.outcome import Outcome
from ..lab_file import manifest, target
from ..study import versions
from ..study.handout import skeleton
from .parser import Commands


def add(commands: Commands) -> None:
    reset = commands.add("reset", run, "begin a lab or a stage again; a backup is kept")
    reset.add_argument("target", metavar="LAB[.STAGE]")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Replace the file, or what is between one stage's marks, by the handout's text."""
    lab, stage = target.named(checkout, manifest.discover(checkout), arguments.target)
    new = skeleton(checkout, lab)
    shown = f"labs/{lab.name}/{lab.source}"
    path = versions.own_file(checkout, lab)
    kept = versions.keep_own(checkout, lab, f"before {arguments.target} was reset")
    if stage and path.is_file():
        try:
            mine = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(f"{shown}: is not UTF-8 text; save it as UTF-8, or reset the whole "
                             "file.") from error  # fmt: skip
        new = versions.with_stage(mine, new, stage.name, shown)
    write_atomically(path, new)
    what = f"stage {stage.name}" if stage else "the whole file"
    text = f"{shown}: {what} is as it was handed out."
    if kept:
        text += (f"\nWhat was there is version {kept.number}: "
                 f"./lab restore {lab.name} --version {kept.number}")  # fmt: skip
    return Outcome(ALL_PASSED, {"reset": shown, "kept": asdict(kept) if kept else None}, text)
