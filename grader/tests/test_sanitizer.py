"""The references under compute-sanitizer, with a known-bad control for each tool."""

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError
from grader.compiling import worker
from grader.compiling.build import build
from grader.judging import judge, sanitize
from grader.lab_file import manifest
from grader.lab_file.rules import SANITIZERS
from grader.machine import hardware

pytestmark = pytest.mark.reads("judging", "labs", "reference", "grader/trials")

CHECKOUT = Checkout.here()
CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
HAZARD = (
    "========= COMPUTE-SANITIZER\n========= Error: Race reported between Write access at\n"
    "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n"
)


def test_logs_are_added_up() -> None:
    assert sanitize.read_logs("memcheck", [CLEAN, CLEAN]).errors == 0
    found = sanitize.read_logs("racecheck", [CLEAN, HAZARD])
    assert found.errors == 1
    assert found.report.startswith("Error: Race reported")


@pytest.mark.parametrize("logs", [[], ["========= COMPUTE-SANITIZER\n"], [CLEAN, "killed"]])
def test_a_tool_that_did_not_finish_is_not_clean(logs: list[str]) -> None:
    with pytest.raises(InfrastructureError):
        sanitize.read_logs("memcheck", logs)


def _stages() -> list[object]:
    return [
        pytest.param(lab, stage, id=f"{lab.name} {stage.name}")
        for lab in manifest.discover(CHECKOUT)
        for stage in lab.stages
    ]


def _run(lab: manifest.Lab, path: str, stage: manifest.Stage, tool: str) -> sanitize.Sanitized:
    return _run_source(lab, (CHECKOUT.reference / lab.name / path).read_bytes(), stage, tool)


def _run_source(
    lab: manifest.Lab, source: bytes, stage: manifest.Stage, tool: str
) -> sanitize.Sanitized:
    if not hardware.find_gpu():
        pytest.skip("no NVIDIA GPU")
    if not sanitize.find_tool():
        pytest.skip("no compute-sanitizer")
    build(CHECKOUT, "gpu")
    compiled = worker.compile_submission(CHECKOUT, lab, source, "gpu")
    assert compiled.worker, compiled.message
    bench = judge.Bench(CHECKOUT.judge("gpu", lab.name), compiled.worker, 10.0, "gpu", 1)
    return sanitize.sanitize(bench, [stage], tool)


@pytest.mark.parametrize("tool", SANITIZERS)
@pytest.mark.parametrize(("lab", "stage"), _stages())
def test_the_reference_is_clean(lab: manifest.Lab, stage: manifest.Stage, tool: str) -> None:
    found = _run(lab, lab.source, stage, tool)
    assert found.errors == 0, found.report


@pytest.mark.parametrize(
    ("name", "path", "stage", "tool"),
    [
        ("01-rank-sort", "wrong/misses_the_end.cu", "global", "memcheck"),
        ("01-rank-sort", "wrong/missing_barrier.cu", "tiled", "racecheck"),
        ("02-in-place", "wrong/no_barrier_after_load.cu", "in-place", "racecheck"),
        ("02-in-place", "wrong/no_barrier_before_store.cu", "in-place", "racecheck"),
    ],
)
def test_a_wrong_solution_is_reported(name: str, path: str, stage: str, tool: str) -> None:
    """A tool that reports nothing here would report nothing anywhere."""
    lab = manifest.find(manifest.discover(CHECKOUT), name)
    assert _run(lab, path, manifest.find_stage(lab, stage), tool).errors > 0


# Lab 02's first stage with nothing in it but what the tool is to report.
CONTROL = """
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "in_place.hpp"
namespace in_place {
__global__ void control(float* keys, int n, const float* scratch) {
  %s
}
void in_place(float* keys, int n) {
  kit::DeviceBuffer<float> scratch(64);
  control<<<1, 64>>>(keys, n, scratch.data());
}
}
"""
READS_NOTHING = CONTROL % "if (n > 0) keys[0] = scratch[threadIdx.x];"
# The other half must come to a barrier, too: for the tool, threads that have ended wait nowhere.
HALF_A_WARP = CONTROL % "if (threadIdx.x < 16) __syncthreads(); keys[0] = 1; __syncthreads();"


@pytest.mark.parametrize(
    ("source", "tool"), [(READS_NOTHING, "initcheck"), (HALF_A_WARP, "synccheck")]
)
def test_what_only_this_tool_sees_is_reported(source: str, tool: str) -> None:
    lab = manifest.find(manifest.discover(CHECKOUT), "02-in-place")
    assert _run_source(lab, source.encode(), manifest.find_stage(lab, "in-place"), tool).errors > 0
