"""What `./lab bench --explain` prints of a stage: the kernels of one call, and what they take."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from .bench_words import aligned, duration, percent
from .console import paint
from .counters import total

NOT_MEASURED = "not measured"
COUNTED = {
    "global loads": "global.load", "global stores": "global.store",
    "shared loads": "shared.load", "shared stores": "shared.store",
}  # fmt: skip


def explained(document: dict[str, Any], stage: dict[str, Any]) -> list[str]:
    looked_at = stage["looked_at"]
    lines = [paint(stage["stage"], "bold") + f" at n = {looked_at['n']:,}, one call"]
    if looked_at["not_measured"]:
        return [*lines, f"    kernels: {NOT_MEASURED}: {looked_at['not_measured']}"]
    if document["backend"] == "gpu":
        return lines + _on_gpu(document, stage)
    missing = "registers, spills, occupancy, bytes/s, operations/s"
    return [*lines, *_counted_table(looked_at["kernels"]),
            "    loads and stores: requests of a warp x sectors of 32 bytes each, or x turns of the"
            " shared memory",
            f"    {missing}: {NOT_MEASURED}: {document['ceilings_not_measured']}"]  # fmt: skip


def _on_gpu(document: dict[str, Any], stage: dict[str, Any]) -> list[str]:
    kernels = stage["looked_at"]["kernels"]
    rows = [["  kernel", "launches", "blocks x threads", "registers", "shared static + dynamic",
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
    """How much of the time the launches alone would take."""
    limits = document["machine"]["ceilings"]
    if not limits or not count:
        return []
    point = next(p for p in stage["points"] if p["n"] == stage["looked_at"]["n"])
    alone = count * limits["launch_seconds"]
    share = percent(alone / median(point["seconds"]))
    launches = "1 empty launch takes" if count == 1 else f"{count:,} empty launches take"
    return [f"    {launches} {duration(alone)}: {share} of this call's time"]


def _counted_table(kernels: Sequence[dict[str, Any]]) -> list[str]:
    rows = [["  kernel", "launches", "blocks", "threads", "barriers", *COUNTED]]
    for kernel in kernels:
        row = [f"  {kernel['kernel']}"]
        row += [f"{kernel[key]:,}" for key in ("launches", "blocks", "threads", "barriers")]
        rows.append([*row, *(_requests(kernel, counter) for counter in COUNTED.values())])
    return aligned(rows)


def _requests(kernel: dict[str, Any], counter: str) -> str:
    """`1,024 x 4`: so many requests, each of so many pieces."""
    pieces = "sectors" if counter.startswith("global") else "wavefronts"
    requests = total(f"{counter}.requests", [kernel])
    each = total(f"{counter}.{pieces}_per_request", [kernel])
    return f"{requests:,.0f} x {each:.3g}" if requests else "0"
