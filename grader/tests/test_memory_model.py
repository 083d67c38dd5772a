"""Check mode beside a model of memory: what it says of random kernels, and when it is silent."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from grader.cpu.compiler import driver
from grader.tests.built_once import runtime
from grader.tests.memory_model import Kernel, Step, program, random_kernel
from grader.tests.test_check import run

pytestmark = pytest.mark.reads("cpu backend")
MANY = pytest.mark.exhaustive("grader/cpu", "grader/tests/memory_model.py")
KERNELS = 10  # in a program: after fifty lines the checker leaves out the others
WORDS = {"race": "race: ", "outside": "outside", "uninitialised": "never written"}


def said_of(kernels: list[Kernel], folder: Path, order: str) -> dict[str, str]:
    """What the checker says, by kernel."""
    program_path = folder / "kernels"
    if not program_path.exists():
        source = folder / "kernels.cu"
        source.write_text(program(kernels))
        driver.link_program([source], program_path, ["-w", "--mode", "check"], runtime("check"))
    parts = re.split(r"@(\w+)\n", run(program_path, order=order).stderr)
    assert parts[-2] == "end"
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def unsure(wrong: set[str]) -> set[str]:
    """What the checker need not say as the model does: after an access outside the kernel's element
    has no value, and a read that races with the write may come before it."""
    if "outside" in wrong:
        return {"race", "uninitialised"}
    return {"uninitialised"} if "race" in wrong else set()


@pytest.mark.parametrize("seed", [
    pytest.param(seed, marks=MANY if seed else ()) for seed in range(8)
])  # fmt: skip
def test_the_checker_says_what_the_model_says(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    kernels = [random_kernel(draw, f"k{number}") for number in range(KERNELS)]
    for order in ("forward", "reverse", "random"):
        said = said_of(kernels, tmp_path, order)
        for kernel in kernels:
            wrong = kernel.wrong()
            found = {kind for kind, word in WORDS.items() if word in said[kernel.name]}
            left_out = unsure(wrong)
            assert found - left_out == wrong - left_out, (
                order, kernel.text(), said[kernel.name],
            )  # fmt: skip


def test_random_kernels_are_of_all_kinds() -> None:
    draw = random.Random(0)
    all_wrong = [random_kernel(draw, "k").wrong() for _ in range(200)]
    for kind in WORDS:
        assert sum(kind in wrong for wrong in all_wrong) > 10, kind
    assert sum(not wrong for wrong in all_wrong) > 40


SUM_OF_NEIGHBOURS = Step("read", "shared", "(t + 1) % 64")
EACH_ITS_OWN = Step("write", "shared", "t")


@pytest.mark.parametrize(("between", "wrong"), [
    ([Step("block")], set()),
    ([], {"race"}),
    ([Step("warp")], {"race"}),  # the last lane reads what another warp writes
])  # fmt: skip
def test_the_model_knows_barriers(between: list[Step], wrong: set[str]) -> None:
    steps = (EACH_ITS_OWN, *between, SUM_OF_NEIGHBOURS)
    assert Kernel("k", 1, 64, "True", steps).wrong() == wrong


@pytest.mark.parametrize(("size", "written", "steps", "wrong"), [
    (64, "True", [Step("write", "global", "t")], {"race"}),  # of two blocks
    (64, "True", [Step("atomic", "global", "t")], set()),
    (64, "True", [Step("write", "own", "t")], set()),
    (60, "t < 40", [], set()),
    (60, "True", [], {"outside"}),
    (64, "t < 40", [Step("read", "shared", "t", "t < 40")], set()),
    (64, "t < 40", [Step("read", "shared", "t")], {"uninitialised"}),
    (64, "t < 40", [EACH_ITS_OWN, Step("read", "shared", "t")], set()),
])  # fmt: skip
def test_the_model_knows_words(size: int, written: str, steps: list[Step], wrong: set[str]) -> None:
    assert Kernel("k", 2, size, written, tuple(steps)).wrong() == wrong
