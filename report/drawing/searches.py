"""The figures of lab 05: its stages, the two of article 004, and what preparing a search costs."""

import math
import statistics
from dataclasses import replace
from typing import Any

from . import looks
from .conditions import foot
from .lines import Line, Panel, Value, middle, power, spread
from .looks import ARTICLE, ARTICLE_BOTH, PROCESSOR, PROCESSORS, RECORD, RECORD_BEFORE, Look
from .measurements import RECORD as RECORD_FORM
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
from .sorts import Row, Sheet

UNIT = "vertices, 32 arcs each"
STAGES: tuple[Row, ...] = (
    Row("neither", "relax", looks.of("05 relax")),
    Row("restrict", "restrict", looks.of("05 restrict")),
    Row("atomic", "atomic", looks.of("05 atomic")),
    Row("stage locality", "locality", looks.of("05 locality")),
    Row("frontier", "frontier", looks.of("05 frontier")),
    Row("delta", "delta", looks.of("05 delta")),
    Row("delta", "record", RECORD, RECORD_FORM),
    Row("stage locality", "record of locality", RECORD_BEFORE, RECORD_FORM),
    Row("cpu delta-stepping", "delta-stepping,\n{threads} cores", PROCESSORS),
)
ARTICLES: tuple[Row, ...] = (
    Row("neither", "neither", looks.of("05 relax")),
    Row("restrict", "restrict", looks.of("05 restrict")),
    Row("locality", "locality", ARTICLE),
    Row("both", "both", ARTICLE_BOTH),
)
DIJKSTRA = Row("dijkstra", "Dijkstra, 1 core", PROCESSOR)
ONE_RUN = "All figures named sssp and 05-sssp are drawn from the measurements of sssp.json"


def figures(document: Document) -> dict[str, Sheet]:
    """The figures of the family, by their files' names."""
    points = measured(document)
    return {
        "05-sssp": _stages(document, points),
        "sssp-throughput": _throughput(document, points),
        "sssp-speedup": _articles_speedup(document, points),
        "sssp-preparation": _costs(document, points),
        "sssp-segments": _segments(document, points),
    }


def _told(document: Document, points: list[Point], *lines: str) -> list[str]:
    """The small print: what the figure says of itself, then what holds for all of the family."""
    return [*lines, f"{_sources(points)} {ONE_RUN}.", *foot(document)]


def _sources(points: list[Point]) -> str:
    """How many searches there were; where Dijkstra's are fewer."""
    most = max(len(point["measured"]["sources"]) for point in points)
    few = [(point["scale"], len(found["seconds"])) for point in points
           if (found := method(point, "dijkstra"))
           and len(found["seconds"]) < len(point["measured"]["sources"])]  # fmt: skip
    less = f", of Dijkstra's fewer from {power(2 ** few[0][0])} on ({few[-1][1]} at " \
           f"{power(2 ** few[-1][0])})" if few else ""  # fmt: skip
    return f"Up to {most} searches of each kind, from the same sources{less}."


def baseline(document: Document) -> str:
    return f"Baseline: Dijkstra's algorithm, one core of {document['machine']['cpu']}, " \
           "from the same sources."  # fmt: skip


# ---- curves -------------------------------------------------------------------------------------


def time_line(points: list[Point], row: Row, kind: str = "float") -> Line:
    found = [(point, method(point, row.name, kind, row.form)) for point in points]
    values = [middle(point["measured"]["n"], one["seconds"]) for point, one in found if one]
    return Line(_label(points, row), values, row.look)


def speedup_line(points: list[Point], row: Row, of: Any = middle) -> Line:
    found = [(point["measured"]["n"], speedups(point, row.name, form=row.form)) for point in points]
    return Line(_label(points, row), [of(n, ratios) for n, ratios in found if ratios], row.look)


def _rates(points: list[Point], row: Row) -> Line:
    values = []
    for point in points:
        if one := method(point, row.name, "float", row.form):
            rates = [point["measured"]["arcs"] / seconds for seconds in one["seconds"]]
            values.append(spread(point["measured"]["n"], rates))
    return Line(_label(points, row), values, row.look)


def _gains(points: list[Point], row: Row, kind: str) -> Line:
    """The time of `neither` over that of another combination, from the same sources."""
    values = []
    for point in points:
        plain, one = method(point, "neither", kind), method(point, row.name, kind)
        if plain and one:
            pairs = zip(plain["seconds"], one["seconds"], strict=False)
            values.append(middle(point["measured"]["n"], [a / b for a, b in pairs]))
    return Line(row.label, values, row.look)


def _label(points: list[Point], row: Row) -> str:
    return row.label.format(threads=points[-1]["measured"]["cpu"]["threads"])


# ---- figures ------------------------------------------------------------------------------------


def _stages(document: Document, points: list[Point]) -> Sheet:
    panels = [
        Panel("Searches in RMAT graphs", [speedup_line(points, row) for row in STAGES],
              "speedup over Dijkstra, 1 core", "times", UNIT, at_one="baseline"),
        Panel("The time of a search", [time_line(points, row) for row in (*STAGES, DIJKSTRA)],
              "time", "seconds", UNIT),
    ]  # fmt: skip
    told = ["Points: medians; bars: their 95 % intervals. " + baseline(document),
            "edges prepares the list of edges and searches nothing: it is in sssp-preparation. "
            "record: the fastest known form, in a process of its own. relax and restrict are the "
            "article's neither and restrict."]  # fmt: skip
    return "Lab 05, single-source shortest paths", [panels], _told(document, points, *told)


