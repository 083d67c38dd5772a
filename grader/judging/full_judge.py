"""Everything that decides whether one stage is correct: its answers, technique and memory use."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ..base.checkout import Checkout
from ..base.verdict import NOT_MEASURED, PASSED, Run
from ..lab_file.manifest import Lab, Stage
from . import sanitize, technique
from .judge import Bench, Start, at_once, judge_stage

Look = Callable[[Run], Run]  # examines a run that passed; returns a run with another name


@dataclass(frozen=True)
class Judged:
    """A stage's verdict, the verdict of each run by the run's name, and what was not measured."""

    run: Run
    orders: dict[str, str]
    notes: tuple[str, ...] = ()


def judge_fully(
    checkout: Checkout, lab: Lab, stage: Stage, source: bytes, bench: Bench,
    start: Start = at_once, eager: bool = False,
) -> Judged:  # fmt: skip
    """Judge the answers of one stage and, while it passes, examine how they were computed.

    `start` and `eager` as in judge_stage().
    """
    judged = Judged(*judge_stage(bench, stage.name, start, eager))
    for look in _looks(checkout, lab, stage, source, bench):
        if judged.run.verdict == PASSED:
            judged = _after(judged, look(judged.run), stage)
    return judged


def _looks(
    checkout: Checkout, lab: Lab, stage: Stage, source: bytes, bench: Bench
) -> Iterator[Look]:
    if stage.requires:
        yield lambda run: technique.examine(checkout, lab, stage, source, run, bench.sandbox)
    for tool in stage.sanitizers if bench.backend == "gpu" else ():
        yield lambda run, tool=tool: sanitize.examine(checkout, bench, stage, tool)


def _after(judged: Judged, seen: Run, stage: Stage) -> Judged:
    orders = {**judged.orders, seen.order: seen.verdict}
    if seen.verdict == NOT_MEASURED:
        return Judged(judged.run, orders, (*judged.notes, f"{stage.name}: {seen.message}"))
    if seen.verdict == PASSED:
        return Judged(judged.run, orders, judged.notes)
    run = replace(judged.run, verdict=seen.verdict, message=seen.message)
    return Judged(run, orders, judged.notes)
