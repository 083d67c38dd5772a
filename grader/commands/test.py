"""`./lab test`: runs every test of the kit, or some, and sums them up in one line."""

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from ..base import console, process
from ..base.changes import changed_files
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, SOME_FAILED, InfrastructureError, UsageError
from ..base.outcome import Outcome
from ..base.scratch import MEMORY, has_room
from ..base.suites import RUNNER_SECONDS, Sum, run_suite
from ..base.text import close_to, nearest
from ..compiling.build import build
from ..machine import hardware
from .parser import Commands

# Of `--changed`: what its tests took before, on each core; and those that measure time.
CHANGED_SECONDS, CLOCK_SECONDS = 15.0, 5.0
# pytest judges every reference, in more ways than ctest. One lab shows that ctest also can.
JUDGED_BY_PYTEST = r"^0[2-9].*[.]reference[.]"
ROOM = 1 << 30  # bytes that a folder in memory must have
DEVICE_CODE = (".cu", ".cuh", ".hpp")  # what nvcc reads


def add(commands: Commands) -> None:
    made = commands.add("test", run, "every test of the kit, or some", before=_require_tests)
    made.add_argument("paths", nargs="*", metavar="PATH[::NAME]", help="only tests in this file")
    which = made.add_mutually_exclusive_group()
    which.add_argument("--changed", action="store_true",
                       help="the nearest tests of what differs from the main branch")  # fmt: skip
    which.add_argument("--all", action="store_true",
                       help="every test, and nothing kept: what CI does")  # fmt: skip
    which.add_argument("--unit", action="store_true", help="only tests that build nothing")
    made.add_argument("-k", dest="expression", metavar="EXPR", help="only these pytest tests")


def _require_tests(checkout: Checkout) -> None:
    if not checkout.tests.is_dir():
        raise UsageError("this copy of the kit has no tests; ./lab check judges your files.")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Run the requested tests. Outside CI, tests that passed with the same inputs are not run
    again, and of tests that are of a kind one runs (grader/tests/choice.py)."""
    some = arguments.paths or arguments.changed or arguments.unit or arguments.expression
    everything = arguments.all or bool(os.environ.get("CI"))
    total = (_some(checkout, arguments, everything) if some
             else _all(checkout, everything))  # fmt: skip
    document = {"passed": total.passed, "failed": len(total.failures),
                "skipped": len(total.skips), "kept": total.kept,
                "exhaustive": total.exhaustive, "failures": total.failures,
                "skips": total.skips}  # fmt: skip
    text = [console.paint("FAIL  ", "red") + name for name in total.failures]
    text += _skips(total.skips)
    if total.kept:
        text.append(f"{total.kept} of them passed before, with the same inputs.")
    if total.exhaustive:
        text.append(f"{total.exhaustive} more tests, each of a kind of which one ran, run in CI "
                    "and with ./lab test --all.")  # fmt: skip
    if arguments.changed and not everything:
        text.append("Of the tests of what changed the nearest ran; ./lab test runs all.")
    text += [f"Reports: {checkout.shown(checkout.root / 'build')}/*/junit.xml", total.line]
    nothing = not total.passed and not arguments.changed
    return Outcome(SOME_FAILED if total.failures or nothing else ALL_PASSED, document,
                   "\n".join(text))  # fmt: skip


def _some(checkout: Checkout, arguments: argparse.Namespace, everything: bool) -> Sum:
    """The chosen tests; each builds what it needs."""
    words = [_place(checkout, path) for path in arguments.paths]
    if arguments.expression:
        words += ["-k", arguments.expression]
    if arguments.unit:
        return _unit(checkout, words or _files_with(checkout, "unit"))
    if not arguments.changed:
        return _pytest(checkout, "chosen tests", words, parallel=False)
    return _changed(checkout, words, everything)


def _place(checkout: Checkout, given: str) -> str:
    """A test file, or a test in one, as pytest finds it from the checkout. Raises UsageError."""
    file, mark, name = given.partition("::")
    places = (Path(file), checkout.root / file, checkout.tests / file)
    path = next((one.resolve() for one in places if one.exists()), None)
    if path is None:
        known = {one.name: checkout.shown(one) for one in checkout.tests.rglob("test_*.py")}
        found = close_to(Path(file).name, known)
        meant = f"; did you mean {known[found]}?" if found else "."
        raise UsageError(f"{file}: there is no such file or folder{meant}")
    function = name.partition("[")[0].split("::")[-1]  # without a class and parameters
    names = re.findall(r"\bdef (test_\w+)", path.read_text()) if path.is_file() else []
    if function and function not in names and "::" not in name:
        raise UsageError(f"{file}: has no test {function}{nearest(function, names)}.")
    return f"{checkout.shown(path)}{mark}{name}"


def _changed(checkout: Checkout, words: list[str], everything: bool) -> Sum:
    """What depends on a change; outside CI as much of it as fits into half a minute, the nearest
    tests first (grader/tests/nearest.py)."""
    choice, clocks = ["--changed"], ["--changed"]
    if not everything:
        seconds = CHANGED_SECONDS * _processes()
        choice += ["--one-of-a-kind", "--seconds", str(seconds)]
        clocks += ["--one-of-a-kind", "--seconds", str(CLOCK_SECONDS)]
        if not words:
            command = [sys.executable, "-m", "grader.tests.nearest", str(seconds)]
            words = process.run(command, cwd=checkout.root, limit=RUNNER_SECONDS).output.split()
            if not words:
                return Sum()
    total = _pytest(checkout, "changed tests", [*words, *choice, "-m", "not alone"],
                    may_be_empty=True)  # fmt: skip
    total.add(_clocks(checkout, [*words, *clocks]))
    return total


def _unit(checkout: Checkout, words: list[str]) -> Sum:
    return _pytest(checkout, "unit tests", [*words, "-m", "unit and not longer"])


@contextmanager
def _folder_of_tests() -> Iterator[str]:
    """Where pytest's folders are: in memory, if it has room. Tests make and remove thousands, and
    on a disk each of these takes milliseconds. Nothing is left there. A single test that is run
    again keeps its own on the disk, where somebody may look at it."""
    memory = MEMORY if _has_room(MEMORY) else None
    with tempfile.TemporaryDirectory(prefix="warpwise-tests.", dir=memory) as folder:
        yield f"{folder}/tests"


def _has_room(folder: Path) -> bool:
    """Whether this user may write to `folder` and start programs there, and it is large enough."""
    return has_room(folder, ROOM) and not os.statvfs(folder).f_flag & os.ST_NOEXEC


def _files_with(checkout: Checkout, mark: str) -> list[str]:
    """The test files that have a test with this mark. To import the others takes longer than most
    tests."""
    folder = checkout.root / "grader" / "tests"
    return [checkout.shown(path) for path in sorted(folder.glob("test_*.py"))
            if f"mark.{mark}" in path.read_text(encoding="utf-8")]  # fmt: skip


def _all(checkout: Checkout, everything: bool) -> Sum:
    """The C++ tests, then pytest; in parallel nvcc compiles device code that has changed."""
    with ThreadPoolExecutor() as pool:
        if not (checkout.root / "build" / "kept.json").is_file():
            pool.submit(_collect, checkout)
        total = _ctest(checkout, "cpu")
        compiled = pool.submit(_device_code, checkout, everything)
        total.add(_pytest(checkout, "tests", [*_kept(checkout, everything), "-m", "not alone"]))
        total.add(compiled.result())
    total.add(_clocks(checkout, _kept(checkout, everything)))
    if hardware.find_gpu():
        total.add(_ctest(checkout, "gpu"))
    else:
        total.skips.append("gpu preset: ctest: no NVIDIA GPU")
    return total


def _collect(checkout: Checkout) -> None:
    """Read all tests once. pytest keeps what it makes of their assertions; in a fresh clone each of
    its processes would make all of that for itself. A build leaves the time for it."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "grader/tests"]
    process.run(command, cwd=checkout.root, limit=RUNNER_SECONDS)


