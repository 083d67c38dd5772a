"""The labs that students have. A new lab is a draft until it has a record form: what needs a GPU's
measurements, or somebody's week, is asked of finished labs only."""

from grader.base.checkout import Checkout
from grader.lab_file import manifest
from grader.lab_file.exemplars import exemplar
from grader.lab_file.manifest import Lab
from grader.lab_file.rules import RECORD

FEWEST = 5  # none of them becomes a draft again by losing a file


def finished(checkout: Checkout) -> list[Lab]:
    """The labs with a record form. Raises LookupError if there are fewer than the kit has."""
    found = [lab for lab in manifest.discover(checkout)
             if exemplar(checkout, lab, RECORD).is_file()]  # fmt: skip
    if len(found) < FEWEST:
        raise LookupError(f"a lab has lost its record form: only {len(found)} have one")
    return found
