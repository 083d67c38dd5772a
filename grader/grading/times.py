"""The second half of a grading: the times of the stages that passed, for figures and points."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..base import console, errors
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError, LabError
from ..base.steps import recorded, within
from ..base.verdict import PASSED
from ..judging.judge import Bench
from ..judging.judge_report import BadReport
from ..judging.workers import compile_form, make_bench
from ..lab_file.exemplars import exemplar
from ..lab_file.manifest import Stage
from ..lab_file.recorded import yardstick as recorded_yardstick
from ..lab_file.rules import SpeedRule
from ..machine import devices
from ..timing import speed
from ..timing.baselines import Baselines
from ..timing.ceilings import Ceilings, NotMeasured, measure_ceilings
from ..timing.locks import while_timing
from ..timing.roofline import too_fast
from . import points
from .derived import Document, complete, note
from .order import Order
from .provenance import this_machine
from .result import TIME, overall_of

NO_YARDSTICK = "this copy of the kit has no program to compare with"
# Comparisons that get ready beside each other: each starts up to 16 programs on the GPU, and those
# of a large graph take 20 GiB together.
COMPARISONS, GIB_FOR_SEVERAL = 2, 48


@dataclass
class Times:
    """What was measured. `fast` has the points of the stages that are timed for points."""

    fast: dict[str, points.FastPoints | None] = field(default_factory=dict)
    measured: list[dict[str, Any]] = field(default_factory=list)
    ceilings: Ceilings | None = None

    def keep_only(self, names: Sequence[str]) -> None:
        """Forget the times of all other stages."""
        self.fast = {name: fast for name, fast in self.fast.items() if name in names}
        self.measured = [one for one in self.measured if one["stage"] in names]


@dataclass(frozen=True)
class Early:
    """A comparison that gets ready while its stage is judged; `not_needed` ends it."""

    passes: "Future[bool]"  # whether the stage does
    not_needed: threading.Event
    points: "Future[points.FastPoints | None]"


@dataclass
class Timing:
    """The timed part of one grading; `line` shows the progress, `notes` are for staff."""

    checkout: Checkout
    order: Order
    line: console.Progress
    notes: list[str]
    begun: dict[str, Early] = field(default_factory=dict)  # by stage

    def begin(
        self, bench: Bench, stage: Stage, pool: ThreadPoolExecutor, patience: float | None
    ) -> None:
        """Compare a stage while it is judged: to get ready takes longer than to time. That begins
        when the stage has passed, or after so many seconds of `patience`; and then it waits until
        the stage has passed and all others have left the GPU. Not if figures are wanted, which come
        first, and not on a GPU that may have no memory for all this. judged() must follow."""
        if self.order.figures or not stage.speed or devices.memory_gib() < GIB_FOR_SEVERAL:
            return
        passes, not_needed = Future[bool](), threading.Event()
        watched = replace(bench, not_needed=not_needed)
        compared = pool.submit(
            within(self._compare_early), watched, stage, stage.speed, passes, patience
        )
        self.begun[stage.name] = Early(passes, not_needed, compared)

    def judged(self, stage: Stage, passes: bool) -> None:
        """The comparison that has begun goes on, or ends."""
        if early := self.begun.get(stage.name):
            if not passes:
                early.not_needed.set()
            early.passes.set_result(passes)

    def all(self, bench: Bench, passed: Sequence[Stage], times: Times) -> None:
        """Measure the stages that passed. What was found before a failure is in `times`."""
        if not passed:
            return
        if self.order.backend == "gpu":
            times.ceilings = self._ceilings()
        self._figures(bench, passed, times)
        if self.order.backend != "gpu":
            return
        together = COMPARISONS if devices.memory_gib() >= GIB_FOR_SEVERAL else 1
        with ThreadPoolExecutor(together) as pool:
            timed = [stage for stage in passed if stage.speed]
            if timed:
                self.line.update("timing " + " and ".join(stage.name for stage in timed))
            compared = {
                stage.name: early.points if (early := self.begun.get(stage.name))
                else pool.submit(within(self._compare), bench, stage, stage.speed)
                for stage in timed
            }  # fmt: skip
        times.fast = {name: comparison.result() for name, comparison in compared.items()}

    def _figures(self, bench: Bench, passed: Sequence[Stage], times: Times) -> None:
        """One stage after another: timing needs quiet."""
        baselines = Baselines(bench)
        for stage in passed:
            self.line.update(f"timing {stage.name}")
            try:
                if self.order.figures:
                    with while_timing(self.order.backend):
                        measured = speed.measure(bench, stage.name, known=baselines)
                    times.measured += [measured] if measured else []
            except BadReport as error:
                self.notes.append(f"{stage.name}: no figure: {error}")

    def _ceilings(self) -> Ceilings | None:
        try:
            return measure_ceilings(self.checkout, self.order.backend)
        except NotMeasured as error:
            self.notes.append(f"the machine's limits were not measured: {error}")
            return None

    def _compare_early(
        self, bench: Bench, stage: Stage, rule: SpeedRule, passes: "Future[bool]",
        patience: float | None,
    ) -> points.FastPoints | None:  # fmt: skip
        wait([passes], patience)
        if passes.done() and not passes.result():
            return None
        return self._compare(bench, stage, rule, passes.result)

    def _compare(
        self, bench: Bench, stage: Stage, rule: SpeedRule,
        may_time: Callable[[], bool] = lambda: True,
    ) -> points.FastPoints | None:  # fmt: skip
        """Speed points against the stage's yardstick, from one interleaved run."""
        yardstick = self.yardstick(rule.form)
        if yardstick is None:
            return points.unmeasured(stage, NO_YARDSTICK)
        try:
            comparison = speed.compare(bench, stage.name, rule, yardstick, may_time=may_time)
        except BadReport as error:
            return points.broken(stage, str(error))
        measured = comparison["measured"]
        if measured:
            with suppress(NotMeasured):  # all() notes it
                ceilings = measure_ceilings(self.checkout, self.order.backend)
                measured["anomalies"] += _too_fast(comparison, ceilings)
        if measured and measured["dropped"]:
            self.notes.append(
                f"{stage.name}: {measured['dropped']} rounds of the timing were dropped because "
                f"the GPU was slowed down by {measured['dropped_why']}."
            )
        return points.fast_points(stage, comparison)

    def yardstick(self, form: str) -> Path | None:
        """The yardstick as a program; a copy for students may have it compiled, or not at all."""
        lab = self.order.lab
        if not exemplar(self.checkout, lab, form).is_file():
            return recorded_yardstick(self.checkout, lab, form)
        return compile_form(self.checkout, lab, form, self.order.backend, self.order.sandbox)


