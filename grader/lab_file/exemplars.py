"""Three graded programs beside each lab: plain, good and record, each with its share of points."""

import hashlib
from pathlib import Path

from ..base.checkout import Checkout
from .manifest import Lab
from .rules import RECORD

GOOD = "good"
# The share of a stage's speed points, or of a counter's points, that each form must get.
SHARES = {"plain": (0.0, 0.2), GOOD: (0.85, 1.0), RECORD: (1.0, 1.0)}


def exemplar(checkout: Checkout, lab: Lab, form: str) -> Path:
    """The file of a form: the reference is the good one, the others have a folder each."""
    room = checkout.reference / lab.name
    return room / lab.source if form == GOOD else room / form / lab.source


def fits(form: str, share: float) -> bool:
    """Whether this share of points is one that the form must get."""
    least, most = SHARES[form]
    return least <= share <= most


def code_hash(source: str) -> str:
    """A hash of the code: comment lines and blank lines do not count, nor does indentation."""
    lines = (line.strip() for line in source.splitlines())
    code = "\n".join(line for line in lines if line and not line.startswith("//"))
    return hashlib.sha256(code.encode()).hexdigest()
