"""From the judge's reports to one verdict: merging, distrust, and one more try."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.base.process import Finished
from grader.base.verdict import Run, merge, with_check
from grader.judging import judge
from grader.judging.judge import Begun, Bench, judge_stage, run_once
from grader.judging.judge_report import read_run
from grader.machine import hardware, load
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


def test_what_is_drawn_comes_after_the_sentence_and_its_bracket(
    checkout: Checkout, tmp_path: Path
) -> None:
    text = json.dumps({"verdict": "wrong answer", "message": "out[3] is 7\n  0 1 7\n      ^"})
    run, _ = judge_stage(bench(checkout, tmp_path, plan(STAGE, "forward", text)), STAGE)
    first, *drawing = run.message.splitlines()
    assert first.endswith("wrong in order forward (out[3] is 7)")
    assert drawing == ["  0 1 7", "      ^"]


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


def test_only_the_first_run_settles_the_stage(checkout: Checkout, tmp_path: Path) -> None:
    """A crash in the second order does not hide that the third gives another answer."""
    plans = [plan(STAGE, "reverse", '{"verdict": "crashed"}'),
             plan(STAGE, "random", '{"verdict": "wrong answer"}')]  # fmt: skip
    run, orders = judge_stage(bench(checkout, tmp_path, *plans), STAGE)
    assert run.verdict == "race"
    assert orders == {"forward": "passed", "reverse": "crashed", "random": "wrong answer"}


def test_the_largest_inputs_are_tried_again_only_after_a_wrong_answer(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a mistake that only they show would look like a race."""
    asked: list[tuple[str, ...]] = []

    def run_of(verdict: str) -> Callable[..., Run]:
        def fake(bench: Bench, stage: str, order: str, extra: tuple[str, ...] = ()) -> Run:
            asked.append(extra)
            return Run(order, verdict)

        return fake

    hasty = ("--to-first-failure",)
    for verdict, later in (("passed", judge.AFTER_A_PASS), ("wrong answer", hasty)):
        monkeypatch.setattr(judge, "run_once", run_of(verdict))
        judge_stage(bench(checkout, tmp_path), STAGE)
        assert asked == [(), later, later]
        asked.clear()


@pytest.mark.parametrize("verdict", ["passed", "wrong answer", "crashed"])
def test_with_cores_to_spare_the_orders_run_side_by_side(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verdict: str
) -> None:
    """What was begun in vain ends, and a wrong answer is looked for in inputs of every size."""
    together = threading.Barrier(3)
    ended: list[str] = []

    def fake(bench: Bench, stage: str, order: str, extra: tuple[str, ...] = ()) -> Run:
        if extra != ("--to-first-failure",):
            together.wait(10)
        if bench.not_needed and verdict != "passed":
            assert bench.not_needed.wait(10)
            ended.append(order)
        return Run(order, verdict)

    monkeypatch.setattr(judge, "run_once", fake)
    checked: Future[Run] = Future()
    checked.set_result(Run("check", "passed"))
    asked = replace(bench(checkout, tmp_path), checked=bench(checkout, tmp_path))
    with ThreadPoolExecutor(3) as runs:
        begun = Begun(checked, threading.Event())
        run, orders = judge_stage(asked, STAGE, runs.submit, begun)
    assert run.verdict == verdict
    all_orders = {"forward": verdict, "reverse": verdict, "random": verdict}
    assert {name: said for name, said in orders.items() if name != "check"} == (
        {"forward": verdict} if verdict == "crashed" else all_orders
    )
    assert sorted(ended) == ([] if verdict == "passed" else ["random", "reverse"])


@pytest.mark.parametrize(
    ("loops", "check", "threads", "verdict", "workers"),
    [
        ("wrong answer", "passed", "passed", "passed", ["loops", "threads"]),
        ("crashed", "", "passed", "passed", ["loops", "threads"]),  # the checker was not asked
        ("timed out", "", "timed out", "timed out", ["loops", "threads"]),
        ("wrong answer", "passed", None, "wrong answer", ["loops"]),  # there were no loops
        ("wrong answer", "crashed", "passed", "crashed", ["loops"]),  # the checker has no loops
        ("passed", "passed", "crashed", "passed", ["loops"]),
        ("not attempted", "", "passed", "not attempted", ["loops"]),
        ("infrastructure error", "", "passed", "infrastructure error", ["loops"]),
    ],
)
def test_a_fault_of_loops_alone_is_not_the_submissions(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loops: str, check: str,
    threads: str | None, verdict: str, workers: list[str],
) -> None:  # fmt: skip
    made = {tmp_path / "loops": loops, tmp_path / "checked": check, tmp_path / "threads": threads}
    asked: list[str] = []

    def fake(bench: Bench, stage: str, order: str, extra: tuple[str, ...] = ()) -> Run:
        asked.append(bench.worker.name)
        said = made[bench.worker] or ""
        return Run(order, said or "passed", f"{bench.worker.name}: {said}")

    monkeypatch.setattr(judge, "run_once", fake)
    checked = replace(bench(checkout, tmp_path), worker=tmp_path / "checked")
    plain = replace(checked, worker=tmp_path / "threads") if threads else None
    run, _ = judge_stage(
        replace(checked, worker=tmp_path / "loops", checked=checked, with_threads=lambda: plain),
        STAGE,
    )
    assert run.verdict == verdict
    assert list(dict.fromkeys(name for name in asked if name != "checked")) == workers
    assert run.retried == (f"loops: {loops}" if verdict == "passed" != loops else "")


