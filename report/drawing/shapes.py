"""Shortest paths in graphs of several shapes: what pays in one does not pay in all."""

from collections.abc import Mapping

from . import looks
from .conditions import foot
from .lines import Panel
from .looks import PROCESSOR, PROCESSORS, RECORD
from .measurements import RECORD as RECORD_FORM
from .measurements import SHAPES, Document, measured
from .searches import baseline, speedup_line, time_line
from .sorts import Row, Sheet

ROWS = (
    Row("frontier", "frontier", looks.of("05 frontier")),
    Row("delta", "delta", looks.of("05 delta")),
    Row("delta", "record", RECORD, RECORD_FORM),
    Row("cpu delta-stepping", "delta-stepping,\n{threads} cores", PROCESSORS),
)
DIJKSTRA = Row("dijkstra", "Dijkstra, 1 core", PROCESSOR)


def sheet(documents: Mapping[str, Document]) -> Sheet:
    """The figure of several shapes' measurements, a row for each shape."""
    rows = []
    for shape, document in documents.items():
        points = measured(document)
        rows.append([
            Panel(SHAPES[shape], [speedup_line(points, row) for row in ROWS],
                  "speedup over Dijkstra, 1 core", "times", "vertices", at_one="baseline"),
            Panel("The time of a search", [time_line(points, row) for row in (*ROWS, DIJKSTRA)],
                  "time", "seconds", "vertices"),
        ])  # fmt: skip
    last = list(documents.values())[-1]
    told = ["Points: medians; bars: their 95 % intervals. " + baseline(last),
            "Each row is drawn from the measurements of sssp-SHAPE.json. record: the fastest known "
            "form of delta, in a process of its own."]  # fmt: skip
    return "Shortest paths: what the shape of a graph decides", rows, [*told, *foot(last)]
