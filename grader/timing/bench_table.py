"""What `./lab bench` prints: a table of times, and what limits each stage."""

import math
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from ..base.console import paint
from ..base.rows import aligned
from ..lab_file.counters import total
from .roofline import LIMITS, reached

BACKENDS = {"cpu": "the CPU backend: this is not GPU time"}


def table(document: dict[str, Any]) -> str:
    """A bench's document as text."""
    timed = [stage for stage in document["stages"] if stage.get("points")]
    lines = [paint(f"{document['lab']}  {document['title']}", "bold") + f": {document['source']}"]
    lines += _heading(document, timed)
    if timed:
        lines += [*_times(timed), *_limits(document, timed)]
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
    for baseline in dict.fromkeys(stage["baseline"] for stage in timed if stage["baseline"]):
        names = ", ".join(stage["stage"] for stage in timed if stage["baseline"] == baseline)
        lines.append(f"  speedup of {names}: over {baseline}")
    return lines


def _peaks(limits: dict[str, float] | None) -> list[str]:
    """The machine's measured ceilings."""
    if not limits:
        return []
    rates = {"bytes copied": "copied_bytes", "compares": "compares", "exchanges": "exchanges",
             "gathers from L2": "l2_gathers", "from memory": "memory_gathers"}  # fmt: skip
    told = [f"{rate(limits[f'{key}_per_second'])} {what}" for what, key in rates.items()]
    waits = f"an empty launch {duration(limits['launch_seconds'])}, a barrier of the grid "
    waits += duration(limits["barrier_seconds"])
    return [f"  measured peaks per second: {', '.join(told)}", f"  measured waits: {waits}"]


# ---- times --------------------------------------------------------------------------------------


def _times(timed: Sequence[dict[str, Any]]) -> list[str]:
    rows = [["stage", "n", "time", "fastest", "slowest", "speedup"]]
    for point, name in _points(timed):
        rows.append([name, *_time(point)])
    return aligned(rows)


def _limits(document: dict[str, Any], timed: Sequence[dict[str, Any]]) -> list[str]:
    """What limits each time, if the machine's ceilings are known."""
    ceilings = document["machine"]["ceilings"]
    if not ceilings:
        return []
    rows = [["stage", "n", "bytes/s", "operations/s", "least time", "of it"]]
    for point, name in _points(timed):
        cells = _reached(point, ceilings)
        rows += [[name, f"{point['n']:,}", *cells]] if cells else []
    said = "  Rates with their share of the peak, and the least time that the work can take:"
    return ["", said, *aligned(rows)] if len(rows) > 1 else []


