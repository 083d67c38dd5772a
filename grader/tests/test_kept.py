"""What is not done again: a current build, an unchanged check, a measured baseline."""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.base import process
from grader.base.checkout import Checkout
from grader.base.steps import recorded, step, within
from grader.commands import check as check_command
from grader.commands.cli import main
from grader.compiling import build, stamp
from grader.grading import kept
from grader.grading.order import Order
from grader.grading.result import Result
from grader.judging.judge import Bench
from grader.tests.fakes import LAB, plan
from grader.timing.baselines import Baselines

pytestmark = pytest.mark.reads("grader/grading", "grader/compiling", "grader/timing")

Captured = pytest.CaptureFixture[str]
AGAIN = "nothing has changed since"


def made(checkout: Checkout) -> Path:
    """A file that a build reads, and one that it has made."""
    read = checkout.root / "grader" / "judge" / "part.hpp"
    read.parent.mkdir(parents=True, exist_ok=True)
    read.write_text("int part;\n")
    (checkout.build("cpu") / "bin").mkdir(parents=True, exist_ok=True)
    (checkout.build("cpu") / "bin" / "tool").write_text("made")
    stamp.keep(checkout, "cpu", "grading", stamp.reading(checkout))
    return read


def test_a_build_is_current_until_something_changes(checkout: Checkout) -> None:
    made(checkout)
    assert stamp.is_current(checkout, "cpu", "grading")
    student = checkout.labs / LAB / "demo.cu"
    student.write_text(student.read_text() + "// mine\n")
    assert stamp.is_current(checkout, "cpu", "grading")  # a student's edit is no edit of the kit
    (checkout.root / "grader" / "study").mkdir()  # a copied folder would be built anew for it
    (checkout.root / "grader" / "study" / "part.py").write_text("")
    assert stamp.is_current(checkout, "cpu", "grading")
    os.utime(made(checkout), ns=(1, 1))
    assert stamp.is_current(checkout, "cpu", "grading")  # as in a copied folder


