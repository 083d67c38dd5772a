"""Counter points: sums over kernels, ratios to the reference, advice with the costliest line."""

import json
import math
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.commands.cli import main
from grader.grading import counting, points
from grader.grading import grade as grading
from grader.grading.order import Order, Seed
from grader.grading.result_table import table
from grader.judging import judge
from grader.judging.judge import Bench
from grader.lab_file.counters import NAMES, charged, costliest, total
from grader.lab_file.manifest import Lab, load
from grader.lab_file.rules import CounterRule
from grader.machine import hardware
from grader.sandbox.bubblewrap import OWN_RIGHTS
from grader.tests.fakes import LAB, plan

pytestmark = [pytest.mark.reads(), pytest.mark.unit]

LOADS = "global.load.requests"
RULE = {"against": '"reference"', "n": "1024", "full": "2.0", "none": "32.0", "points": "8",
        "advice": '"use shared memory"'}  # fmt: skip


def line(number: int, space: str, access: str, requests: int, pieces: int) -> dict[str, Any]:
    return {"line": f"demo.cu:{number}", "space": space, "access": access, "requests": requests,
            "pieces": pieces, "ideal": pieces, "branches": requests,
            "uniform_branches": requests - requests // 10}  # fmt: skip


def kernel(*lines: dict[str, Any], launches: int = 1, barriers: int = 0) -> dict[str, Any]:
    return {"kernel": "sort", "launches": launches, "blocks": 1, "threads": 32,
            "barriers": barriers, "lines": list(lines), "branches": 20,
            "uniform_branches": 18}  # fmt: skip


KERNELS = [
    kernel(line(3, "global", "load", 10, 40), line(4, "shared", "load", 6, 12), launches=20),
    kernel(line(9, "global", "load", 30, 30), line(9, "global", "store", 5, 5), barriers=7),
    kernel(line(12, "global", "atomic", 2, 0)),
]


@pytest.mark.parametrize(
    ("counter", "value", "where"),
    [
        (LOADS, 40, "demo.cu:9: 30 global load requests of 1 sectors each"),
        ("global.load.sectors", 70, "demo.cu:3: 10 global load requests of 4 sectors each"),
        ("global.load.sectors_per_request", 1.75, "demo.cu:3: 10 global load"),
        ("global.store.requests", 5, "demo.cu:9: 5 global store requests"),
        ("global.atomic.requests", 2, "demo.cu:12: 2 global atomic requests"),
        ("shared.load.wavefronts", 12, "demo.cu:4: 6 shared load requests of 2 wavefronts each"),
        ("shared.load.wavefronts_per_request", 2, "demo.cu:4"),
        ("shared.store.wavefronts_per_request", 0, ""),
        ("launches", 22, "kernel sort: 20 launches"),
        ("barriers", 7, "kernel sort: 7 barriers"),
        ("branch_efficiency", 0.9, "demo.cu:9: 3 of 30 branches after it diverged"),
    ],
)
def test_a_counter_is_a_sum_over_kernels(counter: str, value: float, where: str) -> None:
    assert counter in NAMES
    assert total(counter, KERNELS) == value
    assert costliest(counter, KERNELS).startswith(where)
    assert total(counter, []) == (counter == "branch_efficiency") and costliest(counter, []) == ""


@pytest.mark.parametrize(
    ("counter", "value"),
    [(LOADS, 40 + 2 + 9), ("shared.load.requests", 6 + 40 + 2 + 9), ("global.load.sectors", 70),
     ("global.store.requests", 5), ("launches", 23)],
)  # fmt: skip
def test_a_rule_for_loads_counts_atomics_and_farther_memory_too(counter: str, value: float) -> None:
    fetches = kernel(line(20, "texture", "load", 9, 36))
    assert charged(counter, [*KERNELS, fetches]) == value
    if counter == LOADS:
        assert costliest(counter, [fetches]).startswith("demo.cu:20: 9 texture load requests of 4")


def rule(full: float, none: float, against: str | None = "reference") -> CounterRule:
    return CounterRule(LOADS, 64, against, full, none, 8, "use shared memory")


@pytest.mark.parametrize(
    ("value", "reference", "earned"),
    [(100, 100, 8), (200, 100, 8), (800, 100, 4), (3200, 100, 0), (1, 0, 0), (0, 0, 8), (0, 9, 8)],
)
def test_points_go_by_the_logarithm_of_the_ratio(
    value: float, reference: float, earned: float
) -> None:
    part = points.counter_points(rule(2, 32), value, reference, "demo.cu:3")
    assert part.earned == earned
    assert part.verdict == ("passed" if earned == 8 else "too slow")
    assert bool(part.advice) == bool(part.line) == (earned < 8)
    assert part.ratio is None or math.isfinite(part.ratio)


@pytest.mark.parametrize(
    ("value", "full", "none", "earned"),
    [(1, 1, 100, 8), (10, 1, 100, 4), (210, 1, 100, 0), (0, 0, 10, 8), (5, 0, 10, 4),
     (2, 0, 10, 6.4)],
)  # fmt: skip
def test_a_fixed_number_needs_no_reference(
    value: float, full: float, none: float, earned: float
) -> None:
    part = points.counter_points(rule(full, none, None), value, None, "")
    assert (part.earned, part.reference, part.ratio) == (earned, None, None)


def test_where_more_is_better_the_scale_turns_round() -> None:
    assert points.share(rule(0.9, 0.5), 0.95) == 1
    assert points.share(rule(0.9, 0.5), 0.4) == 0
    assert 0 < points.share(rule(0.9, 0.5), 0.7) < 1


def with_rule(checkout: Checkout, counter: str = LOADS, **changed: str) -> Path:
    path = checkout.labs / LAB / "lab.toml"
    entries = "\n".join(f"{key} = {value}" for key, value in {**RULE, **changed}.items() if value)
    path.write_text(path.read_text() + f'\n[stage.counters."{counter}"]\n{entries}\n')
    return path


def test_a_rule_is_read(checkout: Checkout) -> None:
    first, second = load(with_rule(checkout)).stages
    assert first.counters == ()
    expected = CounterRule(LOADS, 1024, "reference", 2.0, 32.0, 8, "use shared memory")
    assert second.counters == (expected,)


@pytest.mark.parametrize(
    ("counter", "changed", "said"),
    [
        ("global.load.requets", {}, '"global.load.requets": is not a counter; the counters are:'),
        ("shared.load.sectors", {}, "is not a counter"),
        ("global.atomic.sectors", {}, "is not a counter"),
        (LOADS, {"against": '"cub"'}, "against: 'cub' is not a yardstick"),
        (LOADS, {"full": "40"}, "none: must be larger than full"),
        ("branch_efficiency", {}, "none: must be smaller than full"),
        (LOADS, {"n": "0"}, "n: must be a whole number"),
        (LOADS, {"advice": '""'}, "advice: must be a non-empty string"),
        (LOADS, {"points": ""}, "points: is missing"),
        (LOADS, {"colour": "1"}, "colour: is not a known key"),
    ],
)
def test_each_fault_of_a_rule_is_named(
    checkout: Checkout, counter: str, changed: dict[str, str], said: str
) -> None:
    path = with_rule(checkout, counter, **changed)
    with pytest.raises(UsageError, match=r"stage\[2\].counters.*" + said):
        load(path)


def counted(*kernels: dict[str, Any]) -> str:
    return plan("strided", "count", json.dumps({"kernels": kernels}))


CountStage = Callable[[str], tuple[points.CounterPoints, ...]]


@pytest.fixture
def count_stage(checkout: Checkout) -> CountStage:
    """Counts a submission that consists of `text`; the reference makes 100 requests."""
    lab: Lab = load(with_rule(checkout))
    reference = checkout.reference / LAB / "demo.cu"
    reference.write_text(counted(kernel(line(1, "global", "load", 100, 100))))

    def count(text: str) -> tuple[points.CounterPoints, ...]:
        return counting.count_stage(checkout, lab, text.encode(), lab.stages[1], 1, OWN_RIGHTS)

    return count


def test_the_size_is_drawn_from_the_seed() -> None:
    """A size that everybody knows could be a case of its own in a submission."""
    wanted = CounterRule(LOADS, 2048, "reference", 2, 32, 8, "use shared memory")
    sizes = [counting.drawn_size(wanted, "tiled", seed) for seed in range(100)]
    assert len(set(sizes)) > 50 and min(sizes) >= 1792 and max(sizes) <= 2048
    assert sizes[1] == counting.drawn_size(wanted, "tiled", 1)
    assert sizes[:9] != [counting.drawn_size(wanted, "shared", seed) for seed in range(9)]
    assert counting.drawn_size(rule(1, 100, None), "tiled", 7) == 64


def test_a_submission_is_measured_by_the_reference(count_stage: CountStage) -> None:
    [part] = count_stage(counted(kernel(line(7, "global", "load", 800, 800))))
    assert (part.earned, part.possible, part.verdict) == (4, 8, "too slow")
    assert (part.value, part.reference, part.ratio) == (800, 100, 8)
    assert part.advice == "use shared memory" and part.line.startswith("demo.cu:7: 800 global load")
    [part] = count_stage(counted(kernel(line(7, "global", "load", 150, 600))))
    assert (part.earned, part.verdict, part.advice) == (8, "passed", "")


@pytest.mark.parametrize(
    ("report", "verdict", "earned"),
    [
        ({"verdict": "crashed", "exit": 1}, "crashed", 0),
        ({"verdict": "timed out", "exit": 1}, "timed out", 0),
        ({"verdict": "infrastructure error", "exit": 1}, "infrastructure error", None),
        ({"kernels": []}, "infrastructure error", None),
        ({"kernels": [{"kernel": "sort"}]}, "infrastructure error", None),
        ({"kernels": [kernel(line(1, "global", "load", -5, 1))]}, "infrastructure error", None),
        ({"kernels": [kernel(launches=True)]}, "infrastructure error", None),
        ({"kernels": "none"}, "infrastructure error", None),
        ({"verdict": "passed", "kernels": []}, "infrastructure error", None),  # nothing counted
        ({"kernels": [kernel(line(1, "global", "load", 1, 1))], "exit": 3},
         "infrastructure error", None),
        ({"text": "not json"}, "infrastructure error", None),
    ],
)  # fmt: skip
@pytest.mark.longer
def test_what_is_not_counted_is_a_failure_or_open(
    count_stage: CountStage, report: dict[str, Any], verdict: str, earned: float | None
) -> None:
    [part] = count_stage(plan("strided", "count", json.dumps(report)))
    assert (part.verdict, part.earned, part.value) == (verdict, earned, None)


def test_both_are_counted_on_the_input_of_the_rule(
    count_stage: CountStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, str]] = []
    real = counting.ask

    def ask(bench: Bench, options: list[str], limit: float) -> object:
        assert options[0] == "--count"
        asked.append(dict(zip(options[1::2], options[2::2], strict=True)))
        return real(bench, options, limit)

    monkeypatch.setattr(counting, "ask", ask)
    count_stage(counted(kernel(line(7, "global", "load", 800, 800))))
    assert len(asked) == 2 and asked[0] == asked[1]
    assert (asked[0]["--stage"], asked[0]["--seed"]) == ("strided", "1")
    assert 896 <= int(asked[0]["--n"]) <= 1024  # drawn from the seed, at most an eighth smaller


