"""Entry points: to which stage each belongs, and that a check of one stage makes no others."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.compiling.worker import compile_submission
from grader.grading import grade as grading
from grader.grading.order import Order, Seed
from grader.intake.elf import read_object
from grader.intake.names import spelled
from grader.lab_file import manifest
from grader.lab_file.entry_points import entry_points, not_called, owner
from grader.lab_file.manifest import Lab
from grader.sandbox import bubblewrap
from grader.tests.fakes import plan

HERE = Checkout.here()
LABS = manifest.discover(HERE)
pytestmark = pytest.mark.reads("labs", "reference")


def stage_of(lab: Lab, name: str) -> manifest.Stage:
    return next(stage for stage in lab.stages if stage.name == name)


@pytest.mark.parametrize("lab", LABS, ids=[lab.name for lab in LABS])
def test_each_stage_has_entry_points_and_leaves_the_others_out(lab: Lab) -> None:
    names = entry_points(HERE, lab)
    assert len(names) == len(set(names)) > 0
    for stage in lab.stages:
        left_out = not_called(HERE, lab, [stage])
        own = [name for name in names if owner(lab, name) == stage.name]
        assert own and not set(own) & set(left_out)
        assert all(owner(lab, name) not in ("", stage.name) for name in left_out)
    assert not_called(HERE, lab, lab.stages) == []


def test_an_entry_point_of_no_stage_is_made_for_all() -> None:
    lab = replace(LABS[0], stages=tuple(s for s in LABS[0].stages if s.name != "tiled"))
    assert owner(lab, "tiled") == "" and owner(LABS[0], "tiled") == "tiled"
    assert "tiled" not in not_called(HERE, lab, [lab.stages[0]])
    assert "tiled" in not_called(HERE, LABS[0], [LABS[0].stages[0]])


def test_a_contract_with_more_names_than_the_macro_takes_leaves_nothing_out(
    tmp_path: Path,
) -> None:
    for count, left_out in ((27, 27), (28, 0)):
        names = [f"tiled_{i}" for i in range(count)]
        folder = tmp_path / str(count) / "labs" / LABS[0].name
        folder.mkdir(parents=True)
        text = f"// WARPWISE_ENTRY_POINTS(a)\nWARPWISE_ENTRY_POINTS({', '.join(names)},)\n"
        (folder / LABS[0].contract).write_text(text)
        there = Checkout(tmp_path / str(count))
        assert entry_points(there, LABS[0]) == names
        assert len(not_called(there, LABS[0], [LABS[0].stages[0]])) == left_out


@pytest.mark.parametrize("mode", ["run", "check"])
def test_the_compiler_makes_the_called_stage_alone(mode: str) -> None:
    lab = manifest.find(LABS, "03-bitonic")
    source = (HERE.reference / lab.name / lab.source).read_bytes()
    sizes, box = {}, bubblewrap.find()
    for called in ((), (stage_of(lab, "global"),)):
        made = compile_submission(HERE, lab, source, "cpu", mode, box, called)
        symbols = {spelled(one.name) for one in read_object(made.object_file).symbols}
        sizes[len(called)] = len(symbols)
        assert "bitonic::global" in symbols
        assert ("bitonic::registers" in symbols) == (not called)
    assert 2 * sizes[1] < sizes[0]


def test_a_stage_that_calls_another_ones_function_has_it() -> None:
    lab = manifest.find(LABS, "03-bitonic")
    text = (HERE.reference / lab.name / lab.source).read_text()
    old = "Result any_length(float* keys, std::size_t n) {\n"
    assert text.count(old) == 1
    source = text.replace(old, old + "  if (n == 1) return shared(keys, n);\n").encode()
    made = compile_submission(HERE, lab, source, "cpu", "run", bubblewrap.find(),
                              (stage_of(lab, "any-length"),))  # fmt: skip
    symbols = " ".join(one.name for one in read_object(made.object_file).symbols)
    assert made.worker and "sort_in_shared" in symbols and "sort_in_registers" not in symbols


def test_what_a_stages_test_calls_of_another_stage_is_made_then(
    checkout: Checkout, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge asked for an entry point that was left out: the whole file decides."""
    asked: list[int] = []
    real = grading.make_bench

    def fake(*given: Any, **named: Any) -> Any:
        asked.append(len(named["called"]))
        return real(*given, **named)

    monkeypatch.setattr(grading, "make_bench", fake)
    lacks = '{"verdict": "not attempted", "message": "the file does not define strided"}'
    for report, times in ((lacks, [1, 0]), ('{"verdict": "crashed"}', [1])):
        text = plan("global", "forward", report)
        order = Order(lab, "ann", text.encode(), "cpu", Seed(), lab.stages[:1],
                      bubblewrap.Sandbox("none: a test"), False)  # fmt: skip
        grading.grade(checkout, order)
        assert asked == times
        asked.clear()
