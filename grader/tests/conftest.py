"""Which tests run (choice.py), and a small checkout with one lab, whose compiler and judge are
fakes, for tests without C++."""

import math
import shutil
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.judging import workers
from grader.judging.admission import Objections
from grader.lab_file import manifest
from grader.lab_file.marks import cut
from grader.machine import bootstrap, hardware, load
from grader.sandbox import bubblewrap
from grader.tests import choice
from grader.tests.fakes import FIXTURES, LAB, plan
from report.drawing import result_figure

pytest_addoption = choice.pytest_addoption
pytest_collection_modifyitems = choice.pytest_collection_modifyitems


def pytest_configure(config: pytest.Config) -> None:
    choice.pytest_configure(config)
    # A shell's background job ignores Ctrl-C, and so would every program that a test interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Bytes may contain the time, and the processes of pytest-xdist must agree on every name."""
    return f"{len(val)} bytes" if isinstance(val, bytes) else None


@pytest.fixture(autouse=True)
def not_overloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs too long has run too long, however busy the machine is that runs the tests."""
    monkeypatch.setattr(load, "PER_CORE", math.inf)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Checkout]:
    """A checkout with lab 01-demo; its judge does what `// PLAN` lines in a submission say."""
    root = tmp_path / "checkout"
    room, solved = root / "labs" / LAB, root / "reference" / LAB
    for folder in (room, solved / "wrong", root / "grader" / "cpu", root / "labs" / "kit"):
        folder.mkdir(parents=True)
    shutil.copy(FIXTURES / "lab.toml", room)
    reference = (FIXTURES / "reference.cu").read_text()
    (solved / "demo.cu").write_text(reference)
    (room / "demo.cu").write_text(cut(reference, "demo.cu"))
    (room / "demo.hpp").write_text(
        "void global(int n);\nvoid strided(int n);\nWARPWISE_ENTRY_POINTS(global, strided)\n"
    )
    (room / "test.cpp").write_text('TEST_CASE("a", "[global]") {}\nTEST_CASE("b", "[strided]") {}')
    (room / "README.md").write_text(
        "# Demo\n`global` in prose\n| `global` | idea |\n| `strided` | idea |\n"
    )
    wrong = plan("global", "any", '{"verdict": "wrong answer"}')
    (solved / "wrong" / "nop.cu").write_text("// expect: global: wrong answer: n = 3\n" + wrong)
    shutil.copy(FIXTURES / "fake_cucc.py", root / "grader" / "cpu" / "cucc.py")
    made = Checkout(root)
    judge = made.judge("cpu", LAB)
    judge.parent.mkdir(parents=True)
    shutil.copy(FIXTURES / "fake_judge.py", judge)
    judge.chmod(judge.stat().st_mode | stat.S_IXUSR)
    modes = [made.worker_libraries("cpu", LAB, mode) for mode in ("check", "count")]
    modes += [made.worker_libraries("gpu", LAB, "profile")]
    for library in {library for libraries in modes for library in libraries}:
        library.parent.mkdir(parents=True, exist_ok=True)
        library.write_text("a library")
    _fake_tools(monkeypatch)
    yield made


def _fake_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a grading would start or install: a fake, or nothing."""
    monkeypatch.setenv("PATH", f"{FIXTURES / 'bin'}:/usr/bin:/bin")
    monkeypatch.delenv("WARPWISE_SECRET_SEED", raising=False)
    monkeypatch.setattr(bootstrap, "ensure", lambda *_: None)
    monkeypatch.setattr(hardware, "find_gpu", lambda: None)  # a test says so if it needs one
    # A figure takes half a second, and has tests of its own (test_plot.py).
    monkeypatch.setattr(result_figure, "draw_if_possible", lambda *_: [])
    # What the fake compiler makes is no object file, so there are no names in it.
    monkeypatch.setattr(workers, "refused", lambda *_: "")
    monkeypatch.setattr(workers, "objections", lambda *_: Objections({}, {}))
    # The fake tools are Python and shell: they need no sandbox, and could not be found in one.
    box = bubblewrap.Sandbox("none: a test")
    monkeypatch.setattr(bubblewrap, "find", lambda: box)
    monkeypatch.setattr(bubblewrap, "for_others", lambda trust: box)


@pytest.fixture
def lab(checkout: Checkout) -> manifest.Lab:
    return manifest.load(checkout.labs / LAB / "lab.toml")
