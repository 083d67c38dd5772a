"""The vocabulary of CUDA on the CPU: one program per group of names, each also for nvcc."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from grader.tests import choice
from grader.tests.test_cpu import TESTS, build, cucc_command, line_of, run  # noqa: F401

pytestmark = pytest.mark.reads("cpu backend", "grader/tests/cpu")

PROGRAMS = ["groups", "textures", "graphs", "memory", "intrinsics", "gaps",
            "small_floats", "random_numbers", "libraries", "pipelines"]  # fmt: skip
ORDERED = ["groups", "memory", "gaps"]


@pytest.mark.parametrize("name", choice.first_of(1, PROGRAMS, TESTS.parents[1] / "cpu"))
def test_group_of_names_does_what_cuda_does(build, name):  # noqa: F811
    done = run(build(name))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("order", ["reverse", "random"])
@pytest.mark.parametrize("name", ORDERED)
def test_in_every_order(build, name, order):  # noqa: F811
    done = run(build(name), WARPWISE_ORDER=order, WARPWISE_SEED="3")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("fault", "error", "pattern", "mark"),
    [
        ("assert", "cudaErrorAssert", r"assert: .*thread \(5,0,0\): .*assertion `.*` failed", None),
        ("left", "cudaErrorLaunchFailure", "barrier: .*2 blocks wait in grid.sync.*1 blocks", None),
        ("plain", "cudaErrorLaunchFailure", "barrier: .*needs a launch by cudaLaunchCoop", None),
        ("divergent", "cudaErrorLaunchFailure", "barrier: .*different", "divergent-1"),
    ],
)
def test_fault_is_reported_in_one_line(build, fault, error, pattern, mark):  # noqa: F811
    done = run(build("device_errors"), fault)
    assert done.stdout == error + "\n"
    assert re.fullmatch(f"warpwise: {pattern}.*\n", done.stderr), done.stderr
    line = line_of("device_errors.cu", f"LINE {mark or fault}")
    assert f"device_errors.cu:{line}" in done.stderr


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (1, "texCubemap"),
        (2, "tex2Dgather"),
        (3, "cudaIpcOpenMemHandle"),
        (4, "cudaGraphGetEdges"),
    ],
)
def test_missing_name_is_refused_by_name(tmp_path, number, name):
    source = TESTS / "missing.cu"
    done = cucc_command("-c", source, "-o", tmp_path / "m.o", f"-DMISSING={number}")
    assert done.returncode == 1
    assert re.search(rf"{name}.* CUDA on the CPU", done.stderr) and "README.md" in done.stderr


# test_cpu.py asks nvcc about one of the files.
@pytest.mark.exhaustive("grader/tests/cpu", "grader/cpu/include", "labs/kit")
@pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc is not on PATH")
def test_nvcc_accepts_the_same_files(tmp_path):
    sources = [str(TESTS / f"{name}.cu") for name in [*PROGRAMS, "device_errors", "missing"]]
    # As far as PTX: by then host and device code are read, and what follows is not about names.
    command = ["nvcc", "-std=c++20", "-arch=sm_90", "-rdc=true", "-t", "2", "-ptx", *sources]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
