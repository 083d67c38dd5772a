"""What `./lab bench` prints: a table of times, and for each stage what they are made of."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from .bench_kernels import NOT_MEASURED, explained
from .bench_words import aligned, digits, duration, percent, rate
from .console import paint
from .roofline import LIMITS, reached

BACKENDS = {"cpu": "the CPU backend: this is not GPU time"}


def table(document: dict[str, Any]) -> str:
    """The document of a bench, to be read by people."""
    timed = [stage for stage in document["stages"] if stage.get("points")]
    lines = [paint(f"{document['lab']}  {document['title']}", "bold") + f": {document['source']}"]
    lines += _heading(document, timed)
    if timed:
        lines += _times(document, timed)
    lines += [f"  {s['stage']}: not timed: {s['not_timed']}" for s in document["stages"]
              if not s.get("points")]  # fmt: skip
    if document["explained"]:
        for stage in timed:
            lines += ["", *explained(document, stage)]
    return "\n".join(lines)


def _heading(document: dict[str, Any], timed: Sequence[dict[str, Any]]) -> list[str]:
    machine = document["machine"]
    gpu = machine["gpu"] or {"name": "GPU", "driver": "unknown"}
    where = BACKENDS.get(document["backend"], f"{gpu['name']}, driver {gpu['driver']}, cold L2")
    lines = [f"  on {where}; median, fastest and slowest call"]
    lines += _peaks(machine["ceilings"])
    if document["backend"] == "gpu" and document["ceilings_not_measured"]:
        lines.append(f"  limits: {NOT_MEASURED}: {document['ceilings_not_measured']}")
    for baseline in dict.fromkeys(stage["baseline"] for stage in timed):
        names = ", ".join(stage["stage"] for stage in timed if stage["baseline"] == baseline)
        lines.append(f"  speedup of {names}: over {baseline}")
    return lines


def _peaks(limits: dict[str, float] | None) -> list[str]:
    """What the machine was measured to reach."""
    if not limits:
        return []
    rates = {"bytes copied": "copied_bytes", "compares": "compares", "exchanges": "exchanges",
             "gathers from L2": "l2_gathers", "from memory": "memory_gathers"}  # fmt: skip
    told = [f"{rate(limits[f'{key}_per_second'])} {what}" for what, key in rates.items()]
    waits = f"an empty launch {duration(limits['launch_seconds'])}, a barrier of the grid "
    waits += duration(limits["barrier_seconds"])
    return [f"  measured peaks per second: {', '.join(told)}", f"  measured waits: {waits}"]


# ---- times --------------------------------------------------------------------------------------


def _times(document: dict[str, Any], timed: Sequence[dict[str, Any]]) -> list[str]:
    head = ["stage", "n", "time", "fastest", "slowest", "speedup"]
    if document["machine"]["ceilings"]:
        head += ["bytes/s", "of copying", "operations/s", "of the peak", "limit", "reached"]
    rows = [head]
    for stage in timed:
        for index, point in enumerate(stage["points"]):
            name = "" if index else stage["stage"]
            rows.append([name, *_time(point), *_reached(document, point)])
    return aligned(rows)


def _time(point: dict[str, Any]) -> list[str]:
    seconds = point["seconds"]
    speedup = median(point["baseline_seconds"]) / median(seconds)
    times = [duration(value) for value in (median(seconds), min(seconds), max(seconds))]
    return [f"{point['n']:,}", *times, f"{digits(speedup)}x"]


def _reached(document: dict[str, Any], point: dict[str, Any]) -> list[str]:
    """Rates and shares; the limit is the least time that the work takes, and what bounds it."""
    found = reached(point, document["machine"]["ceilings"])
    if found is None:
        return []
    parts = [cell for part in found.parts for cell in (rate(part.rate), percent(part.share))]
    parts += [""] * (4 - len(parts))
    limit = f"{duration(found.least_seconds)} ({LIMITS[found.bound_by]})"
    return [*parts, limit, percent(found.share)]
