"""The gains on the page `report/what-changed.md`, computed from measurements, as text."""

import statistics
from collections.abc import Callable, Iterable
from typing import Any

from .measurements import method, segment_gains, speedups

PAYS, COSTS = 1.10, 0.95  # an optimisation pays from the first gain on, costs below the second
NOT_MEASURED = "not measured"

Gains = dict[int, float]  # by scale; a gain is the time without something over the time with it


def span(gains: Gains, digits: int = 2, where: bool = True) -> str | None:
    """Least and largest gain with their scales: "0.95 times (2^14) to 1.60 times (2^23)"."""
    if not gains:
        return None
    ends = [min(gains, key=gains.__getitem__), max(gains, key=gains.__getitem__)]
    at = [f"{gains[scale]:.{digits}f} times" + (f" (2^{scale})" if where else "") for scale in ends]
    return at[0] if ends[0] == ends[1] else f"{at[0]} to {at[1]}"


def largest(gains: Gains) -> str | None:
    """The gain at the largest scale."""
    return f"{gains[max(gains)]:.2f} times at 2^{max(gains)}" if gains else None


def verdict(gains: Gains) -> str | None:
    """Whether an optimisation pays, from its gains at all sizes."""
    if not gains:
        return None
    low, high = min(gains.values()), max(gains.values())
    if high >= PAYS:
        return "yes" if low >= PAYS else "depends on the size"
    return "no, it costs time" if high < COSTS else "no"


def power(n: int) -> str:
    """`2^10`, or the number itself if it is not a power of 2."""
    exponent = n.bit_length() - 1
    return f"2^{exponent}" if n == 1 << exponent else f"{n:,}"


def table(head: list[str], rows: list[list[str]]) -> str:
    """The table in Markdown; "not measured." if it has no row."""
    if not rows:
        return NOT_MEASURED + "."
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


Point = dict[str, Any]
Known = dict[str, Callable[[], str | None]]
# Name on the page: the search without the optimisation, the search with it.
SEARCHES = {
    "restrict": ("neither", "restrict"),
    "locality": ("neither", "locality"),
    "locality.stage": ("neither", "stage locality"),
    "atomic": ("neither", "atomic"),
    "delta": ("both", "delta"),
}
BOTH_KINDS = ("restrict", "locality")  # also measured with double
SWEEPS = ("neither", "locality", "atomic")
ARTICLE = ("neither", "restrict", "locality", "both")
ARTICLES_SCALES = (20, 21, 22)  # the scales for which the article gives its speedup


def searches(points: list[Point]) -> Known:
    """The texts about searches, by their name on the page."""
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
    for name, (slow, fast) in SEARCHES.items():
        gains = _gains(points, slow, fast)
        known[name] = lambda gains=gains: span(gains)
        known[f"{name}.verdict"] = lambda gains=gains: verdict(gains)
    for name in BOTH_KINDS:
        known[f"{name}.double"] = lambda name=name: span(_gains(points, *SEARCHES[name], "double"))
    for name in SWEEPS:
        known[f"{name}.sweeps"] = lambda name=name: _sweeps(points, name)
        known[f"{name}.sweep"] = lambda name=name: _sweep(points, name)
    return known


def _gains(points: list[Point], slow: str, fast: str, kind: str = "float") -> Gains:
    """By scale: the mean time of one search over another's, from the sources that both have."""
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
    """Mean speedups over Dijkstra at `scales`."""
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
    """The gain of each length of segments."""
    segments = point["measured"]["segments"]
    return {
        length: statistics.fmean(segment_gains(point, tried))
        for length, tried in zip(segments["lengths"], segments["tried"], strict=True)
    }


def _segment(points: list[Point], choose: Callable[..., Any]) -> str | None:
    """The length of segments with the largest or least gain."""
    if not points or not (gains := _segment_gains(points[-1])):
        return None
    length = choose(gains, key=gains.__getitem__)
    return f"P = {length:,} vertices: {gains[length]:.2f} times"


def _worst_sweep(points: list[Point]) -> str | None:
    """Mean time of a sweep with the length of segments that has the least gain."""
    if not points or not (gains := _segment_gains(points[-1])):
        return None
    segments = points[-1]["measured"]["segments"]
    worst = segments["lengths"].index(min(gains, key=gains.__getitem__))
    return _time_of_a_sweep(segments["tried"][worst])


# ---- tables -------------------------------------------------------------------------------------


def _search_table(points: list[Point]) -> str:
    """The searches in million arcs per second."""
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


# Name on the page: the family, the sort without the optimisation, the sort with it.
SORTS = {
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
    """The texts about sorts, by their name on the page; `points` are by family."""
    known: dict[str, Callable[[], str | None]] = {
        "launch": lambda: _launch(points["sort"]),
        "table.sorts": lambda: _table(points["sort"]),
    }
    for name, (family, slow, fast) in SORTS.items():
        gains = _sort_gains(points[family], slow, fast)
        known[name] = lambda gains=gains: span(gains)
        known[f"{name}.verdict"] = lambda gains=gains: verdict(gains)
    return known


def _sort_gains(points: list[Point], slow: str, fast: str) -> Gains:
    gains = {}
    for point in points:
        a, b = method(point, slow), method(point, fast)
        if a and b:
            gains[point["scale"]] = _mean(a) / _mean(b)
    return gains


def _launch(points: list[Point]) -> str | None:
    """The time of a launch: on few keys an odd-even phase is little else. n keys take n phases."""
    found = [(m, p["measured"]["n"]) for p in points if (m := method(p, "04 phases"))]
    return f"{1e6 * _mean(found[0][0]) / found[0][1]:.1f} us" if found else None


def _table(points: list[Point]) -> str:
    """The sorts in million keys per second."""
    rows = []
    for point in points:
        found = [method(point, name) for name in TABLE]
        n = point["measured"]["n"]
        cells = [f"{n / _mean(m) / 1e6:,.1f}" if m else NOT_MEASURED for m in found]
        rows.append([f"2^{point['scale']}", *cells])
    return table(["keys", *TABLE], rows)


def _mean(found: dict[str, Any]) -> float:
    return statistics.fmean(found["seconds"])
