"""Why a kernel is slow, from what it asks of memory: three sentences, one table, one thing to try.

The counters of a student's call are put beside those of the good form on the same input. The part
with the largest surplus of estimated cost decides the advice. The estimate needs to be right only
about which part is largest; it is no prediction of time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..base.rows import aligned
from ..base.text import escaped
from ..lab_file.counters import BRANCHES, Kernels, total
from ..lab_file.manifest import Stage

# Estimated cost in units of one 32-byte sector from memory. A launch takes about 2.5 us; in that
# time an H200 could move thousands of sectors even with few threads.
LAUNCH, BARRIER, REQUEST, WAVEFRONT, ATOMIC, DIVERGED = 3000.0, 8.0, 1.0, 0.25, 4.0, 1.0
SMALLEST_PART = 0.01  # a line that costs less is not worth a look
ALIKE = 1.25  # up to this ratio two counts are called alike
TOP_LINES = 3


@dataclass(frozen=True)
class Part:
    """One way to be slow: how often it happens, what that costs, its name, and what to try."""

    name: str
    counter: str
    count: Callable[[Kernels], float]
    cost: Callable[[Kernels], float]
    does: str
    advice: str


def _counter(name: str) -> Callable[[Kernels], float]:
    return lambda kernels: total(name, kernels)


def _requests(space: str, *accesses: str) -> Callable[[Kernels], float]:
    counters = [f"{space}.{access}.requests" for access in accesses]
    return lambda kernels: sum(total(counter, kernels) for counter in counters)


def _traffic(access: str) -> Callable[[Kernels], float]:
    """Requests and all their sectors: without the request they would not be moved."""
    counters = (f"global.{access}.requests", f"global.{access}.sectors")
    return lambda kernels: REQUEST * sum(total(counter, kernels) for counter in counters)


def _beyond_ideal(space: str) -> Callable[[Kernels], float]:
    """Sectors or wavefronts beyond the fewest that the requests could need."""
    return lambda kernels: float(sum(
        line["pieces"] - line.get("ideal", line["requests"])
        for kernel in kernels for line in kernel["lines"]
        if line["space"] == space and line["access"] != "atomic"
    ))  # fmt: skip


def _atomics(kernels: Kernels) -> float:
    return sum(total(f"{space}.atomic.requests", kernels) for space in ("global", "shared"))


def _diverged(kernels: Kernels) -> float:
    return float(sum(kernel["branches"] - kernel["uniform_branches"] for kernel in kernels))


def _times(weight: float, count: Callable[[Kernels], float]) -> Callable[[Kernels], float]:
    return lambda kernels: weight * count(kernels)


LAUNCHES, BARRIERS = _counter("launches"), _counter("barriers")
SCATTERED, CONFLICTS = _beyond_ideal("global"), _beyond_ideal("shared")
SHARED = _requests("shared", "load", "store")
LOADS, STORES = _requests("global", "load"), _requests("global", "store")

PARTS = (
    Part("launches", "launches", LAUNCHES, _times(LAUNCH, LAUNCHES), "launches",
         "Do more of the work in one launch: between steps that exchange data only within a block "
         "a barrier is enough; for larger steps there are larger tiles, or a barrier of the whole "
         "grid (a cooperative launch)."),
    Part("global loads", "global.load.requests", LOADS, _traffic("load"),
         "global loads",
         "Load each element once per block into shared memory (a tile) or registers, and use it "
         "there many times; or read four neighbours at once (float4)."),
    Part("global stores", "global.store.requests", STORES, _traffic("store"),
         "global stores",
         "Keep intermediate results in registers or shared memory, and store each result once."),
    Part("scattered accesses", "global.load.sectors_per_request", SCATTERED,
         _times(1.0, SCATTERED),
         "sectors that neighbouring threads do not share",
         "Let neighbouring threads access neighbouring elements: index by threadIdx.x last, or "
         "pass the data through shared memory to change its order."),
    Part("bank conflicts", "shared.load.wavefronts_per_request", CONFLICTS,
         _times(WAVEFRONT, CONFLICTS),
         "extra rounds of shared memory for bank conflicts",
         "Let the threads of a warp access different banks: pad rows by one element, or choose the "
         "stride so that neighbouring threads access neighbouring words."),
    Part("shared accesses", "shared.load.requests", SHARED, _times(WAVEFRONT, SHARED),
         "accesses to shared memory",
         "Read less from shared memory: keep several values of a thread in registers and use each "
         "word that is read for all of them, let one read bring four words (float4), exchange them "
         "by shuffles (__shfl_sync), or search in sorted runs instead of comparing with every "
         "key."),
    Part("atomics", "global.atomic.requests", _atomics, _times(ATOMIC, _atomics),
         "atomic operations",
         "Combine in registers, in a warp or in a block first, and let one thread do the atomic "
         "operation for all; or skip it when a plain read shows that nothing changes."),
    Part("barriers", "barriers", BARRIERS, _times(BARRIER, BARRIERS), "barriers",
         "Need fewer barriers: within a warp __syncwarp() or a shuffle is enough; two buffers save "
         "one of two barriers in a loop."),
    Part("divergent branches", BRANCHES, _diverged, _times(DIVERGED, _diverged),
         "branches at which a warp divides",
         "Let whole warps take the same way: sort the work by kind, or replace a short branch by "
         "an expression without one."),
)  # fmt: skip
ROWS = ("launches", "barriers", "global.load.requests", "global.load.sectors_per_request",
        "global.store.requests", "global.store.sectors_per_request", "global.atomic.requests",
        "shared.load.requests", "shared.load.wavefronts_per_request", "shared.store.requests",
        "shared.store.wavefronts_per_request", "shared.atomic.requests", BRANCHES)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """A part with both costs; `mine` and `good` are sector equivalents."""

    part: Part
    mine: float
    good: float

    @property
    def surplus(self) -> float:
        return self.mine - self.good


def findings(mine: Kernels, good: Kernels) -> list[Finding]:
    """The parts that cost more than in the good form, the largest surplus first."""
    found = [Finding(part, part.cost(mine), part.cost(good)) for part in PARTS
             if part.count(mine) > ALIKE * part.count(good)]  # fmt: skip
    more = [one for one in found if one.surplus > 0]
    return sorted(more, key=lambda one: one.surplus, reverse=True)


def explained(
    stage: Stage, mine: Kernels, good: Kernels, n: int, source: str, lab: str = "LAB"
) -> list[str]:  # fmt: skip
    """The sentences, the table, the costliest lines, and the thing to try."""
    found = findings(mine, good)
    lines = [*sentences(stage, found, mine, good, n), "", *table(mine, good), ""]
    lines += ["Costliest lines:", *costliest_lines(mine, source), ""]
    return [*lines, f"Try: {advice(stage, found, lab)}"]


def sentences(
    stage: Stage, found: list[Finding], mine: Kernels, good: Kernels, n: int
) -> list[str]:
    """Three sentences: the largest surplus, where it comes from, and what else there is."""
    if not found:
        return [f"At n = {n:,} {stage.name} asks no more of memory than the good form does.",
                "Launches, barriers, accesses and conflicts are alike.",
                "What is left is seen only on a GPU: time, occupancy, stalls."]  # fmt: skip
    first, *others = found
    said = [f"At n = {n:,} {stage.name} costs most by {first.part.does}: "
            f"{_compared(first.part, mine, good)}."]  # fmt: skip
    worst = max(mine, key=lambda kernel: first.part.cost([kernel]))
    share = first.part.cost([worst]) / first.mine if first.mine else 0
    said.append(f"{share:.0%} of it comes from kernel {worst['kernel']}, launched "
                f"{worst['launches']:,} time{'s' if worst['launches'] != 1 else ''}.")  # fmt: skip
    if others and others[0].surplus > first.surplus / 20:
        said.append(f"Next are {others[0].part.does}: {_compared(others[0].part, mine, good)}.")
    else:
        said.append("In everything else it asks for little more than the good form, or for less.")
    return said


def _compared(part: Part, mine: Kernels, good: Kernels) -> str:
    own, theirs = part.count(mine), part.count(good)
    if not theirs:
        return f"{own:,.0f}, and the good form has none"
    ratio = own / theirs
    return f"{own:,.0f} where the good form has {theirs:,.0f}, {ratio:.3g} times as many"


def table(mine: Kernels, good: Kernels) -> list[str]:
    """Every counter that is not 0 in both, and the ratio."""
    rows = [["", "yours", "good", "ratio"]]
    for counter in ROWS:
        own, theirs = total(counter, mine), total(counter, good)
        if own or theirs:
            ratio = f"{own / theirs:.3g}" if theirs else "-"
            shown = counter.replace("_per_request", "/request")  # 60 columns are enough
            rows.append([shown, _number(own), _number(theirs), ratio])
    return aligned(rows)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:.2f}"


def costliest_lines(kernels: Kernels, source: str) -> list[str]:
    """The lines of the source with the highest estimated cost, with their text."""
    texts = escaped(source).split("\n")
    costs: dict[str, float] = {}
    for kernel in kernels:
        for line in kernel["lines"]:
            costs[line["line"]] = costs.get(line["line"], 0.0) + _line_cost(line)
    whole = sum(costs.values()) or 1.0
    shown = []
    for place in sorted(costs, key=lambda one: costs[one], reverse=True)[:TOP_LINES]:
        if shown and costs[place] < SMALLEST_PART * whole:
            break
        _, _, number = place.rpartition(":")
        inside = number.isdecimal() and 1 <= int(number) <= len(texts)
        text = texts[int(number) - 1].strip() if inside else ""
        shown.append(f"  {costs[place] / whole:>4.0%}  {place}  {text}".rstrip())
    return shown or ["  none: the call reads and writes nothing"]


def _line_cost(line: dict[str, Any]) -> float:
    if line["access"] == "atomic":
        return ATOMIC * line["requests"]
    if line["space"] == "shared":
        return WAVEFRONT * line["pieces"]
    return REQUEST * line["requests"] + line["pieces"]


def advice(stage: Stage, found: list[Finding], lab: str = "LAB") -> str:
    """The lab's own advice about this counter, if it has one; otherwise the general one."""
    if not found:
        return f"measure it on a GPU: ./lab bench {lab}.{stage.name} --explain."
    part = found[0].part
    own = {**dict(stage.advice), **{rule.counter: rule.advice for rule in stage.counters}}
    return own.get(part.counter, part.advice)
