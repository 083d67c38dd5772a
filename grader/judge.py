"""Asking a lab's judge for a verdict. The judge answers in a file; its output is never believed."""

import json
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import process
from .verdict import (
    INFRASTRUCTURE,
    PASSED,
    VERDICTS,
    WRONG_ANSWER,
    Case,
    Run,
    SeenRace,
    merge,
    settles,
    with_check,
)

ORDERS = {"cpu": ("forward", "reverse", "random"), "gpu": ("forward",)}
STAGE_SECONDS = 300.0  # a judge that needs longer for one stage hangs: its calls have own limits
CHECK = "check"
CHECK_LARGEST = 1100  # beyond the largest block, and still a few seconds under the checker
CHECK_SLOWDOWN = 6  # a call may take this many times its limit there
ATTEMPTS = 2  # an infrastructure error may be a bad moment of the machine


class BadReport(Exception):
    """The judge's report is missing or not what was agreed; `status` is how the judge ended."""

    def __init__(self, problem: str, status: int | None = None) -> None:
        super().__init__(problem)
        self.status = status


@dataclass(frozen=True)
class Bench:
    """The judge of a lab and the worker it is to judge; `seconds` limits one call."""

    judge: Path
    worker: Path
    seconds: float
    backend: str
    seed: int
    checked: "Bench | None" = None  # the same submission under the CPU backend's checker
    races: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of a stage, for the judge


def judge_stage(bench: Bench, stage: str) -> tuple[Run, dict[str, str]]:
    """The verdict of one stage, and the verdict of each run of it by the run's name.

    On the CPU backend the stage runs with its threads in three orders; the GPU chooses its own.
    One more run under the checker finds what right answers hide: races, reads of what nobody
    wrote, accesses outside.
    """
    runs: list[Run] = []
    for order in ORDERS[bench.backend]:
        runs.append(run_once(bench, stage, order))
        if settles(runs[0]):
            break
    verdict = merge(runs)
    if bench.checked and verdict.verdict in (PASSED, WRONG_ANSWER):
        runs.append(check_once(bench.checked, stage))
        verdict = with_check(verdict, runs[-1])
    kernels = tuple(sorted({name for run in runs for name in run.kernels}))
    return replace(verdict, kernels=kernels), {run.order: run.verdict for run in runs}


def check_once(bench: Bench, stage: str) -> Run:
    """One run under the checker, on inputs up to CHECK_LARGEST. Its name is "check"."""
    slower = replace(bench, seconds=bench.seconds * CHECK_SLOWDOWN)
    races = [word for race in bench.races.get(stage, ()) for word in ("--race", race)]
    extra = ("--largest", str(CHECK_LARGEST), *races)
    run = run_once(slower, stage, "forward", extra=extra)
    return replace(run, order=CHECK)


def run_once(
    bench: Bench,
    stage: str,
    order: str,
    limit: float = STAGE_SECONDS,
    extra: tuple[str, ...] = (),
) -> Run:
    """One run of the judge; what is not a proper report is tried once more, then infrastructure."""
    options = ["--stage", stage, "--seed", str(bench.seed), "--order", order,
               "--time-limit", f"{bench.seconds:g}", *extra]  # fmt: skip
    problem = ""
    for _ in range(ATTEMPTS):
        try:
            finished, report = ask(bench.judge, bench.worker, options, limit)
            run = _read_run(report, stage, order, finished)
            if run.verdict != INFRASTRUCTURE:
                return run
            problem = run.message
        except BadReport as error:
            problem = str(error)
    return Run(order, INFRASTRUCTURE, problem)


def ask(
    judge: Path, worker: Path, options: list[str], limit: float
) -> tuple[process.Finished, dict[str, Any]]:
    """Run the judge and read the JSON document that it wrote. Raises BadReport."""
    with tempfile.TemporaryDirectory(prefix="warpwise.") as folder:
        report = Path(folder) / "report.json"
        command = [judge, *options, "--worker", worker, "--report", report]
        finished = process.run(command, cwd=Path(folder), limit=limit)
        if finished.timed_out:
            raise BadReport(f"the judge did not finish within {limit:g} s")
        if not report.is_file():
            problem = f"the judge wrote no report: {finished.last_line}"
            raise BadReport(problem, finished.returncode)
        try:
            document = json.loads(report.read_bytes())
        except ValueError as error:
            raise BadReport(f"the judge's report is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise BadReport("the judge's report is not a JSON object")
    return finished, document


def _read_run(
    report: dict[str, Any], stage: str, order: str, finished: process.Finished
) -> Run:
    verdict = _text(report, "verdict")
    if verdict not in VERDICTS:
        raise BadReport(f"the judge's report has an unknown verdict: {verdict!r}")
    if report.get("stage") != stage:
        raise BadReport(f"the judge reports on stage {report.get('stage')!r}, asked was {stage!r}")
    if finished.returncode not in (0, 1) and verdict != INFRASTRUCTURE:
        raise BadReport(f"the judge ended with exit status {finished.returncode}")
    cases = report.get("cases", [])
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise BadReport("the judge's report has no list of cases")
    passed = verdict == PASSED
    if verdict != INFRASTRUCTURE and passed != (finished.returncode == 0):
        raise BadReport(f"the judge says {verdict!r} but ended with {finished.returncode}")
    if passed and not cases:
        raise BadReport("the judge says 'passed' without having tried one case")
    calls = report.get("calls", 0)
    if not isinstance(calls, int):
        raise BadReport("the judge's report has no whole number of calls")
    return Run(
        order, verdict, _text(report, "message"), _text(report, "case"), calls,
        _text(report, "device"), tuple(_case(case) for case in cases), finished.seconds,
        _races(report), _kernels(report),
    )  # fmt: skip


def _kernels(report: dict[str, Any]) -> tuple[str, ...]:
    kernels = report.get("kernels", [])
    if not isinstance(kernels, list) or not all(isinstance(name, str) for name in kernels):
        raise BadReport("the judge's list of kernels is not one of names")
    return tuple(kernels)


def _case(case: dict[str, Any]) -> Case:
    verdict, seconds = _text(case, "verdict"), case.get("seconds", 0.0)
    if verdict not in VERDICTS or not isinstance(seconds, int | float):
        raise BadReport(f"the judge's report has a malformed case: {str(case)[:200]}")
    return Case(_text(case, "name"), verdict, _text(case, "message"), float(seconds))


def _races(report: dict[str, Any]) -> tuple[SeenRace, ...]:
    seen = report.get("expected_races", [])
    if not isinstance(seen, list) or not all(isinstance(race, dict) for race in seen):
        raise BadReport("the judge's report has no list of expected races")
    if not all(isinstance(race.get("race"), int) for race in seen):
        raise BadReport("the judge's report does not say which race was seen")
    return tuple(SeenRace(race["race"], _text(race, "lines")) for race in seen)


def _text(document: dict[str, Any], key: str) -> str:
    value = document.get(key, "")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadReport(f"the judge's report has no text under '{key}'")
    return value
