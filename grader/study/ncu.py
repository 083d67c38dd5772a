"""What Nsight Compute (ncu) says about a call's kernels: bandwidth, issue slots, waiting warps.

ncu starts the worker, as a sanitizer does, but with the student's own rights: the counters of a GPU
are for administrators, or for all if they allow it. Without ncu, or without the right to use it,
`Refused` says so in one sentence, and nothing else is lost.
"""

import csv
import io
import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.checkout import Checkout
from ..base.scratch import scratch_folder
from ..compiling.worker import compile_submission
from ..judging.judge import Bench, ask
from ..judging.judge_report import BadReport
from ..lab_file.manifest import Lab
from ..sandbox.bubblewrap import OWN_RIGHTS, Sandbox

LAUNCHES = 64  # of a call are looked at: each is repeated for every group of counters
SECONDS = 120.0
TIME = "gpu__time_duration.sum"
PARTS = {  # of what the GPU can do, in percent
    "memory": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
}
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
# What a warp waits for, in words, and what shortens it.
WAITS = {
    "long_scoreboard": ("data from global memory",
        "Load earlier than you use, more per thread and independent of each other; or keep what is "
        "read again in shared memory or registers."),
    "lg_throttle": ("a place in the queue of global accesses",
        "Access global memory less often: read four neighbours at once (float4)."),
    "short_scoreboard": ("data from shared memory",
        "Read less from shared memory: keep values in registers, and avoid bank conflicts."),
    "mio_throttle": ("a place in the queue of shared memory",
        "Access shared memory less often: let one read bring four words, or exchange by shuffles."),
    "barrier": ("other warps at a barrier",
        "Need fewer barriers, give all warps equal work before one, or use smaller blocks."),
    "membar": ("a memory fence",
        "Use fewer __threadfence() and atomics between blocks, or fences of a block only."),
    "math_pipe_throttle": ("an arithmetic unit",
        "Compute less: take out of the loop what stays the same, use cheaper operations."),
    "wait": ("the result of the instruction before",
        "Give a thread independent work: several elements at once, or an unrolled loop."),
    "branch_resolving": ("the target of a branch",
        "Need fewer branches in the loop: unroll it, or replace a short branch by an expression."),
    "no_instruction": ("instructions to be fetched",
        "Make the kernel's code smaller: unroll less, or split it."),
    "drain": ("stores to be finished at the end",
        "Store less at the end of the kernel, and neighbours together."),
    "not_selected": ("its turn, while others are ready",
        "Enough warps are ready: only fewer instructions help."),
}  # fmt: skip
METRICS = (TIME, *PARTS.values(), *map(STALL.format, WAITS))
ALLOWING = "https://developer.nvidia.com/ERR_NVGPUCTRPERM"
NEAR_LIMIT = 60.0  # percent
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE)


class Refused(Exception):
    """Why there are no counters, in a sentence."""


@dataclass(frozen=True)
class Profile:
    """The kernel that takes longest: seconds of all its launches, its share of the time of all that
    was looked at, percents of the GPU's limits, and cycles that a warp waits per instruction."""

    kernel: str
    launches: int
    share: float
    parts: dict[str, float]
    waits: dict[str, float]

    @property
    def longest(self) -> str:
        """The key of WAITS for which a warp waits longest; "" if nothing was measured."""
        waits = {name: cycles for name, cycles in self.waits.items() if cycles > 0}
        return max(waits, key=lambda name: waits[name], default="")


def profile(
    checkout: Checkout, lab: Lab, source: bytes, stage: str, n: int, seed: int, box: Sandbox,
    kernels: Sequence[str],
) -> Profile:  # fmt: skip
    """Profile `kernels`, which one call on the bench's input of size `n` launches: a worker also
    launches those of preparations. Raises Refused."""
    tool = shutil.which("ncu")
    if not tool:
        raise Refused("ncu (Nsight Compute) is not installed")
    compiled = compile_submission(checkout, lab, source, "gpu", mode="profile", box=box)
    if compiled.worker is None:
        raise Refused(f"it does not compile for a profile: {compiled.message}")
    with scratch_folder() as folder:
        log = folder / "ncu.csv"
        worker = _wrapped(folder, [*command(tool, log, kernels), str(compiled.worker)])
        bench = Bench(checkout.judge("gpu", lab.name), worker, SECONDS, "gpu", seed,
                      checkout.control("gpu", lab.name), OWN_RIGHTS)  # fmt: skip
        options = ["--profile", "--stage", stage, "--n", str(n), "--seed", str(seed),
                   "--time-limit", f"{SECONDS:g}"]  # fmt: skip
        try:
            said = str(ask(bench, options, SECONDS)[1].get("message", ""))
        except BadReport as error:
            said = str(error)
        return read(log.read_text(errors="replace") if log.is_file() else "", said)


