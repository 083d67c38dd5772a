"""`./lab test`: every test of the kit, from all test runners, with one line as the sum."""

import argparse
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from ..base import console, process
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, SOME_FAILED, InfrastructureError
from ..base.outcome import Outcome
from ..compiling.build import build
from ..machine import hardware
from .parser import Commands

RUNNER_SECONDS = 1500.0
# pytest judges every reference, in more ways than ctest. One lab shows that ctest also can.
JUDGED_BY_PYTEST = r"^0[2-9].*[.]reference[.]"


@dataclass
class Sum:
    """How the tests of one runner, or of all, ended."""

    passed: int = 0
    failures: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)

    def add(self, other: "Sum") -> None:
        self.passed += other.passed
        self.failures += other.failures
        self.skips += other.skips

    @property
    def count(self) -> int:
        return self.passed + len(self.failures) + len(self.skips)

    @property
    def line(self) -> str:
        return f"{self.passed} passed, {len(self.failures)} failed, {len(self.skips)} skipped"


def add(commands: Commands) -> None:
    made = commands.add("test", run, "every test of the kit")
    made.add_argument("--quick", action="store_true", help="leave out the slow tests")
    made.add_argument("-k", dest="expression", metavar="EXPR", help="only these pytest tests")


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


def run_suite(name: str, command: list[str], junit: Path, cwd: Path) -> Sum:
    """Run a test runner and read its report; a runner that dies counts as a failed test."""
    junit.unlink(missing_ok=True)
    junit.parent.mkdir(parents=True, exist_ok=True)
    with console.progress(name):
        finished = process.run(command, cwd=cwd, limit=RUNNER_SECONDS)
    try:
        total = read_junit(junit)
    except ValueError as error:
        total = Sum(failures=[f"{name} died ({error}): {finished.last_line}"])
    if not finished.ok and not total.failures:
        total.failures.append(f"{name} ended with {finished.returncode}: {finished.last_line}")
    if total.count == 0:
        total.failures.append(f"{name} ran no test")
    if total.failures:
        console.note(finished.output.rstrip())
    return total


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Build, run the C++ tests, then pytest. The GPU's parts are skipped without a GPU."""
    total = Sum()
    if not arguments.expression:
        total.add(_ctest(checkout, "cpu"))
    total.add(_pytest(checkout, arguments))
    if not arguments.expression and hardware.find_gpu():
        total.add(_ctest(checkout, "gpu"))
    document = {"passed": total.passed, "failed": len(total.failures),
                "skipped": len(total.skips), "failures": total.failures,
                "skips": total.skips}  # fmt: skip
    text = [console.paint("FAIL  ", "red") + name for name in total.failures]
    text += _skips(total.skips)
    text += [f"Reports: {checkout.shown(checkout.root / 'build')}/*/junit.xml", total.line]
    bad = total.failures or not total.passed
    return Outcome(SOME_FAILED if bad else ALL_PASSED, document, "\n".join(text))


def _skips(skips: list[str]) -> list[str]:
    """One line per reason, with one name or the number of tests; --json lists them all."""
    reasons: dict[str, list[str]] = {}
    for skip in skips:
        name, _, reason = re.sub(r"\s+", " ", skip).rpartition(": ")
        reasons.setdefault(reason, []).append(name)
    lines: list[str] = []
    for reason, names in reasons.items():
        what = names[0] if len(names) == 1 else f"{len(names)} tests"
        lines.append(f"SKIP  {what}: {reason}")
    return lines


def _ctest(checkout: Checkout, backend: str) -> Sum:
    try:
        build(checkout, backend, target=None)
    except InfrastructureError as error:
        console.note(str(error))
        return Sum(failures=[f"building the {backend} preset"])
    junit = checkout.build(backend) / "junit.xml"
    command = ["ctest", "--preset", backend, "--exclude-regex", JUDGED_BY_PYTEST]
    return run_suite(f"ctest {backend}", command, junit, checkout.root)


def _pytest(checkout: Checkout, arguments: argparse.Namespace) -> Sum:
    """Three runs in parallel, because most tests wait for something; then the tests that need a
    quiet machine."""

    def part(name: str, marks: str) -> Sum:
        return _pytest_part(checkout, arguments, name, marks)

    if arguments.expression:
        return part("chosen", "")
    total = Sum()
    with ThreadPoolExecutor() as pool:
        beside = [
            pool.submit(part, "pytest: labs and exploits", "cores"),
            pool.submit(part, "pytest: the CPU backend", "backend"),
            pool.submit(part, "pytest: the rest", "not cores and not backend and not alone"),
        ]
        if not hardware.find_gpu():
            beside.append(pool.submit(_compile_for_gpu, checkout, arguments.quick))
        for each in beside:
            total.add(each.result())
    total.add(part("pytest: clocks", "alone"))
    return total


def _pytest_part(checkout: Checkout, arguments: argparse.Namespace, name: str, marks: str) -> Sum:
    junit = checkout.root / "build" / re.sub(r"\W+", "-", name) / "junit.xml"
    command = [sys.executable, "-m", "pytest", "grader/tests", "-q", f"--junitxml={junit}"]
    if arguments.expression:
        command += ["-k", arguments.expression]
    if expression := " and ".join(filter(None, ["not slow" if arguments.quick else "", marks])):
        command += ["-m", expression]
    return run_suite(name, command, junit, checkout.root)


def _compile_for_gpu(checkout: Checkout, quick: bool) -> Sum:
    """Without a GPU: compile with nvcc only. Without nvcc this is skipped too, with the reason."""
    if not hardware.find_nvcc():
        return Sum(skips=["gpu preset: compiled: no nvcc", "gpu preset: ctest: no nvcc"])
    total = Sum(skips=["gpu preset: ctest: no NVIDIA GPU"])
    if quick:
        total.skips.append("gpu preset: compiled: left out by --quick")
        return total
    os.setpriority(os.PRIO_PROCESS, 0, 10)  # of this thread and its children: tests go first
    try:
        build(checkout, "device-code", "device_code")
        total.passed += 1
    except InfrastructureError as error:
        console.note(str(error))
        total.failures.append("gpu preset: does not compile")
    return total
