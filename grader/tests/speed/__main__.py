"""How long people wait: `python3 -m grader.tests.speed` prints seconds, and multiples of a fixed
program's time, so that a slow or busy machine does not lie.

    python3 -m grader.tests.speed                  all rows, five rounds each: about 15 minutes
    python3 -m grader.tests.speed --quick          what CI prints: less than a minute
    python3 -m grader.tests.speed "full lab"       the rows with these words

Each row is a command in a process of its own. A target is in seconds on 2 quiet cores; here it is
scaled by the fixed program. With --ci the exit code is 1 if even the fastest round of some row took
more than twice its target.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from grader.base.checkout import Checkout
from grader.machine import hardware
from grader.tests.speed.rows import (
    NOT_HERE,
    ON_CPU,
    ON_GPU,
    TARGET_SECONDS,
    Failed,
    Kit,
    Row,
    calibrate,
    measured,
)

TOO_LATE = 2.0  # times the target
CALIBRATIONS = 3


def main(words: Sequence[str] | None = None) -> int:
    asked = _asked(words)
    rows = [row for row in (*ON_CPU, *(ON_GPU if hardware.find_gpu() else ()))
            if (row.quick or not asked.quick) and asked.words in row.name]  # fmt: skip
    unit = min(calibrate() for _ in range(CALIBRATIONS))
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}; the fixed program takes "
          f"{unit:.2f} s here, {TARGET_SECONDS} s where the targets are from.")  # fmt: skip
    print(f"{'':38}{'seconds':>9}{'x fixed':>9}{'target':>9}{'of target':>11}")
    late: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        kit = Kit(Checkout.here().root, Path(scratch))
        for row in rows:
            try:
                seconds = measured(row, kit, asked.rounds)
            except Failed as error:
                print(f"{row.name:38}  not measured: {error}", flush=True)
                late.append(row.name)
                continue
            print(line(row, seconds, unit), flush=True)
            if is_late(row, seconds, unit):
                late.append(row.name)
    print(f"not measured here: {NOT_HERE}")
    if late:
        print(f"more than {TOO_LATE:g} times the target: {', '.join(late)}")
    return 1 if late and asked.ci else 0


def _asked(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python3 -m grader.tests.speed", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="?", default="", help="only rows with these words")
    parser.add_argument("--quick", action="store_true", help="only rows that take seconds")
    parser.add_argument("--ci", action="store_true", help="exit code 1 at twice a target")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="default: 5")
    asked = parser.parse_args(words)
    if asked.rounds < 1:
        parser.error("--rounds must be at least 1")
    return asked


def line(row: Row, seconds: Sequence[float], unit: float) -> str:
    """The median, as seconds, as a multiple of the fixed program, and beside the target."""
    here = median(seconds)
    share = here / unit / (row.target / TARGET_SECONDS)
    return f"{row.name:38}{here:9.2f}{here / unit:9.2f}{row.target:7g} s{share:10.2f}"


def is_late(row: Row, seconds: Sequence[float], unit: float) -> bool:
    """Whether even the fastest round took too long, on a machine as fast as this one."""
    return min(seconds) / unit > TOO_LATE * row.target / TARGET_SECONDS


if __name__ == "__main__":
    sys.exit(main())
