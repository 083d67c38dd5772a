"""Timing a stage: its figures (`--bench`) and its ratio to the yardstick (`--compare`)."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base import process
from ..base.scratch import scratch_folder
from ..base.steps import step, took
from ..base.verdict import INCONCLUSIVE, PASSED, VERDICTS
from ..judging.judge import Bench, ask
from ..judging.judge_report import BadReport
from ..lab_file.manifest import SpeedRule
from ..machine.gpu_share import files_of_checks
from .baselines import Baselines
from .locks import processor_to_oneself, turns_on_gpu
from .roofline import OPERATIONS

BENCH_SECONDS = 300.0
LIST_SECONDS = 60.0
COMPARE_SECONDS = 900.0  # for the whole run of the judge, with waiting for its turn
MEASURING_SECONDS = 90.0  # the judge measures for at most this long
NO_BENCH = 2  # the judge's exit status for a stage that its lab does not time


def measure(
    bench: Bench, stage: str, sizes: Sequence[int] = (), known: Baselines | None = None
) -> dict[str, Any] | None:
    """The bench document of one stage: the seconds of the stage and of the baseline at each size.

    `sizes` replace the bench's sizes. The baseline of each size is measured, or with `known` only
    what this machine has not measured before. None if the lab does not time the stage. Raises
    BadReport.
    """
    name = known.name_of(stage, lambda: benches(bench.judge)) if known else ""
    measured = _measure(bench, stage, sizes, known.seconds_of(name) if known and name else {})
    if known and name and measured:
        known.keep(name, measured["points"])
    return measured


def measure_largest(bench: Bench, stage: str) -> dict[str, Any]:
    """The point of the bench's largest size, without a baseline: no figure, only a time.

    Raises BadReport.
    """
    sizes = [point["n"] for listed in benches(bench.judge) if listed["stage"] == stage
             for point in listed["points"]]  # fmt: skip
    measured = _measure(bench, stage, [max(sizes)], None) if sizes else None
    if not measured or not measured["points"]:
        raise BadReport("the judge's timing report has no points")
    return dict(measured["points"][-1])


def _measure(
    bench: Bench, stage: str, sizes: Sequence[int], known: Mapping[int, list[float]] | None
) -> dict[str, Any] | None:
    """`known` are the seconds of the baseline by size; None if nobody asks for them."""
    options = ["--bench", "--stage", stage, "--seed", str(bench.seed)]
    if known is None or known:
        options += ["--known", "all" if known is None else ",".join(map(str, known))]
    if sizes:
        options += ["--sizes", ",".join(map(str, sizes))]
    try:
        with step("figures"):
            finished, report = ask(bench, options, BENCH_SECONDS)
    except BadReport as error:
        if error.status == NO_BENCH:
            return None
        raise
    if finished.returncode != 0:
        said = str(report.get("message") or "")
        raise BadReport(said or f"the judge's timing ended with {finished.returncode}")
    points = report.get("points")
    if report.get("stage") != stage or not isinstance(points, list):
        raise BadReport("the judge's timing report is not about this stage or has no points")
    return {
        "stage": stage,
        **{key: str(report.get(key, "")) for key in ("unit", "baseline", "clock")},
        "points": [_point(point, known if report.get("baseline") else None) for point in points],
    }


def _why(report: dict[str, Any]) -> str:
    return str(report.get("message") or "no reason given")


def _point(point: Any, known: Mapping[int, list[float]] | None) -> dict[str, Any]:
    if not isinstance(point, dict) or not isinstance(point.get("n"), int) or point["n"] < 1:
        raise BadReport("a point of the judge's timing report has no n")
    if known and point["n"] in known:
        point = {**point, "baseline_seconds": known[point["n"]]}
    measured = {
        "n": point["n"],
        "seconds": _seconds(point, "seconds"),
        "baseline_seconds": [] if known is None else _seconds(point, "baseline_seconds"),
    }
    return {**measured, "work": read_work(point)} if "work" in point else measured


def read_work(point: dict[str, Any]) -> dict[str, Any]:
    """The work that a point reports. Raises BadReport if it is impossible."""
    work = point["work"]
    if not isinstance(work, dict) or not _positive(work.get("bytes")):
        raise BadReport(f"n = {point['n']}: the work has no positive number of bytes")
    operation, operations = work.get("operation"), work.get("operations")
    if operation not in ("", *OPERATIONS):
        raise BadReport(f"n = {point['n']}: the work's operation {operation!r} is not known")
    if not (_positive(operations) if operation else operations == 0):
        raise BadReport(f"n = {point['n']}: the work's number of operations cannot be {operations}")
    return {"bytes": work["bytes"], "operations": operations, "operation": operation}


def _seconds(point: dict[str, Any], key: str) -> list[float]:
    values = point.get(key)
    if not isinstance(values, list) or not values or not all(_positive(v) for v in values):
        raise BadReport(f"n = {point['n']}: '{key}' must be a list of positive seconds")
    return [float(value) for value in values]


def _positive(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and value > 0


def compare(
    bench: Bench, stage: str, rule: SpeedRule, yardstick: Path, budget: float = MEASURING_SECONDS,
    may_time: Callable[[], bool] = lambda: True,
) -> dict[str, Any]:  # fmt: skip
    """Submission against yardstick, interleaved in one run: ratio, interval, whether decided.

    If the submission fails while it is timed, its verdict is returned instead. Raises BadReport.
    GPU only, because time on the CPU backend says nothing about a GPU. The judge measures for at
    most `budget` seconds, and has the GPU alone then; it gets ready and checks beside others.
    `may_time` as in turns_on_gpu().
    """
    options = ["--compare", "--yardstick", str(yardstick), "--stage", stage, "--n", str(rule.n),
               "--yardstick-stage", rule.yardstick_stage(stage), "--full", f"{rule.full:g}",
               "--none", f"{rule.none:g}", "--budget", f"{budget:g}",
               "--seed", str(bench.seed)]  # fmt: skip
    with turns_on_gpu(may_time=may_time) as turn, processor_to_oneself() as processor:
        options += ["--processor", str(processor), "--turn", str(turn),
                    "--checks", ",".join(map(str, files_of_checks()))]  # fmt: skip
        with step("compare with the yardstick"):
            _, report = ask(bench, options, COMPARE_SECONDS, pass_fds=(turn,))
    for part, seconds in _spent(report).items():
        took(f"compare: {part}", seconds)
    numbers = [report.get(key) for key in ("ratio", "low", "high")]
    if report.get("verdict") in VERDICTS and report["verdict"] not in (PASSED, INCONCLUSIVE):
        nothing = dict.fromkeys(("ratio", "low", "high", "measured", "work"))
        return {"verdict": report["verdict"], "message": _why(report), **nothing}
    if report.get("verdict") not in ("decided", INCONCLUSIVE):
        raise BadReport(f"the comparison came to no verdict: {_why(report)}")
    if report["verdict"] == "decided" and not all(_positive(number) for number in numbers):
        raise BadReport("the comparison claims to be decided but has no ratio")
    return {
        "verdict": report["verdict"],
        "message": str(report.get("message", "")),
        **dict(zip(("ratio", "low", "high"), map(_number, numbers), strict=True)),
        "measured": _measured(report),
        "work": read_work(report) if "work" in report else None,
    }


def _spent(report: dict[str, Any]) -> dict[str, float]:
    """Where the comparison's time went, by part, in seconds."""
    spent = report.get("spent", {})
    parts = spent.items() if isinstance(spent, dict) else ()
    return {str(part): float(seconds) for part, seconds in parts if _positive(seconds)}


