"""What the user sees: colour on terminals only, and a progress line for long tasks."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from . import columns
from .text import escaped

PAUSE = "WARPWISE_PROGRESS"  # environment: seconds between two lines of progress in a log
SURE_PART = 0.05  # from less than this nobody can tell how long the whole takes
QUIET_SECONDS = 2.0  # a task that is faster than this needs no progress line
COLOURS = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "bold": "1", "dim": "2"}

_verbose = False


def set_verbose(on: bool) -> None:
    """Show on stderr every command that is run, and its output."""
    global _verbose
    _verbose = on


def verbose(text: str) -> None:
    if _verbose and text:
        note(text)


def note(text: str) -> None:
    """Print a line for the user on stderr; stdout is only for the result."""
    if sys.stderr is not None:  # closed by the caller
        _tell(f"{columns.for_stream(escaped(text), sys.stderr)}\n")


def _tell(text: str) -> None:
    """Write to stderr. If that fails, there is no other place to report it."""
    if sys.stderr is None:  # closed by the caller; print would take stdout instead
        return
    with contextlib.suppress(OSError, ValueError):
        print(text, end="", file=sys.stderr, flush=True)


def is_live(stream: TextIO | None) -> bool:
    """Whether a line can be drawn again there: a terminal, and not a dumb one."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: str, stream: TextIO | None = None) -> str:
    """`text` in `colour` if the stream is a terminal and NO_COLOR is unset or empty."""
    target = stream or sys.stdout
    if os.environ.get("NO_COLOR") or not is_live(target):
        return text
    return f"\033[{COLOURS[colour]}m{text}\033[0m"


class Progress:
    """One running task; `update` reports what it does now, `reached` how much of it is done.

    `expected` is how many seconds it took the last times, 0 if nobody knows. `progress` makes it.
    """

    def __init__(self, task: str, expected: float = 0.0) -> None:
        self.task = task
        self.detail = ""
        self.expected = expected
        self.shown = False
        self._started = time.monotonic()
        self._live = is_live(sys.stderr)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def update(self, detail: str) -> None:
        self.detail = detail

    def reached(self, part: float) -> None:
        """A part from 0 to 1 is done: what is left is taken to go on as fast."""
        if SURE_PART <= part <= 1.0:
            self.expected = self.seconds / part

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def _line(self) -> str:
        """What is done, for how long, and how long still; nothing that is not known."""
        line = f"{self.task}{': ' + self.detail if self.detail else ''} ... {self.seconds:.0f} s"
        left = self.expected - self.seconds
        if left >= 1.0:
            return f"{line}, about {left:.0f} s left"
        late = self.expected and left < -max(2.0, self.expected / 2)
        return f"{line}, longer than usual" if late else line

    def _watch(self) -> None:
        delay = 0.5 if self._live else QUIET_SECONDS
        while not self._done.wait(delay):
            self.shown = True
            if self._live:
                width = columns.size(sys.stderr)[0] - 1  # a wrapped line stays behind
                _tell(f"\r\033[K{_shortened(escaped(self._line()), width)}")
            else:
                note(self._line())
                delay = _pause()

    def finish(self) -> None:
        self._done.set()
        self._thread.join()
        if self.shown and self._live:
            _tell("\r\033[K")
        elif self.shown:
            note(f"{self.task}: {self.seconds:.0f} s")


def _pause() -> float:
    """Seconds between two lines in a log, which needs a sign of life; watch asks for more."""
    try:
        return max(0.1, float(os.environ.get(PAUSE, "30")))
    except ValueError:
        return 30.0


def _shortened(line: str, width: int) -> str:
    """The line without its middle, if it is too long: its end says how long it still takes."""
    if columns.width(line) <= width:
        return line
    begin = (width - 3) // 3
    end = line[::-1]
    return f"{columns.cut(line, begin)}...{columns.cut(end, width - 3 - begin)[::-1]}"


@contextmanager
def progress(task: str, expected: float = 0.0) -> Iterator[Progress]:
    """Show that `task` is running: a live line on a terminal, otherwise a line after 2 seconds.

    With the seconds that it took the last times it also shows how long it still takes.
    """
    line = Progress(task, expected)
    try:
        yield line
    finally:
        line.finish()
