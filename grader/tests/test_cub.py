"""References against CUB: sorts that nobody here wrote, on the same keys, bit for bit."""

import os
from pathlib import Path

import pytest

from grader.base import process
from grader.base.checkout import Checkout
from grader.compiling import worker
from grader.machine import hardware

pytestmark = [
    pytest.mark.reads("labs", "reference", "grader/tests/cub"),
    pytest.mark.exhaustive("reference/03-bitonic", "grader/tests/cub"),
]
CHECKOUT = Checkout.here()
PROGRAM = CHECKOUT.root / "grader" / "tests" / "cub" / "bitonic.cu"
LAB = "03-bitonic"


@pytest.fixture(scope="module", params=["", "record"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The comparison and the reference, or the record form, linked. Skips without nvcc."""
    nvcc = hardware.find_nvcc()
    if not nvcc:
        pytest.skip("no nvcc")
    built = tmp_path_factory.mktemp("cub") / "bitonic"
    arch = os.environ.get(worker.CUDA_ARCHITECTURE) or (
        "native" if hardware.find_gpu() else "sm_80"
    )
    reference = CHECKOUT.reference / LAB / request.param / "bitonic.cu"
    # Without a GPU nobody runs it: that nvcc takes our side, as far as PTX, is all there is to see.
    sources = [str(PROGRAM), str(reference)] if hardware.find_gpu() else ["-ptx", str(PROGRAM)]
    command = [nvcc, "-std=c++20", "-O2", f"-arch={arch}",
               "-I", str(CHECKOUT.labs / "kit"), "-I", str(CHECKOUT.labs / LAB),
               *sources, "-o", str(built)]  # fmt: skip
    finished = process.run(command, limit=600)
    assert finished.ok, finished.output
    return built


def test_the_comparison_compiles(program: Path) -> None:
    assert program.is_file()


@pytest.mark.parametrize(("arguments", "code"), [([], 0), (["spoil"], 1)])
def test_lab_03_agrees_with_cub(program: Path, arguments: list[str], code: int) -> None:
    if not hardware.find_gpu():
        pytest.skip("no NVIDIA GPU")
    finished = process.run([str(program), *arguments], limit=300)
    assert finished.returncode == code, finished.output