def _clocks(checkout: Checkout, words: list[str]) -> Sum:
    """Tests that measure time run alone on the machine, one after another."""
    paths = _files_with(checkout, "alone") if not words or words[0].startswith("-") else []
    return _pytest(checkout, "clocks", [*paths, *words, "-m", "alone"], parallel=False,
                   may_be_empty=True)  # fmt: skip


def _kept(checkout: Checkout, everything: bool) -> list[str]:
    """The options for leaving out tests, unless everything is to run."""
    if everything:
        return []
    return ["--one-of-a-kind", "--kept", str(checkout.root / "build" / "kept.json")]


def _ctest(checkout: Checkout, backend: str) -> Sum:
    try:
        build(checkout, backend, "tests")
        build(checkout, backend)  # and what grades: pytest's processes would wait for each other
    except InfrastructureError as error:
        console.note(str(error))
        return Sum(failures=[f"building the {backend} preset"])
    junit = checkout.build(backend) / "junit.xml"
    jobs = str(len(os.sched_getaffinity(0)))
    command = ["ctest", "--preset", backend, "-j", jobs, "--exclude-regex", JUDGED_BY_PYTEST]
    return run_suite(f"ctest {backend}", command, junit, checkout.root)


def _pytest(
    checkout: Checkout, name: str, words: list[str], parallel: bool = True,
    may_be_empty: bool = False,
) -> Sum:  # fmt: skip
    junit = checkout.root / "build" / f"pytest-{name.replace(' ', '-')}" / "junit.xml"
    paths = [] if words and not words[0].startswith("-") else ["grader/tests"]
    command = [sys.executable, "-m", "pytest", "-q", "--times", f"--junitxml={junit}"]
    command += [*paths, *words]
    counts = junit.with_name("left_out.json")
    counts.unlink(missing_ok=True)
    command += ["--counts", str(counts)]
    with ExitStack() as held:
        if parallel:
            command += ["--basetemp", held.enter_context(_folder_of_tests())]
            if find_spec("xdist"):
                command += ["-n", str(_processes()), "--dist", "worksteal"]
        total = run_suite(name, command, junit, checkout.root, may_be_empty or "--kept" in words)
    if counts.is_file():
        left_out = json.loads(counts.read_text(encoding="utf-8"))
        total.kept, total.exhaustive = left_out["kept"], left_out["exhaustive"]
        total.passed += total.kept
    return total


def _processes() -> int:
    """Of pytest. Some tests wait for a clock or a browser; meanwhile another one has the core."""
    cores = len(os.sched_getaffinity(0))
    return cores + (cores + 1) // 2


def _device_code(checkout: Checkout, everything: bool) -> Sum:
    """Without a GPU: whether nvcc accepts all device code; in CI, or if device code changed."""
    if hardware.find_gpu():
        return Sum()  # the whole gpu preset is built and run
    if not hardware.find_nvcc():
        return Sum(skips=["gpu preset: compiled: no GPU toolkit (nvcc)"])
    changed = any(name.endswith(DEVICE_CODE) for name in changed_files(checkout.root))
    if not changed and not everything:
        return Sum()
    os.setpriority(os.PRIO_PROCESS, 0, 10)  # of this thread and its children: tests go first
    try:
        build(checkout, "device-code", "device_code")
    except InfrastructureError as error:
        console.note(str(error))
        return Sum(failures=["gpu preset: does not compile"])
    return Sum(passed=1)


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
