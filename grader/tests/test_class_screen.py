"""What is seen while a class is graded: a table on a terminal, plain lines without one."""

import io
import sys
from pathlib import Path

import pytest

from grader.course.hand_ins import HandIn
from grader.course.plan import Job
from grader.course.screen import Screen
from grader.course.slots import Event
from grader.course.tasks import Task
from grader.lab_file.manifest import Lab

pytestmark = [pytest.mark.reads("grader/course"), pytest.mark.unit]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def jobs(lab: Lab) -> list[Job]:
    hand_in = HandIn("ann", lab, 1, Path("."), None)
    return [Job(Task(lab, f"{n}" * 64, f"{n}" * 64), hand_in, ("ann\x1b[31m", "bob")[: n + 1])
            for n in range(3)]  # fmt: skip


def hear(screen: Screen, job: Job, said: str, verdict: str = "failed") -> None:
    answer = {"said": said, "verdict": verdict, "earned": 5, "possible": 10, "not_measured": 0}
    screen.tell("judge", Event({"task": job.task.name}, said, answer))


def test_a_terminal_shows_what_is_done_and_what_runs(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    first, second, third = jobs(lab)
    screen = Screen([first, second, third], 0)
    for job in (first, second):
        hear(screen, job, "begun")
    hear(screen, first, "done")
    rows = screen.rows()
    assert rows[0].startswith("correctness: 1 of 3 graded") and "left" in rows[0]
    assert rows[2].split() == [lab.name, "1", "1", "1", "0", "1"]
    assert "ann\\x1b[31m and 1 more ... " in rows[3] and len(rows) == 4
    monkeypatch.setattr("grader.course.screen.REDRAW_SECONDS", -1)
    screen.tell("judge", None)
    screen.tell("judge", None)
    screen.end()
    assert terminal.getvalue().count("\x1b[4A\x1b[J") >= 2  # drawn over, then erased
    assert "\x1b[31m" not in terminal.getvalue()


def test_without_a_terminal_there_is_a_line_for_each_task(
    lab: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, _ = jobs(lab)
    screen = Screen([first, second], 0)
    hear(screen, first, "begun")
    hear(screen, first, "done", "passed")
    hear(screen, second, "crowded")
    screen.end()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"[1/2] {lab.name} ann\\x1b[31m: passed, 5 of 10 (0 s)")
    assert "too slow in company" in lines[1] and len(lines) == 2
