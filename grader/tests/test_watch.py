"""./lab watch in a real pseudo-terminal: saves, keys, narrow screens; nothing is left behind."""

import os
import shutil
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.study.screen import View, render
from grader.tests import choice
from grader.tests.fakes import LAB, plan

pexpect = pytest.importorskip("pexpect")
pyte = pytest.importorskip("pyte")
pytest.importorskip("watchfiles")

pytestmark = [pytest.mark.reads("grader/tests/lab_on_fakes.py")]

DRIVER = Path(__file__).parent / "lab_on_fakes.py"
WRONG = plan("global", "any", '{"verdict": "wrong answer", "message": "index 3: got 5"}')
SLOW = plan("global", "any", '{"verdict": "passed", "sleep": 60}')
PATIENCE = 60.0
WATCH = [Checkout.here().root / "grader" / room for room in ("study", "commands")]


class Watched:
    """`./lab watch` in a pseudo-terminal, and the screen that a person would see."""

    def __init__(self, checkout: Checkout, columns: int, rows: int, **env: str) -> None:
        self.file = checkout.labs / LAB / "demo.cu"
        self.raw = ""
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        words = [str(DRIVER), str(checkout.root), "watch", "--backend", "cpu"]
        self.child = pexpect.spawn(
            sys.executable, words, dimensions=(rows, columns), encoding="utf-8", timeout=5,
            env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **env},
        )  # fmt: skip

    @property
    def shown(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def pump(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                text = self.child.read_nonblocking(4096, timeout=0.1)
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                return
            self.raw += text
            self._stream.feed(text)

    def until(self, words: str) -> str:
        """What is shown as soon as it holds `words`."""
        end = time.monotonic() + PATIENCE
        while words not in self.shown:
            assert time.monotonic() < end, f"never shown: {words}\n{self.shown}"
            self.pump(0.1)
        return self.shown

    def save(self, text: str) -> None:
        """As most editors do: a new file is renamed over the old one."""
        fresh = self.file.with_name("demo.cu.tmp")
        fresh.write_text(text)
        fresh.rename(self.file)

    def end(self) -> int:
        self.child.send("q")
        self.pump(3.0)
        self.child.close()
        return self.child.exitstatus


@pytest.fixture
def watched(checkout: Checkout) -> Iterator[Watched]:
    made = Watched(checkout, 60, 24)
    yield made
    made.child.close(force=True)


def test_a_save_is_judged_and_n_goes_on_to_the_next_stage(watched: Watched) -> None:
    watched.until("1/2 global")
    watched.save(WRONG)
    assert "index 3: got 5" in watched.until("FAIL  global: wrong answer")
    assert "again: " not in watched.shown and "Edit labs/01-demo/demo.cu" in watched.shown
    watched.child.send("h")
    watched.until("hint 1 of 3; h again says more: think")
    watched.child.send("h")
    watched.until("hint 2 of 3; h again says more: think harder")
    watched.save("// fine\n")
    watched.until("PASS  global: passed")
    watched.until("[#.]")
    watched.child.send("n")
    watched.until("2/2 strided")
    watched.until("All stages of 01-demo have passed")
    watched.child.send("c")
    watched.until("All stages: global: passed, strided: passed")
    assert watched.end() == 0


def test_keys_that_come_together_all_count_and_a_paste_does_not(watched: Watched) -> None:
    """A slow line sends several at once. Whoever pastes a text into the window means none of it."""
    watched.save(WRONG)
    watched.until("FAIL  global: wrong answer")
    watched.child.send("./lab check 01.global, quickly\n")
    watched.child.send("\033[A")
    watched.pump(0.5)
    assert watched.child.isalive() and "FAIL  global: wrong answer" in watched.shown
    watched.child.send("hh")
    watched.until("hint 2 of 3")
    watched.child.send("hq")
    watched.pump(3.0)
    watched.child.close()
    assert watched.child.exitstatus == 1


def test_what_the_compiler_warns_of_is_shown(watched: Watched) -> None:
    watched.until("PASS  global: passed")
    assert "warning" not in watched.shown
    watched.save("#warning\n" + WRONG)
    watched.until("FAIL  global: wrong answer")
    assert "warning: demo.cu:1:2: #warning on request" in watched.shown


def test_an_edit_makes_what_passed_before_stale_until_all_are_checked(watched: Watched) -> None:
    """Whatever changed may be used by another stage: it is not judged unasked, but never hidden."""
    watched.until("1/2 global")
    watched.save(plan("strided", "any", '{"verdict": "wrong answer", "message": "key 7"}'))
    watched.until("PASS  global: passed")
    watched.until("Press n for the next stage.")
    watched.child.send("n")
    watched.until("FAIL  strided: wrong answer")
    watched.save(WRONG)
    watched.until("PASS  strided: passed")
    watched.until("[~#]")
    watched.until("Press c to check all: global passed before your last")
    watched.child.send("n")  # there is no stage to go to, so it does the same
    watched.until("All stages: global: wrong answer, strided: passed")
    watched.until("[!#]")
    watched.until("Press n for the next stage.")
    watched.child.send("n")
    watched.until("FAIL  global: wrong answer")
    assert watched.end() == 1


def test_a_save_during_a_check_gives_the_old_one_up(watched: Watched) -> None:
    watched.save(SLOW)
    watched.until("checking global")
    watched.pump(2.0)
    started = time.monotonic()
    watched.save(WRONG)
    watched.until("FAIL  global: wrong answer")
    assert time.monotonic() - started < 45  # the slow one would take a minute
    assert watched.end() == 1
    time.sleep(1.0)
    left = subprocess.run(["pgrep", "-f", str(watched.file.parent.parent.parent)],
                          capture_output=True, text=True).stdout  # fmt: skip
    assert not left, "something still runs"


@choice.exhaustive(*WATCH)
def test_a_removed_file_is_said_and_its_return_is_seen(watched: Watched) -> None:
    watched.save(WRONG)
    watched.until("FAIL  global: wrong answer")
    watched.file.unlink()
    assert "./lab reset 01-demo" in watched.until("demo.cu is gone")
    watched.file.write_text("// fine\n")
    watched.until("PASS  global: passed")


@choice.exhaustive(*WATCH)
def test_a_folder_that_is_renamed_and_comes_back_is_watched_on(watched: Watched) -> None:
    """As git does it between two branches: another folder of the same name."""
    watched.save(WRONG)
    watched.until("index 3: got 5")
    folder = watched.file.parent
    elsewhere = folder.parent.parent / "elsewhere"
    folder.rename(elsewhere)
    watched.until("is gone")
    shutil.copytree(elsewhere, folder)
    watched.until("index 3: got 5")
    watched.pump(1.5)
    watched.file.write_text(WRONG.replace("index 3", "index 4"))
    watched.until("index 4: got 5")
    assert watched.end() == 1


@choice.exhaustive(*WATCH)
def test_saving_the_same_text_again_starts_nothing(watched: Watched) -> None:
    watched.save(WRONG)
    watched.until("FAIL  global: wrong answer")
    before = watched.raw
    watched.save(WRONG)
    watched.pump(1.5)
    assert watched.raw == before


def test_the_terminal_is_given_back_as_it_was(watched: Watched) -> None:
    watched.until("1/2 global")
    watched.pump(1.0)
    flags = termios.tcgetattr(watched.child.child_fd)[3]
    assert not flags & termios.ECHO and not flags & termios.ICANON
    watched.child.send("q")
    watched.pump(3.0)
    flags = termios.tcgetattr(watched.child.child_fd)[3]
    assert flags & termios.ECHO and flags & termios.ICANON


@choice.exhaustive(*WATCH)
def test_a_window_that_becomes_narrow_is_drawn_anew(watched: Watched) -> None:
    watched.save(WRONG)
    watched.until("FAIL  global: wrong answer")
    watched.screen.resize(24, 30)
    watched.screen.reset()
    watched.child.setwinsize(24, 30)
    shown = watched.until("q quit")
    assert "FAIL  global: wrong answer" in shown.replace("\n  ", " ")
    assert shown.count("FAIL") == 1


@pytest.mark.parametrize(("name", "value", "escapes"), [
    ("NO_COLOR", "1", True), ("TERM", "dumb", False),
])  # fmt: skip
def test_without_colour_and_on_a_plain_terminal(
    checkout: Checkout, name: str, value: str, escapes: bool
) -> None:
    plain = Watched(checkout, 60, 24, **{name: value})
    plain.save(WRONG)
    plain.until("FAIL  global: wrong answer")
    assert "\033[1;31m" not in plain.raw and "\033[0m" not in plain.raw
    assert ("\033" in plain.raw) == escapes
    plain.child.close(force=True)


def test_colour_is_there_otherwise(watched: Watched) -> None:
    watched.save(WRONG)
    watched.until("FAIL  global: wrong answer")
    assert "\033[1;31mFAIL" in watched.raw


@choice.exhaustive(*WATCH)
def test_without_any_terminal_each_screen_is_printed_once(checkout: Checkout) -> None:
    (checkout.labs / LAB / "demo.cu").write_text(WRONG)
    words = [sys.executable, str(DRIVER), str(checkout.root), "watch", "--backend", "cpu"]
    started = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)  # fmt: skip
    assert started.stdout is not None
    shown = ""
    while "FAIL  global" not in shown:
        line = started.stdout.readline()
        assert line, shown
        shown += line
    rest, said = started.communicate(timeout=PATIENCE)  # nobody can press a key, so it ends
    assert started.returncode == 1 and not said and "\033" not in shown + rest
    assert (shown + rest).count("FAIL") == 1


@pytest.mark.parametrize("given", choice.first_of(
    1, ["/dev/null", "an empty file", "a pipe that ends", "closed"], *WATCH
))  # fmt: skip
def test_without_a_keyboard_it_ends_after_one_check(
    checkout: Checkout, tmp_path: Path, given: str
) -> None:
    (checkout.labs / LAB / "demo.cu").write_text(WRONG)
    (tmp_path / "empty").touch()
    how = {"/dev/null": "{} </dev/null", "an empty file": f"{{}} <{tmp_path / 'empty'}",
           "a pipe that ends": "printf '' | {}", "closed": "{} <&-"}[given]  # fmt: skip
    words = how.format(f"{sys.executable} {DRIVER} {checkout.root} watch --backend cpu")
    child = pexpect.spawn("/bin/sh", ["-c", words], encoding="utf-8",
                          timeout=PATIENCE, env={**os.environ, "TERM": "xterm"})  # fmt: skip
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 1 and "wrong answer" in child.before, child.before


def test_keys_may_come_from_a_pipe(checkout: Checkout) -> None:
    (checkout.labs / LAB / "demo.cu").write_text(SLOW)
    words = [sys.executable, str(DRIVER), str(checkout.root), "watch", "--backend", "cpu"]
    done = subprocess.run(words, input="hq", capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1 and not done.stderr  # q: it did not wait for the slow check


VIEW = View("01-rank-sort", "[#!....]", "strided", 2, 6, "FAIL", "strided: race  (1.2 s)",
            ["prose " * 40, "->   42 | " + "code " * 30, *map(str, range(50))],
            "Edit labs/01-rank-sort/rank_sort.cu:41 and save.")  # fmt: skip


LINES = ["a race at a.cu:4 and a.cu:6", "", "     3 | int a;", "->   4 | b = a;    // writes",
         "      ...", "->   6 | c = b;    // reads", "     7 | }", "", "likely cause: No barrier.",
         "test: sorts", "again: ./lab check"]  # fmt: skip


@pytest.mark.parametrize(("rows", "shown"), [
    (20, LINES), (15, [LINES[0], LINES[8], LINES[3], LINES[5], *LINES[9:]]),
    (12, [LINES[0], LINES[8], LINES[3], LINES[5], "... 2 more lines: enlarge the window"]),
])  # fmt: skip
def test_a_low_window_shows_the_likely_cause_before_the_lines_around_a_place(
    rows: int, shown: list[str]
) -> None:
    view = View("01-demo", "[!]", "global", 1, 1, "FAIL", "race", LINES, "Edit and save.")
    told = render(view, 70, rows)
    assert len(told) <= rows and told[3:-3] == shown


def test_a_low_window_shows_what_to_try_before_the_table_of_why() -> None:
    lines = ["It costs by loads.", "", *[f"  launches {row}" for row in range(9)], "Try: tiles."]
    view = View("01-demo", "[#]", "global", 1, 1, "PASS", "why", lines, "Press n.")
    assert render(view, 70, 12)[3:5] == ["Try: tiles.", lines[0]]
    assert render(view, 70, 40)[3:15] == lines


def test_a_low_window_leaves_a_compile_error_as_it_is() -> None:
    lines = ["a.cu:3: error: x", "     3 | x = 1;", "       | ^", *["more"] * 9]
    view = View("01-demo", "[!]", "global", 1, 1, "FAIL", "", lines, "Edit and save.")
    assert render(view, 70, 12)[3:6] == lines[:3]



@pytest.mark.parametrize("columns", [20, 40, 60, 80, 200])
@pytest.mark.parametrize("rows", [8, 24, 60])
def test_every_screen_fits(columns: int, rows: int) -> None:
    lines = render(VIEW, columns, rows)
    assert all(len(line) <= columns for line in lines)
    assert len(lines) <= rows
    assert lines[-1].endswith("quit")
