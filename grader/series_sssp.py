"""The figures of lab 05: article 004's two, what a preparation costs, and its length of segments.

The article's figures show arcs per second and the speedup over Dijkstra's algorithm on one CPU
core, each a mean with its least and largest value, for its four kernels. Beside them: what came
after.
"""

import math
import statistics
from typing import Any

from .series import Document
from .series_lines import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    OLIVE,
    ORANGE,
    PINK,
    SKY,
    YELLOW,
    Line,
    Panel,
    Value,
    measured,
    method,
    value,
)  # fmt: skip

Point = dict[str, Any]

# name in the measurements, kind, label, colour, marker, style
Row = tuple[str, str, str, str, str, str]
ARTICLE: tuple[Row, ...] = (
    ("both", "float", "locality and restrict", BLUE, "o", "-"),
    ("locality", "float", "locality", SKY, "s", "--"),
    ("restrict", "float", "restrict", ORANGE, "D", "-"),
    ("neither", "float", "neither", YELLOW, "^", "--"),
    ("dijkstra", "float", "Dijkstra, 1 core", BLACK, "v", "-"),
)
MODERN: tuple[Row, ...] = (
    ("delta", "float", "delta", GREEN, "o", "-"),
    ("frontier", "float", "frontier", PINK, "s", "-"),
    ("atomic", "float", "atomic", OLIVE, "D", "-"),
    ("stage locality", "float", "stage locality", BLUE, "P", "-"),
    ("cpu delta-stepping", "float", "delta-stepping,", GREY, "X", "-"),
    ("dijkstra", "float", "Dijkstra, 1 core", BLACK, "v", "-"),
)
PREPARATIONS = (
    ("edges", "edges", ORANGE, "D"),
    ("segments", "article's order", SKY, "s"),
    ("arrange", "arrange", BLUE, "P"),
    ("lightest-first", "lightest-first", GREEN, "o"),
)
# preparation, the search with it, the search without it
PAYS = (
    ("edges", "neither", "dijkstra", "relax against Dijkstra"),
    ("segments", "locality", "neither", "relax against relax on the list as it is"),
    ("arrange", "stage locality", "neither", "stage locality against relax"),
    ("lightest-first", "delta", "frontier", "delta against frontier"),
)
SEGMENT_COLOURS = (YELLOW, GREEN, ORANGE, BLUE)


def figures(document: Document) -> dict[str, dict[str, Any]]:
    """What each figure shows, by name."""
    points = measured(document)
    unit = "vertices, 32 arcs each"
    return {
        "throughput": {
            "title": "Shortest paths in RMAT graphs: arcs per second, mean and range of searches",
            "panels": [
                Panel("Article 004's four kernels", [_rates(points, row) for row in ARTICLE],
                      _search_counts(points)),
                Panel("What came after", [_rates(points, _with_cores(points, r)) for r in MODERN]),
            ],
            "y_label": "arcs per second", "unit": unit,
        },
        "speedup": {
            "title": "Shortest paths: speedup over Dijkstra's algorithm, mean and range",
            "panels": [
                Panel("Article 004's four kernels",
                      [_speedups(points, row) for row in ARTICLE[:-1]], _search_counts(points)),
                Panel("What came after",
                      [_speedups(points, _with_cores(points, r)) for r in MODERN[:-1]]),
            ],
            "y_label": "times as fast as Dijkstra, 1 core", "unit": unit, "factor": True,
        },
        "preparation": {
            "title": "What preparing a graph costs, once, and how soon it has paid",
            "panels": [
                Panel("Seconds", [_costs(points, *row) for row in PREPARATIONS]),
                _payback_panel(points),
            ],
            "y_label": "seconds", "unit": unit, "share": False,
        },
        "segments": {
            "title": "The article's arrangement: what P, the vertices of a segment, decides",
            "panels": [
                Panel("Time of relax over that on the arranged list", _segment_gains(points),
                      linear=True),
                Panel("Sweeps of relax on the arranged list", _segment_sweeps(points),
                      linear=True),
            ],
            "y_label": "", "unit": "P, vertices of a segment", "share": False,
        },
    }  # fmt: skip


def _with_cores(points: list[Point], row: Row) -> Row:
    threads = points[-1]["measured"]["cpu"]["threads"]
    return (*row[:2], f"{row[2]}\n{threads} cores", *row[3:]) if row[2].endswith(",") else row


def _line(row: Row, values: list[Value]) -> Line:
    return Line(row[2], values, row[3], row[4], row[5])


def _rates(points: list[Point], row: Row) -> Line:
    values = []
    for point in points:
        found, arcs = method(point, row[0], row[1]), point["measured"]["arcs"]
        if found:
            values.append(value(point["measured"]["n"], (arcs / s for s in found["seconds"])))
    return _line(row, values)


