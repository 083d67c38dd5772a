"""From the judge's reports to one verdict: merging, distrust, and one more try."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.base.verdict import Run, merge, with_check
from grader.judging import judge
from grader.judging.judge import Bench, judge_stage, run_once
from grader.tests.fakes import LAB, plan

pytestmark = [pytest.mark.reads(), pytest.mark.unit]

STAGE = "global"


def bench(checkout: Checkout, tmp_path: Path, *plans: str) -> Bench:
    worker = tmp_path / "worker"
    worker.write_text("".join(plans))
    return Bench(checkout.judge("cpu", LAB), worker, 2.0, "cpu", 1)


def test_a_stage_that_passes_in_every_order_has_passed(checkout: Checkout, tmp_path: Path) -> None:
    run, orders = judge_stage(bench(checkout, tmp_path), STAGE)
    assert run.verdict == "passed" and run.cases[0].name == "n = 3"
    assert orders == {"forward": "passed", "reverse": "passed", "random": "passed"}


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_wrong_in_one_order_only_is_a_race(
    checkout: Checkout, tmp_path: Path, order: str
) -> None:
    text = '{"verdict": "wrong answer", "message": "out[3] is 7"}'
    run, orders = judge_stage(bench(checkout, tmp_path, plan(STAGE, order, text)), STAGE)
    assert run.verdict == "race" and orders[order] == "wrong answer"
    assert "depends on the order" in run.message and "out[3] is 7" in run.message


def test_wrong_in_every_order_is_a_wrong_answer_with_the_first_message(
    checkout: Checkout, tmp_path: Path
) -> None:
    plans = [plan(STAGE, order, f'{{"verdict": "wrong answer", "message": "{order}"}}')
             for order in ("forward", "reverse", "random")]  # fmt: skip
    run, _ = judge_stage(bench(checkout, tmp_path, *plans), STAGE)
    assert (run.verdict, run.message) == ("wrong answer", "forward")


@pytest.mark.parametrize("verdict", ["not attempted", "crashed", "timed out", "wrote outside"])
def test_other_failures_settle_the_stage_at_once(
    checkout: Checkout, tmp_path: Path, verdict: str
) -> None:
    text = json.dumps({"verdict": verdict})
    run, orders = judge_stage(bench(checkout, tmp_path, plan(STAGE, "forward", text)), STAGE)
    assert run.verdict == verdict and list(orders) == ["forward"]


def test_a_crash_in_a_later_order_is_a_crash() -> None:
    runs = [Run("forward", "passed"), Run("reverse", "crashed"), Run("random", "passed")]
    assert merge(runs).verdict == "crashed"
    assert merge([*runs[:2], Run("random", "infrastructure error")]).verdict.startswith("infra")
    assert merge([]).verdict == "infrastructure error"


@pytest.mark.parametrize(
    "text",
    [
        '{"text": ""}',
        '{"text": "not json"}',
        '{"text": "[1, 2]"}',
        '{"verdict": "splendid"}',
        '{"verdict": null}',
        '{"verdict": "passed", "exit": 1}',
        '{"verdict": "wrong answer", "exit": 0}',
        '{"verdict": "passed", "exit": 3}',
        '{"verdict": "wrong answer", "exit": 139}',
        '{"verdict": "passed", "stage": "strided"}',
        '{"verdict": "passed", "cases": []}',
        '{"verdict": "passed", "cases": [{"name": "a", "verdict": "fine"}]}',
        '{"verdict": "passed", "cases": 7}',
        '{"verdict": "passed", "launched": "relax"}',
        '{"verdict": "infrastructure error", "message": "no worker"}',
    ],
)
def test_what_is_no_report_is_an_infrastructure_error_after_one_more_try(
    checkout: Checkout, tmp_path: Path, text: str
) -> None:
    asked = bench(checkout, tmp_path, plan(STAGE, "any", text))
    run = run_once(asked, STAGE, "forward")
    assert run.verdict == "infrastructure error" and run.message
    assert Path(f"{asked.worker}.{STAGE}.forward.calls").read_text() == "2"
    healed = bench(checkout, tmp_path / "..", plan(STAGE, "any", text[:-1] + ', "once": true}'))
    assert run_once(healed, STAGE, "reverse").verdict == "passed"


def test_a_judge_that_hangs_is_an_infrastructure_error(checkout: Checkout, tmp_path: Path) -> None:
    asked = bench(checkout, tmp_path, plan(STAGE, "any", '{"verdict": "passed", "sleep": 30}'))
    run = run_once(asked, STAGE, "forward", limit=0.5)
    assert run.verdict == "infrastructure error" and "did not finish" in run.message


def test_a_missing_judge_is_an_infrastructure_error(checkout: Checkout, tmp_path: Path) -> None:
    checkout.judge("cpu", LAB).unlink()
    assert run_once(bench(checkout, tmp_path), STAGE, "forward").verdict.startswith("infra")


def test_the_gpu_chooses_its_own_order() -> None:
    assert judge.ORDERS == {"cpu": ("forward", "reverse", "random"), "gpu": ("forward",)}


@pytest.mark.parametrize(
    ("answer", "checked", "verdict"),
    [
        ("passed", "passed", "passed"),
        ("passed", "race", "race"),  # right by luck
        ("passed", "wrong answer", "wrong answer"),  # read what nobody wrote
        ("passed", "infrastructure error", "infrastructure error"),  # a silent tool is no pass
        ("wrong answer", "race", "race"),
        ("wrong answer", "wrote outside", "wrote outside"),
        ("wrong answer", "wrong answer", "wrong answer"),
        ("wrong answer", "infrastructure error", "wrong answer"),
    ],
)
def test_the_checker_has_its_say(answer: str, checked: str, verdict: str) -> None:
    own, other = Run("forward", answer, "the answer"), Run("check", checked, "the checker")
    merged = with_check(own, other)
    assert merged.verdict == verdict
    assert merged.message.startswith("the answer" if merged.order == "forward" else "the checker")


def test_only_what_passes_can_be_rejected(checkout: Checkout, tmp_path: Path) -> None:
    """Else a forbidden word would turn a zero into an open question."""
    asked = replace(bench(checkout, tmp_path), rejected={STAGE: "it names std::sort"})
    run, orders = judge_stage(asked, STAGE)
    assert (run.verdict, run.message) == ("rejected", "it names std::sort")
    assert set(orders.values()) == {"passed"}
    wrong = bench(checkout, tmp_path, plan(STAGE, "any", '{"verdict": "wrong answer"}'))
    assert judge_stage(replace(wrong, rejected=asked.rejected), STAGE)[0].verdict == "wrong answer"
