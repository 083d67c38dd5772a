"""The ladder: how much each stage gains over the one before, over good and record, and the limit.

All ratios are of median times at the largest size that both have, with a 95 % bootstrap interval.
A ratio above 1 means that the stage is faster.
"""

from collections.abc import Sequence
from statistics import median
from typing import Any

from ..base.rows import aligned
from .bench_table import duration, percent
from .roofline import reached
from .statistics import speedup

Stage = dict[str, Any]
EXEMPLARS = ("good", "record")


def ladder(document: dict[str, Any]) -> list[str]:
    """The table's lines for a bench's document; none if fewer than two times can be compared."""
    timed = [stage for stage in document["stages"] if stage.get("points")]
    exemplars = {name: _by_stage(document.get("exemplars", {}).get(name, ()))
                 for name in EXEMPLARS}  # fmt: skip
    known = [name for name in EXEMPLARS if exemplars[name]]
    if len(timed) < 2 and not known:
        return []
    limits = document["machine"]["ceilings"]
    head = ["rung", "n", "time", "of stage before", *(f"of {name}" for name in known)]
    rows = [[*head, "of the limit"] if limits else head]
    before: dict[str, Stage] = {}  # by baseline: other work has another one
    for stage in timed:
        largest = max(stage["points"], key=lambda point: point["n"])
        row = [stage["stage"], f"{largest['n']:,}", duration(median(largest["seconds"]))]
        task = stage.get("baseline", "")
        row.append(_ratio(stage, before.get(task)))
        before[task] = stage
        row += [_ratio(stage, exemplars[name].get(stage["stage"])) for name in known]
        rows.append([*row, _of_limit(largest, limits)] if limits else row)
    return ["  How much faster, as a ratio of times with its 95 % interval:", *aligned(rows)]


def _by_stage(stages: Sequence[Stage]) -> dict[str, Stage]:
    return {stage["stage"]: stage for stage in stages if stage.get("points")}


def _ratio(stage: Stage, other: Stage | None) -> str:
    """`2.31x (2.28 to 2.35)`: how much faster `stage` is than `other`; "" without a common size."""
    if other is None:
        return ""
    mine = {point["n"]: point["seconds"] for point in stage["points"]}
    theirs = {point["n"]: point["seconds"] for point in other["points"]}
    common = sorted(mine.keys() & theirs.keys())
    if not common:
        return "no common n"
    n = common[-1]
    found = speedup(n, mine[n], theirs[n])
    return f"{found.median:.3g}x ({found.low:.3g} to {found.high:.3g})"


def _of_limit(point: dict[str, Any], limits: dict[str, float]) -> str:
    found = reached(point, limits)
    return percent(found.share) if found else ""
