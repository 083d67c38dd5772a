"""cub on the CPU: its primitives beside plain loops. What it forbids is in check/cub.cu."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from grader.cpu.compiler import driver
from grader.cpu.compiler.rewrite import rewrite
from grader.tests.built_once import built_once, runtime

PROGRAMS = Path(__file__).resolve().parent / "cub"
pytestmark = pytest.mark.reads("cpu backend", "grader/tests/cub")
WHEN_IT_CHANGES = pytest.mark.exhaustive("grader/cpu", "grader/tests/cub")
ORDERS = ("forward", "reverse", "random")


def built(name: str, mode: str) -> Path:
    source, library = PROGRAMS / f"{name}.cu", runtime(mode, "g++")
    flags = ["--mode", mode, "-O1", "--extended-lambda", "-Wall", "-Wextra"]
    return built_once(
        f"cub_{name}", [source], library, flags,
        lambda program: driver.link_program([source], program, flags, library),
    )  # fmt: skip


def run(program: Path, order: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WARPWISE_ORDER": order, "WARPWISE_SEED": "7"}
    return subprocess.run([program, *words], env=environment, capture_output=True, text=True,
                          timeout=60, check=False)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("blocks", "run"),
        pytest.param("blocks", "check", marks=WHEN_IT_CHANGES),
        pytest.param("devices", "run", marks=WHEN_IT_CHANGES),
        pytest.param("devices", "check", marks=WHEN_IT_CHANGES),
    ],
)
def test_primitives_agree_with_plain_loops(name: str, mode: str) -> None:
    program = built(name, mode)
    for order in ORDERS:
        done = run(program, order)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        assert done.stdout.startswith("0 of ")
    spoilt = run(program, "forward", "spoil")
    complaints, _, parts = spoilt.stdout.split()[-3:]
    assert spoilt.returncode == 1 and complaints == parts


@WHEN_IT_CHANGES
@pytest.mark.skipif(not shutil.which("nvcc"), reason="no nvcc to ask")
@pytest.mark.parametrize("name", ["blocks", "devices"])
def test_the_programs_are_cuda_to_nvcc(name: str, tmp_path: Path) -> None:
    command = ["nvcc", "-std=c++20", "-arch=sm_80", "--extended-lambda", "-O0", "-c",
               str(PROGRAMS / f"{name}.cu"), "-o", str(tmp_path / "program.o")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr


@pytest.mark.unit
@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("cub::DeviceScan::InclusiveSum(a, b);", "cub::DeviceScan::InclusiveSum"),
        ("if (a) DeviceReduce::Sum(a);", "cub::DeviceReduce::Sum"),
        ("error = cub::DeviceScan::InclusiveSum(a, b);", ""),
        ("cub::Reader::open(a);", ""),
        ("DeviceBuffer::make(a);", ""),
        ("cub::DeviceReduce::Sum(a).value();", ""),
        ("cub = DeviceScan;", ""),
    ],
)
def test_a_call_of_cub_whose_result_is_thrown_away_is_marked(statement: str, name: str) -> None:
    text = rewrite(f"void f() {{ {statement} }}")
    assert ("Discarded" in text) == bool(name)
    assert not name or f'Discarded{{"{name}", ' in text
