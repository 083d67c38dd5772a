"""The line of a lab's README.md that a failed stage refers to."""

from dataclasses import dataclass

from .checkout import Checkout
from .manifest import Lab, Stage


@dataclass(frozen=True)
class HandoutLine:
    """`path` is relative to the checkout, `line` counts from 1."""

    path: str
    line: int
    text: str


def find_line(checkout: Checkout, lab: Lab, stage: Stage) -> HandoutLine | None:
    """The first table row of the lab's README.md that names the stage in backticks."""
    readme = checkout.labs / lab.name / "README.md"
    if not readme.is_file():
        return None
    for number, line in enumerate(readme.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("|") and f"`{stage.name}`" in line:
            return HandoutLine(f"labs/{lab.name}/README.md", number, line.strip())
    return None
