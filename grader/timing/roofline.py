"""The share of the machine's limit that a call reaches: the least time of its work over its time.

The work is the least that the stage's technique requires (clock/work.hpp), so the share tells how
far a stage is from the floor of its technique. Nothing here is a mark. But a time below a part of
that floor is not credible, so a person looks at it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

# The ceiling for each operation.
OPERATIONS = {
    "compares": "compares_per_second",
    "exchanges": "exchanges_per_second",
    "arcs": "l2_gathers_per_second",
}
# The name of each limit in the output.
LIMITS = {
    "launch": "one launch",
    "bytes": "copying",
    "compares": "comparing",
    "exchanges": "minima and maxima",
    "arcs": "gathers from L2",
}

# The part of a stage's work that any right answer by its technique must do. Every input is read and
# every output written, at best in the L2 cache. One comparison can serve both keys of a pair. Arcs
# have no such part: a search may stop early at every vertex.
FEWEST = {"bytes": 1.0, "compares": 0.5, "exchanges": 1.0}


@dataclass(frozen=True)
class Share:
    """One part of a call's work: its rate per second, and the rate's share of the ceiling."""

    what: str
    rate: float
    share: float


@dataclass(frozen=True)
class Reached:
    """What a call of one size reached. `share` is that of the part with the longest least time."""

    n: int
    seconds: float
    least_seconds: float
    bound_by: str
    parts: tuple[Share, ...]

    @property
    def share(self) -> float:
        return self.least_seconds / self.seconds


def reached(point: Mapping[str, Any], ceilings: Mapping[str, float] | None) -> Reached | None:
    """What a point in a result's `measured` reached; None if its work or the ceilings are missing.

    `ceilings` is the result's `machine.ceilings`.
    """
    work = point.get("work")
    if not work or not ceilings:
        return None
    seconds = median(point["seconds"])
    limits = {"bytes": (work["bytes"], ceilings["copied_bytes_per_second"])}
    if operation := work["operation"]:
        limits[operation] = (work["operations"], ceilings[OPERATIONS[operation]])
    parts = tuple(
        Share(what, amount / seconds, amount / seconds / ceiling)
        for what, (amount, ceiling) in limits.items()
    )
    least = {"launch": ceilings["launch_seconds"]}
    least |= {what: amount / ceiling for what, (amount, ceiling) in limits.items()}
    bound_by = max(least, key=least.__getitem__)
    return Reached(point["n"], seconds, least[bound_by], bound_by, parts)


def too_fast(work: Mapping[str, Any], seconds: float, ceilings: Mapping[str, float]) -> str:
    """Why a call's work cannot be done in this time, in words; "" if it can."""
    floors = [("bytes", work["bytes"], "cached_bytes_per_second", "to be read and written once")]
    if (operation := work["operation"]) in FEWEST:
        why = "the fewest that the stage's technique allows"
        floors.append((operation, work["operations"], OPERATIONS[operation], why))
    for what, amount, ceiling, why in floors:
        fewest = FEWEST[what] * amount
        least = fewest / ceilings[ceiling]
        if seconds < least:
            return (
                f"{seconds * 1e6:.3g} us per call, but {fewest:.3g} {what}, {why}, take "
                f"{least * 1e6:.3g} us on this GPU"
            )
    return ""
