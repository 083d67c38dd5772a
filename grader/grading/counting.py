"""Counter points of a stage: the judge runs its bench's input once in the CPU backend's count mode.

This needs no GPU, so every machine can do it. The reference is counted on the same input. A copy
for students has no reference, but its counts for some inputs: there, one of those is counted.
"""

import hashlib
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ..base.checkout import Checkout
from ..base.steps import step
from ..base.verdict import INFRASTRUCTURE, PASSED, VERDICTS
from ..compiling.worker import compile_submission
from ..judging.judge import Bench, ask
from ..judging.judge_report import BadReport
from ..lab_file import recorded
from ..lab_file.counters import Kernels, charged, costliest
from ..lab_file.manifest import Lab, Stage
from ..lab_file.recorded import Recorded
from ..lab_file.rules import CounterRule
from ..sandbox.bubblewrap import Sandbox
from .points import CounterPoints, counter_points, open_counter

BACKEND = "cpu"
SIZE_PARTS = 8
COUNT_SECONDS = 300.0
COUNT_SLOWDOWN = 6  # a call may take this many times its limit
KERNEL_KEYS = ("launches", "barriers", "branches", "uniform_branches")
LINE_KEYS = ("requests", "pieces", "branches", "uniform_branches")
NO_YARDSTICK = "neither the reference nor its counts are in this copy of the kit"
COUNTED = "counted"  # the judge's word for a run that ended well


@dataclass(frozen=True)
class Counted:
    """The memory accesses of a call; or the verdict that it got instead, and the reason."""

    kernels: Kernels
    verdict: str = PASSED
    message: str = ""


@dataclass(frozen=True)
class BegunCount:
    """Counter points of a stage that is still judged; `not_needed` ends their count."""

    points: "Future[tuple[CounterPoints, ...]]"
    not_needed: threading.Event


@dataclass(frozen=True)
class Program:
    """A worker in count mode, and what its judge must know."""

    judge: Path
    worker: Path
    control: Path
    seconds: float
    seed: int
    sandbox: Sandbox
    not_needed: threading.Event | None = None  # ends a count that nobody waits for


@dataclass(frozen=True)
class Yardstick:
    """The reference as a program, or what was recorded of it; neither in a bare copy of the kit."""

    program: Program | None
    recorded: Recorded | None

    def value(self, stage: Stage, rule: CounterRule, seed: int) -> float | None:
        """The reference's count, or None if nothing tells. Raises BadReport."""
        if self.recorded:
            return self.recorded.count(stage.name, rule.counter, rule.n, seed)
        if self.program is None:
            return None
        counted = count(self.program, stage.name, rule.n)
        if counted.verdict != PASSED:
            raise BadReport(f"the reference is '{counted.verdict}': {counted.message}")
        return charged(rule.counter, counted.kernels)


def count_stage(
    checkout: Checkout, lab: Lab, source: bytes, stage: Stage, seed: int, box: Sandbox,
    called: Sequence[Stage] = (), not_needed: threading.Event | None = None,
) -> tuple[CounterPoints, ...]:  # fmt: skip
    """The points of every counter of `stage`, for a submission whose answers are right; `called` as
    it was compiled. `not_needed` ends it, if the answers turn out to be wrong."""
    if not stage.counters:
        return ()
    try:
        yardstick = _yardstick(checkout, lab, seed, box)
        if yardstick.recorded:
            seed = yardstick.recorded.seed_for(seed)
        mine = counted_program(checkout, lab, source, seed, box, called)
        drawn = [replace(rule, n=drawn_size(rule, stage.name, seed)) for rule in stage.counters]
        mine = replace(mine, not_needed=not_needed)
        return tuple(_points(stage, rule, mine, yardstick) for rule in drawn)
    except BadReport as error:
        return tuple(open_counter(rule, str(error), INFRASTRUCTURE) for rule in stage.counters)