def _points(timed: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each point of each stage, the first with the stage's name."""
    for stage in timed:
        for index, point in enumerate(stage["points"]):
            yield point, "" if index else stage["stage"]


def _time(point: dict[str, Any]) -> list[str]:
    seconds = point["seconds"]
    base = point["baseline_seconds"]
    speedup = f"{digits(median(base) / median(seconds))}x" if base else ""
    times = [duration(value) for value in (median(seconds), min(seconds), max(seconds))]
    return [f"{point['n']:,}", *times, speedup]


def _reached(point: dict[str, Any], ceilings: dict[str, float]) -> list[str]:
    """`3.72 G (0.05 %)` for each rate; the least time, what determines it, and its share."""
    found = reached(point, ceilings)
    if found is None:
        return []
    parts = [f"{rate(part.rate)} ({percent(part.share)})" for part in found.parts]
    parts += [""] * (2 - len(parts))
    limit = f"{duration(found.least_seconds)} ({LIMITS[found.bound_by]})"
    return [*parts, limit, percent(found.share)]


NOT_MEASURED = "not measured"


def explained(document: dict[str, Any], stage: dict[str, Any]) -> list[str]:
    looked_at = stage["looked_at"]
    lines = [paint(stage["stage"], "bold") + f" at n = {looked_at['n']:,}, one call"]
    if looked_at["not_measured"]:
        return [*lines, f"    kernels: {NOT_MEASURED}: {looked_at['not_measured']}"]
    if document["backend"] == "gpu":
        return lines + _on_gpu(document, stage)
    missing = "registers, spills, occupancy, bytes/s, operations/s"
    return [*lines, *_counted_list(looked_at["kernels"]),
            "    loads and stores: requests by warps x 32-byte sectors per request, or x wavefronts"
            " for shared memory",
            f"    {missing}: {NOT_MEASURED}: {document['ceilings_not_measured']}"]  # fmt: skip


def _on_gpu(document: dict[str, Any], stage: dict[str, Any]) -> list[str]:
    kernels = stage["looked_at"]["kernels"]
    rows = [["  kernel", "launches", "blocks x threads", "registers", "shared memory",
             "spilled", "occupancy"]]  # fmt: skip
    for kernel in kernels:
        if not kernel["block"]:  # launches of whole graphs
            rows.append([f"  {kernel['name']}", f"{kernel['launches']:,}"])
            continue
        spilled = NOT_MEASURED if kernel["spilled"] is None else f"{kernel['spilled']:,} B"
        shared = f"{kernel['static_shared']:,} + {kernel['dynamic_shared']:,} B"
        rows.append([
            f"  {kernel['name']}", f"{kernel['launches']:,}",
            f"{kernel['grid']:,} x {kernel['block']:,}", str(kernel["registers"]), shared,
            spilled, percent(kernel["occupancy"]),
        ])  # fmt: skip
    return aligned(rows) + _launches(document, stage, sum(k["launches"] for k in kernels))


def _launches(document: dict[str, Any], stage: dict[str, Any], count: int) -> list[str]:
    """The share of the time that the launches alone would take."""
    limits = document["machine"]["ceilings"]
    if not limits or not count:
        return []
    point = next(p for p in stage["points"] if p["n"] == stage["looked_at"]["n"])
    alone = count * limits["launch_seconds"]
    share = percent(alone / median(point["seconds"]))
    launches = "1 empty launch takes" if count == 1 else f"{count:,} empty launches take"
    return [f"    {launches} {duration(alone)}: {share} of this call's time"]


def _counted_list(kernels: Sequence[dict[str, Any]]) -> list[str]:
    """A few short lines for each kernel: a row of nine columns would not fit a terminal."""
    lines: list[str] = []
    for kernel in kernels:
        of_launch = ("launches", "blocks", "threads", "barriers")
        said = ", ".join(f"{key} {kernel[key]:,}" for key in of_launch)
        lines += [f"    {kernel['kernel']}", f"      {said}"]
        for access in ("loads", "stores"):
            spaces = [f"{space} {_requests(kernel, f'{space}.{access[:-1]}')}"
                      for space in ("global", "shared")]  # fmt: skip
            lines.append(f"      {access:<6}  {', '.join(spaces)}")
    return lines


def _requests(kernel: dict[str, Any], counter: str) -> str:
    """`1,024 x 4`: the number of requests, and the pieces per request."""
    pieces = "sectors" if counter.startswith("global") else "wavefronts"
    requests = total(f"{counter}.requests", [kernel])
    each = total(f"{counter}.{pieces}_per_request", [kernel])
    return f"{requests:,.0f} x {each:.3g}" if requests else "0"


def duration(seconds: float) -> str:
    """`283 us`, with three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size * 0.9995:
            return f"{digits(seconds / size)} {unit}"
    return f"{digits(seconds * 1e9)} ns"


def rate(per_second: float) -> str:
    """`1.23 T`, with three digits."""
    for prefix, size in (("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if per_second >= size * 0.9995:
            return f"{digits(per_second / size)} {prefix}"
    return digits(per_second)


def percent(share: float) -> str:
    """`18 %`, with two digits."""
    value = share * 100
    if 0 < value < 0.00095:
        return "< 0.001 %"
    return f"{value:.0f} %" if value >= 9.95 else f"{value:.2g} %"


def digits(value: float) -> str:
    """Three significant digits, without an exponent."""
    if value == 0:
        return "0"
    if value < 0.9995:
        decimals = 2 - math.floor(math.log10(value))
        return f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:,.0f}"
