"""What the measurements of one size say about searches: speedups, gains, what preparing costs."""

import statistics
from typing import Any

from .series import Point, method


def speedups(point: Point, name: str, kind: str = "float") -> list[float]:
    """Over Dijkstra from the same source, for every source that both have searched from."""
    found, serial = method(point, name, kind), method(point, "dijkstra")
    if not found or not serial:
        return []
    # A method that is out of time stops at a source: both have searched from the first few.
    return [b / a for a, b in zip(found["seconds"], serial["seconds"], strict=False)]


def segment_gains(point: Point, tried: dict[str, Any]) -> list[float]:
    """Of relax on the list as it is over relax on the arranged one, from the same sources."""
    plain = method(point, "neither", "float")
    return [a / b for a, b in zip(plain["seconds"], tried["seconds"], strict=False)]


def preparation(point: Point, name: str) -> list[float]:
    """Seconds of each time that a preparation was made."""
    found = [p for p in point["measured"]["preparations"] if p["name"] == name]
    return found[0]["seconds"] if found else []


def payback(point: Point, name: str, fast: str, slow: str) -> float | None:
    """After how many searches a preparation has paid for itself; None: never."""
    cost = preparation(point, name)
    with_it, without = method(point, fast, "float"), method(point, slow, "float")
    if not cost or not with_it or not without:
        return None
    saved = statistics.fmean(without["seconds"]) - statistics.fmean(with_it["seconds"])
    # Few are measured, and the first of them also waits for its code to be loaded.
    return statistics.median(cost) / saved if saved > 0 else None
