"""Points: smooth between the thresholds, open where nothing is known."""

import math
from dataclasses import replace

import pytest

from grader.base.verdict import VERDICTS
from grader.grading import points
from grader.lab_file.manifest import Lab, SpeedRule
from grader.lab_file.rules import CounterRule

pytestmark = [pytest.mark.reads(), pytest.mark.unit]

RULE = SpeedRule("reference", 1024, full=1.25, none=4.0)


@pytest.mark.parametrize(
    ("ratio", "share"),
    [(0.5, 1), (1.25, 1), (4.0, 0), (9.0, 0), (math.sqrt(5), 0.5), (1.2501, 0.9999)],
)
def test_the_share_is_linear_in_the_logarithm(ratio: float, share: float) -> None:
    assert points.share(RULE, ratio) == pytest.approx(share, abs=1e-4)


def comparison(verdict: str, ratio: float | None) -> dict[str, object]:
    return {"verdict": verdict, "ratio": ratio, "low": ratio, "high": ratio, "message": "",
            "measured": None}  # fmt: skip


def test_a_decided_comparison_earns_its_share(lab: Lab) -> None:
    stage = lab.stages[0]
    full = points.fast_points(stage, comparison("decided", 1.2))
    half = points.fast_points(stage, comparison("decided", math.sqrt(5)))
    assert (full.earned, full.verdict) == (5, "passed")
    assert (half.earned, half.verdict) == (2.5, "too slow")


def test_beside_the_record_the_distance_is_told(lab: Lab) -> None:
    stage = replace(lab.stages[0], speed=SpeedRule("record", 1024, full=2.0, none=8.0))
    part = points.fast_points(stage, comparison("decided", 2.63))
    assert "2.63 times the record's time at n = 1024, 38 % of the record; full marks" in part.reason
    part = points.fast_points(lab.stages[0], comparison("decided", 2.63))
    assert "2.63 times the reference's time" in part.reason and "record" not in part.reason


def test_an_undecided_comparison_earns_and_loses_nothing(lab: Lab) -> None:
    wide = {**comparison("inconclusive", 2.0), "low": 1.2, "high": 3.0}
    part = points.fast_points(lab.stages[0], wide)
    assert (part.earned, part.verdict) == (None, "inconclusive") and part.reason


def test_an_anomaly_leaves_the_points_to_a_person(lab: Lab) -> None:
    odd = {**comparison("decided", 0.1), "measured": {"anomalies": ["faster than a copy"]}}
    part = points.fast_points(lab.stages[0], odd)
    assert (part.earned, part.verdict) == (None, "inconclusive")
    assert "faster than a copy" in part.reason
    fine = {**odd, "measured": {"anomalies": []}}
    assert points.fast_points(lab.stages[0], fine).earned == 5


def test_a_failure_while_timed_earns_nothing(lab: Lab) -> None:
    part = points.fast_points(lab.stages[0], comparison("wrong answer", None))
    assert (part.earned, part.verdict) == (0, "wrong answer")


@pytest.mark.parametrize("verdict", VERDICTS)
def test_open_verdicts_are_never_a_zero_and_only_passed_earns(lab: Lab, verdict: str) -> None:
    part = points.correct_points(lab.stages[0], verdict)
    never_zero = ("rejected", "not measured", "infrastructure error", "inconclusive")
    expected = None if verdict in never_zero else 10 if verdict == "passed" else 0
    assert part.earned == expected


def test_the_total_counts_open_points_apart(lab: Lab) -> None:
    one, two = lab.stages
    total = points.total(
        [
            points.StagePoints(points.correct_points(one, "passed"), points.unmeasured(one, "why")),
            points.StagePoints(points.correct_points(two, "crashed"), points.unmeasured(two, "?")),
        ]
    )
    assert total == points.Total(earned=10, possible=25, not_measured=5)


def test_the_total_has_the_points_of_counters(lab: Lab) -> None:
    stage = lab.stages[0]
    rule = CounterRule("launches", 1024, None, full=1.0, none=9.0, points=3, advice="")
    counters = (points.open_counter(rule, "why"), points.open_counter(rule, "", "crashed"))
    part = points.StagePoints(points.correct_points(stage, "passed"), None, counters)
    assert points.total([part]) == points.Total(earned=10, possible=16, not_measured=3)


@pytest.mark.parametrize("verdict", ["infrastructure error", "not measured", "rejected"])
def test_a_comparison_that_says_nothing_leaves_the_points_open(lab: Lab, verdict: str) -> None:
    part = points.fast_points(lab.stages[0], comparison(verdict, None))
    assert (part.earned, part.possible, part.verdict) == (None, 5, verdict)


@pytest.mark.parametrize("verdict", VERDICTS)
def test_speed_without_right_answers_is_lost_or_open(lab: Lab, verdict: str) -> None:
    part = points.lost(lab.stages[0], verdict)
    assert part is not None and part.possible == 5
    is_open = verdict in ("rejected", "not measured", "infrastructure error", "inconclusive")
    assert (part.earned, part.verdict) == ((None, "not measured") if is_open else (0, verdict))
    assert verdict in f"{part.verdict}: {part.reason}"  # as it is shown
