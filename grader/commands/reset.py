"""`./lab reset LAB[.STAGE]`: the handout's text again; a backup is kept."""

import argparse
from dataclasses import asdict

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED
from ..base.outcome import Outcome
from ..grading import progress
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
        new = versions.own_with_stage(checkout, lab, new, stage.name)
    versions.write_own(checkout, lab, new)
    progress.forget(checkout, lab.name, [stage.name] if stage else lab.stage_names)
    what = f"stage {stage.name}" if stage else "the whole file"
    text = f"{shown}: {what} is as it was handed out."
    if kept:
        text += (f"\nWhat was there is version {kept.number}: "
                 f"./lab restore {lab.name} --version {kept.number}")  # fmt: skip
    return Outcome(ALL_PASSED, {"reset": shown, "kept": asdict(kept) if kept else None}, text)
