"""The entry points of a lab's contract: what the judge calls, and to which stage each belongs."""

import re
from collections.abc import Sequence

from ..base.checkout import Checkout
from .manifest import Lab, Stage

_NAMED = re.compile(r"^WARPWISE_ENTRY_POINTS\(([\w\s,]*)\)", re.MULTILINE)  # labs/kit
_MOST = 27  # names that its macro can name


def entry_points(checkout: Checkout, lab: Lab) -> list[str]:
    """Their names in the order of the contract."""
    text = (checkout.labs / lab.name / lab.contract).read_text(encoding="utf-8")
    return [name.strip() for list_of in _NAMED.findall(text) for name in list_of.split(",")
            if name.strip()]  # fmt: skip


def owner(lab: Lab, name: str) -> str:
    """The name of the stage that an entry point belongs to; "" if it serves all of them.

    A stage has those named like itself, like `relax` and `relax_double`, and those that it lists.
    """
    for stage in lab.stages:
        if name in stage.entries or name == stage.identifier:
            return stage.name
    longest = max((s for s in lab.stages if name.startswith(f"{s.identifier}_")),
                  key=lambda s: len(s.identifier), default=None)  # fmt: skip
    return longest.name if longest else ""


def not_called(checkout: Checkout, lab: Lab, stages: Sequence[Stage]) -> list[str]:
    """The entry points that no judge calls who asks for these stages alone."""
    called = {"", *(stage.name for stage in stages)}
    others = [name for name in entry_points(checkout, lab) if owner(lab, name) not in called]
    return others if len(others) <= _MOST else []