@pytest.mark.longer
def test_a_run_that_nobody_needs_ends_and_is_not_tried_again(
    checkout: Checkout, tmp_path: Path
) -> None:
    text = '{"verdict": "passed", "sleep": 30}'
    not_needed = threading.Event()
    not_needed.set()
    asked = replace(bench(checkout, tmp_path, plan(STAGE, "any", text)), not_needed=not_needed)
    assert run_once(asked, STAGE, "reverse").verdict == "infrastructure error"
    assert Path(f"{asked.worker}.{STAGE}.reverse.calls").read_text() == "1"


def test_a_crash_in_a_later_order_is_a_crash() -> None:
    runs = [Run("forward", "passed"), Run("reverse", "crashed"), Run("random", "passed")]
    assert merge(runs).verdict == "crashed"
    assert merge([*runs[:2], Run("random", "infrastructure error")]).verdict.startswith("infra")
    assert merge([]).verdict == "infrastructure error"
    first_crashed = [Run("forward", "crashed"), Run("reverse", "wrong answer"), runs[2]]
    assert merge(first_crashed).verdict == "crashed"
    two = [runs[0], Run("reverse", "timed out"), Run("random", "crashed")]
    assert merge(two).verdict == "timed out"  # the first that failed


@pytest.mark.parametrize(
    "text",
    [
        '{"text": ""}',
        '{"text": "not json"}',
        '{"text": "[1, 2]"}',
        '{"verdict": "splendid"}',
        '{"verdict": "splendid", "cases": []}',
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


@pytest.mark.longer
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
        ("wrong answer", "crashed", "crashed"),
        ("wrong answer", "wrong answer", "wrong answer"),
        ("wrong answer", "infrastructure error", "wrong answer"),
        ("race", "race", "race"),  # by the orders alone, and with lines
        ("race", "wrong answer", "race"),
    ],
)
def test_the_checker_has_its_say(answer: str, checked: str, verdict: str) -> None:
    own, other = Run("forward", answer, "the answer"), Run("check", checked, "the checker")
    merged = with_check(own, other)
    assert merged.verdict == verdict
    assert merged.message.startswith("the answer" if merged.order == "forward" else "the checker")


def test_what_kernels_entered_under_the_checker_is_kept() -> None:
    seen = Run("check", "passed", entered=("+40",))
    assert with_check(Run("forward", "passed"), seen).entered == ("+40",)


def test_what_follows_a_race_is_no_chance() -> None:
    """A wrong answer of another case may have been seen only because blocks ran side by side."""
    found = Run("check", "race", "two lines", case="small")
    near = with_check(Run("forward", "wrong answer", "got 5", case="small"), found)
    assert near.message == "two lines\ngot 5"
    for verdict in ("wrong answer", "race", "passed"):
        far = with_check(Run("forward", verdict, "got 7", case="large"), found)
        assert (far.verdict, far.message) == ("race", "two lines")
    outside = replace(found, verdict="wrote outside")
    far = with_check(Run("forward", "wrong answer", "got 7", case="large"), outside)
    assert far.message == "two lines\ngot 7"


@pytest.mark.parametrize("order", ["none", "forward", "random"])
def test_a_race_with_lines_is_told_the_same_whatever_the_orders_say(
    checkout: Checkout, tmp_path: Path, order: str
) -> None:
    wrong = '{"verdict": "wrong answer", "message": "out[3] is 7", "case": "large"}'
    own = bench(checkout, tmp_path, plan(STAGE, order, wrong))
    race = '{"verdict": "race", "message": "two lines", "case": "small"}'
    (tmp_path / "checked").mkdir()
    checked = bench(checkout, tmp_path / "checked", plan(STAGE, "any", race))
    run, orders = judge_stage(replace(own, checked=checked), STAGE)
    assert (run.verdict, run.message, orders) == ("race", "two lines", {"check": "race"})


