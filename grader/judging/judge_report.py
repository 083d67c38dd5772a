"""Reading a judge's report: a document in any other form is refused, not repaired."""

from typing import Any

from ..base import process
from ..base.verdict import INFRASTRUCTURE, PASSED, VERDICTS, Case, Run, SeenRace


class BadReport(Exception):
    """The judge's report is missing or malformed; `status` is the judge's exit status."""

    def __init__(self, problem: str, status: int | None = None) -> None:
        super().__init__(problem)
        self.status = status


class TooMuchMemory(BadReport):
    """There is no report because all processes of the submission together used too much memory."""

    def __init__(self, limit: int) -> None:
        super().__init__("the program was ended because all its processes together used more than "
                         f"{limit / 2**30:.3g} GiB of memory")  # fmt: skip


def read_run(report: dict[str, Any], stage: str, order: str, finished: process.Finished) -> Run:
    verdict = _text(report, "verdict")
    if verdict not in VERDICTS:
        raise BadReport(f"the judge's report has an unknown verdict: {verdict!r}")
    if report.get("stage") != stage:
        raise BadReport(f"the judge reports on stage {report.get('stage')!r} instead of {stage!r}")
    if finished.returncode not in (0, 1) and verdict != INFRASTRUCTURE:
        raise BadReport(f"the judge ended with exit status {finished.returncode}")
    cases = report.get("cases", [])
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise BadReport("the judge's report has no list of cases")
    passed = verdict == PASSED
    if verdict != INFRASTRUCTURE and passed != (finished.returncode == 0):
        raise BadReport(f"the judge says {verdict!r} but ended with {finished.returncode}")
    if passed and not cases:
        raise BadReport("the judge says 'passed' but tried no case")
    calls = report.get("calls", 0)
    if not isinstance(calls, int):
        raise BadReport("the judge's report has no whole number of calls")
    return Run(
        order, verdict, _text(report, "message"), _text(report, "case"), calls,
        tuple(_case(case) for case in cases), finished.seconds,
        _names(report, "launched"), _names(report, "entered"), _races(report),
        was_killed=report.get("was_killed") is True,
        had_its_time=report.get("had_its_time") is True,
        machine_was_well=report.get("machine_was_well") is True,
    )  # fmt: skip


def _names(report: dict[str, Any], key: str) -> tuple[str, ...]:
    names = report.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadReport(f"the judge's list '{key}' is not a list of names")
    return tuple(names)


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
