"""A test runner's report: a JUnit file, summed up. A runner that dies counts as a failed test."""

from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from . import console, process

RUNNER_SECONDS = 7200.0  # in CI all of it takes up to an hour on two cores
NO_TEST = 5  # pytest's exit status if no test was chosen


@dataclass
class Sum:
    """How the tests of one runner, or of all, ended."""

    passed: int = 0
    failures: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    kept: int = 0  # the part of `passed` that an earlier run found
    exhaustive: int = 0  # tests that only CI and --all run

    def add(self, other: "Sum") -> None:
        self.passed += other.passed
        self.failures += other.failures
        self.skips += other.skips
        self.kept += other.kept
        self.exhaustive += other.exhaustive

    @property
    def count(self) -> int:
        return self.passed + len(self.failures) + len(self.skips)

    @property
    def line(self) -> str:
        return f"{self.passed} passed, {len(self.failures)} failed, {len(self.skips)} skipped"


def read_junit(path: Path) -> Sum:
    """The sum of a JUnit file. Raises ValueError if it is missing or damaged."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise ValueError(f"{path.name}: {error}") from error
    total = Sum()
    for case in root.iter("testcase"):
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            total.failures.append(name)
        elif skipped is not None:
            total.skips.append(f"{name}: {skipped.get('message') or 'no reason given'}")
        elif case.get("status") in ("fail", "notrun", "disabled"):  # ctest's words
            total.failures.append(name)
        else:
            total.passed += 1
    return total


def run_suite(
    name: str, command: list[str], junit: Path, cwd: Path, may_be_empty: bool = False
) -> Sum:
    """Run a test runner and read its report; a runner that dies counts as a failed test."""
    junit.unlink(missing_ok=True)
    junit.parent.mkdir(parents=True, exist_ok=True)
    with console.progress(name):
        finished = process.run(command, cwd=cwd, limit=RUNNER_SECONDS)
    try:
        total = read_junit(junit)
    except ValueError as error:
        total = Sum(failures=[f"{name} died ({error}): {finished.last_line}"])
    empty = may_be_empty and total.count == 0 and finished.returncode == NO_TEST
    if empty:
        return total
    if not finished.ok and not total.failures:
        none = "no test is chosen by these words"
        why = f"ended with {finished.returncode}: {finished.last_line}"
        total.failures.append(f"{name}: {none}" if finished.returncode == NO_TEST
                              else f"{name} {why}")  # fmt: skip
    if total.count == 0:
        total.failures.append(f"{name} ran no test")
    if total.failures:
        console.note(finished.output.rstrip())
    return total