def test_only_what_passes_can_be_rejected(checkout: Checkout, tmp_path: Path) -> None:
    """Else a forbidden word would turn a zero into an open question."""
    asked = replace(bench(checkout, tmp_path), rejected={STAGE: "it names std::sort"})
    run, orders = judge_stage(asked, STAGE)
    assert (run.verdict, run.message) == ("rejected", "it names std::sort")
    assert set(orders.values()) == {"passed"}
    wrong = bench(checkout, tmp_path, plan(STAGE, "any", '{"verdict": "wrong answer"}'))
    assert judge_stage(replace(wrong, rejected=asked.rejected), STAGE)[0].verdict == "wrong answer"


# ---- what the judge is asked, and how often -----------------------------------------------------

WELL = Run("forward", "infrastructure error", "the machine failed", machine_was_well=True)
SICK = Run("forward", "infrastructure error", "no device")
KILLED = Run("forward", "crashed", "SIGKILL", was_killed=True)
CRASHED = Run("forward", "crashed", "SIGSEGV")
PASSED = Run("forward", "passed")


@pytest.mark.parametrize(
    ("runs", "verdict", "message", "retried"),
    [
        ([PASSED], "passed", "", ""),
        ([CRASHED], "crashed", "SIGSEGV", ""),
        ([KILLED, PASSED], "passed", "", "SIGKILL"),
        ([KILLED, KILLED], "crashed", "SIGKILL", "SIGKILL"),
        ([SICK, PASSED], "passed", "", "no device"),
        ([SICK, SICK], "infrastructure error", "no device", "no device"),
        ([WELL, SICK], "infrastructure error", "no device", "the machine failed"),
        ([SICK, WELL], "infrastructure error", "the machine failed", "no device"),
        ([WELL, WELL], "crashed", "failed in both attempts: the machine failed",
         "the machine failed"),
    ],
)  # fmt: skip
def test_the_machines_fault_gets_one_more_try_and_no_more(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    runs: list[Run], verdict: str, message: str, retried: str,
) -> None:  # fmt: skip
    left = list(runs)
    monkeypatch.setattr(judge, "_attempt", lambda *_: left.pop(0))
    run = run_once(bench(checkout, tmp_path), STAGE, "forward")
    assert (run.verdict, run.message, run.retried) == (verdict, message, retried)
    assert left == []


