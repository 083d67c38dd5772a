"""Grading one submission of one lab: compile, judge every stage, time what passed, add up."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from ..base import console, durations, errors
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError, LabError
from ..base.files import sha256
from ..base.steps import recorded, within
from ..base.verdict import DID_NOT_COMPILE, INFRASTRUCTURE, PASSED, Run
from ..compiling.worker import compile_submission
from ..judging.full_judge import judge_fully
from ..judging.judge import Bench
from ..judging.judge_report import BadReport
from ..judging.workers import make_bench
from ..lab_file.exemplars import exemplar
from ..lab_file.manifest import Stage, find_line
from ..lab_file.recorded import yardstick as recorded_yardstick
from ..lab_file.rules import SpeedRule
from ..machine import hardware
from ..timing import speed
from ..timing.baselines import Baselines
from ..timing.ceilings import Ceilings, NotMeasured, measure_ceilings
from ..timing.locks import while_timing
from ..timing.roofline import too_fast
from . import points
from .counting import count_stage
from .derived import Document, complete, note
from .order import OWN, Order
from .provenance import frame_notes, grader_info, toolchain
from .result import SCHEMA, TIME, Result, SeedInfo, StageResult, SubmissionInfo, overall, overall_of

NO_GPU_TIME = "time on the CPU backend is not GPU time"
NO_YARDSTICK = "this copy of the kit has no program to compare with"
STAGES_ON_A_GPU = 4  # are judged side by side, before anything is timed
COMPARISONS = 2  # one gets ready and is timed, the other's answers are checked
NOT_ASKED = "one stage alone is not timed: check the whole lab"


def grade(checkout: Checkout, order: Order) -> Result:
    """Grade one submission. Its faults become verdicts; the kit's faults, infrastructure errors."""
    started, clock = datetime.now(UTC), time.monotonic()
    key = (f"{order.lab.name} {order.backend} {len(order.stages)} stages, timed: {order.timed}, "
           f"figures: {order.figures}")  # fmt: skip
    with durations.progress(checkout, _task(order), key) as progress, recorded() as steps:
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
        machine=replace(_this_machine(), ceilings=findings.ceilings),
        sandbox=order.sandbox.text,
        seed=SeedInfo(order.seed.public, order.seed.secret is not None, order.seed.commitment),
        started=started.strftime(TIME),
        finished=finished.strftime(TIME),
        seconds=round(time.monotonic() - clock, 3),
        verdict=overall(findings.stages),
        points=points.total(stage.points for stage in findings.stages),
        stages=findings.stages,
        measured=tuple(findings.measured),
        notes=order.notes,
        staff_notes=tuple(findings.notes),
        profile=steps.all(),
    )


def _task(order: Order) -> str:
    """What is graded, for a line of progress; a student's own file has no name."""
    return order.lab.name if order.name == OWN else f"{order.lab.name}: {order.name}"


def _findings(checkout: Checkout, order: Order, progress: console.Progress) -> "_Findings":
    """What was found out; where the kit fails, an infrastructure error in every stage.

    So one submission that breaks the kit does not keep the next ones from being graded.
    """
    grading = _Grading(checkout, order, progress)
    try:
        return grading.run()
    except Exception as error:
        said = str(error) if isinstance(error, LabError) else errors.report_defect(error)
        run = Run("", INFRASTRUCTURE, said)
        stages = tuple(grading.stage_result(stage, run, {}) for stage in order.stages)
        return _Findings(stages, grading.notes)


def time_judged(checkout: Checkout, order: Order, document: Document) -> Document:
    """The second half of a grading: figures and speed points for a result that was judged without.

    `document` is the result, as schema 2 has it. What the kit fails at becomes open points.
    """
    names = {stage["name"] for stage in document["stages"] if stage["verdict"] == PASSED}
    passed = [stage for stage in order.stages if stage.name in names]
    findings = _Findings(())
    fast: dict[str, points.FastPoints | None] = {}
    clock = time.monotonic()
    with console.progress(_task(order)) as progress, recorded() as steps:
        grading = _Grading(checkout, order, progress)
        try:
            bench, message = make_bench(checkout, order.lab, order.source, order.backend,
                                        order.seed.value, order.sandbox, check=False)  # fmt: skip
            if bench is None:
                raise InfrastructureError(f"it compiled before, and now does not: {message}")
            fast = grading.time_stages(bench, passed, findings)
        except Exception as error:
            said = str(error) if isinstance(error, LabError) else errors.report_defect(error)
            fast = {stage.name: points.broken(stage, said) for stage in passed if stage.speed}
    document["profile"] = [*document["profile"], *map(asdict, steps.all())]
    return _with_times(document, fast, findings, grading.notes, time.monotonic() - clock)


