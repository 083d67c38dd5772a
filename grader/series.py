"""Measurements over many sizes: one JSON document per family, kept whole after every size.

    {"schema": 1, "family": "sssp", "backend": "gpu", "machine": {...}, "points": [
      {"scale": 14, "made_from": "sha256 of sources and settings", "measured": {...}},
      {"scale": 26, "made_from": "...", "not_measured": "the reason"}]}

`measured` is what the family's program printed: report/figures/ says what stands in it.
"""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import machine, process
from .checkout import Checkout
from .errors import SOME_FAILED, InfrastructureError, LabError, UsageError
from .files import sha256, sha256_of_files, to_json, write_atomically

SCHEMA = 1
WRONG, TOO_LARGE = 1, 4  # exit statuses of the programs
SECONDS_PER_SIZE = 600.0
SLOW_SECONDS = 1.0  # a sort that is expected to take longer is left out
REFERENCE = "reference"
SUFFIXES = (".cpp", ".hpp", ".cu")

Document = dict[str, Any]
Point = dict[str, Any]


class WrongAnswer(LabError):
    """A search or a sort was wrong: a failed test, not a failed machine."""

    exit_code = SOME_FAILED


@dataclass(frozen=True)
class Family:
    """What is measured together. Scales are exponents of 2: first, last, step."""

    name: str
    labs: tuple[str, ...]
    gpu_scales: tuple[int, int]
    cpu_scales: tuple[int, int]
    step: int
    searches: bool  # takes --sources; else sorts, with --repetitions and --without

    @property
    def program(self) -> str:
        return f"figures-{self.name}"

    def lab_of(self, source: Path) -> str:
        """The lab whose file has this one's name. Raises UsageError."""
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
        Family("sssp", ("05-sssp",), (14, 24), (8, 10), 1, True),
        Family("sort", ("03-bitonic", "04-odd-even"), (8, 26), (6, 12), 2, False),
        Family("rank", ("01-rank-sort", "02-in-place"), (4, 18), (4, 10), 1, False),
    )
}


def load(path: Path, family: str) -> Document | None:
    """The document at `path`, or None where there is none. Raises UsageError on any other file."""
    if not path.exists():
        return None
    again = "remove it, or name another folder with --out"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read as measurements ({error}); {again}.") from error
    good = isinstance(document, dict) and document.get("schema") == SCHEMA
    if not good or document.get("family") != family or not _sound(document.get("points")):
        raise UsageError(f"{path}: holds no measurements of {family} of schema {SCHEMA}; {again}.")
    return document


def _sound(points: Any) -> bool:
    return isinstance(points, list) and all(
        isinstance(point, dict)
        and isinstance(point.get("scale"), int)
        and (isinstance(point.get("measured"), dict) or "not_measured" in point)
        for point in points
    )


def open_for(path: Path, family: Family, backend: str, source: str) -> Document:
    """The document to go on with: that at `path`, or a new one; `source` says whose kernels.

    Raises UsageError if it was measured elsewhere: one figure shows one machine, and one source.
    """
    here = asdict(machine.describe())
    found = load(path, family.name)
    if found is None:
        return {"schema": SCHEMA, "family": family.name, "backend": backend, "machine": here,
                "source": source, "points": []}  # fmt: skip
    if found.get("source", REFERENCE) != source:
        raise UsageError(
            f"{path}: holds measurements of another source ({found.get('source', REFERENCE)}); "
            "name another folder with --out."
        )
    if found["backend"] != backend or _names(found["machine"]) != _names(here):
        raise UsageError(
            f"{path}: was measured on another machine ({_names(found['machine'])}, "
            f"{found['backend']} backend); name another folder with --out."
        )
    return found


def _names(description: Mapping[str, Any]) -> str:
    gpu = description.get("gpu")
    return f"{gpu['name'] if gpu else 'no GPU'}, {description.get('cpu')}"


def made_from(
    checkout: Checkout, family: Family, settings: Mapping[str, int], source: Path | None = None
) -> str:
    """A hash of all that a measurement depends on: a point of another one is measured again."""
    folders = [checkout.root / "report" / "figures", checkout.labs / "kit"]
    for lab in family.labs:
        folders += [checkout.labs / lab, checkout.reference / lab]
    sources = [
        path
        for folder in folders
        for path in (folder.iterdir() if folder.is_dir() else ())
        if path.suffix in SUFFIXES
    ]
    if source:
        sources.append(source)
    told = repr(sorted(settings.items()))
    return sha256((sha256_of_files(sources, checkout.root) + told).encode())


def find(document: Document, scale: int, origin: str | None = None) -> Point | None:
    """The measured point of a scale, if `origin` is given only one that was made from it."""
    for point in document["points"]:
        if point["scale"] == scale and "measured" in point:
            return point if origin in (None, point["made_from"]) else None
    return None


def keep(document: Document, point: Point, path: Path) -> None:
    """Put a point into the document, and the document onto the disk."""
    others = [other for other in document["points"] if other["scale"] != point["scale"]]
    document["points"] = sorted([*others, point], key=lambda one: one["scale"])
    write_atomically(path, to_json(document))


def too_slow(document: Document, scale: int) -> list[str]:
    """The methods that would be slow at this scale, by name, going by how fast they grew so far."""
    means: dict[str, list[float]] = {}
    for point in document["points"]:
        if point["scale"] < scale and "measured" in point:
            for method in point["measured"]["methods"]:
                mean = sum(method["seconds"]) / len(method["seconds"])
                means.setdefault(method["name"], []).append(mean)
    return sorted(name for name, found in means.items() if _expected(found) > SLOW_SECONDS)


def _expected(means: list[float]) -> float:
    return means[-1] * max(1.0, means[-1] / means[-2]) if len(means) > 1 else means[-1]


def measure(
    checkout: Checkout, family: Family, backend: str, scale: int, settings: Mapping[str, int],
    left_out: list[str], origin: str,
) -> Point:  # fmt: skip
    """Run the family's program at one scale. Raises WrongAnswer or InfrastructureError."""
    program = checkout.build(backend) / "bin" / family.program
    command = [str(program), "--scale", str(scale)]
    for name, value in settings.items():
        command += [f"--{name}", str(value)]
    if left_out:
        command += ["--without", ",".join(left_out)]
    with tempfile.TemporaryFile() as printed:
        done = process.run(command, limit=SECONDS_PER_SIZE, stdout=printed)
        printed.seek(0)
        output = printed.read()
    point: Point = {"scale": scale, "made_from": origin}
    if done.timed_out:
        return {**point, "not_measured": f"it took more than {SECONDS_PER_SIZE:.0f} s"}
    if done.returncode == TOO_LARGE:
        return {**point, "not_measured": done.last_line}
    if done.returncode == WRONG:
        raise WrongAnswer(f"{done.last_line}.")
    if done.returncode != 0:
        raise InfrastructureError(f"{family.program} at 2^{scale} failed: {done.last_line}")
    try:
        return {**point, "measured": json.loads(output)}
    except ValueError as error:
        raise InfrastructureError(f"{family.program} printed no JSON: {error}.") from error