def _measured(report: dict[str, Any]) -> dict[str, Any]:
    """How the ratio was measured, as result.json reports it."""
    anomalies = report.get("anomalies", [])
    if not isinstance(anomalies, list) or not all(isinstance(text, str) for text in anomalies):
        raise BadReport("the comparison's anomalies are not a list of sentences")
    counts = {key: report.get(key, 0) for key in ("rounds", "calls", "dropped")}
    if not all(isinstance(count, int) and count >= 0 for count in counts.values()):
        raise BadReport("the comparison does not say how often it measured")
    return {
        **counts,
        "dropped_why": str(report.get("dropped_why", "")),
        "noise": _number(report.get("noise")),
        "seconds": _number(report.get("seconds")),
        "yardstick_seconds": _number(report.get("yardstick_seconds")),
        "clock_mhz": [report.get(f"{which}_clock_mhz", 0) for which in ("lowest", "highest")],
        "anomalies": anomalies,
    }


def _number(value: Any) -> float | None:
    return float(value) if _positive(value) else None


def benches(judge: Path) -> list[dict[str, Any]]:
    """The stages that a lab's judge can time, with sizes and amounts of work. Raises BadReport."""
    with scratch_folder() as folder:
        report = folder / "benches.json"
        finished = process.run([judge, "--benches", "--report", report], limit=LIST_SECONDS)
        if not finished.ok or not report.is_file():
            raise BadReport(f"the judge does not list its benches: {finished.last_line}")
        listed = json.loads(report.read_bytes())["benches"]
    for bench in listed:
        for point in bench["points"]:
            if "work" in point:
                read_work(point)
    return listed
