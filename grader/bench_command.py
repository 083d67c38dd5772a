"""`./lab bench`: the times of a lab's stages as grading takes them, and what they are made of.

No marks are given. Every timed output is checked, so a stage that is wrong has no time.
"""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import console, counting, kernel_profile, machine, timing
from .bench_choice import Chosen, choose, place_for, read_sizes, stages_of
from .bench_table import table
from .build import build
from .ceilings import Ceilings, NotMeasured, measure_ceilings
from .checkout import Checkout
from .errors import ALL_PASSED, INFRASTRUCTURE, SOME_FAILED, InfrastructureError, UsageError
from .files import to_json, write_atomically
from .judge import Bench
from .judge_report import BadReport
from .manifest import Lab, Stage
from .outcome import Outcome
from .timing_locks import while_timing
from .verdict import PASSED
from .workers import make_bench

COUNTED_N = 4096  # the counter takes a second for some million accesses


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Exit code 1 if a stage that was asked for has no time, 3 if it ended before its time."""
    lab, stages = stages_of(checkout, arguments)
    backend = machine.choose_backend(arguments.backend)
    sizes = read_sizes(arguments.sizes) if arguments.sizes is not None else ()
    out = place_for(arguments.out)
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
    whole = _measure_all(checkout, lab, stages, chosen, bench, sizes, document)
    if not document["stages"]:
        names = " or ".join(stage.name for stage in stages)
        raise UsageError(f"{lab.name} does not time {names}: bench.cpp has no bench for it.")
    whole = _written(document, out) and whole
    timed = all(stage.get("points") for stage in document["stages"])
    code = INFRASTRUCTURE if not whole else ALL_PASSED if timed else SOME_FAILED
    return Outcome(code, document, table(document))


def _written(document: dict[str, Any], out: Path | None) -> bool:
    """A full disk costs the file, but not the table."""
    try:
        if out:
            write_atomically(out, to_json(document))
    except InfrastructureError as error:
        console.note(f"lab: {error}")
        return False
    return True


# ---- measuring ----------------------------------------------------------------------------------


def _measure_all(
    checkout: Checkout, lab: Lab, stages: tuple[Stage, ...], chosen: Chosen, bench: Bench,
    sizes: tuple[int, ...], document: dict[str, Any],
) -> bool:  # fmt: skip
    """Put stage after stage into the document. False if that was interrupted after the first."""
    with console.progress(f"{lab.name}: {chosen.name}") as line:
        try:
            for stage in stages:
                line.update(f"timing {stage.name}")
                measured = _measure(bench, stage.name, sizes)
                if measured and measured.get("points") and document["explained"]:
                    line.update(f"looking into {stage.name}")
                    measured |= _explain(checkout, lab, chosen, bench, measured)
                document["stages"] += [measured] if measured else []
        except KeyboardInterrupt:
            if not document["stages"]:
                raise
            console.note("interrupted: the stages that were finished follow.")
            return False
    return True


def _measure(bench: Bench, stage: str, sizes: tuple[int, ...]) -> dict[str, Any] | None:
    """The bench document of a stage, or why it has none; None where the lab has no bench for it."""
    with while_timing(bench.backend):
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
