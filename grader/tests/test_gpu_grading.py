"""Speed points on the GPU backend, with a fake compiler and a fake judge."""

import json
import shutil
import threading
from dataclasses import replace
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.grading import grade as grading
from grader.grading import times
from grader.grading.order import Order, Seed
from grader.judging.full_judge import Judged
from grader.lab_file.manifest import Lab
from grader.machine import hardware
from grader.sandbox import bubblewrap
from grader.tests.fakes import LAB, plan
from grader.timing import speed

pytestmark = pytest.mark.reads()  # milliseconds each, but of many fake judges

DECIDED = '{"verdict": "decided", "ratio": 1.1, "low": 1.0, "high": 1.2, "rounds": 8}'


@pytest.fixture
def gpu(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    shutil.copytree(checkout.build("cpu"), checkout.build("gpu"), dirs_exist_ok=True)
    monkeypatch.setattr(hardware, "find_gpu", lambda: hardware.Gpu("A GPU", "1", "9.0"))
    return checkout


def grade(
    checkout: Checkout, text: str, capsys: pytest.CaptureFixture[str]
) -> tuple[int, dict[str, Any]]:
    path = checkout.root.parent / "demo.cu"
    path.write_text(text)
    capsys.readouterr()
    code = main(["grade", "--figures", str(path), "--json"], checkout)
    return code, json.loads(capsys.readouterr().out)["results"][0]


@pytest.mark.parametrize(
    ("report", "code", "earned", "verdict"),
    [
        (DECIDED, 0, 5, "passed"),
        (DECIDED.replace("1.1", "9.0"), 1, 0, "too slow"),
        ('{"verdict": "inconclusive", "ratio": 1.2}', 1, None, "inconclusive"),
        ('{"verdict": "wrong answer", "message": "n = 8"}', 1, 0, "wrong answer"),
        ('{"verdict": "decided"}', 3, None, "infrastructure error"),
        ('{"text": "", "exit": 3}', 3, None, "infrastructure error"),
    ],
)
def test_speed_is_graded_and_what_is_unknown_stays_open(
    gpu: Checkout, capsys: pytest.CaptureFixture[str], report: str, code: int,
    earned: float | None, verdict: str,
) -> None:  # fmt: skip
    got, result = grade(gpu, plan("global", "compare", report), capsys)
    fast = result["stages"][0]["points"]["fast"]
    assert (got, fast["earned"], fast["verdict"]) == (code, earned, verdict)
    assert result["backend"] == "gpu"
    assert list(result["stages"][0]["orders"]) == ["forward", "check"]


@pytest.mark.parametrize("report", [DECIDED, '{"text": "", "exit": 3}', '{"verdict": "crashed"}'])
@pytest.mark.parametrize("stage", ["", '{"verdict": "crashed"}'])
def test_judged_first_and_timed_later_is_the_same(
    gpu: Checkout, lab: Lab, report: str, stage: str
) -> None:
    text = plan("global", "compare", report) + (plan("strided", "forward", stage) if stage else "")
    box = bubblewrap.Sandbox("none: a test")
    order = Order(lab, "ann", text.encode(), "gpu", Seed(), lab.stages, box)
    at_once = grading.grade(gpu, order).document()
    judged = grading.grade(gpu, replace(order, timed=False)).document()
    fast = judged["stages"][0]["points"]["fast"]
    assert (fast["earned"], fast["code"]) == (None, "not-timed")
    later = times.time_judged(gpu, order, judged)
    for document in (at_once, later):
        for key in ("started", "finished", "seconds", "profile"):
            del document[key]
        for one in document["stages"]:
            del one["seconds"]
            for case in one["cases"]:
                del case["seconds"]
    assert json.loads(json.dumps(later)) == json.loads(json.dumps(at_once))


def test_a_kit_that_fails_while_it_times_leaves_the_points_open(
    gpu: Checkout, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = bubblewrap.Sandbox("none: a test")
    order = Order(lab, "ann", b"// good", "gpu", Seed(), lab.stages, box, timed=False)
    judged = grading.grade(gpu, order).document()
    monkeypatch.setattr(times, "make_bench", lambda *_, **__: (None, "no luck"))
    later = times.time_judged(gpu, order, judged)
    fast = later["stages"][0]["points"]["fast"]
    assert (fast["earned"], fast["code"]) == (None, "infrastructure")
    assert later["verdict"] == "infrastructure error" and "no luck" in fast["reason"]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_copy_for_students_races_against_the_program_that_it_got(
    gpu: Checkout, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    is_there: bool,
) -> None:  # fmt: skip
    """Where it got none the points stay open; that is no failure of the kit."""
    shutil.rmtree(gpu.reference)
    program = gpu.root / "release" / LAB / "yardstick-good"
    if is_there:
        program.parent.mkdir(parents=True)
        program.write_text("a program")
    raced: list[object] = []
    compare = speed.compare

    def spy(bench: Any, stage: str, rule: Any, yardstick: Any, **options: Any) -> Any:
        raced.append(yardstick)
        return compare(bench, stage, rule, yardstick, **options)

    monkeypatch.setattr(speed, "compare", spy)
    code, result = grade(gpu, plan("global", "compare", DECIDED), capsys)
    fast = result["stages"][0]["points"]["fast"]
    assert raced == ([program] if is_there else [])
    assert (code, fast["earned"]) == (0, 5 if is_there else None)
    assert is_there or "no program to compare with" in fast["reason"]


@pytest.mark.parametrize("cores", [2, 64])
@pytest.mark.parametrize("checked", ["passed", "race"])
def test_with_many_cores_the_checker_begins_early_and_says_the_same(
    gpu: Checkout, lab: Lab, monkeypatch: pytest.MonkeyPatch, cores: int, checked: str
) -> None:
    begun, real = [], grading.begin_check

    def begin(bench: Any, stage: str, start: Any) -> Any:
        begun.append(stage)
        return real(bench, stage, start)

    machine = replace(hardware.describe(), cores=cores)
    monkeypatch.setattr(grading, "begin_check", begin)
    monkeypatch.setattr(grading, "this_machine", lambda: machine)
    text = plan("strided", "check", json.dumps({"verdict": checked}))
    box = bubblewrap.Sandbox("none: a test")
    order = Order(lab, "ann", text.encode(), "gpu", Seed(), lab.stages, box, timed=False)
    stages = grading.grade(gpu, order).document()["stages"]
    assert [stage["verdict"] for stage in stages] == ["passed", checked]
    assert sorted(begun) == (["global", "strided"] if cores == 64 else [])


@pytest.mark.parametrize(("gib", "figures"), [(141, False), (141, True), (16, False)])
def test_on_a_large_gpu_a_comparison_gets_ready_while_others_are_judged(
    gpu: Checkout, lab: Lab, monkeypatch: pytest.MonkeyPatch, gib: float, figures: bool
) -> None:
    began, early = threading.Event(), []
    judge_answers, compare = grading.judge_answers, speed.compare

    def judged_slowly(checkout: Any, lab: Any, stage: Any, *more: Any) -> Judged:
        if stage.name == "strided":
            early.append(began.wait(0.5))
        return judge_answers(checkout, lab, stage, *more)

    def compared(*arguments: Any, **options: Any) -> Any:
        began.set()
        return compare(*arguments, **options)

    monkeypatch.setattr(times.devices, "memory_gib", lambda: gib)
    monkeypatch.setattr(grading, "judge_answers", judged_slowly)
    monkeypatch.setattr(speed, "compare", compared)
    box = bubblewrap.Sandbox("none: a test")
    text = plan("global", "compare", DECIDED)
    order = Order(lab, "ann", text.encode(), "gpu", Seed(), lab.stages, box, figures=figures)
    fast = grading.grade(gpu, order).document()["stages"][0]["points"]["fast"]
    assert early == [gib > 48 and not figures]
    assert (fast["earned"], began.is_set()) == (5, True)


@pytest.mark.parametrize("verdict", ["passed", "crashed"])
@pytest.mark.parametrize("cores", [2, 64])
def test_with_many_cores_a_comparison_gets_ready_while_its_own_stage_is_judged(
    gpu: Checkout, lab: Lab, monkeypatch: pytest.MonkeyPatch, cores: int, verdict: str
) -> None:
    """It is timed only if the stage passes. On a machine with few cores nothing gets ready for a
    stage that may fail."""
    began, early, timed = threading.Event(), [], []
    judge_answers, compare = grading.judge_answers, speed.compare

    def judged_slowly(checkout: Any, lab: Any, stage: Any, *more: Any) -> Judged:
        if stage.name == "global":
            early.append(began.wait(10 if cores == 64 else 0.5))
        return judge_answers(checkout, lab, stage, *more)

    def compared(bench: Any, *more: Any, may_time: Any, **options: Any) -> Any:
        began.set()
        timed.append(may_time())
        assert bench.not_needed.is_set() == (not timed[-1])
        return compare(bench, *more, may_time=may_time, **options)

    machine = replace(hardware.describe(), cores=cores)
    monkeypatch.setattr(grading, "this_machine", lambda: machine)
    monkeypatch.setattr(grading, "GET_READY_AFTER", 0)
    monkeypatch.setattr(times.devices, "memory_gib", lambda: 141)
    monkeypatch.setattr(grading, "judge_answers", judged_slowly)
    monkeypatch.setattr(speed, "compare", compared)
    box = bubblewrap.Sandbox("none: a test")
    text = plan("global", "compare", DECIDED)
    if verdict != "passed":
        text += plan("global", "forward", json.dumps({"verdict": verdict}))
    order = Order(lab, "ann", text.encode(), "gpu", Seed(), lab.stages, box, figures=False)
    fast = grading.grade(gpu, order).document()["stages"][0]["points"]["fast"]
    assert early == [cores == 64]
    assert timed == ([verdict == "passed"] if cores == 64 or verdict == "passed" else [])
    assert (fast["earned"], fast["verdict"]) == ((5, "passed") if timed == [True] else (0, verdict))


def test_a_wrong_stage_is_not_timed(gpu: Checkout, capsys: pytest.CaptureFixture[str]) -> None:
    code, result = grade(gpu, plan("global", "forward", '{"verdict": "crashed"}'), capsys)
    fast = result["stages"][0]["points"]["fast"]
    assert (code, fast["earned"], fast["verdict"]) == (1, 0, "crashed")
    assert [m["stage"] for m in result["measured"]] == ["strided"]


@pytest.mark.parametrize("tool_says", ["passed", "race"])
def test_what_a_tool_fails_keeps_no_time(
    gpu: Checkout, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    tool_says: str,
) -> None:  # fmt: skip
    """It may have been timed while the tool watched."""

    def watched(_: object, stages: Any, judged: Any, *__: object) -> list[Judged]:
        first = replace(judged[0], run=replace(judged[0].run, verdict=tool_says))
        return [first, *judged[1:]]

    monkeypatch.setattr(grading, "after_tools", watched)
    code, result = grade(gpu, plan("global", "compare", DECIDED), capsys)
    fast = result["stages"][0]["points"]["fast"]
    timed = [m["stage"] for m in result["measured"]]
    if tool_says == "passed":
        assert (code, fast["earned"], timed) == (0, 5, ["global", "strided"])
    else:
        assert (code, fast["earned"], fast["verdict"], timed) == (1, 0, "race", ["strided"])


def test_without_a_gpu_the_gpu_backend_is_refused(
    checkout: Checkout, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "find_gpu", lambda: None)
    assert main(["check", LAB, "--backend", "gpu"], checkout) == 2
    assert "use --backend cpu" in capsys.readouterr().err
