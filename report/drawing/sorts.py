"""The figures of labs 01 to 04: speedup over one pooled baseline, and time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import looks
from .conditions import foot
from .lines import Line, Panel, Value, exact, middle, ratio
from .looks import LIBRARY, LIBRARY_TOO, LIMIT, PROCESSOR, PROCESSORS, RECORD, RECORD_BEFORE, Look
from .measurements import RECORD as RECORD_FORM
from .measurements import Document, measured, method

Point = dict[str, Any]
Sheet = tuple[str, list[list[Panel]], list[str]]  # title, panels in rows, small print


@dataclass(frozen=True)
class Row:
    """A curve: the method's name and form in the measurements, and the curve's name and look."""

    name: str
    label: str
    look: Look
    form: str = ""


@dataclass(frozen=True)
class Group:
    """Curves with one baseline, in one row of panels. `kind` is what the methods sort."""

    title: str
    rows: Sequence[Row]
    kind: str  # "keys" or "arrays"; records are among the keys
    baseline: str
    baseline_label: str
    unit: str
    limit: str  # what the least time is, in words
    operations: Callable[[int], dict[str, float]]  # by the name of a ceiling


def stages(lab: str, **labels: str) -> list[Row]:
    """The rows of a lab's stages; a label replaces the stage's name, and "" leaves it out."""
    named = {stage: labels.get(stage.replace("-", "_"), stage) for stage in looks.STAGES[lab]}
    return [Row(f"{lab} {stage}", label, looks.of(f"{lab} {stage}"))
            for stage, label in named.items() if label]  # fmt: skip


SORT = Row("std::sort", "std::sort, 1 core", PROCESSORS)
RADIX = Row("CUB radix", "CUB radix", LIBRARY)
MERGE = Row("CUB merge", "CUB merge", LIBRARY_TOO)
SEGMENTED = Row("CUB segmented", "CUB segmented", LIBRARY)
SERIAL = "serial rank sort"


def figures(document: Document) -> dict[str, Sheet]:
    """The figures of a family of sorts, by their files' names."""
    points = measured(document)
    return _ranks(document, points) if document["family"] == "rank" else _sorts(document, points)


def _ranks(document: Document, points: list[Point]) -> dict[str, Sheet]:
    arrays = points[0]["measured"]["arrays"]
    one = Group("Rank sort of n keys",
                [*stages("01", stable="stable (pairs)", descending="", strings=""),
                 Row("01 tiled", "record", RECORD, RECORD_FORM), RADIX, SORT],
                "keys", SERIAL, "rank sort, 1 core", "keys",
                "one launch, or all compares at their peak",
                lambda n: {"compares_per_second": n * n})  # fmt: skip
    single = Group("One array of n keys",
                   [*stages("02"), Row("02 fast", "record", RECORD, RECORD_FORM)],
                   "keys", SERIAL, "rank sort, 1 core", "keys of the array", "one launch",
                   lambda n: {})  # fmt: skip
    many = Group(f"{arrays:,} arrays of n keys each",
                 [*stages("02", in_place="", registers=""),
                  Row("02 fast", "record", RECORD, RECORD_FORM), SEGMENTED],
                 "arrays", SERIAL, "rank sort, 1 core", "keys of each array",
                 "or a copy of all keys",
                 lambda n: {"copied_bytes_per_second": 8 * n * arrays})  # fmt: skip
    apart = [*_as_stable(points), "strings sorts texts, not numbers, and is not measured here."]
    return {
        "01-rank-sort": _sheet(document, "Lab 01, rank sort", [one], points, [" ".join(apart)]),
        "02-in-place": _sheet(document, "Lab 02, rank sort in place", [single, many], points,
                              ["in-place and registers sort one array only."]),
    }  # fmt: skip


def _as_stable(points: list[Point]) -> list[str]:
    """Why `descending` has no curve of its own: a sentence with the measured ratios."""
    found = []
    for point in points:
        stable, descending = method(point, "01 stable"), method(point, "01 descending")
        if stable and descending:
            found.append(ratio(0, stable["seconds"], descending["seconds"]).middle)
    if not found:
        return []
    return [f"descending is stable in the other order, and takes {min(found):.2f} to "
            f"{max(found):.2f} times its time: its curve would cover that of stable."]  # fmt: skip


