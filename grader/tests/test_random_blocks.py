"""Random kernels with barriers do the same, whether their threads are loops or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cpu.compiler import driver
from grader.cpu.compiler.loops import with_loops
from grader.tests.built_once import runtime
from grader.tests.random_blocks import LAUNCHES, program
from grader.tests.test_check import run

pytestmark = pytest.mark.reads("cpu backend")
MANY = pytest.mark.exhaustive("grader/cpu", "grader/tests/random_blocks.py")
KERNELS = 8  # in a program
SEEDS = range(12)


@pytest.mark.parametrize("seed", [
    pytest.param(seed, marks=MANY if seed else ()) for seed in SEEDS
])  # fmt: skip
def test_random_kernels_do_the_same_with_and_without_loops(seed: int, tmp_path: Path) -> None:
    source = tmp_path / "kernels.cu"
    source.write_text(program(seed, KERNELS))
    printed = {order: set[str]() for order in ("forward", "reverse", "random")}
    for words in ([], ["--threads"]):
        made = tmp_path / f"kernels{len(words)}"
        driver.link_program([source], made, ["-w", "-fwrapv", *words], runtime("run"))
        for order, said in printed.items():
            said.add(run(made, order=order).stdout)
    for order, said in printed.items():
        assert len(said) == 1, (order, source.read_text())
        lines = said.pop().splitlines()
        assert len(set(lines)) > len(lines) / 2 == KERNELS * len(LAUNCHES) / 2


@MANY
def test_many_of_them_are_loops(tmp_path: Path) -> None:
    source, loops = tmp_path / "kernels.cu", 0
    for seed in SEEDS:
        source.write_text(program(seed, KERNELS))
        unit = with_loops(driver.preprocess_and_rewrite(source, tmp_path / "kernels.o", []))
        loops += unit.text.count("run_whole_block") if unit else 0
    assert loops > len(SEEDS) * KERNELS / 5
