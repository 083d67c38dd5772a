"""What a copy of the kit for students has in the place of a reference: the folder release/NN-name.

`./lab release` writes it. It has the skeleton, the reference's counts by stage, counter and size,
and, where there was a GPU, the reference as a program to be timed against. No source is in it.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..base.files import to_json
from . import marks
from .counters import Kernels
from .manifest import Lab

FILE_NAME = "recorded.json"
YARDSTICK = "yardstick"
SCHEMA = 1


@dataclass(frozen=True)
class Count:
    """What one call of the reference's `stage` counted, on its bench's input of `n` elements."""

    stage: str
    counter: str
    n: int
    seed: int
    value: float


@dataclass(frozen=True)
class Form:
    """All that one call of the reference's `stage` asks of memory; no names, no lines."""

    stage: str
    n: int
    seed: int
    kernels: Kernels


@dataclass(frozen=True)
class Recorded:
    """What is known of one lab's reference. `seeds` are the public seeds of the counts."""

    lab: str
    seeds: tuple[int, ...]
    counts: tuple[Count, ...]
    forms: tuple[Form, ...] = ()  # for ./lab why

    def seed_for(self, seed: int) -> int:
        """The seed whose counts are used: `seed` itself if it is recorded, or one of those that
        are."""
        return seed if seed in self.seeds else self.seeds[seed % len(self.seeds)]

    def count(self, stage: str, counter: str, n: int, seed: int) -> float | None:
        """The reference's value; None if it was not recorded."""
        wanted = (stage, counter, n, seed)
        found = (c for c in self.counts if (c.stage, c.counter, c.n, c.seed) == wanted)
        return next((count.value for count in found), None)

    def form(self, stage: str) -> Form | None:
        """What the good form of a stage asks; None if it was not recorded."""
        return next((form for form in self.forms if form.stage == stage), None)

    def text(self) -> str:
        """The file's content."""
        return to_json({"schema": SCHEMA, **asdict(self)})


def folder(checkout: Checkout, lab: Lab) -> Path:
    return checkout.root / "release" / lab.name


def load(checkout: Checkout, lab: Lab) -> Recorded | None:
    """What is recorded of `lab`; None in a checkout with nothing recorded. Raises
    InfrastructureError if the file is damaged."""
    path = folder(checkout, lab) / FILE_NAME
    if not path.is_file():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        counts = tuple(Count(**count) for count in document["counts"])
        forms = tuple(Form(**form) for form in document.get("forms", ()))
        recorded = Recorded(document["lab"], tuple(document["seeds"]), counts, forms)
        good = document["schema"] == SCHEMA and recorded.lab == lab.name
        good = good and len(recorded.seeds) > 0 and all(type(s) is int for s in recorded.seeds)
        good = good and all(isinstance(count.value, int | float) for count in counts)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(checkout, path) from error
    if not good:
        raise _damaged(checkout, path)
    return recorded


def _damaged(checkout: Checkout, path: Path) -> InfrastructureError:
    return InfrastructureError(f"{checkout.shown(path)}: is damaged; get a new copy of the kit.")


def yardstick(checkout: Checkout, lab: Lab, form: str) -> Path | None:
    """A form of the solution as a program for a GPU; None if this copy has none."""
    path = folder(checkout, lab) / f"{YARDSTICK}-{form}"
    return path if path.is_file() else None


def skeleton(checkout: Checkout, lab: Lab) -> str | None:
    """The lab's file as every student receives it; None if this copy can no longer say.

    It is cut from the reference. A copy for students has it as it was cut.
    """
    reference = checkout.reference / lab.name / lab.source
    if reference.is_file():
        return marks.cut(reference.read_text(encoding="utf-8"), str(reference), lab.stage_names)
    kept = folder(checkout, lab) / lab.source
    return kept.read_text(encoding="utf-8") if kept.is_file() else None
