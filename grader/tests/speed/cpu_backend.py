"""The CPU backend beside plain C++: `python3 -m grader.tests.speed.cpu_backend` prints ratios.

Run mode is compared with a plain loop of the same program, check and count mode with run mode at
the same size. Each number is the best of three rounds, in user time, on one worker. Exit code 1:
some ratio is more than twice its target.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.cpu.compiler import driver

SOURCE = Path(__file__).resolve().parents[2] / "cpu" / "bench" / "ratios.cu"
# Work, size, target beside plain C++; size in the slow modes, target of check beside run.
WORKS = [
    ("matmul", 512, 5.0, 256, 8.0),
    ("bitonic", 1 << 20, 5.0, 1 << 16, 8.0),
    ("rank", 16384, 5.0, 2048, 8.0),
    ("odd_even", 8192, 5.0, 2048, 8.0),
]

CLOCK_STEP_MS = 0.001  # what a program prints: a kernel takes no less


def measure(program: Path, work: str, size: int) -> tuple[float, float]:
    """Milliseconds of the kernel and of the plain loop. Raises when their results differ."""
    done = subprocess.run(
        [str(program), work, str(size)],
        env={**os.environ, "WARPWISE_WORKERS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{work} {size}: the kernel's result is wrong, or it failed: {done.stderr}")
    kernel, plain = map(float, done.stdout.split())
    return kernel, plain


def main() -> int:
    late = False
    with tempfile.TemporaryDirectory() as folder:
        programs = {mode: Path(folder) / mode for mode in ("run", "check", "count")}
        for mode, program in programs.items():
            driver.link_program([SOURCE], program, ["--mode", mode])
        print(f"{'':10}{'run / plain':>24}{'check / run':>24}{'count / run':>14}")
        for work, size, target, small, check_target in WORKS:
            kernel, plain = measure(programs["run"], work, size)
            small_run = max(measure(programs["run"], work, small)[0], CLOCK_STEP_MS)
            check = measure(programs["check"], work, small)[0] / small_run
            count = measure(programs["count"], work, small)[0] / small_run
            ratio = kernel / plain
            beside = f"{ratio:.1f} (target {target:g})", f"{check:.1f} (target {check_target:g})"
            print(f"{work:10}{beside[0]:>24}{beside[1]:>24}{count:>14.1f}", flush=True)
            late |= ratio > 2 * target or check > 2 * check_target
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