def test_why_something_is_built_again_is_said(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    @contextlib.contextmanager
    def progress(what: str) -> Iterator[None]:
        said.append(what)
        yield

    monkeypatch.setattr(build.console, "progress", progress)
    for one in ("_configure", "_step"):
        monkeypatch.setattr(build, one, lambda *_: None)
    assert build.build(checkout, "cpu")
    assert said[0].endswith("runtime and judges, once")
    assert not build.build(checkout, "cpu")
    made(checkout).write_text("int other;\n")
    assert build.build(checkout, "cpu")
    assert len(said) == 2
    assert said[1].endswith("runtime and judges again, because the kit has changed")


def test_what_another_target_adds_does_not_matter(checkout: Checkout) -> None:
    made(checkout)
    other = checkout.build("cpu") / "bin" / "other"
    other.write_text("made")
    stamp.keep(checkout, "cpu", "other", stamp.reading(checkout))
    other.write_text("made again")
    assert stamp.is_current(checkout, "cpu", "grading")
    assert not stamp.is_current(checkout, "cpu", "other")


@pytest.mark.parametrize("change", ["edit", "add", "remove", "driver", "output", "damage"])
def test_every_change_makes_the_next_build(checkout: Checkout, change: str) -> None:
    read = made(checkout)
    if change == "edit":
        read.write_text("int other_part;\n")
    elif change == "add":
        (read.parent / "another.cpp").write_text("")
    elif change == "remove":
        read.unlink()
    elif change == "driver":
        (checkout.root / "grader" / "cpu" / "part.py").write_text("")
    elif change == "output":
        (checkout.build("cpu") / "bin" / "tool").unlink()
    else:
        (checkout.build("cpu") / "grading.stamp").write_text("{")
    assert not stamp.is_current(checkout, "cpu", "grading")


def check(checkout: Checkout, capsys: Captured, *options: str) -> str:
    main(["check", "01", "--backend", "cpu", *options], checkout)
    return capsys.readouterr().out


def test_an_unchanged_check_shows_its_result_again_and_says_so(
    checkout: Checkout, capsys: Captured
) -> None:
    assert AGAIN not in check(checkout, capsys)
    assert AGAIN in check(checkout, capsys)
    assert AGAIN not in check(checkout, capsys, "--again")


def test_a_changed_file_seed_or_reference_is_judged(checkout: Checkout, capsys: Captured) -> None:
    student = checkout.labs / LAB / "demo.cu"
    check(checkout, capsys)
    assert AGAIN not in check(checkout, capsys, "--seed", "7")
    student.write_text(student.read_text() + "// mine\n")
    assert AGAIN not in check(checkout, capsys)
    reference = checkout.reference / LAB / "demo.cu"
    reference.write_text(reference.read_text() + "\n")
    assert AGAIN not in check(checkout, capsys)
    assert AGAIN in check(checkout, capsys)


@pytest.mark.parametrize("edited", ["reference/01-demo/demo.cu", "labs/01-demo/README.md"])
def test_an_edit_of_the_kit_during_a_check_belongs_to_the_next_one(
    checkout: Checkout, capsys: Captured, monkeypatch: pytest.MonkeyPatch, edited: str
) -> None:
    judged = check_command.grade

    def edit_meanwhile(checkout: Checkout, order: Order) -> Result:
        result = judged(checkout, order)
        file = checkout.root / edited
        file.write_text(file.read_text() + "\n")
        return result

    monkeypatch.setattr(check_command, "grade", edit_meanwhile)
    check(checkout, capsys)
    monkeypatch.setattr(check_command, "grade", judged)
    assert AGAIN not in check(checkout, capsys)
    assert AGAIN in check(checkout, capsys)


@pytest.mark.parametrize("verdict", ["timed out", "crashed", "infrastructure error"])
def test_what_a_busy_machine_may_cause_is_not_kept(
    checkout: Checkout, capsys: Captured, verdict: str
) -> None:
    student = checkout.labs / LAB / "demo.cu"
    report = json.dumps({"verdict": verdict, "message": "x"})
    student.write_text(student.read_text() + plan("global", "forward", report))
    check(checkout, capsys)
    assert AGAIN not in check(checkout, capsys)


def test_a_damaged_kept_result_is_no_result(checkout: Checkout, capsys: Captured) -> None:
    check(checkout, capsys)
    folder = checkout.build("cpu") / "verdicts"
    for file in folder.iterdir():
        file.write_bytes(b"not a result")
    assert AGAIN not in check(checkout, capsys)
    assert len(list(folder.iterdir())) <= kept.MOST


def bench(tmp_path: Path) -> Bench:
    judge = tmp_path / "build" / "cpu" / "bin" / "01-demo.judge"
    judge.parent.mkdir(parents=True, exist_ok=True)
    judge.write_text("a judge")
    return Bench(judge, judge, 1.0, "cpu", 1)


POINTS = [{"n": 10, "baseline_seconds": [0.5, 0.25]}]


def test_a_baseline_is_kept_for_its_judge_alone_and_shared_by_its_stages(tmp_path: Path) -> None:
    one = bench(tmp_path)
    assert Baselines(one).seconds_of("sort") == {}
    Baselines(one).keep("sort", POINTS)
    Baselines(one).keep("sort", [{"n": 20, "baseline_seconds": [1.0]}])  # a stage with longer sizes
    assert Baselines(one).seconds_of("sort") == {10: [0.5, 0.25], 20: [1.0]}
    assert Baselines(one).seconds_of("search") == {}
    one.judge.write_text("another judge")
    assert Baselines(one).seconds_of("sort") == {}


def test_the_benches_are_listed_once_for_the_names_of_baselines(tmp_path: Path) -> None:
    known, asked = Baselines(bench(tmp_path)), []
    listed = [{"stage": "global", "baseline": "sort"}, {"stage": "edges", "baseline": ""}]
    names = [known.name_of(stage, lambda: asked.append(1) or listed)
             for stage in ("global", "edges", "strings")]  # fmt: skip
    assert names == ["sort", "", ""] and len(asked) == 1


@pytest.mark.parametrize("seconds", ["[]", "[-1.0]", '["x"]', "[NaN]", "null"])
def test_an_impossible_baseline_is_not_believed(tmp_path: Path, seconds: str) -> None:
    known = Baselines(bench(tmp_path))
    known.keep("sort", POINTS)
    text = known.file.read_text()
    document = json.loads(text)
    document["seconds"]["sort"]["10"] = json.loads(seconds)
    known.file.write_text(json.dumps(document))
    assert known.seconds_of("sort") == {}


def test_steps_are_added_up_also_from_other_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    def work() -> None:
        with step("work"):
            pass

    work()  # outside: not written down
    with recorded() as steps, ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            pool.submit(within(work)).result()
        pool.submit(work).result()  # not within
    assert [(one.name, one.times) for one in steps.all()] == [("work", 3)]


def test_a_program_that_nobody_needs_is_stopped() -> None:
    finished = process.run(["sleep", "60"], limit=50, stop=lambda _: True)
    assert finished.stopped and finished.seconds < 5
    ended = process.run(["true"], limit=50, stop=lambda _: False)
    assert ended.ok and not ended.stopped
    assert replace(ended, timed_out=True).ok is False
