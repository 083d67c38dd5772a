"""Inputs that timed calls share: sent once, checked when they come back. Real workers of lab 05."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.compiling import worker
from grader.judging.workers import build_for_grading
from grader.lab_file import manifest
from grader.tests import choice

pytestmark = pytest.mark.reads("judging", "labs", "reference")
CHECKOUT = Checkout.here()
LAB = "05-sssp"
# Right distances, by one thread; then, at the end of a search, something else.
SOURCE = """
#include "cuda_check.hpp"
#include "sssp.hpp"
namespace sssp {
__global__ void search(const int* start, const int* end, const float* weight, int edges, int n,
                       int source, float* dist) {
  for (int v = 0; v < n; ++v) dist[v] = v == source ? 0.0f : INFINITY;
  for (bool changed = true; changed;) {
    changed = false;
    for (int e = 0; e < edges; ++e) {
      const int u = start[e], v = end[e];
      if (dist[u] + weight[e] < dist[v]) dist[v] = dist[u] + weight[e], changed = true;
      if (dist[v] + weight[e] < dist[u]) dist[u] = dist[v] + weight[e], changed = true;
    }
  }
  %s
}
int relax(const int* start, const int* end, const float* weight, int edges, int n, int source,
          float* dist) {
  search<<<1, 1>>>(start, end, weight, edges, n, source, dist);
  CUDA_CHECK_LAUNCH();
  return 1;
}
}
"""
FAIR = SOURCE % ""
# The same edge the other way round: every distance stays right.
TURNS_AN_EDGE = (
    SOURCE
    % """
  const int u = start[7], v = end[7];
  if (u < v) const_cast<int*>(start)[7] = v, const_cast<int*>(end)[7] = u;
"""
)
WRITES_BEHIND = SOURCE % "const_cast<int*>(end)[edges + 3] = 0;"
WRONG = SOURCE % "dist[source] = 1;"


@pytest.fixture(scope="session")
def built() -> None:
    build_for_grading(CHECKOUT, "cpu")


def timed(text: str, folder: Path) -> dict[str, Any]:
    """The judge's report on timing `text`, whose searches share their graph."""
    lab = manifest.load(CHECKOUT.labs / LAB / "lab.toml")
    compiled = worker.compile_submission(CHECKOUT, lab, text.encode(), "cpu")
    assert compiled.worker, compiled.message
    report = folder / "report.json"
    command = [str(CHECKOUT.judge("cpu", LAB)), "--bench", "--stage", "relax",
               "--worker", str(compiled.worker), "--report", str(report)]  # fmt: skip
    subprocess.run(command, check=False, timeout=120)
    return json.loads(report.read_text())


def test_searches_that_leave_the_graph_alone_are_timed(built: None, tmp_path: Path) -> None:
    report = timed(FAIR, tmp_path)
    assert [point["n"] for point in report["points"]] == [256, 1024, 4096, 16384]


@pytest.mark.parametrize(
    ("text", "words"),
    choice.first_of(1, [
        (TURNS_AN_EDGE, "changed its input: start[7]"),
        (WRITES_BEHIND, "wrote outside its buffer: end["),
    ], CHECKOUT.root / "grader" / "judge", CHECKOUT.root / "grader" / "worker"),
)
def test_a_shared_input_comes_back_checked(
    built: None, tmp_path: Path, text: str, words: str
) -> None:
    report = timed(text, tmp_path)
    assert report["verdict"] == "wrote outside"
    assert "sssp::relax(start, end, weight" in report["message"] and words in report["message"]


def test_a_timed_search_is_a_checked_search(built: None, tmp_path: Path) -> None:
    report = timed(WRONG, tmp_path)
    assert report["verdict"] == "wrong answer" and "it is the source" in report["message"]
