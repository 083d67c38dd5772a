"""What follows from the parts of a result document: sums, reasons, places, and what to review.

A result that was just made and one that was converted from schema 1 get these fields here, by the
same rules.
"""

import re
from collections.abc import Iterable
from typing import Any

from ..base.text import line
from ..base.verdict import (
    INCONCLUSIVE,
    INFRASTRUCTURE,
    NOT_MEASURED,
    PASSED,
    REJECTED,
    WITHOUT_POINTS,
)

SCHEMA = 2
Document = dict[str, Any]
Part = dict[str, Any]  # correct, fast, or one counter of a stage

# Why points are open: neither earned nor lost.
NO_GPU, OTHER = "no_gpu", "other"
OPEN = (NO_GPU, "rejected", "inconclusive", "infrastructure", OTHER)
OPEN_BY_VERDICT = {
    REJECTED: "rejected", INCONCLUSIVE: "inconclusive", INFRASTRUCTURE: "infrastructure",
}  # fmt: skip
PLACE = re.compile(r"([\w.+-]{1,100}\.(?:cu|cuh|cpp|hpp|h)):(\d{1,7})(?::(\d{1,5}))?")
MOST_PLACES = 10
NOTE_LENGTH = 500
NOT_THE_STUDENT = "the grader failed, not the program; a person will have it graded again"


def complete(document: Document) -> Document:
    """Fill in what follows from the rest. Doing it again changes nothing."""
    if document.get("refusal"):
        return document
    for stage in document["stages"]:
        _complete_stage(stage, document["backend"])
    stages = [stage["points"] for stage in document["stages"]]
    document["points"] = {key: round(sum(points[key] for points in stages), 2)
                          for key in ("earned", "possible", "not_measured")}  # fmt: skip
    document["points"]["open"] = _open(document["stages"])
    document["needs_review"] = list(reviews(document["stages"]))
    return document


def parts(stage: Document) -> list[Part]:
    """Everything in a stage that has points of its own."""
    points = stage["points"]
    return [part for part in (points["correct"], points["fast"], *points["counters"]) if part]


def note(text: str, stages: Iterable[str]) -> Document:
    """A note with the stage and the place in the source that it names, if it names any."""
    shown = line(text, NOTE_LENGTH)
    first = shown.partition(":")[0]
    place = next(iter(places(shown)), {"file": None, "line": None, "column": None})
    return {"stage": first if first in stages else None, "text": shown, **place}


def places(text: str) -> list[Document]:
    """The places `file:line` or `file:line:column` in a message, each once, in their order."""
    found: dict[tuple[Any, ...], None] = {}
    for match in PLACE.finditer(text):
        found[match[1], int(match[2]), int(match[3]) if match[3] else None] = None
    return [{"file": file, "line": number, "column": column}
            for file, number, column in list(found)[:MOST_PLACES]]  # fmt: skip


def reviews(stages: Iterable[Document]) -> Iterable[Document]:
    """What a person must look at before the points are final, stage by stage."""
    for stage in stages:
        if stage["verdict"] in OPEN_BY_VERDICT:
            text = stage["staff_message"] or stage["message"]
            text = line("; ".join(text.splitlines()).replace(":; ", ": "))
            yield {"stage": stage["name"], "code": stage["code"], "text": text}
            continue
        for part in parts(stage):
            if part.get("code") in ("rejected", "inconclusive", "anomaly", "infrastructure"):
                what = part.get("counter", "speed")
                text = line(f"{what}: {part['reason']}")
                yield {"stage": stage["name"], "code": part["code"], "text": text}


def _complete_stage(stage: Document, backend: str) -> None:
    if stage["verdict"] == INFRASTRUCTURE and not stage["staff_message"]:
        stage["staff_message"], stage["message"] = stage["message"], NOT_THE_STUDENT
    stage["code"] = _stage_code(stage)
    stage["places"] = places(stage["message"])
    points = stage["points"]
    if points["fast"]:
        points["fast"]["code"] = _part_code(points["fast"], stage["verdict"], backend, "no-gpu")
    for counter in points["counters"]:
        counter["code"] = _part_code(counter, stage["verdict"], "", "no-reference")
        counter["place"] = next(iter(places(counter["line"])), None)
    all_of_it = parts(stage)
    points["earned"] = round(sum(part["earned"] or 0 for part in all_of_it), 2)
    points["possible"] = round(sum(part["possible"] for part in all_of_it), 2)
    open_ones = [part["possible"] for part in all_of_it if part["earned"] is None]
    points["not_measured"] = round(sum(open_ones), 2)


def _stage_code(stage: Document) -> str:
    """The verdict's word; of what is rejected, why."""
    if stage["verdict"] == REJECTED:
        technique = stage["orders"].get("technique") == REJECTED
        return "rejected-technique" if technique else "rejected-forbidden"
    return str(stage["verdict"]).split(" error")[0].replace(" ", "-")


def _part_code(part: Part, stage: str, backend: str, unmeasured: str) -> str:
    """Why a part has the points that it has: a closed set, see result.schema.json."""
    if stage in OPEN_BY_VERDICT:
        return "no-gpu" if backend == "cpu" else OPEN_BY_VERDICT[stage]
    if part.get("measured") and part["measured"]["anomalies"]:
        return "anomaly"
    if part["verdict"] in OPEN_BY_VERDICT:
        return OPEN_BY_VERDICT[part["verdict"]]
    if part["verdict"] == NOT_MEASURED:
        return unmeasured if backend in ("", "cpu") else "not-timed"
    if stage != PASSED:
        return "not-correct"
    if part["earned"] == part["possible"]:
        return "full"
    return "partial" if part["earned"] else "none"


def _open(stages: Iterable[Document]) -> dict[str, float]:
    """The open points by their reason."""
    found = dict.fromkeys(OPEN, 0.0)
    for stage in stages:
        for part in parts(stage):
            if part["earned"] is None:
                found[_open_reason(part, stage["verdict"])] += part["possible"]
    return {reason: round(points, 2) for reason, points in found.items()}


def _open_reason(part: Part, stage: str) -> str:
    code = part.get("code")
    if code == "no-gpu":
        return NO_GPU
    if code == "anomaly":
        return OPEN_BY_VERDICT[INCONCLUSIVE]
    verdict = stage if stage in WITHOUT_POINTS else part.get("verdict", stage)
    return OPEN_BY_VERDICT.get(verdict, OTHER)
