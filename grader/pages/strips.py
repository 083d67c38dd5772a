"""How a class compares with the reference: one dot for each hand-in, on a logarithmic scale."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ..lab_file.manifest import Lab, Stage

LEVELS = 5  # heights of dots, so that fewer of them cover each other


def strips(lab: Lab, documents: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each stage with points for speed or counts: ratios, and where full marks begin."""
    found = []
    for stage in lab.stages:
        if stage.speed:
            ratios = _ratios(stage, documents, lambda points: [points["fast"]])
            found.append(_strip(stage, "time", stage.speed.full, stage.speed.none, ratios))
        for rule in stage.counters:
            if rule.against:
                ratios = _ratios(stage, documents, lambda points, name=rule.counter: [
                    part for part in points["counters"] if part["counter"] == name])  # fmt: skip
                found.append(_strip(stage, rule.counter, rule.full, rule.none, ratios))
    return [strip for strip in found if strip["dots"]]


def _ratios(stage: Stage, documents: Iterable[dict[str, Any]], parts: Any) -> list[float]:
    ratios = []
    for document in documents:
        for one in document["stages"]:
            if one["name"] == stage.name:
                ratios += [part["ratio"] for part in parts(one["points"])
                           if part and part.get("ratio")]  # fmt: skip
    return ratios


def _strip(
    stage: Stage, what: str, full: float, none: float, ratios: Sequence[float]
) -> dict[str, Any]:
    """Places in percent of the width, from the smallest ratio to the largest."""
    low, high = min(0.5, full, *ratios), max(none * 1.3, full, *ratios)

    def place(ratio: float) -> float:
        return 100 * math.log(ratio / low) / math.log(high / low)

    ordered = sorted(ratios)
    middle = ordered[len(ordered) // 2] if ordered else None
    return {
        "stage": stage.name, "what": what, "count": len(ratios), "median": middle,
        "full": full, "none": none, "full_place": place(full), "none_place": place(none),
        "one_place": place(1.0) if low < 1 < high else None,
        "dots": [{"ratio": ratio, "place": place(ratio), "level": index % LEVELS}
                 for index, ratio in enumerate(ordered)],
    }  # fmt: skip
