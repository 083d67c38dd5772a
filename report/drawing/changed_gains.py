"""The gains on the page `report/what-changed.md`, computed from measurements, as text."""

import statistics
from collections.abc import Callable, Iterable
from typing import Any

from grader.timing.statistics import Speedup, paired, speedup

from .measurements import RECORD, method, segment_gains, speedups

PAYS, COSTS = 1.10, 0.95  # an optimisation pays from the first gain on, costs below the second
NOT_MEASURED = "not measured"

Gains = dict[int, Speedup]  # by scale; the time without something over the time with it


def told(gain: Speedup, digits: int = 2) -> str:
    """A gain with its 95 % interval: "1.60 times (1.55 to 1.66)"."""
    low, high = f"{gain.low:.{digits}f}", f"{gain.high:.{digits}f}"
    return f"{gain.median:.{digits}f} times ({low} to {high})"


def span(gains: Gains, digits: int = 2, where: bool = True) -> str | None:
    """Least and largest gain with their intervals and scales."""
    if not gains:
        return None
    ends = [min(gains, key=lambda scale: gains[scale].median),
            max(gains, key=lambda scale: gains[scale].median)]  # fmt: skip
    at = [told(gains[scale], digits) + (f" at 2^{scale}" if where else "") for scale in ends]
    return at[0] if ends[0] == ends[1] else f"from {at[0]} to {at[1]}"


def largest(gains: Gains) -> str | None:
    """The gain at the largest scale."""
    return f"{told(gains[max(gains)])} at 2^{max(gains)}" if gains else None


def verdict(gains: Gains) -> str | None:
    """Whether an optimisation pays, from its gains at all sizes."""
    if not gains:
        return None
    low = min(gain.median for gain in gains.values())
    high = max(gain.median for gain in gains.values())
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
# Name on the page: the search without the optimisation, the search with it, and its form.
SEARCHES = {
    "restrict": ("neither", "restrict", ""),
    "locality": ("neither", "locality", ""),
    "locality.stage": ("neither", "stage locality", ""),
    "locality.record": ("neither", "stage locality", RECORD),
    "atomic": ("neither", "atomic", ""),
    "delta": ("both", "delta", ""),
    "delta.record": ("both", "delta", RECORD),
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
    for name, (slow, fast, form) in SEARCHES.items():
        gains = _gains(points, slow, fast, form=form)
        known[name] = lambda gains=gains: span(gains)
        known[f"{name}.verdict"] = lambda gains=gains: verdict(gains)
    for name in BOTH_KINDS:
        known[f"{name}.double"] = lambda name=name: span(
            _gains(points, *SEARCHES[name][:2], kind="double")
        )
    for name in SWEEPS:
        known[f"{name}.sweeps"] = lambda name=name: _sweeps(points, name)
        known[f"{name}.sweep"] = lambda name=name: _sweep(points, name)
    return known


def _gains(points: list[Point], slow: str, fast: str, kind: str = "float", form: str = "") -> Gains:
    """By scale: the time of one search over another's, from the sources that both have."""
    gains = {}
    for point in points:
        a, b = method(point, slow, kind), method(point, fast, kind, form)
        if a and b:
            gains[point["scale"]] = paired(point["scale"], b["seconds"], a["seconds"])
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
    """Median speedups over Dijkstra at `scales`."""
    chosen = [point for point in points if point["scale"] in scales]
    found = {point["scale"]: speedup(point["scale"], [1.0], ratios) for point in chosen
             if (ratios := speedups(point, name))}  # fmt: skip
    return span(found, digits=0, where=False)


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
        length: speedup(length, [1.0], segment_gains(point, tried))
        for length, tried in zip(segments["lengths"], segments["tried"], strict=True)
    }


def _segment(points: list[Point], choose: Callable[..., Any]) -> str | None:
    """The length of segments with the largest or least gain."""
    if not points or not (gains := _segment_gains(points[-1])):
        return None
    length = choose(gains, key=lambda one: gains[one].median)
    return f"P = {length:,} vertices: {told(gains[length])}"


