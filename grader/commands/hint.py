"""`./lab hint [LAB.STAGE]`: one hint at a time."""

import argparse

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, UsageError
from ..base.outcome import Outcome
from ..grading.progress import standing
from ..lab_file import manifest, target
from ..study.standing import ahead
from .parser import Commands


def add(commands: Commands) -> None:
    hint = commands.add("hint", run, "a hint for a stage")
    hint.add_argument("target", nargs="?", metavar="LAB.STAGE",
                      help="default: the next stage, as ./lab next says")  # fmt: skip
    hint.add_argument("--level", type=int, default=1, metavar="N", help="1 (default) says least")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """One hint; each level says more than the one before."""
    lab, stage = target.named(checkout, manifest.discover(checkout),
                              arguments.target or _next(checkout))  # fmt: skip
    if stage is None:
        raise UsageError(f"name a stage too: ./lab hint {lab.name}.{lab.stages[0].name}")
    level, levels = arguments.level, len(stage.hints)
    if not 1 <= level <= levels:
        raise UsageError(f"{lab.name}.{stage.name} has hints of level 1 to {levels}.")
    document = {"lab": lab.name, "stage": stage.name, "level": level, "of": levels,
                "hint": stage.hints[level - 1]}  # fmt: skip
    text = f"Hint {level} of {levels} for {lab.name}.{stage.name}: {stage.hints[level - 1]}"
    if level < levels:
        text += f"\nMore: ./lab hint {lab.name}.{stage.name} --level {level + 1}"
    return Outcome(ALL_PASSED, document, text)


def _next(checkout: Checkout) -> str:
    """The stage that is next. Raises UsageError if none is left."""
    found = ahead(checkout, standing(checkout))
    if found is None:
        raise UsageError("every stage has passed; name one: ./lab hint LAB.STAGE")
    lab, stage, _ = found
    return f"{lab['name']}.{stage['name']}"