def _yardstick(checkout: Checkout, lab: Lab, seed: int, box: Sandbox) -> Yardstick:
    reference = checkout.reference / lab.name / lab.source
    if not reference.is_file():
        return Yardstick(None, recorded.load(checkout, lab))
    return Yardstick(counted_program(checkout, lab, reference.read_bytes(), seed, box), None)


def drawn_size(rule: CounterRule, stage: str, seed: int) -> int:
    """The number of elements that is counted: up to one part in SIZE_PARTS below the rule's `n`.

    A size that everybody knows could be a case of its own in a submission. The reference is counted
    on the same size, so the rule's ratios keep their meaning.
    """
    if rule.against is None:  # a fixed number belongs to a fixed size
        return rule.n
    digest = hashlib.sha256(f"{seed} {stage} {rule.counter}".encode()).digest()
    return rule.n - int.from_bytes(digest[:8], "big") % (rule.n // SIZE_PARTS + 1)


def counted_program(
    checkout: Checkout, lab: Lab, source: bytes, seed: int, box: Sandbox,
    called: Sequence[Stage] = (),
) -> Program:  # fmt: skip
    """A worker of `source` in count mode. Raises BadReport if it does not compile."""
    compiled = compile_submission(checkout, lab, source, BACKEND, "count", box, called)
    if compiled.worker is None:
        raise BadReport(f"does not compile for counting: {compiled.message}")
    judge, control = checkout.judge(BACKEND, lab.name), checkout.control(BACKEND, lab.name)
    return Program(judge, compiled.worker, control, lab.seconds, seed, box)


def _points(
    stage: Stage, rule: CounterRule, mine: Program, yardstick: Yardstick
) -> CounterPoints:
    expected = yardstick.value(stage, rule, mine.seed) if rule.against else None
    if rule.against and expected is None:
        return open_counter(rule, NO_YARDSTICK)
    counted = count(mine, stage.name, rule.n)
    if counted.verdict != PASSED:
        return open_counter(rule, counted.message, counted.verdict)
    where = costliest(rule.counter, counted.kernels)
    return counter_points(rule, charged(rule.counter, counted.kernels), expected, where)


@cache
def count(program: Program, stage: str, n: int) -> Counted:
    """Count one call of `stage` on its bench's input of size `n`. Raises BadReport."""
    limit = program.seconds * COUNT_SLOWDOWN
    options = ["--count", "--stage", stage, "--n", str(n), "--seed", str(program.seed),
               "--time-limit", f"{limit:g}"]  # fmt: skip
    bench = Bench(program.judge, program.worker, limit, BACKEND, program.seed, program.control,
                  program.sandbox, not_needed=program.not_needed)  # fmt: skip
    with step("count"):
        finished, report = ask(bench, options, COUNT_SECONDS)
    verdict = report.get("verdict")
    if verdict in VERDICTS and verdict != PASSED:
        return Counted([], str(verdict), str(report.get("message", "")))
    if finished.returncode != 0 or verdict != COUNTED or report.get("stage") != stage:
        raise BadReport(f"the judge's counting ended with {finished.returncode}: {verdict}")
    return Counted(_kernels(report.get("kernels")))


def _kernels(kernels: Any) -> Kernels:
    """The report's kernels, if every counter in them is a whole number."""
    try:
        numbers = [k[key] for k in kernels for key in KERNEL_KEYS]
        lines = [line for k in kernels for line in k["lines"]]
        numbers += [line[key] for line in lines for key in LINE_KEYS]
        words = [line[key] for line in lines for key in ("line", "space", "access")]
        words += [k["kernel"] for k in kernels]
    except (TypeError, KeyError) as error:
        raise BadReport(f"the judge's counters lack something: {error}") from error
    if not numbers or not all(type(n) is int and n >= 0 for n in numbers):
        raise BadReport("the judge's report has no counters")
    if not all(isinstance(word, str) for word in words):
        raise BadReport("the judge's counters have no names")
    return kernels
