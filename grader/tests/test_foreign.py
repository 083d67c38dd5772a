"""The script that tries foreign code, on a checkout with two samples of our own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.base.checkout import Checkout

pytestmark = pytest.mark.reads("cpu backend", "grader/tests/foreign")

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "grader.tests.foreign.samples"
SAMPLE = """#include <cuda_runtime.h>
__global__ void write(int *out) { out[THREAD] = 1; }
int main() {
  int *out;
  cudaMalloc(&out, 128);
  write<<<1, 32>>>(out);
  cudaFree(out);
  return CODE;
}
"""


def try_sample(folder: Path, thread: str, code: str) -> tuple[int, dict]:
    sample = folder / "Samples" / "0_Introduction" / "vectorAdd"
    (sample / "vectorAdd.cu").write_text(SAMPLE.replace("THREAD", thread).replace("CODE", code))
    command = [sys.executable, "-m", SCRIPT, str(folder), "--out", str(folder / "out")]
    environment = {**os.environ, "XDG_CACHE_HOME": str(Checkout.here().build("cpu"))}
    done = subprocess.run([*command, "--only", "vectorAdd"], env=environment, cwd=ROOT,
                          capture_output=True, text=True, check=False)  # fmt: skip
    return done.returncode, json.loads((folder / "out" / "samples.json").read_text())[0]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "Samples" / "0_Introduction" / "vectorAdd").mkdir(parents=True)
    (tmp_path / "Common").mkdir()
    return tmp_path


@pytest.mark.exhaustive("grader/cpu", "grader/tests/foreign", "grader/tests/test_foreign.py")
def test_a_sample_passes_or_fails_or_is_reported(checkout: Path) -> None:
    code, found = try_sample(checkout, "threadIdx.x", "0")
    assert (code, found["builds"], found["passes"], found["check"]) == (0, True, "yes", "silent")
    code, found = try_sample(checkout, "threadIdx.x", "3")
    assert found["passes"] == "no: exit code 3"
    code, found = try_sample(checkout, "threadIdx.x + 1", "0")
    assert (code, found["check"]) == (1, "reports")
    code, found = try_sample(checkout, "no such name", "0")
    assert (found["builds"], found["check"]) == (False, "not tried")


def test_no_checkout_is_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", SCRIPT, str(tmp_path), "--out", str(tmp_path / "out")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "give a clone of cuda-samples" in done.stderr
