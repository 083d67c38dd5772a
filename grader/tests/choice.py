"""Which tests run, and in which order: the options that `./lab test` passes to pytest.

--changed       only tests that depend on a file that differs from the main branch
--seconds N     of these the nearest ones, as many as took N seconds before
--kept FILE     leave out what passed before with the same inputs; add what passes now
--one-of-a-kind leave out tests that are marked `exhaustive`, unless a file that the mark names
                (otherwise the test's own file) differs from the main branch
--counts FILE   write down how many tests were left out for each of these reasons
--times         write down how long each test took, for the next --seconds
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from grader.base.changes import changed_files
from grader.base.files import write_atomically
from grader.tests import inputs, nearest
from grader.tests.inputs import is_in

TOOLS = ("g++", "clang++-16", "nvcc", "bwrap", "cmake")
# The longest come first, so that no core waits for one of them at the end.
LONGEST = (
    "test_series.py::test_the_programs_measure", "test_labs.py", "test_devices.py", "test_check.py",
    "test_hardware.py", "test_cpu.py",
)  # fmt: skip

EXHAUSTIVE = "exhaustive"
# What decides about a submission, besides its lab.
ROOMS = ("judge", "worker", "wire", "cpu", "judging", "compiling", "intake", "sandbox")
JUDGED_BY = (*(inputs.ROOT / "grader" / room for room in ROOMS), inputs.ROOT / "labs" / "kit")

Kept = dict[str, str]  # test -> digest of the inputs with which it passed


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("warpwise")
    group.addoption("--changed", action="store_true", help="tests of what differs from main")
    group.addoption("--seconds", type=float, help="only the nearest of the changed tests")
    group.addoption("--kept", metavar="FILE", help="results that need not be found again")
    group.addoption("--one-of-a-kind", action="store_true", help="no exhaustive tests")
    group.addoption("--counts", metavar="FILE", help="how many tests were left out, and why")
    group.addoption("--times", action="store_true", help="write down how long each test took")


@pytest.hookimpl(trylast=True)  # after -m and -k
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The same choice and order in every process of pytest-xdist."""
    asked = config.getoption("--changed") or config.getoption("--one-of-a-kind")
    differs = changed_files(inputs.ROOT) if asked else set()
    left_out = {"exhaustive": 0, "kept": 0}
    if config.getoption("--changed"):
        _choose(config, items, lambda item: not differs.isdisjoint(_inputs(item.nodeid)))
    if config.getoption("--one-of-a-kind"):
        left_out["exhaustive"] = _choose(config, items, lambda item: _needed(item, differs))
    if file := config.getoption("--kept"):
        kept = _read(Path(file))
        left_out["kept"] = _choose(config, items, lambda item: not _is_kept(kept, item.nodeid))
    if seconds := config.getoption("--seconds"):
        nodes = [item.nodeid for item in items]
        rare = {item.nodeid for item in items if item.get_closest_marker(EXHAUSTIVE)}
        took = dict.fromkeys(rare, nearest.UNKNOWN_RARE) | nearest.read(nearest.RARE_TOOK)
        near = nearest.nearest(nodes, frozenset(differs), took | nearest.read(), seconds)
        _choose(config, items, lambda item: item.nodeid in near)
    file = config.getoption("--counts")
    if file and os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0":  # one of equals says it
        Path(file).write_text(json.dumps(left_out), encoding="utf-8")
    items.sort(key=lambda item: _rank(item.nodeid))


def _is_kept(kept: Kept, node: str) -> bool:
    """Of what never passed the inputs are not read: in a fresh clone that is all of them."""
    return node in kept and kept[node] == _digest(node)


def _choose(
    config: pytest.Config, items: list[pytest.Item], wanted: Callable[[pytest.Item], bool]
) -> int:
    """Keep what is wanted; returns how many tests are left out."""
    chosen = [item for item in items if wanted(item)]
    left_out = [item for item in items if not wanted(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = chosen
    return len(left_out)


def _needed(item: pytest.Item, differs: set[str]) -> bool:
    """Whether a test is one of its kind, or about a file that differs from the main branch."""
    marks = list(item.iter_markers(EXHAUSTIVE))
    about = {name for mark in marks for name in (mark.args or (_file_of(item.nodeid),))}
    return not marks or any(is_in(name, place) for name in differs for place in about)


def exhaustive(*paths: Path) -> pytest.MarkDecorator:
    """The mark of a test about the programs or folders at `paths`, which must be there: a renamed
    one would silently take its tests out of every maintainer's loop."""
    names = [path.resolve(strict=True).relative_to(inputs.ROOT).as_posix() for path in paths]
    return pytest.mark.exhaustive(*names)


def first_of(count: int, values: Sequence[Any], *paths: Path) -> list[Any]:
    """The values of a test's parameters, of which only the first ones stand for their kind."""
    mark = exhaustive(*paths)
    others = (value if isinstance(value, tuple) else (value,) for value in values[count:])
    return [*values[:count], *(pytest.param(*other, marks=mark) for other in others)]


def others_of_a_kind(kinds: Iterable[Hashable]) -> Iterator[bool]:
    """For each of some tests whether one of its kind came before it."""
    seen: set[Hashable] = set()
    for kind in kinds:
        yield kind in seen
        seen.add(kind)


def _rank(node: str) -> int:
    return next((rank for rank, name in enumerate(LONGEST) if name in node), len(LONGEST))


class Keeper:
    """Writes down what passed. Only the process that hears of every test has one."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.passed: set[str] = set()
        self.others: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self.others.add(report.nodeid)
        elif report.when == "call":
            self.passed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        kept = {node: known for node, known in _read(self.file).items() if node not in self.others}
        kept |= {node: _digest(node) for node in self.passed - self.others}
        _write(self.file, kept)


class Stopwatch:
    """Writes down how long tests took: apart, those that do not run every day. As a Keeper, it is
    in one process."""

    def __init__(self) -> None:
        self.took: dict[Path, nearest.Took] = {nearest.TOOK: {}, nearest.RARE_TOOK: {}}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        took = self.took[nearest.RARE_TOOK if EXHAUSTIVE in report.keywords else nearest.TOOK]
        took[report.nodeid] = round(took.get(report.nodeid, 0.0) + report.duration, 3)

    def pytest_sessionfinish(self) -> None:
        for file, took in self.took.items():
            if took:
                _write(file, nearest.read(file) | took)


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        return
    if file := config.getoption("--kept", default=None):
        config.pluginmanager.register(Keeper(Path(file)))
    if config.getoption("--times", default=False):
        config.pluginmanager.register(Stopwatch())


def _read(file: Path) -> Kept:
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _write(file: Path, document: Kept | nearest.Took) -> None:
    write_atomically(file, json.dumps(document, indent=1, sort_keys=True))


def _file_of(node: str) -> str:
    return node.partition("::")[0]


@cache
def _inputs(node: str) -> frozenset[str]:
    return inputs.narrowed(inputs.inputs(_file_of(node)), node)


@cache
def _digest(node: str) -> str:
    return _digest_of(_inputs(node))


@cache
def _digest_of(files: frozenset[str]) -> str:
    return inputs.digest(files) + _environment()


@cache
def _environment() -> str:
    """What a result depends on besides the checkout: interpreter, compilers, the user."""
    versions = []
    for tool in TOOLS:
        try:
            done = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False)
            versions.append(done.stdout)
        except OSError:
            versions.append("")
    facts = (sys.version, os.geteuid(), len(os.sched_getaffinity(0)), versions)
    return hashlib.sha256(repr(facts).encode()).hexdigest()
