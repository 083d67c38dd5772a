"""Everything that decides whether one stage is correct: its answers, technique and memory use."""

from dataclasses import dataclass, replace

from ..base.checkout import Checkout
from ..base.verdict import NOT_MEASURED, PASSED, Run
from ..lab_file.manifest import Lab, Stage
from . import sanitize, technique
from .judge import Bench, Start, at_once, judge_stage


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
    if stage.requires and judged.run.verdict == PASSED:
        seen = technique.examine(checkout, lab, stage, source, judged.run, bench.sandbox)
        judged = _after(judged, seen, stage)
    if bench.backend == "gpu" and judged.run.verdict == PASSED:
        tools = [start(sanitize.examine, checkout, bench, stage, tool)
                 for tool in stage.sanitizers]  # fmt: skip
        for found in tools:
            if judged.run.verdict == PASSED:  # the first tool that finds something decides
                judged = _after(judged, found.result(), stage)
    return judged


def _after(judged: Judged, seen: Run, stage: Stage) -> Judged:
    orders = {**judged.orders, seen.order: seen.verdict}
    if seen.verdict == NOT_MEASURED:
        return Judged(judged.run, orders, (*judged.notes, f"{stage.name}: {seen.message}"))
    if seen.verdict == PASSED:
        return Judged(judged.run, orders, judged.notes)
    run = replace(judged.run, verdict=seen.verdict, message=seen.message)
    return Judged(run, orders, judged.notes)
