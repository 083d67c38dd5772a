"""What is said while a task runs: what it does, for how long, and how long still, if known."""

import argparse
import io
import json
import tempfile
import time

import pytest

from grader.base import console, durations
from grader.base.checkout import Checkout
from grader.commands import run
from grader.compiling.build import _part_done

pytestmark = [pytest.mark.reads(), pytest.mark.unit]
TASK = "grading"


def line(monkeypatch: pytest.MonkeyPatch, seconds: float, **known: float) -> str:
    """What is shown after so many seconds."""
    clock = iter([100.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock, 100.0 + seconds))
    progress = console.Progress(TASK, known.get("expected", 0.0))
    if "part" in known:
        progress.reached(known["part"])
    shown = progress._line()
    progress.finish()
    return shown


def test_what_was_never_done_has_no_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    assert line(monkeypatch, 5) == "grading ... 5 s"
    assert line(monkeypatch, 5, part=0.01) == "grading ... 5 s", "too little is done to tell"


def test_what_was_done_before_says_how_long_still(monkeypatch: pytest.MonkeyPatch) -> None:
    assert line(monkeypatch, 5, expected=23) == "grading ... 5 s, about 18 s left"
    assert line(monkeypatch, 5, part=0.25) == "grading ... 5 s, about 15 s left"


def test_a_late_task_does_not_pretend(monkeypatch: pytest.MonkeyPatch) -> None:
    assert line(monkeypatch, 21, expected=20) == "grading ... 21 s"
    assert line(monkeypatch, 60, expected=20) == "grading ... 60 s, longer than usual"


def test_the_median_of_the_last_times_is_expected(checkout: Checkout) -> None:
    assert durations.expected(checkout, TASK) == 0
    for seconds in (100.0, 10.0, 12.0, 11.0, 500.0, 13.0):
        durations.remember(checkout, TASK, seconds)
    assert durations.expected(checkout, TASK) == 12
    durations.remember(checkout, TASK, 0.1)
    assert durations.expected(checkout, TASK) == 12, "what was kept from before says nothing"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"grading": "soon"}', '{"grading": []}'])
def test_a_damaged_memory_is_none(checkout: Checkout, text: str) -> None:
    checkout.build(durations.FILE).write_text(text)
    assert durations.expected(checkout, TASK) == 0
    durations.remember(checkout, TASK, 7.0)
    assert durations.expected(checkout, TASK) == 7


def test_only_what_does_not_fail_is_remembered(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durations, "SHORTEST", 0.0)
    with pytest.raises(KeyError), durations.progress(checkout, "fails"):
        raise KeyError
    with durations.progress(checkout, "works"):
        pass
    known = json.loads(checkout.build(durations.FILE).read_text())
    assert list(known) == ["works"]


@pytest.mark.parametrize(("said", "part"), [
    ("-- Configuring done\n", 0.0),
    ("[  4%] Building CXX object a.o\n[ 45%] Linking CXX executable b\nx.cpp: warning\n", 0.45),
    ("[3/12] Building CXX object a.o\n", 0.25),
    ("array[ 45%]", 0.0),
])  # fmt: skip
def test_a_build_tool_says_how_much_is_done(said: str, part: float) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(said.encode())
        file.flush()
        assert _part_done(file) == part


@pytest.mark.longer
def test_no_line_is_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrapped line cannot be overwritten: each second would leave a line behind."""
    said = io.StringIO()
    monkeypatch.setattr(said, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", said)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    with console.progress("a task whose name is as long as a path of a student's file") as task:
        task.update("judging what the student wrote last night")
        time.sleep(0.7)
    shown = [part.removeprefix("\033[K") for part in said.getvalue().split("\r")]
    assert len(shown) > 2 and max(map(len, shown)) == 59


@pytest.mark.parametrize(("is_terminal", "seconds", "told"), [
    (True, 0.2, True), (False, 0.2, False), (True, 0.0, False),
])  # fmt: skip
@pytest.mark.longer
def test_a_program_that_runs_long_is_said_to_run(
    is_terminal: bool, seconds: float, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a person alone: for a script the program's words are all."""
    said = io.StringIO()
    monkeypatch.setattr(said, "isatty", lambda: is_terminal)
    monkeypatch.setattr("sys.stderr", said)
    monkeypatch.setattr(console, "QUIET_SECONDS", 0.05)
    asked = argparse.Namespace(files=["sort.cu"], mode="check", time_limit=60.0)
    with run._told_if_long(asked, "cpu"):
        time.sleep(seconds)
    line = "lab: sort.cu is running on the CPU in mode check; it is ended after 60 s"
    # A terminal's lines end between words.
    assert " ".join(said.getvalue().split()) == (f"{line} (--time-limit)." if told else "")


@pytest.mark.parametrize(("pause", "lines"), [("0.1", 3), ("", 1), ("soon", 1)])
@pytest.mark.longer
def test_watch_asks_for_a_line_more_often(
    pause: str, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = io.StringIO()
    monkeypatch.setattr("sys.stderr", said)
    monkeypatch.setattr(console, "QUIET_SECONDS", 0.05)
    monkeypatch.setenv(console.PAUSE, pause)
    with console.progress(TASK):
        time.sleep(0.6)
    shown = said.getvalue().count(" ... ")
    assert shown >= lines if lines > 1 else shown == 1
