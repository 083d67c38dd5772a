"""What is compared with hardware, found by name: count/*.cu, the stages of labs, check/*.cu."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from grader.cpu.compiler import options
from grader.cpu.compiler.runtime_library import cached_library as library
from grader.tests.seeded import names

ROOT = Path(__file__).resolve().parents[3]
TESTS = ROOT / "grader" / "tests"
CUCC = ROOT / "grader" / "cpu" / "cucc.py"
STAGES = TESTS / "hardware" / "stages"


UNOPTIMISED = ["-Xcicc", "-O0", "-Xptxas", "-O0"]  # every access of the source stays one


RELOCATABLE = "requires separate compilation mode"  # what nvcc says of launches from kernels
LIBRARIES = {"<cublas_v2.h>": "-lcublas", "<curand.h>": "-lcurand"}  # of a program with this header


@dataclass(frozen=True)
class Source:
    """A program: one .cu file, where its includes lie, and the arguments of its runs."""

    path: Path
    includes: tuple[Path, ...] = ()
    runs: tuple[str, ...] = ("",)

    @property
    def name(self) -> str:
        return self.path.stem


@dataclass
class Builder:
    """Builds sources into `folder`, several at a time; what did not compile is in `errors`."""

    folder: Path
    arch: str
    jobs: int
    errors: dict[str, str] = field(default_factory=dict)

    def nvcc(self, source: Source, *flags: str) -> Path | None:
        kind = "gpu0" if flags else "gpu"
        command = ["nvcc", "-std=c++20", "-lineinfo", f"-arch={self.arch}", "-diag-suppress=177"]
        program = self._build(source, kind, [*command, *flags])
        if program or RELOCATABLE not in self.errors[self._label(source, kind)]:
            return program
        del self.errors[self._label(source, kind)]
        return self._build(source, kind, [*command, *flags, "-rdc=true"])

    def cucc(self, source: Source, mode: str) -> Path | None:
        return self._build(source, mode, [sys.executable, str(CUCC), "--mode", mode])

    @staticmethod
    def _label(source: Source, kind: str) -> str:
        return f"{source.name} ({kind})"

    def _build(self, source: Source, kind: str, command: list[str]) -> Path | None:
        """The program, or None when it did not compile."""
        program = self.folder / f"{source.name}.{kind}"
        includes = [f"-I{folder}" for folder in source.includes]
        text = source.path.read_text()
        libraries = [name for header, name in LIBRARIES.items() if header in text]
        files = [str(source.path), "-o", str(program)]
        done = subprocess.run([*command, *includes, *files, *libraries],
                              capture_output=True, text=True, check=False)  # fmt: skip
        if done.returncode == 0:
            return program
        self.errors[self._label(source, kind)] = (done.stdout + done.stderr).strip()
        return None

    def here(self, sources: list[Source], mode: str) -> dict[str, Path]:
        """Name -> program for the CPU, of all that compiled."""
        # One process builds the library that all the others then find.
        library(options.compiler(), self.folder, mode)
        with ThreadPoolExecutor(self.jobs) as pool:
            built = list(pool.map(lambda source: self.cucc(source, mode), sources))
        return {source.name: path for source, path in zip(sources, built, strict=True) if path}

    def both(self, sources: list[Source], mode: str) -> dict[str, tuple[Path, Path]]:
        """Name -> program for the CPU, program for the GPU, of all that compiled for both."""
        here = self.here(sources, mode)
        with ThreadPoolExecutor(self.jobs) as pool:
            there = list(pool.map(self.nvcc, sources))
        pairs = zip(sources, there, strict=True)
        return {s.name: (here[s.name], path) for s, path in pairs if path and s.name in here}


def counted() -> list[Source]:
    """count/*.cu and programs/*.cu whole, and every stage of a lab that has a file in stages/."""
    folders = (TESTS / "count", TESTS / "hardware" / "programs")
    programs = [Source(path) for folder in folders for path in sorted(folder.glob("*.cu"))]
    return programs + [_lab(path) for path in lab_files()]


def lab_files() -> list[Path]:
    return sorted(STAGES.glob("[0-9][0-9]-*.cu"))


def _lab(path: Path) -> Source:
    record = ROOT / "reference" / path.stem / "record"  # what was counted on a GPU
    folders = (record, ROOT / "labs" / path.stem, ROOT / "labs" / "kit")
    includes = (*folders, ROOT / "datasets", STAGES)
    return Source(path, includes, tuple(names("STAGE", path)))


def labs_left_out() -> list[str]:
    """Stages of a lab's contract that no STAGE calls: nobody forgets one in silence."""
    left = []
    for contract in sorted((ROOT / "labs").glob("[0-9][0-9]-*/*.hpp")):
        text = contract.read_text()
        if declared := re.search(r"WARPWISE_ENTRY_POINTS\(([^)]*)\)", text):
            lab = contract.parent.name
            path = STAGES / f"{lab}.cu"
            called = names("STAGE", path) if path.is_file() else []
            entries = re.findall(r"\w+", declared[1])
            left += [f"{lab}: {entry}" for entry in entries if entry not in called]
    return left


def checked() -> list[Source]:
    """check/*.cu, each with its cases; interface.cu asks our checker and is not for nvcc, and
    two_devices.cu wants two GPUs."""
    paths = [path for path in sorted((TESTS / "check").glob("*.cu"))
             if path.stem not in ("interface", "two_devices")]  # fmt: skip
    return [Source(path, (), tuple(names("CASE", path))) for path in paths]
