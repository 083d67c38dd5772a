"""Terminals of all kinds: dumb ones, narrow ones, and letters that are two columns wide."""

import dataclasses
import fcntl
import io
import json
import os
import pty
import re
import struct
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from grader.base import columns, console, rows
from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.course.hand_ins import HandIn
from grader.course.plan import Job
from grader.course.screen import Screen
from grader.course.slots import Event
from grader.course.tasks import Task
from grader.lab_file.manifest import Lab
from grader.study.screen import View, render

pytestmark = [pytest.mark.reads("grader/base", "grader/course"), pytest.mark.unit]

Captured = pytest.CaptureFixture[str]
NAMES = ("Ada Lovelace", "王小明", "Zoë", "👩‍💻 Grace", "e\u0301ric", "한글 이름", "カタカナ")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(params=["xterm", "dumb"])
def terminal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", request.param)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    return Terminal()


def is_dumb() -> bool:
    return os.environ["TERM"] == "dumb"


@pytest.mark.longer
def test_progress_draws_over_its_line_only_where_that_works(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(console, "QUIET_SECONDS", 0.2)
    with console.progress("building 王小明's kit " * 5):
        time.sleep(1.2)
    said = terminal.getvalue()
    assert "building" in said
    assert ("\033" in said) != is_dumb() and ("\r" in said) != is_dumb()


def test_the_class_is_a_table_in_place_only_where_that_works(
    terminal: Terminal, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("grader.course.screen.REDRAW_SECONDS", -1)
    lab = dataclasses.replace(lab, name="01-rank-sort")
    job = Job(Task(lab, "1" * 64, "1" * 64), HandIn("王", lab, 1, Path("."), None), ("王" * 40,))
    screen = Screen([job], 0)
    answer = {"verdict": "failed", "earned": 5, "possible": 10, "not_measured": 0}
    for said in ("begun", "done"):
        screen.tell("judge", Event({"task": job.task.name}, said, {"said": said, **answer}))
    screen.end()
    text = terminal.getvalue()
    assert ("\033" in text) != is_dumb()
    assert ("failed, 5 of 10" in text) == is_dumb()  # a line, where there is no table
    shown = re.sub(r"\033\[\d*[A-Z]", "", text).splitlines()
    assert is_dumb() or all(columns.width(line) <= 60 for line in shown)
    assert is_dumb() or any(line.endswith("waiting") for line in shown)  # nothing is cut


def test_no_colour_on_a_dumb_terminal(terminal: Terminal) -> None:
    assert (console.paint("x", "red", terminal) == "x") == is_dumb()


@pytest.fixture
def narrow() -> Iterator[TextIO]:
    """A terminal of 47 columns."""
    main_end, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 47, 0, 0))
    with os.fdopen(other, "w") as stream:
        yield stream
    os.close(main_end)


def test_each_stream_has_the_width_of_its_own_terminal(
    narrow: TextIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`./lab class grade > log`: stderr is the terminal, and stdout a file."""
    monkeypatch.delenv("COLUMNS", raising=False)
    assert columns.size(narrow) == (47, 20)
    assert all(len(line) <= 47 for line in columns.for_stream("word " * 40, narrow).split("\n"))
    monkeypatch.setenv("COLUMNS", "33")
    assert columns.size(narrow)[0] == 33


@pytest.mark.parametrize(("text", "wide"), [
    ("", 0), ("ada", 3), ("王", 2), ("王小明", 6), ("e\u0301", 1), ("한글", 4), ("カ", 2), ("ｶ", 1),
    ("😀", 2), ("\033[31mred\033[0m", 3), ("Zoë", 3), ("кириллица", 9),
])  # fmt: skip
def test_widths(text: str, wide: int) -> None:
    assert columns.width(text) == wide


@pytest.mark.parametrize("most", range(12))
@pytest.mark.parametrize("text", NAMES)
def test_what_is_cut_fits_and_begins_as_it_did(text: str, most: int) -> None:
    made = columns.cut(text, most)
    assert columns.width(made) <= most and text.startswith(made)
    assert made == text or columns.width(text) > most


def test_columns_of_a_table_begin_below_each_other() -> None:
    made = rows.aligned([["name", "points"], *([name, "7"] for name in NAMES)], 100)
    assert {columns.width(line) for line in made} == {columns.width(made[0])}


def test_wide_prose_is_broken_where_it_is_seen_to_end() -> None:
    made = columns.fitted("王小明 " * 30, 40).split("\n")
    assert len(made) > 4 and all(columns.width(line) <= 40 for line in made)


@pytest.mark.parametrize("wide", [20, 60, 80])
def test_a_screen_of_watch_with_wide_letters_fits(wide: int) -> None:
    view = View("01-demo", "[#!]", "global", 1, 2, "FAIL", "王" * 50, ["說明 " * 40, "中" * 90],
                "Edit.")  # fmt: skip
    assert all(columns.width(line) <= wide for line in render(view, wide, 24))


@pytest.fixture
def course(checkout: Checkout, tmp_path: Path) -> Path:
    folder = tmp_path / "cs101"
    assert main(["class", "new", str(folder), "--backend", "cpu"], checkout) == 0
    (folder / "roster.csv").write_text("student,name,email\n" + "".join(
        f"s{number},{name},s{number}@an.example.edu\n" for number, name in enumerate(NAMES)
    ))  # fmt: skip
    return folder


@pytest.mark.parametrize("wide", [60, 80, 100])
@pytest.mark.parametrize("words", [["status"], ["roster"]])
def test_tables_of_a_class_fit(
    checkout: Checkout, course: Path, words: list[str], wide: int, capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("COLUMNS", str(wide))
    capsys.readouterr()
    assert main(["class", *words, "--course", str(course)], checkout) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(columns.width(line) <= wide or str(course) in line for line in lines), lines


def test_a_list_of_students_is_aligned(checkout: Checkout, course: Path, capsys: Captured) -> None:
    capsys.readouterr()
    assert main(["class", "roster", "--course", str(course)], checkout) == 0
    lines = capsys.readouterr().out.splitlines()[: len(NAMES)]
    assert len({columns.width(line[: line.index("@")]) for line in lines}) == 1
    assert main(["class", "roster", "--course", str(course), "--json"], checkout) == 0
    said = json.loads(capsys.readouterr().out)
    assert [student["name"] for student in said["students"]] == list(NAMES)
