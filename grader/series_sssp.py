"""The figures of lab 05: article 004's two; those on preparations are series_preparation.py's.

The article's figures show arcs per second and the speedup over Dijkstra's algorithm on one CPU
core, each a mean with its least and largest value, for its four kernels. Beside them: what came
after.
"""

from typing import Any

from . import series_preparation
from .series import Document, Point, measured, method
from .series_lines import Line, Panel, Value, value
from .series_searches import speedups

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
        "preparation": series_preparation.costs(points, unit),
        "segments": series_preparation.segments(points),
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