def command(tool: str, log: Path, kernels: Sequence[str]) -> list[str]:
    """ncu's own part of the command line. Clocks and caches stay as they are in a timed call."""
    names = "|".join(sorted(map(base_name, kernels)))
    words = ("--csv --target-processes all --clock-control none --cache-control none "
             "--print-units base --print-kernel-base function").split()  # fmt: skip
    return [tool, *words, "--log-file", str(log), "--kernel-name", f"regex:^({names})$",
            "--launch-count", str(LAUNCHES), "--metrics", ",".join(METRICS)]  # fmt: skip


def base_name(kernel: str) -> str:
    """`relax` for `relax<float>`: ncu names functions without what they are instances of."""
    return kernel.partition("<")[0]


def _wrapped(folder: Path, words: list[str]) -> Path:
    wrapper = folder / "worker"
    wrapper.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n")
    wrapper.chmod(0o755)
    return wrapper


def read(log: str, said: str = "") -> Profile:
    """The kernel that takes longest, from what ncu wrote. Raises Refused with a reason: ncu's, or
    what the judge said."""
    launches = _launches(log)
    if not launches:
        raise Refused(_reason(log, said))
    seconds: dict[str, float] = {}
    for name, values in launches:
        seconds[name] = seconds.get(name, 0.0) + values.get(TIME, 0.0)
    worst = max(seconds, key=lambda name: seconds[name])
    own = [values for name, values in launches if name == worst]
    whole = sum(seconds.values())
    parts = {part: _mean(own, metric) for part, metric in PARTS.items()}
    waits = {name: _mean(own, STALL.format(name)) for name in WAITS}
    return Profile(worst, len(own), seconds[worst] / whole if whole else 1.0,
                   _known(parts), _known(waits))  # fmt: skip


def _known(values: dict[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in values.items() if value is not None}


def _launches(log: str) -> list[tuple[str, dict[str, float]]]:
    """Each launch with its kernel and the metrics that have a value. The table begins at its head;
    before it ncu writes lines that begin with `==`."""
    start = log.find('"ID"')
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in csv.DictReader(io.StringIO(log[start:])) if start >= 0 else ():
        value = (row.get("Metric Value") or "").replace(",", "")
        launch = row.get("ID") or "", row.get("Process ID") or ""
        if row.get("Metric Name") in METRICS and NUMBER.fullmatch(value):
            values = found.setdefault((*launch, row.get("Kernel Name") or "?"), {})
            values[str(row["Metric Name"])] = float(value)
    return [(key[2], values) for key, values in found.items()]


def _mean(launches: list[dict[str, float]], metric: str) -> float | None:
    """Over the time; None if no launch has a value."""
    known = [(values[metric], values.get(TIME, 1.0)) for values in launches if metric in values]
    weight = sum(time for _, time in known)
    return sum(value * time for value, time in known) / weight if weight else None


def _reason(log: str, said: str) -> str:
    if "ERR_NVGPUCTRPERM" in log:
        return f"this GPU's counters are for administrators; how they allow it: {ALLOWING}"
    errors = [line.removeprefix("==ERROR==").strip() for line in log.splitlines()
              if line.startswith("==ERROR==")]  # fmt: skip
    if errors:
        return f"ncu says: {errors[0]}"
    if "No kernels were profiled" in log:
        return "ncu saw no kernel"
    return said.splitlines()[0] if said else "ncu wrote no counters"


def told(found: Profile) -> list[str]:
    """Two sentences: how near the limits it is, and what its warps wait for."""
    names = (("memory", "of the memory's bandwidth"), ("l2", "of the L2 cache's"),
             ("issue", "of the issue slots"))  # fmt: skip
    parts = [f"{_percent(found.parts[key])} {words}" for key, words in names
             if key in found.parts]  # fmt: skip
    first = f"ncu: {found.kernel} ({found.share:.0%} of the kernels' time)"
    lines = [f"{first} uses {', '.join(parts)}."] if parts else [f"{first}."]
    if found.longest:
        whole = sum(found.waits.values())
        lines.append(f"Its warps wait longest for {WAITS[found.longest][0]}: "
                     f"{found.waits[found.longest]:.1f} of {whole:.1f} cycles per "
                     "instruction.")  # fmt: skip
    return lines


def _percent(value: float) -> str:
    return f"{value:.0f} %" if value >= 1 else "under 1 %"


def advice(found: Profile) -> str:
    """One thing to try; "" if nothing was measured."""
    if found.parts.get("memory", 0.0) >= NEAR_LIMIT:
        return (f"{found.kernel} is near the memory's bandwidth: move fewer bytes, by reading each "
                "element once or storing it in fewer bits.")  # fmt: skip
    if found.parts.get("issue", 0.0) >= NEAR_LIMIT:
        return (f"{found.kernel} is near the rate at which instructions are issued: need fewer of "
                "them per element.")  # fmt: skip
    return WAITS[found.longest][1] if found.longest else ""
