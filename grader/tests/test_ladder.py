"""The ladder of ./lab bench: ratios with intervals, and none where nothing is common."""

from typing import Any

import pytest

from grader.tests.fakes import CEILINGS
from grader.timing.ladder import ladder

pytestmark = [pytest.mark.reads(), pytest.mark.unit]


def stage(name: str, seconds: list[float], n: int = 1024) -> dict[str, Any]:
    point = {"n": n, "seconds": seconds, "baseline_seconds": [1.0],
             "work": {"bytes": 8 * n, "operations": n, "operation": "compares"}}  # fmt: skip
    return {"stage": name, "points": [point]}


def document(*stages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"stages": list(stages), "machine": {"ceilings": None}, "exemplars": {}, **more}


def test_each_rung_has_its_ratio_to_the_one_before_with_an_interval() -> None:
    shown = ladder(document(stage("slow", [4.0, 4.1, 4.2]), stage("fast", [2.0, 2.0, 2.1])))
    assert "of stage before" in shown[1] and "x (" not in shown[2]
    assert "2.05x (1.9" in shown[3] and " to 2.1)" in shown[3]


def test_stages_with_other_work_are_not_compared() -> None:
    many = {**stage("many", [8.0]), "baseline": "of all arrays"}
    shown = ladder(document(stage("one", [4.0]), many, stage("next", [2.0])))
    assert "x (" not in shown[3] and "2x (" in shown[4]


def test_good_record_and_the_limit_have_columns_if_they_are_known() -> None:
    some = document(stage("a", [2.0]), exemplars={"good": [stage("a", [1.0])]},
                    machine={"ceilings": CEILINGS})  # fmt: skip
    shown = ladder(some)
    assert "of good" in shown[1] and "of record" not in shown[1] and "of the limit" in shown[1]
    assert "0.5x (0.5 to 0.5)" in shown[2] and shown[2].endswith("%")


def test_nothing_is_compared_that_was_not_measured() -> None:
    assert ladder(document(stage("a", [1.0]))) == []
    assert ladder(document(stage("a", [1.0]), {"stage": "b", "not_timed": "wrong"})) == []
    other = ladder(document(stage("a", [1.0]), stage("b", [1.0], n=2048)))
    assert "no common n" in other[3]
