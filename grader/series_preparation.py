"""The figures of what prepares a search: its costs and when they have paid, and the choice of P."""

import math
import statistics
from typing import Any

from .series import Point
from .series_lines import Line, Panel, Value, value
from .series_searches import payback, preparation, segment_gains

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
    """Seconds, and searches until they have paid, over vertices."""
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


def _segment_gains(points: list[Point]) -> list[Line]:
    return _segment_lines(points, segment_gains)


def _segment_sweeps(points: list[Point]) -> list[Line]:
    return _segment_lines(points, lambda point, tried: tried["rounds"])