def _too_fast(comparison: Mapping[str, Any], ceilings: Ceilings) -> list[str]:
    """What a person should look at if the time is too short for the stage's work."""
    seconds, work = comparison["measured"]["seconds"], comparison["work"]
    if not work or not seconds:
        return []
    return list(filter(None, [too_fast(work, seconds, asdict(ceilings))]))


def time_judged(checkout: Checkout, order: Order, document: Document) -> Document:
    """Figures and speed points for a result that was judged without them.

    `document` is the result, as schema 2 has it. What the kit fails at becomes open points.
    """
    names = {stage["name"] for stage in document["stages"] if stage["verdict"] == PASSED}
    passed = [stage for stage in order.stages if stage.name in names]
    times, notes = Times(), list[str]()
    clock = time.monotonic()
    with console.progress(order.task) as progress, recorded() as steps:
        try:
            bench, message = make_bench(checkout, order.lab, order.source, order.backend,
                                        order.seed.value, order.sandbox, check=False)  # fmt: skip
            if bench is None:
                raise InfrastructureError(f"it compiled before, and now does not: {message}")
            Timing(checkout, order, progress, notes).all(bench, passed, times)
        except Exception as error:
            said = str(error) if isinstance(error, LabError) else errors.report_defect(error)
            times.fast = {stage.name: points.broken(stage, said) for stage in passed if stage.speed}
    document["profile"] = [*document["profile"], *map(asdict, steps.all())]
    return _with_times(document, times, notes, time.monotonic() - clock)


def _with_times(
    document: Document, times: Times, notes: Sequence[str], seconds: float
) -> Document:  # fmt: skip
    for stage in document["stages"]:
        if found := times.fast.get(stage["name"]):
            stage["points"]["fast"] = asdict(found)
    names = [stage["name"] for stage in document["stages"]]
    document["staff_notes"] += [note(text, names) for text in notes]
    document["machine"] = asdict(replace(this_machine(), ceilings=times.ceilings))
    document["measured"] = times.measured
    document["finished"] = datetime.now(UTC).strftime(TIME)
    document["seconds"] = round(document["seconds"] + seconds, 3)
    complete(document)
    document["verdict"] = overall_of(document["stages"])
    return document