def test_without_the_reference_nothing_is_lost(checkout: Checkout, count_stage: CountStage) -> None:
    (checkout.reference / LAB / "demo.cu").unlink()
    [part] = count_stage(counted(kernel()))
    assert (part.verdict, part.earned) == ("not measured", None)
    assert "neither the reference nor its counts are in this copy" in part.reason


@pytest.mark.longer
def test_only_right_answers_are_counted(
    checkout: Checkout, count_stage: CountStage, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = checkout.labs / LAB / "demo.cu"
    many = counted(kernel(line(7, "global", "load", 800, 800)))
    mine.write_text(many + plan("strided", "reverse", '{"verdict": "wrong answer"}'))
    main(["check", f"{LAB}.strided", "--backend", "cpu", "--json"], checkout)
    [result] = json.loads(capsys.readouterr().out)["results"]
    [part] = result["stages"][0]["points"]["counters"]
    assert (part["earned"], part["verdict"], part["value"]) == (0, "race", None)
    mine.write_text(many)
    assert main(["check", f"{LAB}.strided", "--backend", "cpu", "--json"], checkout) == 1
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert (result["points"]["earned"], result["points"]["possible"]) == (14, 18)
    assert result["points"]["not_measured"] == 0
    text = table(result)
    [part] = result["stages"][0]["points"]["counters"]
    assert 896 <= part["n"] <= 1024
    assert f"global.load.requests: 800 at n = {part['n']}, 8 times the reference's 100" in text
    assert "most of it at demo.cu:7: 800 global load requests of 1 sectors each" in text
    assert "use shared memory" in text


@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("cores", [1, 2])
def test_with_a_core_to_spare_a_stage_is_counted_beside_its_first_run(
    checkout: Checkout, count_stage: CountStage, monkeypatch: pytest.MonkeyPatch, cores: int,
    wrong: bool,
) -> None:  # fmt: skip
    """The count of a stage that turns out to be wrong is ended, and gives no points."""
    began, early, ended = threading.Event(), list[bool](), list[bool]()
    run_in_order, count = judge._run_in_order, grading.count_stage

    def run(bench: Bench, stage: str, order: str, *more: Any) -> Any:
        if order == "forward":
            early.append(began.wait(10 if cores == 2 else 0.5))
        return run_in_order(bench, stage, order, *more)

    def counted_slowly(*arguments: Any) -> Any:
        began.set()
        not_needed = arguments[-1]
        ended.append(not_needed is not None and not_needed.wait(10 if wrong else 0.1))
        return count(*arguments)

    monkeypatch.setattr(judge, "_run_in_order", run)
    monkeypatch.setattr(grading, "count_stage", counted_slowly)
    machine = replace(hardware.describe(), cores=cores)
    monkeypatch.setattr(grading, "this_machine", lambda: machine)
    lab = load(checkout.labs / LAB / "lab.toml")
    text = counted(kernel(line(7, "global", "load", 150, 600)))
    text += plan("strided", "forward", '{"verdict": "crashed"}') if wrong else ""
    order = Order(lab, "ann", text.encode(), "cpu", Seed(), lab.stages[1:2], OWN_RIGHTS)
    [stage] = grading.grade(checkout, order).document()["stages"]
    [part] = stage["points"]["counters"]
    assert early == [cores == 2]
    assert ended == ([wrong] if cores == 2 else [] if wrong else [False])
    assert part["earned"] == (0 if wrong else 8)
