"""Measurements over many sizes: one JSON document per family, written whole after every size.

    {"schema": 2, "family": "sssp", "backend": "gpu", "machine": {...}, "points": [
      {"scale": 14, "made_from": "sha256 of sources and settings", "taken": {...},
       "measured": {...}},
      {"scale": 26, "made_from": "...", "taken": {...}, "not_measured": "the reason"}]}

`measured` is what the family's program printed; report/figures/ describes it. What its twin with
the record forms printed is among the methods and preparations, with `"form": "record"`. `taken`
holds the conditions (conditions.py), `machine.ceilings` the GPU's ceilings.
"""

import json
import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grader.base.errors import UsageError
from grader.base.files import to_json, write_atomically
from grader.machine import hardware

from .schema import is_document

SCHEMA = 2
RECORD = "record"  # the form of what is not from the reference
REFERENCE = "reference"

Document = dict[str, Any]
Point = dict[str, Any]


@dataclass(frozen=True)
class Family:
    """Methods that are measured together. Scales are exponents of 2: first, last, every `step`-th.

    `most` is the largest scale that the program takes. `record` names the methods that are also
    measured in their record form: the stages with points for speed.
    """

    name: str
    labs: tuple[str, ...]
    gpu_scales: tuple[int, int]
    cpu_scales: tuple[int, int]
    step: int
    most: int
    searches: bool  # takes --sources; otherwise it sorts and takes --repetitions and --without
    record: tuple[str, ...]

    @property
    def program(self) -> str:
        return f"figures-{self.name}"

    @property
    def record_program(self) -> str:
        return f"{self.program}-record"

    def lab_of(self, source: Path) -> str:
        """The lab whose file has the name of `source`. Raises UsageError."""
        names = {f"{lab.partition('-')[2].replace('-', '_')}.cu": lab for lab in self.labs}
        if not source.is_file():
            raise UsageError(f"{source}: there is no such file.")
        if source.name not in names:
            wanted = " or ".join(names)
            raise UsageError(f"{source}: {self.name} measures a file named {wanted}.")
        return names[source.name]


FAMILIES = {
    family.name: family
    for family in (
        Family("rank", ("01-rank-sort", "02-in-place"), (4, 16), (4, 10), 1, 28, False,
               ("01 tiled", "02 fast")),
        Family("sort", ("03-bitonic", "04-odd-even"), (8, 26), (6, 12), 2, 28, False,
               ("03 registers", "04 tiled", "04 merge-split")),
        Family("sssp", ("05-sssp",), (14, 24), (8, 10), 1, 26, True, ("stage locality", "delta")),
    )
}  # fmt: skip


# What lab 05 searches, and what a figure calls it.
SHAPES = {
    "rmat": "RMAT graphs, 32 arcs per vertex",
    "uniform": "Uniform graphs",
    "grid": "Grids",
    "road": "Road-like graphs",
}
RMAT = "rmat"  # of which every stage is measured
RECORD_OF_OTHERS = ("delta",)  # of the record forms, those that are measured in other shapes


def shapes(text: str) -> list[str]:
    """The shapes of `grid,road`, each once. Raises UsageError."""
    named = list(dict.fromkeys(one.strip() for one in text.split(",")))
    if unknown := [one for one in named if one not in SHAPES]:
        raise UsageError(f"--shapes {text}: '{unknown[0]}' is no shape; shapes are "
                         f"{', '.join(SHAPES)}.")  # fmt: skip
    return named


def load(path: Path, family: str) -> Document | None:
    """The document at `path`, or None without a file. Raises UsageError on any other file."""
    if not path.exists():
        return None
    again = "remove it, or name another folder with --out"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read as measurements ({error}); {again}.") from error
    if not is_document(document, family):
        raise UsageError(f"{path}: has no measurements of {family} in schema {SCHEMA}; {again}.")
    return document


