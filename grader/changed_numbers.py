"""The numbers of the page on what changed: each by a name, from measurements, as text.

A gain is the time without over the time with. What was not measured is None, and reads so.
"""

from collections.abc import Callable
from pathlib import Path

from . import series
from .changed_searches import searches
from .changed_sorts import sorts
from .changed_words import NOT_MEASURED, power
from .errors import UsageError


class Numbers:
    """What the page says, by name."""

    def __init__(self, folder: Path) -> None:
        found = {name: series.load(folder / f"{name}.json", name) for name in series.FAMILIES}
        documents = [document for document in found.values() if document]
        if not documents:
            raise UsageError(f"{folder}: holds no measurements; ./lab figures sssp makes some.")
        if any(document["backend"] != "gpu" for document in documents):
            raise UsageError(
                f"{folder}: was measured on the CPU backend, which cannot tell what pays on a GPU."
            )
        if len({series.machine_names(document["machine"]) for document in documents}) > 1:
            raise UsageError(f"{folder}: holds measurements of different machines.")
        points = {name: series.measured(one) if one else [] for name, one in found.items()}
        self._machine = documents[0]["machine"]
        self._known: dict[str, Callable[[], str | None]] = {
            "gpu": self._gpu,
            "runs": lambda: " ".join(_run(name, found) for name, found in points.items() if found),
            "cpu": lambda: f"{self._machine['cpu']}, {self._machine['cores']} cores",
            **searches(points["sssp"]),
            **sorts(points),
        }

    def text(self, name: str) -> str:
        """A number in words. Raises UsageError for a name nobody knows."""
        if name not in self._known:
            raise UsageError(f"{{{{{name}}}}} is no number of the page.")
        return self._known[name]() or NOT_MEASURED

    def _gpu(self) -> str | None:
        gpu = self._machine["gpu"]
        return f"{gpu['name']}, driver {gpu['driver']}" if gpu else None


def _run(family: str, points: list[series.Point]) -> str:
    """Which sizes were measured apart from the rest: by other kernels or settings, in a word."""
    runs = [point["made_from"] for point in points]
    usual = max(runs, key=runs.count)
    apart = [power(2 ** point["scale"]) for point in points if point["made_from"] != usual]
    if not apart:
        return f"All sizes of `{family}` were measured in the same way."
    return f"Of `{family}`, {', '.join(apart)} are from another run than the others."
