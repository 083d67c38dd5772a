"""The figures of the sorting labs: keys per second over n, for labs 03 and 04, and 01 and 02."""

from collections.abc import Sequence
from typing import Any

from .lines import Line, Panel, Value, value
from .measurements import Document, measured, method

Point = dict[str, Any]
Row = tuple[str, str, str, str, str]  # name in the measurements, label, colour, marker, style

CUB: tuple[Row, ...] = (
    ("CUB radix", "CUB radix", "grey", "X", "--"),
    ("CUB merge", "CUB merge", "grey", "P", ":"),
)
STANDARD: tuple[Row, ...] = (
    ("std::sort", "std::sort, 1 core", "black", "v", "-"),
    ("std::stable_sort", "stable_sort, 1 core", "black", "^", ":"),
)
BITONIC: tuple[Row, ...] = (
    ("03 registers", "registers", "blue", "o", "-"),
    ("03 shared", "shared", "orange", "s", "-"),
    ("03 any-length", "any-length", "green", "D", "--"),
    ("03 global", "global", "pink", "^", "-"),
)
ODD_EVEN: tuple[Row, ...] = (
    ("04 merge-split", "merge-split", "blue", "o", "-"),
    ("04 tiled", "tiled", "orange", "s", "-"),
    ("04 phases", "phases", "pink", "^", "-"),
    ("04 early-exit", "early-exit", "green", "D", "--"),
    ("04 records", "records", "yellow", "<", "-"),
    ("04 texture", "texture", "olive", ">", "--"),
)
RANK: tuple[Row, ...] = (
    ("01 tiled", "tiled", "blue", "o", "-"),
    ("01 global", "global", "pink", "^", "-"),
    ("01 strided", "strided, n/4 threads", "green", "D", "-"),
    ("01 stable", "stable, pairs", "orange", "s", "-"),
    ("01 descending", "descending, pairs", "yellow", "<", "--"),
    ("serial rank sort", "rank sort, 1 core", "black", "v", "-"),
    ("std::sort", "std::sort, 1 core", "black", "^", ":"),
    ("CUB radix", "CUB radix", "grey", "X", "--"),
)
IN_PLACE: tuple[Row, ...] = (
    ("02 registers", "registers", "sky", ">", "-"),
    ("02 in-place", "in-place", "olive", "P", "--"),
    ("serial rank sort", "rank sort, 1 core", "black", "v", "-"),
)
BATCHES: tuple[Row, ...] = (
    ("02 fast", "fast", "blue", "o", "-"),
    ("02 batched", "batched", "orange", "s", "-"),
    ("CUB segmented", "CUB segmented\nsort", "grey", "X", "--"),
)


def figures(document: Document) -> dict[str, dict[str, Any]]:
    """The content of the family's only figure."""
    points = measured(document)
    if document["family"] == "sort":
        return {"throughput": _sort(points)}
    return {"throughput": _rank(points)}


def _sort(points: list[Point]) -> dict[str, Any]:
    once = _copy_line(points, 8)
    return {
        "title": "Sorting float keys: keys per second, mean and range",
        "panels": [
            Panel("Lab 03, bitonic sort", _lines(points, (*BITONIC, *CUB, *STANDARD)) + once),
            Panel("Lab 04, odd-even transposition sort",
                  _lines(points, (*ODD_EVEN, *CUB[:1], *STANDARD[:1])) + once),
        ],
        "y_label": "keys per second", "unit": "keys or records",
    }  # fmt: skip


def _rank(points: list[Point]) -> dict[str, Any]:
    arrays = points[0]["measured"]["arrays"]
    batches = [(name, f"{label}, {arrays}", *look) for name, label, *look in BATCHES]
    return {
        "title": "Rank sort: keys per second, mean and range",
        "panels": [
            Panel("Lab 01", _lines(points, RANK)),
            Panel(f"Lab 02: one array, or {arrays} at once",
                  _lines(points, IN_PLACE) + _lines(points, batches, arrays)),
        ],
        "y_label": "keys per second", "unit": "keys of an array",
    }  # fmt: skip


def _lines(points: list[Point], rows: Sequence[Row], arrays: int = 1) -> list[Line]:
    lines = []
    for name, label, colour, marker, style in rows:
        values = []
        for point in points:
            if found := method(point, name):
                n = point["measured"]["n"]
                values.append(value(n, (n * arrays / s for s in found["seconds"])))
        lines.append(Line(label, values, colour, marker, style))
    return lines


def _copy_line(points: list[Point], bytes_per_key: int) -> list[Line]:
    """The rate that no sort can exceed: every key read and written once, as fast as a copy."""
    if not points or points[0]["measured"]["backend"] != "gpu":
        return []
    values = []
    for point in points:
        rate = point["measured"]["copy_bytes_per_second"] / bytes_per_key
        values.append(Value(point["measured"]["n"], rate, rate, rate))
    return [Line("copy: each key\nread and written", values, "grey", "", "-", band=False)]