def open_for(path: Path, family: Family, backend: str, source: str) -> Document:
    """The document to continue: the one at `path`, or a new one. `source` names the kernels' file.

    Raises UsageError if it is from another machine or source: one figure shows only one of each.
    """
    here = asdict(hardware.describe())
    found = load(path, family.name)
    if found is None:
        return {"schema": SCHEMA, "family": family.name, "backend": backend, "machine": here,
                "source": source, "points": []}  # fmt: skip
    if found.get("source", REFERENCE) != source:
        raise UsageError(
            f"{path}: contains measurements of another source ({found.get('source', REFERENCE)}); "
            "name another folder with --out."
        )
    if found["backend"] != backend or machine_names(found["machine"]) != machine_names(here):
        raise UsageError(
            f"{path}: was measured on another machine ({machine_names(found['machine'])}, "
            f"{found['backend']} backend); name another folder with --out."
        )
    return found


def machine_names(description: Mapping[str, Any]) -> str:
    """GPU and CPU, which tell measurements of two machines apart."""
    gpu = description.get("gpu")
    return f"{gpu['name'] if gpu else 'no GPU'}, {description.get('cpu')}"


def find(document: Document, scale: int, origin: str | None = None) -> Point | None:
    """The measured point of a scale. With `origin`, only if it was made from that."""
    for point in document["points"]:
        if point["scale"] == scale and "measured" in point:
            return point if origin in (None, point["made_from"]) else None
    return None


def method(
    point: dict[str, Any], name: str, kind: str | None = None, form: str = ""
) -> dict[str, Any] | None:
    """The method of a measured point by name, by kind if several have the name, and by form."""
    for one in point["measured"]["methods"]:
        if one["name"] == name and kind in (None, one["kind"]) and one.get("form", "") == form:
            return one
    return None


def with_record(measured: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """What a family's program printed, together with what its twin printed of the record forms."""
    both = dict(measured)
    for key in ("methods", "preparations"):
        if key in measured:
            both[key] = measured[key] + [{**one, "form": RECORD} for one in record[key]]
    return both


def measured(document: Document) -> list[dict[str, Any]]:
    """The points that were measured, the smallest first."""
    return [point for point in document["points"] if "measured" in point]


def is_mixed(document: Document) -> bool:
    """Whether the document mixes measurements of different kernels or settings."""
    return len({point["made_from"] for point in document["points"] if "measured" in point}) > 1


def keep(document: Document, point: Point, path: Path) -> None:
    """Put a point into the document, and write the document to `path`."""
    others = [other for other in document["points"] if other["scale"] != point["scale"]]
    document["points"] = sorted([*others, point], key=lambda one: one["scale"])
    write_atomically(path, to_json(document))


def speedups(point: Point, name: str, kind: str = "float", form: str = "") -> list[float]:
    """Speedup over Dijkstra from the same source, for every source that both searched from."""
    found, serial = method(point, name, kind, form), method(point, "dijkstra")
    if not found or not serial:
        return []
    # A method stops when its time is used up, so both have searched from the first few sources.
    return [b / a for a, b in zip(found["seconds"], serial["seconds"], strict=False)]


def segment_gains(point: Point, tried: dict[str, Any]) -> list[float]:
    """Time of relax on the original list over relax on the arranged list, from the same sources."""
    plain = method(point, "neither", "float")
    return [a / b for a, b in zip(plain["seconds"], tried["seconds"], strict=False)]


def preparation(point: Point, name: str, form: str = "") -> list[float]:
    """The seconds of each repetition of a preparation."""
    found = [p for p in point["measured"]["preparations"]
             if (p["name"], p.get("form", "")) == (name, form)]  # fmt: skip
    return found[0]["seconds"] if found else []


def payback(point: Point, name: str, fast: str, slow: str, form: str = "") -> float | None:
    """The number of searches after which a preparation has paid for itself; None: never. `form` is
    that of the preparation and of the fast search."""
    cost = preparation(point, name, form)
    with_it, without = method(point, fast, "float", form), method(point, slow, "float")
    if not cost or not with_it or not without:
        return None
    saved = statistics.fmean(without["seconds"]) - statistics.fmean(with_it["seconds"])
    # There are few repetitions, and the first one includes the time for loading its code.
    return statistics.median(cost) / saved if saved > 0 else None
