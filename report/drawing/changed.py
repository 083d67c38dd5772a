"""`./lab figures changed`: the page on what changed since the articles, from measurements alone.

A gain is the time without an optimisation over the time with it. If something was not measured, the
page says so.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.base.files import write_atomically

from . import measurements
from .changed_gains import NOT_MEASURED, power, searches, sorts

TEMPLATE, PAGE = "what-changed.template.md", "what-changed.md"
COMMITTED = Path("gallery") / "nvidia-h200"  # in report/: the page beside it is of these
PLACE = re.compile(r"\{\{([a-z0-9_.-]+)\}\}")


class Numbers:
    """The texts on the page that come from measurements, by name."""

    def __init__(self, folder: Path) -> None:
        found = {
            name: measurements.load(folder / f"{name}.json", name) for name in measurements.FAMILIES
        }
        documents = [document for document in found.values() if document]
        if not documents:
            raise UsageError(f"{folder}: contains no measurements; ./lab figures sssp makes some.")
        if any(document["backend"] != "gpu" for document in documents):
            raise UsageError(
                f"{folder}: was measured on the CPU backend, which cannot tell what pays on a GPU."
            )
        if len({measurements.machine_names(document["machine"]) for document in documents}) > 1:
            raise UsageError(f"{folder}: contains measurements of different machines.")
        points = {name: measurements.measured(one) if one else [] for name, one in found.items()}
        self._machine = documents[0]["machine"]
        self._known: dict[str, Callable[[], str | None]] = {
            "gpu": self._gpu,
            "runs": lambda: " ".join(_run(name, found) for name, found in points.items() if found),
            "cpu": lambda: f"{self._machine['cpu']}, {self._machine['cores']} cores",
            **searches(points["sssp"]),
            **sorts(points),
        }

    def text(self, name: str) -> str:
        """The text for a name. Raises UsageError for an unknown name."""
        if name not in self._known:
            raise UsageError(f"{{{{{name}}}}} is not a number on the page.")
        return self._known[name]() or NOT_MEASURED

    def _gpu(self) -> str | None:
        gpu = self._machine["gpu"]
        return f"{gpu['name']}, driver {gpu['driver']}" if gpu else None


def _run(family: str, points: list[measurements.Point]) -> str:
    """A sentence on the sizes that were measured with other kernels or settings than most."""
    runs = [point["made_from"] for point in points]
    usual = max(runs, key=runs.count)
    apart = [power(2 ** point["scale"]) for point in points if point["made_from"] != usual]
    if not apart:
        return f"All sizes of `{family}` were measured in the same way."
    return f"In `{family}` these sizes are from another run: {', '.join(apart)}."


def is_committed(checkout: Checkout, out: Path) -> bool:
    """Whether these are the measurements that the repository's page is of."""
    return out.resolve() == (checkout.root / "report" / COMMITTED).resolve()


def write(checkout: Checkout, out: Path) -> Path:
    """Write the page beside the figures; into report/ from the measurements of COMMITTED.

    Raises UsageError if nothing was measured.
    """
    numbers = Numbers(out)
    report = checkout.root / "report"
    page = (report if is_committed(checkout, out) else out) / PAGE
    template = (report / TEMPLATE).read_text(encoding="utf-8")
    images = os.path.relpath(out.resolve(), page.parent.resolve())
    write_atomically(page, filled(template, numbers, images))
    return page


def filled(template: str, numbers: Numbers, images: str) -> str:
    """The template with every {{name}} replaced. Raises UsageError for an unknown name."""

    def one(found: re.Match[str]) -> str:
        return images if found[1] == "images" else numbers.text(found[1])

    return PLACE.sub(one, template)
