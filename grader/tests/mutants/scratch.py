"""A copy of a checkout in which files may be changed: with a build folder of its own."""

import filecmp
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.base import process
from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError
from grader.base.suites import read_junit

BUILD_SECONDS = 1800.0
CTEST = "ctest:"
KEPT = ("build", ".git", ".venv", ".ruff_cache")  # not looked at when the copy is renewed


@dataclass(frozen=True)
class Tried:
    """What became of a run of tests: which failed first, or why that says nothing."""

    failed: str = ""
    problem: str = ""
    skipped: int = 0


@dataclass(frozen=True)
class Scratch:
    """The copy at `root`; with `labs` it holds these labs only, which makes it cheap to build."""

    root: Path
    labs: tuple[str, ...] = ()

    @property
    def checkout(self) -> Checkout:
        return Checkout(self.root)

    def renew(self, origin: Path) -> None:
        """Bring the copy up to date. What is the same keeps its date, so that builds are short."""
        wanted = {path for path in _files_of(origin) if self._holds(path)}
        present = {path.relative_to(self.root) for path in self.root.rglob("*")
                   if path.is_file() and not _is_kept(path.relative_to(self.root))}  # fmt: skip
        for path in present - wanted:
            (self.root / path).unlink()
        for path in wanted:
            to = self.root / path
            to.parent.mkdir(parents=True, exist_ok=True)
            if not to.is_file() or not filecmp.cmp(origin / path, to, shallow=False):
                shutil.copy(origin / path, to)

    def build(self) -> None:
        """Judges and workers, by one compiler at a time. Raises InfrastructureError."""
        if not (self.root / "build" / "cpu" / "CMakeCache.txt").is_file():
            self._step(["cmake", "--preset", "cpu"])
        self._step(["cmake", "--build", "--preset", "cpu", "--parallel", "1", "--target",
                    "grading"])  # fmt: skip

    @contextmanager
    def changed(self, path: str, text: str) -> Iterator[None]:
        """The file with another text; the old text comes back whatever happens."""
        file = self.root / path
        old = file.read_text(encoding="utf-8")
        try:
            file.write_text(text, encoding="utf-8")
            yield
        finally:
            file.write_text(old, encoding="utf-8")

    def run_tests(self, tests: tuple[str, ...], limit: float) -> Tried:
        """Run the tests up to the first failure. One that hangs has failed.

        `ctest:judge` stands for the C++ tests of that name, all others are nodes of pytest.
        """
        programs = [test.removeprefix(CTEST) for test in tests if test.startswith(CTEST)]
        for name in programs:
            if failed := self._run_ctest(name, limit):
                return Tried(failed=failed)
        nodes = tuple(test for test in tests if not test.startswith(CTEST))
        return self._run_pytest(nodes, limit) if nodes else Tried()

    def _run_ctest(self, name: str, limit: float) -> str:
        """What failed, or ""."""
        self._step(["cmake", "--build", "--preset", "cpu", "--target", f"{name}.tests"])
        command = ["ctest", "--test-dir", "build/cpu", "--no-tests=error", "-R", rf"^{name}\."]
        done = process.run(command, cwd=self.root, limit=limit, env=self._environment())
        return "" if done.ok else f"ctest {name}"

    def _run_pytest(self, tests: tuple[str, ...], limit: float) -> Tried:
        junit = self.root / "build" / "mutants-junit.xml"
        junit.parent.mkdir(exist_ok=True)
        junit.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
                   f"--junitxml={junit}", *tests]  # fmt: skip
        finished = process.run(command, cwd=self.root, limit=limit, env=self._environment())
        if finished.timed_out:
            return Tried(failed=f"the limit of {limit:g} s")
        try:
            total = read_junit(junit)
        except ValueError:
            return Tried(problem=f"pytest wrote no report: {finished.last_line}")
        if total.failures:
            return Tried(failed=total.failures[0])
        if not finished.ok or not total.passed:
            return Tried(problem=f"no test ran and passed: {finished.last_line}")
        return Tried(skipped=len(total.skips))

    def _holds(self, path: Path) -> bool:
        """Folders like labs/01-rank-sort are a lab's; everything else is in every copy."""
        parts = path.parts
        is_labs = len(parts) > 2 and parts[0] in ("labs", "reference") and parts[1][:1].isdigit()
        return not self.labs or not is_labs or parts[1] in self.labs

    def _step(self, command: list[str]) -> None:
        done = process.run(command, cwd=self.root, limit=BUILD_SECONDS, env=self._environment())
        if not done.ok:
            lines = done.output.splitlines()
            reason = next((line for line in lines if "error" in line), done.last_line)
            raise InfrastructureError(f"{' '.join(command[:2])} failed: {reason}")

    def _environment(self) -> dict[str, str]:
        """No compiled Python is kept: a mutant may be as long and as old as the text before."""
        made = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ""}
        if shutil.which("ccache"):
            made |= {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_BASEDIR": str(self.root),
                     "CCACHE_SLOPPINESS": "pch_defines,time_macros"}  # fmt: skip
        return made


def _files_of(origin: Path) -> list[Path]:
    """What git tracks, and what is new and not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=origin, capture_output=True, env=os.environ)
    if listed.returncode:
        raise InfrastructureError(f"{origin}: git ls-files: {listed.stderr.decode().strip()}")
    names = [Path(name) for name in listed.stdout.decode().split("\0") if name]
    return [name for name in names if (origin / name).is_file()]


def _is_kept(path: Path) -> bool:
    return path.parts[0] in KEPT or "__pycache__" in path.parts