def _worst_sweep(points: list[Point]) -> str | None:
    """Mean time of a sweep with the length of segments that has the least gain."""
    if not points or not (gains := _segment_gains(points[-1])):
        return None
    segments = points[-1]["measured"]["segments"]
    worst = segments["lengths"].index(min(gains, key=lambda one: gains[one].median))
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
            cells = ", ".join(f"{power(n)}: {gain.median:.2f} ({gain.low:.2f} to {gain.high:.2f})"
                              for n, gain in gains.items())  # fmt: skip
            chosen = power(point["measured"]["segments"]["chosen"])
            rows.append([f"2^{point['scale']}", chosen, cells])
    return table(["vertices", "P chosen", "gain by P"], rows)


def _rate(point: Point, name: str, kind: str = "float") -> float:
    arcs = point["measured"]["arcs"]
    return statistics.fmean(arcs / s for s in method(point, name, kind)["seconds"])


def _cell(point: Point, name: str, kind: str) -> str:
    found = method(point, name, kind)
    return f"{_rate(point, name, kind) / 1e6:,.0f}" if found else NOT_MEASURED


# Name on the page: the family, the sort without the optimisation, the sort with it, and its form.
SORTS = {
    "texture": ("sort", "04 records", "04 texture", ""),
    "launches": ("sort", "04 phases", "04 tiled", ""),
    "flag": ("sort", "04 early-exit", "04 phases", ""),
    "shared": ("sort", "03 global", "03 shared", ""),
    "registers": ("sort", "03 shared", "03 registers", ""),
    "registers.record": ("sort", "03 shared", "03 registers", RECORD),
    "radix": ("sort", "03 registers", "CUB radix", ""),
    "tiles": ("rank", "01 global", "01 tiled", ""),
    "tiles.record": ("rank", "01 global", "01 tiled", RECORD),
}
TABLE = (("03 global", ""), ("03 shared", ""), ("03 registers", ""), ("03 registers", RECORD),
         ("04 phases", ""), ("04 tiled", ""), ("04 tiled", RECORD), ("04 merge-split", ""),
         ("04 merge-split", RECORD), ("CUB radix", ""), ("CUB merge", ""),
         ("std::sort", ""))  # fmt: skip


def sorts(points: dict[str, list[Point]]) -> dict[str, Callable[[], str | None]]:
    """The texts about sorts, by their name on the page; `points` are by family."""
    known: dict[str, Callable[[], str | None]] = {
        "launch": lambda: _launch(points["sort"]),
        "table.sorts": lambda: _table(points["sort"]),
    }
    for name, (family, slow, fast, form) in SORTS.items():
        gains = _sort_gains(points[family], slow, fast, form)
        known[name] = lambda gains=gains: span(gains)
        known[f"{name}.verdict"] = lambda gains=gains: verdict(gains)
    return known


def _sort_gains(points: list[Point], slow: str, fast: str, form: str) -> Gains:
    gains = {}
    for point in points:
        a, b = method(point, slow), method(point, fast, form=form)
        if a and b:
            gains[point["scale"]] = speedup(point["scale"], b["seconds"], a["seconds"])
    return gains


def _launch(points: list[Point]) -> str | None:
    """The time of a launch: on few keys an odd-even phase is little else. n keys take n phases."""
    found = [(m, p["measured"]["n"]) for p in points if (m := method(p, "04 phases"))]
    return f"{1e6 * _mean(found[0][0]) / found[0][1]:.1f} us" if found else None


def _table(points: list[Point]) -> str:
    """The sorts in million keys per second."""
    rows = []
    for point in points:
        found = [method(point, name, form=form) for name, form in TABLE]
        n = point["measured"]["n"]
        cells = [f"{n / _mean(m) / 1e6:,.1f}" if m else NOT_MEASURED for m in found]
        rows.append([f"2^{point['scale']}", *cells])
    return table(["keys", *(" ".join(filter(None, column)) for column in TABLE)], rows)


def _mean(found: dict[str, Any]) -> float:
    return statistics.fmean(found["seconds"])
