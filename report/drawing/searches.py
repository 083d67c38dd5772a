"""The figures of lab 05: the two of article 004, and the costs and gains of preparing a search."""

import math
import statistics
from typing import Any

from .lines import Line, Panel, Value, value
from .measurements import (
    Document,
    Point,
    measured,
    method,
    payback,
    preparation,
    segment_gains,
    speedups,
)

# name in the measurements, kind, label, colour, marker, style
Row = tuple[str, str, str, str, str, str]
ARTICLE: tuple[Row, ...] = (
    ("both", "float", "locality and restrict", "blue", "o", "-"),
    ("locality", "float", "locality", "sky", "s", "--"),
    ("restrict", "float", "restrict", "orange", "D", "-"),
    ("neither", "float", "neither", "yellow", "^", "--"),
    ("dijkstra", "float", "Dijkstra, 1 core", "black", "v", "-"),
)
MODERN: tuple[Row, ...] = (
    ("delta", "float", "delta", "green", "o", "-"),
    ("frontier", "float", "frontier", "pink", "s", "-"),
    ("atomic", "float", "atomic", "olive", "D", "-"),
    ("stage locality", "float", "stage locality", "blue", "P", "-"),
    ("cpu delta-stepping", "float", "delta-stepping,", "grey", "X", "-"),
    ("dijkstra", "float", "Dijkstra, 1 core", "black", "v", "-"),
)


def figures(document: Document) -> dict[str, dict[str, Any]]:
    """The content of each figure, by name."""
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
        "preparation": costs(points, unit),
        "segments": segments(points),
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


def _speedups(points: list[Point], row: Row) -> Line:
    found = [(point["measured"]["n"], speedups(point, row[0], row[1])) for point in points]
    return _line(row, [value(n, ratios) for n, ratios in found if ratios])


def _search_counts(points: list[Point]) -> list[str]:
    """A note on the number of searches; it says where Dijkstra's mean is over fewer of them."""
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


PREPARATIONS = (
    ("edges", "edges", "orange", "D"),
    ("segments", "article's order", "sky", "s"),
    ("arrange", "arrange", "blue", "P"),
    ("lightest-first", "lightest-first", "green", "o"),
)
# preparation, the search with it, the search without it
PAYS = (
    ("edges", "neither", "dijkstra", "relax against Dijkstra"),
    ("segments", "locality", "neither", "relax against relax on the list as it is"),
    ("arrange", "stage locality", "neither", "stage locality against relax"),
    ("lightest-first", "delta", "frontier", "delta against frontier"),
)
SEGMENT_COLOURS = ("yellow", "green", "orange", "blue")


def costs(points: list[Point], unit: str) -> dict[str, Any]:
    """Seconds of each preparation, and searches until it has paid, over vertices."""
    return {
        "title": "What preparing a graph costs, once, and how soon it has paid",
        "panels": [
            Panel("Seconds", [_costs(points, *row) for row in PREPARATIONS]),
            _payback_panel(points),
        ],
        "y_label": "seconds", "unit": unit, "share": False,
    }  # fmt: skip


def segments(points: list[Point]) -> dict[str, Any]:
    """Gain and sweeps over the length of segments."""
    return {
        "title": "The article's arrangement: what P, the vertices of a segment, decides",
        "panels": [
            Panel("Time of relax over that on the arranged list", _segment_gains(points),
                  linear=True),
            Panel("Sweeps of relax on the arranged list", _segment_sweeps(points), linear=True),
        ],
        "y_label": "", "unit": "P, vertices of a segment", "share": False,
    }  # fmt: skip


def _costs(points: list[Point], name: str, label: str, colour: str, marker: str) -> Line:
    values = [Value(point["measured"]["n"], statistics.median(cost), min(cost), max(cost))
              for point in points if (cost := preparation(point, name))]  # fmt: skip
    return Line(label, values, colour, marker)


def _payback_panel(points: list[Point]) -> Panel:
    lines, saves, never = [], [], []
    for (name, fast, slow, by), (_, label, colour, marker) in zip(PAYS, PREPARATIONS, strict=True):
        found = [(point, payback(point, name, fast, slow)) for point in points
                 if preparation(point, name)]  # fmt: skip
        lines.append(Line(label, _with_gaps(found), colour, marker, band=False))
        saves.append(f"{label}: {by}")
        if missing := [point["scale"] for point, paid in found if paid is None]:
            at = ", ".join(f"$2^{{{scale}}}$" for scale in missing)
            never.append(f"{label}: never at {at}")
    first = "median and range of a few; saved per search, by " + "; ".join(saves[:2])
    notes = [first, "; ".join(saves[2:]), *never]
    return Panel("Searches until it has paid", lines, notes)


def _with_gaps(found: list[tuple[Point, float | None]]) -> list[Value]:
    """Values with NaN, which breaks a line, where a preparation never pays; none after the last
    point that does."""
    last = max((i for i, (_, paid) in enumerate(found) if paid is not None), default=-1)
    numbers = [(point["measured"]["n"], math.nan if paid is None else paid)
               for point, paid in found[: last + 1]]  # fmt: skip
    return [Value(n, paid, paid, paid) for n, paid in numbers]


def _segment_lines(points: list[Point], number: Any) -> list[Line]:
    chosen = points[-1::-2][: len(SEGMENT_COLOURS)][::-1]  # every second size keeps lines apart
    lines = []
    for point, colour in zip(chosen, SEGMENT_COLOURS, strict=False):
        segments = point["measured"]["segments"]
        pairs = zip(segments["lengths"], segments["tried"], strict=True)
        values = [value(length, number(point, tried)) for length, tried in pairs]
        lines.append(Line(f"$2^{{{point['scale']}}}$ vertices", values, colour, band=False))
    return lines


def _segment_gains(points: list[Point]) -> list[Line]:
    return _segment_lines(points, segment_gains)


def _segment_sweeps(points: list[Point]) -> list[Line]:
    return _segment_lines(points, lambda point, tried: tried["rounds"])