def _with_times(
    document: Document, fast: Mapping[str, points.FastPoints | None], findings: "_Findings",
    notes: Sequence[str], seconds: float,
) -> Document:  # fmt: skip
    for stage in document["stages"]:
        if found := fast.get(stage["name"]):
            stage["points"]["fast"] = asdict(found)
    names = [stage["name"] for stage in document["stages"]]
    document["staff_notes"] += [note(text, names) for text in notes]
    document["machine"] = asdict(replace(_this_machine(), ceilings=findings.ceilings))
    document["measured"] = findings.measured
    document["finished"] = datetime.now(UTC).strftime(TIME)
    document["seconds"] = round(document["seconds"] + seconds, 3)
    complete(document)
    document["verdict"] = overall_of(document["stages"])
    return document


@cache
def _this_machine() -> hardware.Machine:
    return hardware.describe()


@dataclass
class _Findings:
    stages: tuple[StageResult, ...]
    notes: list[str] = field(default_factory=list)
    measured: list[dict[str, Any]] = field(default_factory=list)
    ceilings: Ceilings | None = None


@dataclass
class _Grading:
    """The steps of one grading; `line` shows the progress."""

    checkout: Checkout
    order: Order
    line: console.Progress
    notes: list[str] = field(default_factory=list)

    def run(self) -> _Findings:
        order, lab = self.order, self.order.lab
        self.notes.extend(frame_notes(self.checkout, lab, order.source))
        self.line.update(f"compiling {lab.source}")
        with ThreadPoolExecutor() as beside:
            if order.timed and order.backend == "gpu":
                for form in sorted({stage.speed.form for stage in order.stages if stage.speed}):
                    beside.submit(within(self.yardstick), form)  # who needs it hears of failures
            bench, message = make_bench(
                self.checkout, lab, order.source, order.backend, order.seed.value, order.sandbox
            )
        if bench is None:
            run = Run("", DID_NOT_COMPILE, message)
            stages = tuple(self.stage_result(stage, run, {}) for stage in order.stages)
            return _Findings(stages, self.notes)
        if message:
            self.notes.append(f"not checked for races: {message}")
        findings = _Findings(self.judge_all(bench), self.notes)
        if order.timed:
            self.time_all(bench, findings)
        return findings

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

    def judge_all(self, bench: Bench) -> tuple[StageResult, ...]:
        """Judge every stage separately. Together they start as many runs at once as there are
        cores; on a GPU a few stages share it."""
        order, done = self.order, list[str]()
        cores = max(1, _this_machine().cores)
        together = len(order.stages) if order.backend == "cpu" else STAGES_ON_A_GPU
        eager = order.backend == "gpu" or len(order.stages) < cores
        def judge_one(stage: Stage) -> StageResult:
            def start(run: Callable[..., Run], *arguments: Any, **options: Any) -> Future[Run]:
                return runs.submit(within(run), *arguments, **options)

            started = time.monotonic()
            judged = judge_fully(self.checkout, order.lab, stage, order.source, bench, start, eager)
            self.notes.extend(judged.notes)
            if judged.run.retried:
                first = judged.run.retried.splitlines()[0]
                self.notes.append(f"{stage.name}: judged twice; the first attempt said: {first}")
            run = replace(judged.run, seconds=time.monotonic() - started)
            result = runs.submit(within(self.stage_result), stage, run, judged.orders).result()
            done.append(stage.name)
            self.line.update(f"judged {len(done)} of {len(order.stages)} stages")
            return result

        self.line.update(f"judging {len(order.stages)} stage{'s' * (len(order.stages) > 1)}")
        with ThreadPoolExecutor(cores) as runs, ThreadPoolExecutor(together) as stages:
            return tuple(stages.map(within(judge_one), order.stages))

    def count(self, stage: Stage, run: Run) -> tuple[points.CounterPoints, ...]:
        """Counter points; the CPU backend counts for every backend."""
        if run.verdict != PASSED:
            return points.lost_counters(stage, run.verdict)
        order = self.order
        return count_stage(
            self.checkout, order.lab, order.source, stage, order.seed.value, order.sandbox
        )

    def time_all(self, bench: Bench, findings: _Findings) -> None:
        """Figures and speed points of the stages that passed, one at a time: timing needs quiet."""
        passed = [stage for stage, judged in zip(self.order.stages, findings.stages, strict=True)
                  if judged.verdict == PASSED]  # fmt: skip
        fast = self.time_stages(bench, passed, findings)
        findings.stages = tuple(
            replace(judged, points=replace(judged.points, fast=fast[judged.name]))
            if judged.name in fast else judged
            for judged in findings.stages
        )  # fmt: skip

    def time_stages(
        self, bench: Bench, passed: Sequence[Stage], findings: _Findings
    ) -> dict[str, points.FastPoints | None]:
        """Measure the stages that passed; returns the points of those that are timed for points."""
        if not passed:
            return {}
        self.measure_ceilings(findings)
        baselines = Baselines(bench)
        for stage in passed:
            self.line.update(f"timing {stage.name}")
            try:
                if self.order.figures:
                    with while_timing(self.order.backend):
                        measured = speed.measure(bench, stage.name, known=baselines)
                    findings.measured += [measured] if measured else []
            except BadReport as error:
                self.notes.append(f"{stage.name}: no figure: {error}")
        if self.order.backend != "gpu":
            return {}
        with ThreadPoolExecutor(COMPARISONS) as pool:
            compared = {
                stage.name: pool.submit(within(self.compare), bench, stage, stage.speed, findings)
                for stage in passed if stage.speed
            }  # fmt: skip
        return {name: comparison.result() for name, comparison in compared.items()}

    def measure_ceilings(self, findings: _Findings) -> None:
        if self.order.backend != "gpu":
            return
        try:
            findings.ceilings = measure_ceilings(self.checkout, self.order.backend)
        except NotMeasured as error:
            self.notes.append(f"the machine's limits were not measured: {error}")

    def compare(
        self, bench: Bench, stage: Stage, rule: SpeedRule, findings: _Findings
    ) -> points.FastPoints | None:
        """Speed points against the stage's yardstick, from one interleaved run."""
        self.line.update(f"timing {stage.name}")
        yardstick = self.yardstick(rule.form)
        if yardstick is None:
            return points.unmeasured(stage, NO_YARDSTICK)
        try:
            comparison = speed.compare(bench, stage.name, rule, yardstick)
        except BadReport as error:
            return points.broken(stage, str(error))
        measured = comparison["measured"]
        if measured:
            measured["anomalies"] += _too_fast(comparison, findings.ceilings)
        if measured and measured["dropped"]:
            self.notes.append(
                f"{stage.name}: {measured['dropped']} rounds of the timing were dropped because "
                f"the GPU was slowed down by {measured['dropped_why']}."
            )
        return points.fast_points(stage, comparison)

    def yardstick(self, form: str) -> Path | None:
        """The yardstick as a program; a copy for students may have it compiled, or not at all."""
        lab = self.order.lab
        path = exemplar(self.checkout, lab, form)
        if not path.is_file():
            return recorded_yardstick(self.checkout, lab, form)
        compiled = compile_submission(
            self.checkout, lab, path.read_bytes(), self.order.backend, box=self.order.sandbox
        )
        if compiled.worker is None:
            raise InfrastructureError(f"{self.checkout.shown(path)} does not compile.")
        return compiled.worker


def _too_fast(comparison: Mapping[str, Any], ceilings: Ceilings | None) -> list[str]:
    """What a person should look at if the time is too short for the stage's work."""
    seconds, work = comparison["measured"]["seconds"], comparison["work"]
    if not work or not ceilings or not seconds:
        return []
    return list(filter(None, [too_fast(work, seconds, asdict(ceilings))]))
