"""Grading one submission of one lab: compile, judge every stage, time what passed, add up."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from ..base import console, durations, errors
from ..base.checkout import Checkout
from ..base.errors import LabError
from ..base.files import sha256
from ..base.steps import recorded, within
from ..base.verdict import DID_NOT_COMPILE, INFRASTRUCTURE, PASSED, Run
from ..compiling.worker import compile_ptx
from ..judging import sanitize
from ..judging.full_judge import Judged, after_tools, judge_answers
from ..judging.judge import Begun, Bench, Start, begin_check
from ..judging.workers import make_bench
from ..lab_file.entry_points import not_called
from ..lab_file.manifest import Stage, find_line
from ..timing.ceilings import measure_ceilings
from . import points
from .counting import BegunCount, count_stage
from .order import Order
from .provenance import frame_notes, grader_info, this_machine, toolchain
from .result import SCHEMA, TIME, Result, SeedInfo, StageResult, SubmissionInfo, overall
from .times import COMPARISONS, Times, Timing

NO_GPU_TIME = "time on the CPU backend is not GPU time"
STAGES_ON_A_GPU = 8  # are judged side by side, before anything is timed
# With cores to spare a comparison gets ready after so many seconds of judging: programs begin on a
# GPU one after another, and those of the judges come first.
GET_READY_AFTER = 4.0
LACKS_ENTRY = "the file does not define "  # as the judge says; perhaps another stage's
NOT_ASKED = "one stage alone is not timed: check the whole lab"


def grade(checkout: Checkout, order: Order) -> Result:
    """Grade one submission. Its faults become verdicts; the kit's faults, infrastructure errors."""
    started, clock = datetime.now(UTC), time.monotonic()
    key = (f"{order.lab.name} {order.backend} {len(order.stages)} stages, timed: {order.timed}, "
           f"figures: {order.figures}")  # fmt: skip
    with durations.progress(checkout, order.task, key) as progress, recorded() as steps:
        findings = _findings(checkout, order, progress)
    finished = datetime.now(UTC)
    return Result(
        schema=SCHEMA,
        lab=order.lab.name,
        title=order.lab.title,
        submission=SubmissionInfo(order.name, sha256(order.source)),
        grader=grader_info(checkout, order.lab),
        toolchain=toolchain(),
        backend=order.backend,
        machine=replace(this_machine(), ceilings=findings.times.ceilings),
        sandbox=order.sandbox.text,
        seed=SeedInfo(order.seed.public, order.seed.secret is not None, order.seed.commitment),
        started=started.strftime(TIME),
        finished=finished.strftime(TIME),
        seconds=round(time.monotonic() - clock, 3),
        verdict=overall(findings.stages),
        points=points.total(stage.points for stage in findings.stages),
        stages=findings.stages,
        measured=tuple(findings.times.measured),
        notes=order.notes,
        staff_notes=tuple(findings.notes),
        profile=steps.all(),
    )


def _findings(checkout: Checkout, order: Order, progress: console.Progress) -> "_Findings":
    """What was found out; where the kit fails, an infrastructure error in every stage.

    So one submission that breaks the kit does not keep the next ones from being graded.
    """
    grading = _Grading(checkout, order, progress, order.stages)
    try:
        findings = grading.run()
        left_out = not_called(checkout, order.lab, order.stages)
        if any(LACKS_ENTRY + name in one.message for name in left_out for one in findings.stages):
            grading = _Grading(checkout, order, progress, called=())
            findings = grading.run()
        return findings
    except Exception as error:
        said = str(error) if isinstance(error, LabError) else errors.report_defect(error)
        run = Run("", INFRASTRUCTURE, said)
        stages = tuple(grading.stage_result(stage, run, {}) for stage in order.stages)
        return _Findings(stages, grading.notes)


@dataclass
class _Findings:
    stages: tuple[StageResult, ...]
    notes: list[str] = field(default_factory=list)
    times: Times = field(default_factory=Times)


