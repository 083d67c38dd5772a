"""Everything that decides whether one stage is correct: its answers, technique and memory use."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..base.checkout import Checkout
from ..base.verdict import NOT_MEASURED, PASSED, Run
from ..lab_file.manifest import Lab, Stage
from . import sanitize, technique
from .judge import Begun, Bench, Start, at_once, judge_stage


@dataclass(frozen=True)
class Judged:
    """A stage's verdict, the verdict of each run by the run's name, and what was not measured."""

    run: Run
    orders: dict[str, str]
    notes: tuple[str, ...] = ()


def judge_fully(checkout: Checkout, lab: Lab, stage: Stage, source: bytes, bench: Bench) -> Judged:
    """Judge the answers of one stage and, while it passes, examine how they were computed."""
    judged = judge_answers(checkout, lab, stage, source, bench)
    return after_tools(checkout, [stage], [judged], bench)[0]


def judge_answers(
    checkout: Checkout, lab: Lab, stage: Stage, source: bytes, bench: Bench,
    start: Start = at_once, begun: Begun | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> Judged:  # fmt: skip
    """Judge the answers of one stage, and its technique if they are right.

    `start`, `begun` and `meanwhile` as in judge_stage().
    """
    judged = Judged(*judge_stage(bench, stage.name, start, begun, meanwhile))
    if stage.requires and judged.run.verdict == PASSED:
        seen = technique.examine(checkout, lab, stage, source, judged.run, bench.sandbox)
        judged = _after(judged, seen, stage)
    return judged


def after_tools(
    checkout: Checkout, stages: Sequence[Stage], judged: Sequence[Judged], bench: Bench,
    start: Start = at_once, begun: sanitize.Watches | None = None,
) -> list[Judged]:  # fmt: skip
    """What is left of these verdicts when NVIDIA's tools have watched the stages that passed. On a
    GPU only. `begun`: what sanitize.begin() gave."""
    passed = [stage for stage, one in zip(stages, judged, strict=True)
              if bench.backend == "gpu" and one.run.verdict == PASSED]  # fmt: skip
    said = sanitize.examine_all(checkout, bench, passed, start, begun)
    result = []
    for stage, one in zip(stages, judged, strict=True):
        for run in said.get(stage.name, []):
            if one.run.verdict == PASSED:  # the first tool that finds something decides
                one = _after(one, run, stage)
        result.append(one)
    return result


def _after(judged: Judged, seen: Run, stage: Stage) -> Judged:
    orders = {**judged.orders, seen.order: seen.verdict}
    if seen.verdict == NOT_MEASURED:
        return Judged(judged.run, orders, (*judged.notes, f"{stage.name}: {seen.message}"))
    if seen.verdict == PASSED:
        return Judged(judged.run, orders, judged.notes)
    run = replace(judged.run, verdict=seen.verdict, message=seen.message)
    return Judged(run, orders, judged.notes)
