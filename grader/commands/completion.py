"""What the shell asks when somebody presses Tab: commands, flags, labs and stages."""

import argparse
from typing import Any

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, LabError
from ..lab_file import manifest


def answer(parser: argparse.ArgumentParser, checkout: Checkout) -> int:
    """Answer the shell, which reads from a descriptor of its own. Without argcomplete: nothing."""
    try:
        import argcomplete
    except ImportError:
        return ALL_PASSED
    _complete_labs(parser, checkout)
    argcomplete.autocomplete(parser)  # ends the process
    return ALL_PASSED


def _complete_labs(parser: argparse.ArgumentParser, checkout: Checkout) -> None:
    """Every argument that is shown as LAB... is completed with the names of labs and stages."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _complete_labs(command, checkout)
        elif str(action.metavar).startswith("LAB"):
            completed: Any = action
            completed.completer = lambda prefix, **_: names(checkout, prefix)


def names(checkout: Checkout, prefix: str) -> list[str]:
    """Labs; and the stages of a lab once its name and a dot are typed."""
    try:
        labs = manifest.discover(checkout)
    except LabError:
        return []
    if "." not in prefix:
        return [lab.name for lab in labs]
    return [f"{lab.name}.{stage}" for lab in labs for stage in lab.stage_names]
