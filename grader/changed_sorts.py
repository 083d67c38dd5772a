"""The numbers of the page on what changed that come from sorts."""

import statistics
from collections.abc import Callable
from typing import Any

from .changed_words import NOT_MEASURED, Gains, span, table, verdict
from .series import method

Point = dict[str, Any]
# On the page: the family, what is slow, what is fast.
GAINS = {
    "texture": ("sort", "04 records", "04 texture"),
    "launches": ("sort", "04 phases", "04 tiled"),
    "flag": ("sort", "04 early-exit", "04 phases"),
    "shared": ("sort", "03 global", "03 shared"),
    "registers": ("sort", "03 shared", "03 registers"),
    "radix": ("sort", "03 registers", "CUB radix"),
    "tiles": ("rank", "01 global", "01 tiled"),
}
TABLE = ("03 global", "03 shared", "03 registers", "04 phases", "04 tiled", "04 merge-split",
         "CUB radix", "CUB merge", "std::sort")  # fmt: skip


def sorts(points: dict[str, list[Point]]) -> dict[str, Callable[[], str | None]]:
    """By name on the page; `points` are those of each family."""
    known: dict[str, Callable[[], str | None]] = {
        "launch": lambda: _launch(points["sort"]),
        "table.sorts": lambda: _table(points["sort"]),
    }
    for name, (family, slow, fast) in GAINS.items():
        gains = _gains(points[family], slow, fast)
        known[name] = lambda gains=gains: span(gains)
        known[f"{name}.verdict"] = lambda gains=gains: verdict(gains)
    return known


def _gains(points: list[Point], slow: str, fast: str) -> Gains:
    gains = {}
    for point in points:
        a, b = method(point, slow), method(point, fast)
        if a and b:
            gains[point["scale"]] = _mean(a) / _mean(b)
    return gains


def _launch(points: list[Point]) -> str | None:
    """Of an odd-even phase on few keys nothing is left but its launch: n keys take n phases."""
    found = [(m, p["measured"]["n"]) for p in points if (m := method(p, "04 phases"))]
    return f"{1e6 * _mean(found[0][0]) / found[0][1]:.1f} us" if found else None


def _table(points: list[Point]) -> str:
    """Million keys per second."""
    rows = []
    for point in points:
        found = [method(point, name) for name in TABLE]
        n = point["measured"]["n"]
        cells = [f"{n / _mean(m) / 1e6:,.1f}" if m else NOT_MEASURED for m in found]
        rows.append([f"2^{point['scale']}", *cells])
    return table(["keys", *TABLE], rows)


def _mean(found: dict[str, Any]) -> float:
    return statistics.fmean(found["seconds"])
