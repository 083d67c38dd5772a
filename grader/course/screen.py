"""What an instructor sees while a class is graded: a live table, or plain lines without a terminal.

It writes to stderr; stdout is for the result.
"""

import statistics
import sys
import time
from collections.abc import Sequence

from ..base import console
from ..base.columns import cut, size
from ..base.text import line
from .plan import Job
from .slots import Event
from .worker import ALONE, CROWDED, JUDGED, TIME

REDRAW_SECONDS = 0.5
WORDS = {"judge": "correctness", ALONE: "once more, alone", TIME: "timing"}


class Screen:
    """Hears of every event, and shows where the class stands."""

    def __init__(self, jobs: Sequence[Job], finished: int) -> None:
        self._jobs = {job.task.name: job for job in jobs}
        self._before = finished
        self._phase = ""
        self._begun: dict[str, float] = {}
        self._taken: list[float] = []
        self._ended: dict[str, str] = {}
        self._judged: set[str] = set()
        self._slots = 1
        self._live = console.is_live(sys.stderr)
        self._lines = 0
        self._drawn = 0.0
        self._started = time.monotonic()

    def tell(self, phase: str, event: Event | None) -> None:
        if phase != self._phase:
            self._phase = phase
            self._taken.clear()
        if event:
            self._hear(event)
        if self._live and time.monotonic() - self._drawn > REDRAW_SECONDS:
            self._draw()

    def _hear(self, event: Event) -> None:
        name = event.task.get("task", "")
        self._slots = max(self._slots, event.slot + 1)
        if event.said == "begun":
            self._begun[name] = time.monotonic()
        elif name:
            seconds = time.monotonic() - self._begun.pop(name, time.monotonic())
            self._taken.append(seconds)
            if event.said in (JUDGED, CROWDED):
                self._judged.add(name)
                word = "its times follow" if event.said == JUDGED else "too slow in company"
            else:
                word = f"{event.answer.get('verdict', event.said)}, {_points(event)}"
                self._ended[name] = event.answer.get("verdict", event.said)
            if not self._live:
                self._say(name, word, seconds)

    def _say(self, name: str, word: str, seconds: float) -> None:
        job = self._jobs[name]
        count = f"[{len(self._ended)}/{len(self._jobs)}]"
        console.note(f"{count} {job.task.lab.name} {_who(job)}: {word} ({seconds:.0f} s)"
                     f"{self._left()}")  # fmt: skip

    def _left(self) -> str:
        """An estimate of the time left in this phase, once there is one."""
        if self._phase in (ALONE, TIME):
            open_ones = len(self._judged - set(self._ended))
        else:
            open_ones = len(self._jobs) - len(self._ended) - len(self._judged)
        if not self._taken or not open_ones:
            return ""
        seconds = statistics.fmean(self._taken) * open_ones / self._slots
        minutes = seconds / 60
        return f", {minutes:.0f} min left" if minutes >= 2 else f", {seconds:.0f} s left"

    def rows(self) -> list[str]:
        """The live table: a row for each lab, then what runs now."""
        labs = sorted({job.task.lab.name for job in self._jobs.values()})
        made = [f"{WORDS.get(self._phase, self._phase)}: {len(self._ended)} of {len(self._jobs)} "
                f"graded in {time.monotonic() - self._started:.0f} s{self._left()}"]  # fmt: skip
        wide = max(len(lab) for lab in labs)
        made.append(f"  {'lab':<{wide}}{'done':>6}{'running':>9}{'failed':>8}{'refused':>9}"
                    f"{'waiting':>9}")  # fmt: skip
        for lab in labs:
            tasks = [task for task, job in self._jobs.items() if job.task.lab.name == lab]
            ended = [self._ended[task] for task in tasks if task in self._ended]
            running = sum(task in self._begun for task in tasks)
            made.append(
                f"  {lab:<{wide}}{len(ended):>6}{running:>9}{ended.count('failed'):>8}"
                f"{ended.count('refused'):>9}{len(tasks) - len(ended) - running:>9}"
            )
        for task, begun in list(self._begun.items()):
            job = self._jobs[task]
            made.append(f"    {job.task.lab.name} {_who(job)} ... {time.monotonic() - begun:.0f} s")
        return made

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        self._erase()
        width, height = size(sys.stderr)
        rows = [cut(row, width - 1) for row in self.rows()][: max(1, height - 2)]
        self._lines = len(rows)
        sys.stderr.write("".join(f"{row}\n" for row in rows))
        sys.stderr.flush()

    def _erase(self) -> None:
        if self._lines:
            sys.stderr.write(f"\033[{self._lines}A\033[J")
        self._lines = 0

    def end(self) -> None:
        if self._live:
            self._erase()
            sys.stderr.flush()


def _who(job: Job) -> str:
    more = len(job.students) - 1
    return line(job.students[0]) + (f" and {more} more" if more else "")


def _points(event: Event) -> str:
    answer = event.answer
    if "earned" not in answer:
        return line(answer.get("text", ""))
    text = f"{answer['earned']:g} of {answer['possible']:g}"
    return text + (f", {answer['not_measured']:g} open" if answer["not_measured"] else "")