def _throughput(document: Document, points: list[Point]) -> Sheet:
    # The article has a kernel of this name, too: one figure has one colour for one name.
    later = [replace(row, label="lab's locality") if row.label == "locality" else row
             for row in STAGES if row.label not in ("relax", "restrict")]  # fmt: skip
    panels = [
        Panel("Article 004's four kernels", [_rates(points, r) for r in (*ARTICLES, DIJKSTRA)],
              "arcs per second", "rate", UNIT),
        Panel("What came after", [_rates(points, row) for row in (*later, DIJKSTRA)],
              "arcs per second", "rate", UNIT),
    ]  # fmt: skip
    told = "Points: means over the sources; bars: least and largest, as in the article."
    return "Shortest paths in RMAT graphs: arcs per second", [panels], _told(document, points, told)


def _articles_speedup(document: Document, points: list[Point]) -> Sheet:
    gains = [
        Panel(f"Against neither, {kind} weights", [_gains(points, r, kind) for r in ARTICLES[1:]],
              "time of neither over time", "times", UNIT, linear=True, at_one="neither")
        for kind in ("float", "double")
    ]  # fmt: skip
    panels = [
        Panel("Against Dijkstra, float weights",
              [speedup_line(points, row, spread) for row in ARTICLES],
              "speedup over Dijkstra, 1 core", "times", UNIT, at_one="baseline"),
        Panel("The time of a search", [time_line(points, row) for row in (*ARTICLES, DIJKSTRA)],
              "time", "seconds", UNIT),
    ]  # fmt: skip
    told = ["Against Dijkstra: means over the sources, bars: least and largest, as in the article; "
            "elsewhere: medians and their 95 % intervals. " + baseline(document)]  # fmt: skip
    return "Article 004's four kernels", [panels, gains], _told(document, points, *told)


# preparation, the search with it, the search without it, form, label, look
Pays = tuple[str, str, str, str, str, Look]
PAYS: tuple[Pays, ...] = (
    ("edges", "neither", "dijkstra", "", "edges", looks.of("05 edges")),
    ("segments", "locality", "neither", "", "article's order", ARTICLE),
    ("arrange", "stage locality", "neither", "", "arrange", looks.of("05 locality")),
    ("lightest-first", "delta", "frontier", "", "lightest-first", looks.of("05 delta")),
    ("arrange", "stage locality", "neither", RECORD_FORM, "record's arrange", RECORD_BEFORE),
    ("lightest-first", "delta", "frontier", RECORD_FORM, "record's lightest-first", RECORD),
)


def _costs(document: Document, points: list[Point]) -> Sheet:
    """Seconds of each preparation, and searches until it has paid."""
    seconds, searches, never = [], [], []
    for name, fast, slow, form, label, look in PAYS:
        known = [(point, preparation(point, name, form)) for point in points]
        seconds.append(Line(label, [_range(point, cost) for point, cost in known if cost], look))
        paid = [(point, cost, payback(point, name, fast, slow, form))
                for point, cost in known if cost]  # fmt: skip
        searches.append(Line(label, _paid(paid), look))
        missing = [power(2 ** point["scale"]) for point, _, one in paid if one is None]
        never += [f"{label} never pays at {', '.join(missing)}."] if missing else []
    panels = [
        Panel("Preparing a graph, once", seconds, "time", "seconds", UNIT),
        Panel("Searches until that has paid", searches, "searches", "count", UNIT,
              at_one="one search"),
    ]  # fmt: skip
    told = ["Points: medians of three; bars: least and largest. What a search saves: edges: relax "
            "against Dijkstra on one core; article's order: relax on it against relax on the list "
            "as it is; arrange: locality against relax; lightest-first: delta against frontier.",
            " ".join(never)]  # fmt: skip
    return ("What preparing a graph costs, and how soon it has paid", [panels],
            _told(document, points, *filter(None, told)))  # fmt: skip


def _range(point: Point, cost: list[float]) -> Value:
    return Value(point["measured"]["n"], statistics.median(cost), min(cost), max(cost))


def _paid(found: list[tuple[Point, list[float], float | None]]) -> list[Value]:
    """Searches, with NaN, which breaks a line, where a preparation never pays."""
    values = []
    for point, cost, paid in found:
        times = math.nan if paid is None else paid / statistics.median(cost)
        one = _range(point, [second * times for second in cost])
        values.append(Value(one.n, math.nan, math.nan, math.nan) if paid is None else one)
    while values and math.isnan(values[-1].middle):
        values.pop()
    return values


def _segments(document: Document, points: list[Point]) -> Sheet:
    """Gain and sweeps over the length of segments, at every second size."""
    chosen = points[-1::-2][: len(looks.SIZES)][::-1]
    gains, sweeps = [], []
    for point, look in zip(chosen, looks.SIZES, strict=False):
        tried = point["measured"]["segments"]
        pairs = list(zip(tried["lengths"], tried["tried"], strict=True))
        label = f"{power(2 ** point['scale'])} vertices"
        gains.append(Line(label, [spread(p, segment_gains(point, one)) for p, one in pairs], look))
        sweeps.append(Line(label, [spread(p, one["rounds"]) for p, one in pairs], look))
    unit = "P, vertices of a segment"
    panels = [
        Panel("Time of relax over that on the arranged list", gains, "gain", "times", unit,
              linear=True, at_one="no gain"),
        Panel("Sweeps of relax on the arranged list", sweeps, "sweeps", "count", unit, linear=True),
    ]  # fmt: skip
    told = f"Points: means over three searches for each P; bars: least and largest. {ONE_RUN}."
    return ("The article's order of the edges: what P decides", [panels],
            [told, *foot(document)])  # fmt: skip