def test_a_machine_that_was_well_is_not_asked_again_until_something_fails(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = {"passed": ("passed", True), "crashed": ("crashed", True),
               "infra": ("infrastructure error", False)}  # fmt: skip
    asked: list[bool] = []

    def ask(_: Bench, options: list[str], __: float) -> tuple[Finished, dict[str, Any]]:
        asked.append("--known-well" not in options)
        verdict, well = reports[left.pop(0)]
        report = {"stage": STAGE, "verdict": verdict, "machine_was_well": well,
                  "cases": [{"name": "n = 3", "verdict": verdict}]}  # fmt: skip
        return Finished(verdict != "passed", "", False, 0.0), report

    monkeypatch.setattr(judge, "ask", ask)
    monkeypatch.setattr(judge, "_seen_well", {})
    one = replace(bench(checkout, tmp_path), control=tmp_path / "control")
    left = ["passed", "crashed", "passed", "infra", "passed", "passed"]
    for _ in range(5):  # the fourth one is tried twice
        run_once(one, STAGE, "forward")
    assert (asked, left) == ([True, False, False, False, True, False], [])
    monkeypatch.setattr(judge, "WELL_SECONDS", 0)
    left = ["passed"]
    run_once(one, STAGE, "forward")
    assert asked[-1]


@pytest.mark.parametrize(("most", "had_its_time", "verdict"), [
    (-1.0, "false", "infrastructure error"),
    (-1.0, "true", "timed out"),
    (1e9, "false", "timed out"),
])  # fmt: skip
def test_on_a_machine_that_is_too_busy_time_is_not_held_against_a_stage(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    most: float, had_its_time: str, verdict: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(load, "PER_CORE", most)
    late = plan(STAGE, "forward", '{"verdict": "timed out", "message": "10 s are over",'
                                  f' "had_its_time": {had_its_time}}}')  # fmt: skip
    run = run_once(bench(checkout, tmp_path, late), STAGE, "forward")
    assert run.verdict == verdict
    assert ("too busy: load" in run.message) == (verdict != "timed out")


@pytest.mark.parametrize(
    ("backend", "verdicts", "verdict"),
    [
        ("gpu", ["timed out", "passed"], "passed"),  # others were slow, too
        ("gpu", ["timed out", "wrong answer"], "wrong answer"),
        ("gpu", ["timed out", "timed out"], "timed out"),
        ("gpu", ["crashed"], "crashed"),
        ("gpu", ["infrastructure error", "timed out", "passed"], "passed"),
        ("cpu", ["timed out"], "timed out"),
    ],
)
def test_who_ran_out_of_time_on_a_gpu_has_it_alone_once(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    backend: str, verdicts: list[str], verdict: str,
) -> None:  # fmt: skip
    parts: list[object] = []

    def fake(*words: object) -> Run:
        parts.append(words[5] if len(words) > 5 else judge.share_of_gpu)
        return Run("forward", verdicts[len(parts) - 1], f"run {len(parts)}")

    monkeypatch.setattr(judge, "_attempt", fake)
    run = run_once(replace(bench(checkout, tmp_path), backend=backend), STAGE, "forward")
    assert run.verdict == verdict
    alone = backend == "gpu" and "timed out" in verdicts
    shared = len(verdicts) - alone
    assert parts == [judge.share_of_gpu] * shared + [judge.whole_gpu] * alone
    settled = len(verdicts) > 1 and verdict != "timed out"
    assert run.retried == ("run 1" if settled else "")


def test_what_a_report_says_of_the_machine_is_kept() -> None:
    report = {"stage": STAGE, "verdict": "crashed", "was_killed": True, "machine_was_well": True,
              "had_its_time": True}  # fmt: skip
    run = read_run(report, STAGE, "forward", Finished(1, "", False, 0.0))
    assert run.was_killed and run.machine_was_well and run.had_its_time
    doubtful = {**report, "was_killed": "yes", "machine_was_well": 1, "had_its_time": "no"}
    run = read_run(doubtful, STAGE, "forward", Finished(1, "", False, 0.0))
    assert not run.was_killed and not run.machine_was_well and not run.had_its_time


def test_the_judge_is_told_seed_limits_and_what_the_stage_may_copy(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, str]] = []

    def ask(_: Bench, options: list[str], __: float) -> tuple[Finished, dict[str, str]]:
        asked.append(dict(zip(options[::2], options[1::2], strict=True)))
        return Finished(1, "", False, 0.0), {"stage": STAGE, "verdict": "crashed"}

    monkeypatch.setattr(judge, "ask", ask)
    one = replace(bench(checkout, tmp_path), seed=77, seconds=2.0, on_device={STAGE: 16})
    run_once(one, STAGE, "reverse")
    judge.check_once(replace(one, on_device={}), STAGE)
    strict, checked = asked
    assert (strict["--seed"], strict["--order"], strict["--time-limit"]) == ("77", "reverse", "2")
    assert (strict["--host-bytes"], strict["--host-bytes-per-launch"]) == ("64", "16")
    assert (checked["--time-limit"], checked["--largest"]) == ("12", "1100")
    assert "--host-bytes" not in checked and checked["--together"] == strict["--together"]


def test_on_a_gpu_calls_take_turns(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def ask(_: Bench, options: list[str], __: float) -> tuple[Finished, dict[str, str]]:
        asked.append(options)
        return Finished(1, "", False, 0.0), {"stage": STAGE, "verdict": "crashed"}

    monkeypatch.setattr(judge, "ask", ask)
    monkeypatch.setattr(judge, "file_of_turns", lambda: tmp_path / "turns")
    for backend in ("gpu", "cpu"):
        run_once(replace(bench(checkout, tmp_path), backend=backend), STAGE, "forward")
    assert asked[0][asked[0].index("--turns") + 1] == str(tmp_path / "turns")
    assert "--turns" not in asked[1]


@pytest.mark.parametrize(("gibibytes", "worker"), [(2, 1), (16, 4), (512, 12)])
def test_a_worker_may_have_a_share_of_the_memory(
    monkeypatch: pytest.MonkeyPatch, gibibytes: float, worker: int
) -> None:
    machine = replace(hardware.describe(), memory_gib=gibibytes)
    monkeypatch.setattr(hardware, "describe", lambda: machine)
    assert judge._memory.__wrapped__() == worker << 30


def test_a_file_with_names_that_it_may_not_have_gets_no_stage(
    checkout: Checkout, tmp_path: Path
) -> None:
    refused = replace(bench(checkout, tmp_path), refused="the file asks for `send`")
    nothing = replace(refused, judge=tmp_path / "none", worker=tmp_path / "none")  # is not run
    run, orders = judge_stage(nothing, STAGE)
    assert (run.verdict, run.message) == ("rejected", "the file asks for `send`")
    assert not orders and run.calls == 0
