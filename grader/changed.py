"""`./lab figures changed`: the page on what changed since the articles, from measurements alone.

report/what-changed.template.md holds the prose; every {{name}} in it is a number of
changed_numbers.py, or "not measured".
"""

import os
import re
from pathlib import Path

from .changed_numbers import Numbers
from .checkout import Checkout
from .errors import ALL_PASSED
from .files import write_atomically
from .outcome import Outcome

TEMPLATE, PAGE = "what-changed.template.md", "what-changed.md"
PLACE = re.compile(r"\{\{([a-z0-9_.-]+)\}\}")


def write(checkout: Checkout, out: Path) -> Outcome:
    """Write the page: into report/ from what is committed in the gallery, else beside the figures.

    Raises UsageError if nothing at all was measured.
    """
    numbers = Numbers(out)
    report = checkout.root / "report"
    committed = out.resolve().is_relative_to((report / "gallery").resolve())
    page = (report if committed else out) / PAGE
    template = (report / TEMPLATE).read_text(encoding="utf-8")
    images = os.path.relpath(out.resolve(), page.parent.resolve())
    write_atomically(page, filled(template, numbers, images))
    return Outcome(ALL_PASSED, {"page": checkout.shown(page)}, checkout.shown(page))


def filled(template: str, numbers: Numbers, images: str) -> str:
    """The template with every {{name}} replaced. Raises UsageError for a name nobody knows."""

    def one(found: re.Match[str]) -> str:
        return images if found[1] == "images" else numbers.text(found[1])

    return PLACE.sub(one, template)
