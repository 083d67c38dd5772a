"""The rows of the table: what a person waits for, and how long that may take on a quiet machine."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.base.checkout import ELSEWHERE

CALIBRATION = Path(__file__).with_name("calibration.cpp")
# What the calibration program takes on the machine that the targets are for: 2 quiet cores.
TARGET_SECONDS = 1.1
HELLO = """#include <cstdio>
__global__ void hello() { printf("hello from thread %u\\n", threadIdx.x); }
int main() { hello<<<1, 4>>>(); return cudaDeviceSynchronize(); }
"""
ERROR = "int main() { return missing; }\n"
AFTER = re.compile(r"after (\d+(?:\.\d+)?) s")


class Failed(Exception):
    """A command did not do what its row is about."""


@dataclass(frozen=True)
class Kit:
    """A checkout and a scratch folder; what is timed is `./lab` as a process of its own."""

    root: Path
    scratch: Path
    backend: str = "cpu"

    def lab(self, *words: str, codes: Sequence[int] = (0,), made: Path | None = None) -> str:
        """Run `./lab WORDS`; returns what it said. With `made` all that is built goes there."""
        env = {**os.environ, "NO_COLOR": "1"} | ({ELSEWHERE: str(made)} if made else {})
        done = subprocess.run([str(self.root / "lab"), *words], env=env, cwd=self.scratch,
                              capture_output=True, text=True)  # fmt: skip
        if done.returncode not in codes:
            last = (done.stderr.strip().splitlines() or ["nothing"])[-1]
            raise Failed(f"./lab {words[0]} ended with {done.returncode}: {last}")
        return done.stdout + done.stderr

    def source(self, path: str, unique: bool = True) -> str:
        """A copy of a file of the kit, as no other before: nothing that is kept can serve it."""
        text = (self.root / path).read_text(encoding="utf-8")
        return self.written(Path(path).name, text, unique)

    def written(self, name: str, text: str, unique: bool = True) -> str:
        file = self.scratch / name
        file.write_text(text + (f"\n// {time.time_ns()}\n" if unique else ""), encoding="utf-8")
        return str(file)


@dataclass(frozen=True)
class Row:
    """One thing to wait for. `measure` returns its seconds; `quick` rows are for CI."""

    name: str
    target: float
    measure: Callable[[Kit], float]
    quick: bool = False
    once: bool = False  # takes long: one round is enough
    backend: str = "cpu"


def timed(work: Callable[[], object]) -> float:
    started = time.monotonic()
    work()
    return time.monotonic() - started


def calibrate() -> float:
    """Seconds to compile and run the fixed program, on one core."""
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "calibration")
        words = ["g++", "-std=c++20", "-O2", str(CALIBRATION), "-o", program]
        return timed(lambda: subprocess.run(words, check=True)) + timed(
            lambda: subprocess.run([program], check=True, stdout=subprocess.DEVNULL)
        )


def _reference(lab: str) -> str:
    return f"reference/{lab}/{lab[3:].replace('-', '_')}.cu"


def _check(lab: str, stage: str) -> Callable[[Kit], float]:
    """From a save to the verdict on a right stage."""

    def measure(kit: Kit) -> float:
        file = kit.source(_reference(lab))
        return timed(lambda: kit.lab("check", f"{lab}.{stage}", "--file", file,
                                     "--backend", kit.backend))  # fmt: skip

    return measure


def _failing(kit: Kit) -> float:
    file = kit.source("reference/01-rank-sort/wrong/ties_reversed.cu")
    return timed(lambda: kit.lab("check", "01.stable", "--file", file, "--backend", kit.backend,
                                 codes=(1,)))  # fmt: skip


def _error(kit: Kit) -> float:
    file = kit.written("rank_sort.cu", ERROR)
    return timed(lambda: kit.lab("check", "01.stable", "--file", file, "--backend", kit.backend,
                                 codes=(1,)))  # fmt: skip


def _again(kit: Kit) -> float:
    """The same file once more."""
    words = ("check", "01.global", "--file", kit.source(_reference("01-rank-sort"), unique=False),
             "--backend", kit.backend)  # fmt: skip
    kit.lab(*words)
    return timed(lambda: kit.lab(*words))


def _grade(lab: str) -> Callable[[Kit], float]:
    """A full lab, all stages and orders."""

    def measure(kit: Kit) -> float:
        file = kit.source(_reference(lab))
        return timed(lambda: kit.lab("grade", file, "--lab", lab, "--backend", kit.backend,
                                     "--out", str(kit.scratch / "out")))  # fmt: skip

    return measure


def _words(*words: str) -> Callable[[Kit], float]:
    return lambda kit: timed(lambda: kit.lab(*words))


def _hello(first: bool, *mode: str) -> Callable[[Kit], float]:
    def measure(kit: Kit) -> float:
        file = kit.written("hello.cu", HELLO, unique=False)
        if not first:
            kit.lab("run", file, *mode)
            return timed(lambda: kit.lab("run", file, *mode))
        with tempfile.TemporaryDirectory() as made:
            _lend_packages(kit, Path(made))
            return timed(lambda: kit.lab("run", file, *mode, made=Path(made)))

    return measure


def _lend_packages(kit: Kit, made: Path) -> None:
    """A place where nothing is built, but where the Python packages are installed."""
    if (kit.root / ".venv").is_dir():
        (made / ".venv").symlink_to(kit.root / ".venv")


def _demo(whole: bool) -> Callable[[Kit], float]:
    """From nothing built to the first verdict and figure, or to the end."""

    def measure(kit: Kit) -> float:
        with tempfile.TemporaryDirectory() as made:
            _lend_packages(kit, Path(made))
            started = time.monotonic()
            said = kit.lab("demo", "--backend", kit.backend, made=Path(made))
            seconds = time.monotonic() - started
        found = AFTER.search(said)
        if not found:
            raise Failed("./lab demo does not say when its first verdict came")
        return seconds if whole else float(found[1])

    return measure


LABS = ("01-rank-sort", "02-in-place", "03-bitonic", "04-odd-even", "05-sssp")
ON_CPU = (
    Row("./lab", 0.15, _words(), quick=True),
    Row("./lab list", 0.15, _words("list"), quick=True),
    Row("./lab next", 0.15, _words("next"), quick=True),
    Row("same file again", 0.4, _again, quick=True),
    Row("save to a compile error", 1.0, _error, quick=True),
    Row("save to a failing verdict, 01 stable", 1.5, _failing, quick=True),
    Row("save to verdict, 01 global", 3.0, _check(LABS[0], "global"), quick=True),
    Row("save to verdict, 01 tiled", 3.0, _check(LABS[0], "tiled")),
    Row("save to verdict, 02 fast", 3.0, _check(LABS[1], "fast")),
    Row("save to verdict, 03 shared", 3.0, _check(LABS[2], "shared")),
    Row("save to verdict, 04 phases", 3.0, _check(LABS[3], "phases")),
    Row("save to verdict, 05 relax", 5.0, _check(LABS[4], "relax")),
    Row("save to verdict, 05 frontier", 5.0, _check(LABS[4], "frontier")),
    *(Row(f"a full lab graded, {lab[:2]}", 15.0 if lab[:2] == "05" else 8.0, _grade(lab))
      for lab in LABS),
    Row("./lab run hello.cu, second", 0.2, _hello(False), quick=True),
    Row("./lab run hello.cu, first", 3.0, _hello(True), once=True),
    Row("./lab run --mode check, first", 3.0, _hello(True, "--mode", "check"), once=True),
    Row("demo, first verdict and figure", 30.0, _demo(False), once=True),
    Row("demo, all of it", 60.0, _demo(True), once=True),
)  # fmt: skip
ON_GPU = tuple(Row(f"a full lab graded on a GPU, {lab[:2]}", 20.0, _grade(lab), backend="gpu")
               for lab in LABS)  # fmt: skip
NOT_HERE = ("GPU held per submission, submissions per minute, four GPUs over one: by "
            "`python3 -m grader.tests.show_class` on such machines")  # fmt: skip


def measured(row: Row, kit: Kit, rounds: int) -> list[float]:
    """The seconds of each round. Raises Failed."""
    here = replace(kit, backend=row.backend)
    return [row.measure(here) for _ in range(1 if row.once else rounds)]
