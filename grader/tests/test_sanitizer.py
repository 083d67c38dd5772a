"""The references under compute-sanitizer, with a known-bad control for each tool."""

import pytest

from grader import compiling, judge, machine, manifest, sanitize
from grader.build import build
from grader.checkout import Checkout
from grader.errors import InfrastructureError

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
        pytest.param(lab, stage, id=f"{lab.name} {stage}")
        for lab in manifest.discover(CHECKOUT)
        for stage in lab.stage_names
    ]


def _run(lab: manifest.Lab, path: str, stage: str, tool: str) -> sanitize.Sanitized:
    if not machine.find_gpu():
        pytest.skip("no NVIDIA GPU")
    if not sanitize.find_tool():
        pytest.skip("no compute-sanitizer")
    build(CHECKOUT, "gpu")
    source = (CHECKOUT.reference / lab.name / path).read_bytes()
    compiled = compiling.compile_submission(CHECKOUT, lab, source, "gpu")
    assert compiled.worker, compiled.message
    bench = judge.Bench(CHECKOUT.judge("gpu", lab.name), compiled.worker, 10.0, "gpu", 1)
    return sanitize.sanitize(bench, stage, tool)


@pytest.mark.labs
@pytest.mark.parametrize("tool", ["memcheck", "racecheck"])
@pytest.mark.parametrize(("lab", "stage"), _stages())
def test_the_reference_is_clean(lab: manifest.Lab, stage: str, tool: str) -> None:
    found = _run(lab, lab.source, stage, tool)
    assert found.errors == 0, found.report


@pytest.mark.labs
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
    assert _run(lab, path, stage, tool).errors > 0
