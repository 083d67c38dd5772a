"""A terminal for watch: keys one at a time, and a screen that is drawn again in place.

Without a terminal (a pipe, TERM=dumb) nothing is drawn in place: each new screen is printed once.
"""

import contextlib
import os
import select
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from types import FrameType, TracebackType
from typing import Any

from ..base.text import escaped

HOME, REST_OF_LINE, REST_OF_SCREEN = "\033[H", "\033[K", "\033[J"
CLEAR = "\033[2J"
CTRL_C, CTRL_D, ESCAPE = "\x03", "\x04", "\033"
TYPED = 4  # keys that a person presses before the first is read; what is longer was pasted


class Terminal:
    """Used in a `with` block, after which the terminal is as it was.

    `wake` may be called from any thread and from a signal handler: it ends `key`'s waiting.
    """

    def __init__(self) -> None:
        self.keyboard = _is_terminal(sys.stdin)
        self.ended = sys.stdin is None  # no key will ever come
        self.live = _is_terminal(sys.stdout) and os.environ.get("TERM", "dumb") != "dumb"
        self.colour = self.live and not os.environ.get("NO_COLOR")
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        os.set_blocking(self._reading, False)
        self._woken = -1
        self._before: list[Any] | None = None
        self._resize: Any = None
        self._last: list[str] = []
        self._waiting = ""  # keys that were read together with the last one

    def __enter__(self) -> "Terminal":
        # A signal just before `select` would otherwise be seen only after it.
        self._woken = signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        self._resize = signal.signal(signal.SIGWINCH, self._resized)
        self._continued = signal.signal(signal.SIGCONT, self._resumed)
        self._take_keys()
        if self.live:
            print(CLEAR + HOME, end="", flush=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        signal.signal(signal.SIGWINCH, self._resize)
        signal.signal(signal.SIGCONT, self._continued)
        signal.set_wakeup_fd(self._woken)
        if self._before is not None:
            with contextlib.suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)
        os.close(self._reading)
        os.close(self._writing)

    def _take_keys(self) -> None:
        if self.keyboard:
            self._before = self._before or termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)

    def _resized(self, number: int, frame: FrameType | None) -> None:
        self._last = []
        if self.live:
            os.write(sys.stdout.fileno(), CLEAR.encode())
        self.wake()

    def _resumed(self, number: int, frame: FrameType | None) -> None:
        """After Ctrl-Z and fg the shell has set the terminal anew."""
        self._take_keys()
        self._resized(number, frame)

    def wake(self) -> None:
        with contextlib.suppress(OSError):  # full: it will wake; closed: it has ended
            os.write(self._writing, b"w")

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows. Without a terminal all rows fit."""
        found = shutil.get_terminal_size((80, 24))
        return found.columns, found.lines if self.live else 1000

    def key(self, seconds: float) -> str:
        """The next key; "" after `seconds`, or when woken. Ctrl-D and a closed keyboard are q.

        Keys may also come from a pipe or a file; at its end `ended` is set.
        """
        if self._waiting:
            next_, self._waiting = self._waiting[0], self._waiting[1:]
            return next_
        inputs: list[Any] = [self._reading, *([] if self.ended else [sys.stdin])]
        ready, _, _ = select.select(inputs, [], [], seconds)
        if self._reading in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._reading, 4096)
        if sys.stdin not in ready:
            return ""
        pressed = _read(sys.stdin.fileno(), 64 if self.keyboard else 1)
        if not pressed and not self.keyboard:
            self.ended = True
            return ""
        if not pressed or pressed[0] == CTRL_D or CTRL_C in pressed:
            return "q"
        keys = pressed.partition(ESCAPE)[0].lower()  # without arrows and the like
        self._waiting = keys[1:] if len(pressed) <= TYPED else ""
        return keys[:1]

    def show(self, lines: Sequence[str], moving: bool = False) -> None:
        """Draw the screen; a `moving` one (a clock runs in it) is only for a live terminal."""
        shown = list(lines)
        if shown == self._last or (moving and not self.live):
            return
        self._last = shown
        if self.live:
            body = "\n".join(line + REST_OF_LINE for line in shown)
            text = f"{HOME}{body}{REST_OF_SCREEN}"
        else:
            text = "\n".join([*map(escaped, shown), ""]) + "\n"
        with _patient(sys.stdout.fileno()):
            print(text, end="", flush=True)

    def leave(self) -> None:
        """The shell's prompt comes below the last screen."""
        if self.live:
            print(flush=True)


@contextlib.contextmanager
def _patient(descriptor: int) -> Iterator[None]:
    """A slow line (ssh) takes what it can: nothing is lost on a descriptor that does not block."""
    blocking = os.get_blocking(descriptor)
    os.set_blocking(descriptor, True)
    try:
        yield
    finally:
        os.set_blocking(descriptor, blocking)


def _read(descriptor: int, most: int) -> str:
    """What was typed; nothing at the end, and where nothing can be read."""
    try:
        return os.read(descriptor, most).decode("utf-8", "replace")
    except OSError:
        return ""


def _is_terminal(stream: Any) -> bool:
    return bool(stream is not None and stream.isatty())
