"""The numbers of the page on what changed that come from searches for shortest paths."""

import statistics
from collections.abc import Callable, Iterable
from typing import Any

from .changed_words import NOT_MEASURED, Gains, largest, power, span, table, verdict
from .series import method
from .series_searches import segment_gains, speedups

Point = dict[str, Any]
Known = dict[str, Callable[[], str | None]]
# On the page: what is slow, what is fast.
GAINS = {
    "restrict": ("neither", "restrict"),
    "locality": ("neither", "locality"),
    "locality.stage": ("neither", "stage locality"),
    "atomic": ("neither", "atomic"),
    "delta": ("both", "delta"),
}
BOTH_KINDS = ("restrict", "locality")  # measured as double, too
SWEEPS = ("neither", "locality", "atomic")
ARTICLE = ("neither", "restrict", "locality", "both")
ARTICLES_SCALES = (20, 21, 22)  # for which it gives its speedup


def searches(points: list[Point]) -> Known:
    """By name on the page."""
    known: Known = {
        "table.searches": lambda: _search_table(points),
        "table.segments": lambda: _segment_table(points),
        "best.rate": lambda: _best_rate(points, "both"),
        "best.scale": lambda: _best_scale(points, "both"),
        "speedup.range": lambda: _speedups(points, "both", ARTICLES_SCALES),
        "speedup.cores": lambda: span(_gains(points, "cpu delta-stepping", "delta"), digits=0),
        "locality.largest": lambda: largest(_gains(points, "neither", "locality")),
        "segment.worst": lambda: _segment(points, min),
        "segment.best": lambda: _segment(points, max),
        "segment.worst.sweep": lambda: _worst_sweep(points),
    }
    for name, (slow, fast) in GAINS.items():
        gains = _gains(points, slow, fast)
        known[name] = lambda gains=gains: span(gains)
        known[f"{name}.verdict"] = lambda gains=gains: verdict(gains)
    for name in BOTH_KINDS:
        known[f"{name}.double"] = lambda name=name: span(_gains(points, *GAINS[name], "double"))
    for name in SWEEPS:
        known[f"{name}.sweeps"] = lambda name=name: _sweeps(points, name)
        known[f"{name}.sweep"] = lambda name=name: _sweep(points, name)
    return known


def _gains(points: list[Point], slow: str, fast: str, kind: str = "float") -> Gains:
    """By scale: the mean time of one search over another's, from sources both have."""
    gains = {}
    for point in points:
        a, b = method(point, slow, kind), method(point, fast, kind)
        if a and b:
            both = min(len(a["seconds"]), len(b["seconds"]))
            gains[point["scale"]] = sum(a["seconds"][:both]) / sum(b["seconds"][:both])
    return gains


def _best(points: list[Point], name: str) -> Point | None:
    found = [point for point in points if method(point, name, "float")]
    return max(found, key=lambda point: _rate(point, name), default=None)


def _best_rate(points: list[Point], name: str) -> str | None:
    best = _best(points, name)
    return f"{_rate(best, name) / 1e9:.1f} G arcs/s" if best else None


def _best_scale(points: list[Point], name: str) -> str | None:
    best = _best(points, name)
    return f"2^{best['scale']}" if best else None


def _speedups(points: list[Point], name: str, scales: Iterable[int]) -> str | None:
    """Over Dijkstra, at the scales of the article."""
    chosen = [point for point in points if point["scale"] in scales]
    means = {point["scale"]: statistics.fmean(found) for point in chosen
             if (found := speedups(point, name))}  # fmt: skip
    return span(means, digits=0, where=False)


# ---- at the largest size ------------------------------------------------------------------------


def _largest(points: list[Point], name: str) -> dict[str, Any] | None:
    found = [one for point in points if (one := method(point, name, "float"))]
    return found[-1] if found else None


def _sweeps(points: list[Point], name: str) -> str | None:
    """Mean number of sweeps."""
    found = _largest(points, name)
    return f"{statistics.fmean(found['rounds']):.0f}" if found else None


def _sweep(points: list[Point], name: str) -> str | None:
    """Mean time of one sweep."""
    found = _largest(points, name)
    return _time_of_a_sweep(found) if found else None


def _time_of_a_sweep(found: dict[str, Any]) -> str:
    return f"{1e3 * sum(found['seconds']) / sum(found['rounds']):.2f} ms"


def _segment_gains(point: Point) -> Gains:
    """By length of segments."""
    segments = point["measured"]["segments"]
    return {
        length: statistics.fmean(segment_gains(point, tried))
        for length, tried in zip(segments["lengths"], segments["tried"], strict=True)
    }


def _segment(points: list[Point], choose: Callable[..., Any]) -> str | None:
    """The length of segments that gains the most or the least."""
    if not points or not (gains := _segment_gains(points[-1])):
        return None
    length = choose(gains, key=gains.__getitem__)
    return f"P = {length:,} vertices: {gains[length]:.2f} times"


def _worst_sweep(points: list[Point]) -> str | None:
    """Mean time of a sweep with the length of segments that gains the least."""
    if not points or not (gains := _segment_gains(points[-1])):
        return None
    segments = points[-1]["measured"]["segments"]
    worst = segments["lengths"].index(min(gains, key=gains.__getitem__))
    return _time_of_a_sweep(segments["tried"][worst])


# ---- tables -------------------------------------------------------------------------------------


def _search_table(points: list[Point]) -> str:
    """Million arcs per second."""
    columns = [(name, kind) for kind in ("float", "double") for name in ARTICLE]
    head = ["vertices", "Dijkstra, one core", *(f"{name}, {kind}" for name, kind in columns)]
    rows = []
    for point in points:
        cells = [_cell(point, name, kind) for name, kind in (("dijkstra", "float"), *columns)]
        rows.append([f"2^{point['scale']}", *cells])
    return table(head, rows)


def _segment_table(points: list[Point]) -> str:
    rows = []
    for point in points:
        if gains := _segment_gains(point):
            cells = ", ".join(f"{power(length)}: {gain:.2f}" for length, gain in gains.items())
            chosen = power(point["measured"]["segments"]["chosen"])
            rows.append([f"2^{point['scale']}", chosen, cells])
    return table(["vertices", "P chosen", "gain by P"], rows)


def _rate(point: Point, name: str, kind: str = "float") -> float:
    arcs = point["measured"]["arcs"]
    return statistics.fmean(arcs / s for s in method(point, name, kind)["seconds"])


def _cell(point: Point, name: str, kind: str) -> str:
    found = method(point, name, kind)
    return f"{_rate(point, name, kind) / 1e6:,.0f}" if found else NOT_MEASURED
