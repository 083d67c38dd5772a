"""`./lab bench`: the times of a lab's stages as grading takes them, and what they are made of.

No marks are given. Every timed output is checked, so a stage that is wrong has no time.
"""

import argparse
import re
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import console, counting, kernel_profile, machine, manifest, marks, sandbox, timing
from .bench_table import table
from .build import build
from .ceilings import Ceilings, NotMeasured, measure_ceilings
from .checkout import Checkout
from .errors import ALL_PASSED, SOME_FAILED, UsageError
from .files import to_json, write_atomically
from .gpu_lock import gpu_to_oneself
from .judge import Bench
from .judge_report import BadReport
from .manifest import Lab, Stage
from .outcome import Outcome
from .sandbox import Sandbox
from .submission import read_source, take_in
from .verdict import PASSED
from .workers import make_bench

SIZE = re.compile(r"(?:(\d+)|2\^(\d+))")
COUNTED_N = 4096  # the counter takes a second for some million accesses


@dataclass(frozen=True)
class Chosen:
    """What is timed, in words and as source, and how it runs."""

    name: str
    source: bytes
    box: Sandbox


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Exit code 1 if a stage that was asked for has no time."""
    lab, stages = _stages(checkout, arguments)
    backend = machine.choose_backend(arguments.backend)
    sizes = read_sizes(arguments.sizes) if arguments.sizes else ()
    chosen = choose(checkout, lab, arguments)
    build(checkout, backend)
    bench, message = make_bench(
        checkout, lab, chosen.source, backend, arguments.seed, chosen.box, check=False
    )
    if bench is None:
        raise UsageError(f"{chosen.name} does not compile:\n{message}")
    limits, unmeasured = _ceilings(checkout, backend) if arguments.explain else (None, "")
    document: dict[str, Any] = {
        "lab": lab.name,
        "title": lab.title,
        "source": chosen.name,
        "backend": backend,
        "machine": {**asdict(machine.describe()), "ceilings": limits and asdict(limits)},
        "ceilings_not_measured": unmeasured,
        "explained": arguments.explain,
        "stages": [],
    }
    with console.progress(f"{lab.name}: {chosen.name}") as line:
        for stage in stages:
            line.update(f"timing {stage.name}")
            measured = _measure(bench, stage.name, sizes)
            if measured and measured.get("points") and arguments.explain:
                line.update(f"looking into {stage.name}")
                measured |= _explain(checkout, lab, chosen, bench, measured)
            document["stages"] += [measured] if measured else []
    if not document["stages"]:
        names = " or ".join(stage.name for stage in stages)
        raise UsageError(f"{lab.name} does not time {names}: bench.cpp has no bench for it.")
    if arguments.out:
        write_atomically(Path(arguments.out), to_json(document))
    timed = all(stage.get("points") for stage in document["stages"])
    return Outcome(ALL_PASSED if timed else SOME_FAILED, document, table(document))


# ---- what is timed ------------------------------------------------------------------------------


def _stages(checkout: Checkout, arguments: argparse.Namespace) -> tuple[Lab, tuple[Stage, ...]]:
    """The lab, and those of its stages that are asked for."""
    lab, stage = manifest.find_target(manifest.discover(checkout), arguments.target)
    if arguments.stage:
        if stage and stage.name != arguments.stage:
            raise UsageError(f"which stage is meant: {stage.name} or {arguments.stage}?")
        stage = manifest.find_stage(lab, arguments.stage)
    return lab, (stage,) if stage else lab.stages


def read_sizes(text: str) -> tuple[int, ...]:
    """`1000,2^20`. Raises UsageError."""
    sizes = []
    for word in text.split(","):
        match = SIZE.fullmatch(word.strip())
        n = int(match[1]) if match and match[1] else 2 ** int(match[2][:3]) if match else 0
        if not 1 <= n <= 2**32:
            raise UsageError(f"{word or 'nothing'} is no size; give some as 1000,4096,2^20.")
        sizes.append(n)
    return tuple(sizes)


def choose(checkout: Checkout, lab: Lab, arguments: argparse.Namespace) -> Chosen:
    """A file or submission that is named; else the student's own, unless it is untouched."""
    if arguments.source:
        source = read_source(Path(arguments.source))
        return Chosen(arguments.source, source, sandbox.for_others(arguments.trust))
    if arguments.submission:
        [taken] = take_in(Path(arguments.submission), [lab], lab)
        return Chosen(arguments.submission, taken.source, sandbox.for_others(arguments.trust))
    own = checkout.labs / lab.name / lab.source
    reference = checkout.reference / lab.name / lab.source
    if not reference.is_file():  # a copy handed to students may come without
        return Chosen(checkout.shown(own), read_source(own), sandbox.for_own_file())
    solved = reference.read_text(encoding="utf-8")
    skeleton = marks.cut(solved, str(reference), lab.stage_names).encode()
    if arguments.reference or not own.is_file() or own.read_bytes() == skeleton:
        if not arguments.reference:
            console.note(f"{checkout.shown(own)} is still the skeleton: timing the reference.")
        return Chosen("the reference", solved.encode(), sandbox.for_own_file())
    return Chosen(checkout.shown(own), read_source(own), sandbox.for_own_file())


# ---- measuring ----------------------------------------------------------------------------------


def _measure(bench: Bench, stage: str, sizes: tuple[int, ...]) -> dict[str, Any] | None:
    """The bench document of a stage, or why it has none; None where the lab has no bench for it."""
    with gpu_to_oneself() if bench.backend == "gpu" else nullcontext():
        try:
            measured = timing.measure(bench, stage, sizes)
        except BadReport as error:
            return {"stage": stage, "not_timed": str(error)}
    if measured and not measured["points"]:
        return {"stage": stage, "not_timed": "the judge's timing report has no points"}
    return measured


def _ceilings(checkout: Checkout, backend: str) -> tuple[Ceilings | None, str]:
    try:
        return measure_ceilings(checkout, backend), ""
    except NotMeasured as error:
        return None, str(error)


def _explain(
    checkout: Checkout, lab: Lab, chosen: Chosen, bench: Bench, measured: dict[str, Any]
) -> dict[str, Any]:
    """The kernels of one call: of the largest size on a GPU, of a smaller one counted without."""
    sizes = [point["n"] for point in measured["points"]]
    gpu = bench.backend == "gpu"
    n = max(sizes) if gpu else max((n for n in sizes if n <= COUNTED_N), default=min(sizes))
    look = _profiled if gpu else _counted
    try:
        kernels = look(checkout, lab, chosen, measured["stage"], n, bench.seed)
    except BadReport as error:
        return {"looked_at": {"n": n, "kernels": [], "not_measured": str(error)}}
    return {"looked_at": {"n": n, "kernels": kernels, "not_measured": ""}}


def _profiled(
    checkout: Checkout, lab: Lab, chosen: Chosen, stage: str, n: int, seed: int
) -> list[dict[str, Any]]:
    found = kernel_profile.profile(checkout, lab, chosen.source, stage, n, seed, chosen.box)
    return [asdict(kernel) for kernel in found]


def _counted(
    checkout: Checkout, lab: Lab, chosen: Chosen, stage: str, n: int, seed: int
) -> list[dict[str, Any]]:
    program = counting.counted_program(checkout, lab, chosen.source, seed, chosen.box)
    found = counting.count(program, stage, n)
    if found.verdict != PASSED:
        raise BadReport(f"{found.verdict}: {found.message}")
    return found.kernels