def speedups(point: Point, name: str, kind: str = "float") -> list[float]:
    """Over Dijkstra from the same source, for every source that both have searched from."""
    found, serial = method(point, name, kind), method(point, "dijkstra")
    if not found or not serial:
        return []
    # A method that is out of time stops at a source: both have searched from the first few.
    return [b / a for a, b in zip(found["seconds"], serial["seconds"], strict=False)]


def _speedups(points: list[Point], row: Row) -> Line:
    found = [(point["measured"]["n"], speedups(point, row[0], row[1])) for point in points]
    return _line(row, [value(n, ratios) for n, ratios in found if ratios])


def _search_counts(points: list[Point]) -> list[str]:
    """How many searches Dijkstra's mean is of, where it is of fewer than the others'."""
    few: dict[int, list[int]] = {}
    for point in points:
        serial = method(point, "dijkstra")
        if serial and len(serial["seconds"]) < len(point["measured"]["sources"]):
            few.setdefault(len(serial["seconds"]), []).append(point["scale"])
    sources = max(len(point["measured"]["sources"]) for point in points)
    notes = [f"up to {sources} sources"]
    if few:
        least = min(few)
        notes[0] += f"; Dijkstra fewer from $2^{{{min(min(f) for f in few.values())}}}$ on, "
        notes[0] += f"{least} at $2^{{{max(few[least])}}}$"
    return notes


def preparation(point: Point, name: str) -> list[float]:
    """Seconds of each time that a preparation was made."""
    found = [p for p in point["measured"]["preparations"] if p["name"] == name]
    return found[0]["seconds"] if found else []


def _costs(points: list[Point], name: str, label: str, colour: str, marker: str) -> Line:
    values = [value(point["measured"]["n"], preparation(point, name)) for point in points
              if preparation(point, name)]  # fmt: skip
    return Line(label, values, colour, marker)


def payback(point: Point, name: str, fast: str, slow: str) -> float | None:
    """After how many searches a preparation has paid for itself; None: never."""
    cost = preparation(point, name)
    with_it, without = method(point, fast, "float"), method(point, slow, "float")
    if not cost or not with_it or not without:
        return None
    saved = statistics.fmean(without["seconds"]) - statistics.fmean(with_it["seconds"])
    return statistics.fmean(cost) / saved if saved > 0 else None


def _payback_panel(points: list[Point]) -> Panel:
    lines, saves, never = [], [], []
    for (name, fast, slow, by), (_, label, colour, marker) in zip(PAYS, PREPARATIONS, strict=True):
        found = [(point, payback(point, name, fast, slow)) for point in points]
        lines.append(Line(label, _with_gaps(found), colour, marker, band=False))
        saves.append(f"{label}: {by}")
        if missing := [point["scale"] for point, paid in found if paid is None]:
            at = ", ".join(f"$2^{{{scale}}}$" for scale in missing)
            never.append(f"{label}: never at {at}")
    notes = ["saved per search, by " + "; ".join(saves[:2]), "; ".join(saves[2:]), *never]
    return Panel("Searches until it has paid", lines, notes)


def _with_gaps(found: list[tuple[Point, float | None]]) -> list[Value]:
    """Values with NaN, which breaks a line, where it never pays; none behind the last that does."""
    last = max((i for i, (_, paid) in enumerate(found) if paid is not None), default=-1)
    numbers = [(point["measured"]["n"], math.nan if paid is None else paid)
               for point, paid in found[: last + 1]]  # fmt: skip
    return [Value(n, paid, paid, paid) for n, paid in numbers]


def _segment_lines(points: list[Point], number: Any) -> list[Line]:
    chosen = points[-1::-2][: len(SEGMENT_COLOURS)][::-1]  # every second size: lines stay apart
    lines = []
    for point, colour in zip(chosen, SEGMENT_COLOURS, strict=False):
        segments = point["measured"]["segments"]
        pairs = zip(segments["lengths"], segments["tried"], strict=True)
        values = [value(length, number(point, tried)) for length, tried in pairs]
        lines.append(Line(f"$2^{{{point['scale']}}}$ vertices", values, colour, band=False))
    return lines


def segment_gains(point: Point, tried: dict[str, Any]) -> list[float]:
    """Of relax on the list as it is over relax on the arranged one, from the same sources."""
    plain = method(point, "neither", "float")
    return [a / b for a, b in zip(plain["seconds"], tried["seconds"], strict=False)]


def _segment_gains(points: list[Point]) -> list[Line]:
    return _segment_lines(points, segment_gains)


def _segment_sweeps(points: list[Point]) -> list[Line]:
    return _segment_lines(points, lambda point, tried: tried["rounds"])