@dataclass
class _Grading:
    """The steps of one grading; `line` shows the progress."""

    checkout: Checkout
    order: Order
    line: console.Progress
    called: Sequence[Stage]  # whose code is made; that of all if there is none
    notes: list[str] = field(default_factory=list)
    checks: dict[str, Begun] = field(default_factory=dict)  # by stage, of those that have begun
    counts: dict[str, BegunCount] = field(default_factory=dict)  # the same
    watches: sanitize.Watches = field(default_factory=dict)  # the tools that have begun

    def run(self) -> _Findings:
        order, lab = self.order, self.order.lab
        timing = Timing(self.checkout, order, self.line, self.notes)
        self.notes.extend(frame_notes(self.checkout, lab, order.source))
        self.line.update(f"compiling {lab.source}")
        cores = max(1, this_machine().cores)
        with (
            ThreadPoolExecutor() as beside,
            ThreadPoolExecutor(cores) as runs,
            ThreadPoolExecutor(COMPARISONS) as comparisons,
        ):
            start = _starts_in(runs)
            timed_on_gpu = order.backend == "gpu" and order.timed
            if timed_on_gpu:
                self.prepare(beside, timing)
            bench, message = make_bench(
                self.checkout, lab, order.source, order.backend, order.seed.value, order.sandbox,
                when_checked=partial(self.begin_checks, start, cores), called=self.called,
            )  # fmt: skip
            if bench is None:
                for check in self.checks.values():
                    check.not_needed.set()
                run = Run("", DID_NOT_COMPILE, message)
                stages = tuple(self.stage_result(stage, run, {}) for stage in order.stages)
                return _Findings(stages, self.notes)
            if message:
                said = "; ".join(message.splitlines())
                self.notes.append(f"not checked for races: {said}")
            times = Times()
            if order.backend == "gpu" and not bench.refused:
                tools = len(sanitize.groups_of(order.stages))
                has_spare_cores = 2 * len(order.stages) + tools <= cores
                self.begin_tools(bench, start, beside, has_spare_cores)
                for stage in order.stages if order.timed else ():
                    patience = GET_READY_AFTER if has_spare_cores else None
                    timing.begin(bench, stage, comparisons, patience)
            stages = self.judge_all(bench, start, timing, times)
        times.keep_only([stage.name for stage in stages if stage.verdict == PASSED])
        return _Findings(tuple(_with_fast(judged, times) for judged in stages), self.notes, times)

    def begin_checks(self, start: Start, cores: int, checked: Bench) -> None:
        """With two cores for each stage, the checker begins before anyone knows that it is needed.
        On a GPU it then works while nvcc does."""
        if 2 * len(self.order.stages) <= cores:
            for stage in self.order.stages:
                self.checks[stage.name] = begin_check(checked, stage.name, start)

    def begin_count(self, stage: Stage, start: Start) -> None:
        """Where the checker has begun early, there is a core to count on beside the first run."""
        if stage.name in self.checks and stage.counters:
            not_needed = threading.Event()
            counted = start(self.counted, stage, not_needed)
            self.counts[stage.name] = BegunCount(counted, not_needed)

    def begin_tools(
        self, bench: Bench, start: Start, beside: ThreadPoolExecutor, has_spare_cores: bool
    ) -> None:
        """With cores to spare, NVIDIA's tools begin before anyone knows that the stages pass, too.
        Otherwise they show meanwhile that they can be trusted."""
        if has_spare_cores:
            self.watches = sanitize.begin(self.checkout, bench, self.order.stages, start)
            return
        for tool in sanitize.tools_of(self.order.stages) if self.order.timed else ():
            beside.submit(within(sanitize.control_fault), self.checkout, tool)

    def prepare(self, beside: ThreadPoolExecutor, timing: Timing) -> None:
        """What is needed at the end is made while the file compiles and its stages are judged. Who
        needs it asks once more, and hears of failures."""
        order = self.order
        beside.submit(within(measure_ceilings), self.checkout, order.backend)
        if any(stage.requires for stage in order.stages):
            what = (self.checkout, order.lab, order.source, order.sandbox)
            beside.submit(within(compile_ptx), *what)
        for form in sorted({stage.speed.form for stage in order.stages if stage.speed}):
            beside.submit(within(timing.yardstick), form)

    def stage_result(self, stage: Stage, run: Run, orders: dict[str, str]) -> StageResult:
        if self.order.backend == "cpu":
            fast = points.unmeasured(stage, NO_GPU_TIME)
        elif run.verdict == PASSED:
            fast = points.unmeasured(stage, NOT_ASKED)
        else:
            fast = points.lost(stage, run.verdict)
        return StageResult(
            name=stage.name,
            title=stage.title,
            verdict=run.verdict,
            message=run.message,
            case=run.case,
            handout=find_line(self.checkout, self.order.lab, stage),
            points=points.StagePoints(
                points.correct_points(stage, run.verdict), fast, self.count(stage, run)
            ),
            cases=run.cases,
            orders=orders,
            calls=run.calls,
            seconds=round(run.seconds, 3),
        )

    def judge_all(
        self, bench: Bench, start: Start, timing: Timing, times: Times
    ) -> tuple[StageResult, ...]:
        """Judge every stage separately, and time those that pass. Together they start as many runs
        at once as there are cores; on a GPU a few stages share it."""
        order, done = self.order, list[str]()
        together = len(order.stages) if order.backend == "cpu" else STAGES_ON_A_GPU

        def judge_one(stage: Stage) -> Judged:
            started, passes = time.monotonic(), False
            try:
                judged = judge_answers(
                    self.checkout, order.lab, stage, order.source, bench, start,
                    self.checks.get(stage.name), partial(self.begin_count, stage, start),
                )  # fmt: skip
                passes = judged.run.verdict == PASSED
            finally:
                timing.judged(stage, passes)
                if not passes and stage.name in self.counts:
                    self.counts[stage.name].not_needed.set()
            done.append(stage.name)
            self.line.update(f"judged {len(done)} of {len(order.stages)} stages")
            return replace(judged, run=replace(judged.run, seconds=time.monotonic() - started))

        def judge_and_finish(stage: Stage) -> StageResult:
            return self.finish(stage, judge_one(stage), start)

        self.line.update(f"judging {len(order.stages)} stage{'s' * (len(order.stages) > 1)}")
        with ThreadPoolExecutor(together) as stages:
            if order.backend == "gpu":
                judged = list(stages.map(within(judge_one), order.stages))
                return self.watch_and_time(bench, judged, start, timing, times)
            results = tuple(stages.map(within(judge_and_finish), order.stages))
        if order.timed:
            timing.all(bench, _passed(order.stages, results), times)
        return results

    def watch_and_time(
        self, bench: Bench, judged: list[Judged], start: Start, timing: Timing, times: Times
    ) -> tuple[StageResult, ...]:
        """The rest on a GPU. While its tools watch the stages, what will be timed gets ready; then
        it has the GPU alone. What a tool fails was timed in vain."""
        stages = self.order.stages
        with ThreadPoolExecutor(1) as beside:
            timed = None
            if self.order.timed:
                passed = _passed(stages, [one.run for one in judged])
                timed = beside.submit(within(timing.all), bench, passed, times)
            watched = after_tools(self.checkout, stages, judged, bench, start, self.watches)
            results = tuple(self.finish(stage, one, start)
                            for stage, one in zip(stages, watched, strict=True))  # fmt: skip
            if timed:
                timed.result()
        return results

    def finish(self, stage: Stage, judged: Judged, start: Start) -> StageResult:
        """The result of a stage that was judged, with its points."""
        self.notes.extend(judged.notes)
        if judged.run.retried:
            first = judged.run.retried.splitlines()[0].removesuffix("; it last said:")
            self.notes.append(f"{stage.name}: judged twice; the first attempt said: {first}")
        result: StageResult = start(self.stage_result, stage, judged.run, judged.orders).result()
        return result

    def count(self, stage: Stage, run: Run) -> tuple[points.CounterPoints, ...]:
        """Counter points; the CPU backend counts for every backend."""
        if run.verdict != PASSED:
            return points.lost_counters(stage, run.verdict)
        begun = self.counts.get(stage.name)
        return begun.points.result() if begun else self.counted(stage)

    def counted(
        self, stage: Stage, not_needed: threading.Event | None = None
    ) -> tuple[points.CounterPoints, ...]:
        order = self.order
        return count_stage(
            self.checkout, order.lab, order.source, stage, order.seed.value, order.sandbox,
            self.called, not_needed,
        )  # fmt: skip


def _starts_in(runs: ThreadPoolExecutor) -> Start:
    def start(run: Callable[..., Any], *arguments: Any, **options: Any) -> Future[Any]:
        return runs.submit(within(run), *arguments, **options)

    return start


def _passed(stages: Sequence[Stage], found: Sequence[Run | StageResult]) -> list[Stage]:
    return [stage for stage, one in zip(stages, found, strict=True) if one.verdict == PASSED]


def _with_fast(judged: StageResult, times: Times) -> StageResult:
    if judged.name not in times.fast:
        return judged
    return replace(judged, points=replace(judged.points, fast=times.fast[judged.name]))