def _sorts(document: Document, points: list[Point]) -> dict[str, Sheet]:
    def group(title: str, rows: list[Row]) -> Group:
        return Group(title, rows, "keys", "std::sort", "std::sort, 1 core", "keys",
                     "one launch, or a copy of all keys",
                     lambda n: {"copied_bytes_per_second": 8 * n})  # fmt: skip

    bitonic = group(
        "Bitonic sort of n keys",
        [*stages("03"), Row("03 registers", "record", RECORD, RECORD_FORM), RADIX, MERGE],
    )
    odd_even = group("Odd-even transposition sort", [
        *stages("04"), Row("04 merge-split", "record", RECORD, RECORD_FORM),
        Row("04 tiled", "record of tiled", RECORD_BEFORE, RECORD_FORM), RADIX])  # fmt: skip
    return {
        "03-bitonic": _sheet(document, "Lab 03, bitonic sort", [bitonic], points, []),
        "04-odd-even": _sheet(
            document, "Lab 04, odd-even transposition sort", [odd_even], points,
            ["records and texture sort records of 8 coordinates; their baseline, too, sorts keys."],
        ),
    }  # fmt: skip


def _sheet(
    document: Document, title: str, groups: list[Group], points: list[Point], notes: list[str]
) -> Sheet:
    """A row of panels for each group."""
    baseline = f"{groups[0].baseline}, one core of {document['machine']['cpu']}"
    told = ["Points: medians; bars: their 95 % intervals. Baseline: "
            f"{baseline}, measured once at each size{' and number of arrays' * (len(groups) > 1)}. "
            "record: the fastest known form, in a process of its own."]  # fmt: skip
    rows = [_panels(document, group, points) for group in groups]
    if document["machine"].get("ceilings"):
        notes = [*notes, f"limit: {', '.join(group.limit for group in groups)}."]
    return title, rows, [*told, " ".join(notes), *foot(document)]


def _panels(document: Document, group: Group, points: list[Point]) -> list[Panel]:
    base = Row(group.baseline, group.baseline_label, PROCESSOR)
    points = [point for point in points if any(_found(point, group, row) for row in group.rows)]
    faster, times = [], [_times(points, group, base)]
    for row in group.rows:
        faster.append(_speedups(points, group, row))
        times.append(_times(points, group, row))
    times += _limit(document, group, points)
    return [
        Panel(group.title, faster, f"speedup over {group.baseline_label}", "times", group.unit,
              at_one="baseline"),
        Panel("The time that it takes", times, "time", "seconds", group.unit),
    ]  # fmt: skip


def _found(point: Point, group: Group, row: Row) -> list[float]:
    """The seconds of a method, [] if it was not measured. Records count as keys."""
    kinds = ("arrays",) if group.kind == "arrays" else ("keys", "records")
    known = [method(point, row.name, kind, row.form) for kind in kinds]
    return next((one["seconds"] for one in known if one), [])


def _times(points: list[Point], group: Group, row: Row) -> Line:
    known = [(point["measured"]["n"], _found(point, group, row)) for point in points]
    return Line(row.label, [middle(n, seconds) for n, seconds in known if seconds], row.look)


def _speedups(points: list[Point], group: Group, row: Row) -> Line:
    values: list[Value] = []
    base = Row(group.baseline, "", PROCESSOR)
    for point in points:
        seconds, baseline = _found(point, group, row), _found(point, group, base)
        if seconds and baseline:
            values.append(ratio(point["measured"]["n"], seconds, baseline))
    return Line(row.label, values, row.look)


def _limit(document: Document, group: Group, points: list[Point]) -> list[Line]:
    """The least time of any call on this GPU: one launch, or what must be done at its peak rate."""
    ceilings = document["machine"].get("ceilings")
    if not ceilings:
        return []
    values = []
    for point in points:
        n = point["measured"]["n"]
        asked = group.operations(n).items()
        least = [ceilings["launch_seconds"], *(amount / ceilings[of] for of, amount in asked)]
        values.append(exact(n, max(least)))
    return [Line("limit", values, LIMIT, bars=False)]
