"""Measuring one size: the command line of a family's program, and how its answer is read."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.base import process
from grader.base.checkout import Checkout
from grader.base.errors import SOME_FAILED, InfrastructureError, LabError
from grader.base.files import sha256, sha256_of_files

from . import conditions
from .measurements import (
    RECORD,
    RECORD_OF_OTHERS,
    RMAT,
    Document,
    Family,
    Point,
    with_record,
)
from .schema import is_measurement

WRONG, TOO_LARGE = 1, 4  # exit statuses of the programs; see report/figures/program.hpp
SECONDS_PER_SIZE = 600.0
SLOW_SECONDS = 4.0  # a sort with a longer expected time is left out
SUFFIXES = (".cpp", ".hpp", ".cu")


class WrongAnswer(LabError):
    """A search or a sort gave a wrong answer: a failed test, not a failed machine."""

    exit_code = SOME_FAILED


def made_from(
    checkout: Checkout, family: Family, settings: Mapping[str, Any], source: Path | None = None
) -> str:
    """A hash of kernels, programs, graphs and settings; if it changes, sizes are measured again."""
    folders = [checkout.root / "report" / "figures", checkout.root / "datasets"]
    folders.append(checkout.labs / "kit")
    for lab in family.labs:
        folders += [checkout.labs / lab, checkout.reference / lab]
        folders.append(checkout.reference / lab / RECORD)
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


def too_slow(document: Document, scale: int) -> list[str]:
    """`NAME/KIND` of the methods whose growth so far predicts that they are slow at this scale."""
    means: dict[tuple[str, str, str], list[float]] = {}
    for point in document["points"]:
        if point["scale"] < scale and "measured" in point:
            for method in point["measured"]["methods"]:
                mean = sum(method["seconds"]) / len(method["seconds"])
                key = (method["name"], method["kind"], method.get("form", ""))
                means.setdefault(key, []).append(mean)
    slow = [key for key, found in means.items() if _expected(found) > SLOW_SECONDS]
    return sorted({f"{name}/{kind}" for name, kind, _ in slow})


def _expected(means: list[float]) -> float:
    return means[-1] * max(1.0, means[-1] / means[-2]) if len(means) > 1 else means[-1]


def measure(
    programs: Path, family: Family, scale: int, settings: Mapping[str, Any], left_out: list[str],
    origin: str,
) -> Point:  # fmt: skip
    """Run a family's two programs, which are in the folder `programs`, at one scale.

    Raises WrongAnswer or InfrastructureError.
    """
    point: Point = {"scale": scale, "made_from": origin, "taken": conditions.now()}
    options = ["--scale", str(scale)]
    for name, value in settings.items():
        options += [f"--{name}", str(value)]
    if left_out:
        options += ["--without", ",".join(left_out)]
    try:
        good = _printed(programs / family.program, family, options)
        elsewhere = settings.get("shape", RMAT) != RMAT
        only = ["--only", ",".join(RECORD_OF_OTHERS if elsewhere else family.record)]
        record = _printed(programs / family.record_program, family, [*options, *only])
    except NotMeasured as error:
        return {**point, "not_measured": str(error)}
    return {**point, "measured": with_record(good, record)}


class NotMeasured(Exception):
    """This size cannot be measured here; the text says why."""


def _printed(program: Path, family: Family, options: list[str]) -> dict[str, Any]:
    """What a program prints. Raises NotMeasured, WrongAnswer or InfrastructureError."""
    called = f"{program.name} {' '.join(options[:2])}"
    with tempfile.TemporaryFile() as printed:
        done = process.run([str(program), *options], limit=SECONDS_PER_SIZE, stdout=printed)
        printed.seek(0)
        output = printed.read()
    if done.timed_out:
        raise NotMeasured(f"it took more than {SECONDS_PER_SIZE:.0f} s")
    if done.returncode == TOO_LARGE:
        raise NotMeasured(done.last_line)
    if done.returncode == WRONG:
        raise WrongAnswer(f"{done.last_line}.")
    if done.returncode != 0:
        raise InfrastructureError(f"{called} failed: {done.last_line}")
    try:
        measured = json.loads(output)
    except ValueError as error:
        raise InfrastructureError(f"{called} printed no JSON: {error}.") from error
    if not is_measurement(measured, family.name):
        raise InfrastructureError(f"{called} printed an incomplete measurement.")
    return measured
