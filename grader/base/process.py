"""Running another program under a wall-clock limit."""

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from . import console
from .reaper import end_all_of, ends_with_us, start

WATCH_SECONDS = 0.1  # between two looks at a program that is watched
LONGEST_WAIT = 1e6  # seconds that poll() can count
_running: set[int] = set()  # process groups that run() waits for
_interrupted = threading.Event()
OUTPUT_LIMIT = 256 * 1024  # bytes kept of a program's output: its end, which gives the reason


@dataclass(frozen=True)
class Finished:
    """How a program ended. `seconds` is wall-clock time. `stopped`: `stop` asked for its end."""

    returncode: int
    output: str
    timed_out: bool
    seconds: float
    stopped: bool = False

    @property
    def ok(self) -> bool:
        return self.returncode == 0 and not self.timed_out and not self.stopped

    @property
    def last_line(self) -> str:
        """The last line of output that is not blank, or the exit status."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines else f"exit status {self.returncode}"


def interrupt() -> None:
    """End all programs that run() waits for, and let no other thread than the main one start more.

    Ctrl-C reaches the main thread alone; it would wait until the others' compilers have finished.
    """
    _interrupted.set()
    for group in list(_running):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def forget_interrupt() -> None:
    """Before another command of the same process."""
    _interrupted.clear()


def _stop_if_interrupted() -> None:
    """What the main thread runs after Ctrl-C clears up."""
    if _interrupted.is_set() and threading.current_thread() is not threading.main_thread():
        raise KeyboardInterrupt


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    limit: float | None = None,
    env: Mapping[str, str] | None = None,
    stdout: BinaryIO | None = None,
    pass_fds: Sequence[int] = (),
    whole: bool = False,
    stop: Callable[[int], bool] | None = None,
) -> Finished:
    """Run `command`; after `limit` seconds kill it and its whole process group.

    stdout and stderr are returned together: their last OUTPUT_LIMIT bytes, or with `whole` all of
    them. With `stdout`, stdout goes to that file instead. `env` is added to the environment. The
    command inherits only `pass_fds` of our open files. A program that cannot be started counts as
    exit status 127. `stop` is asked about the program's process id again and again; if it says yes,
    the program ends as if its time was over.
    """
    _stop_if_interrupted()
    console.verbose("+ " + " ".join(str(part) for part in command))
    started = time.monotonic()
    with tempfile.TemporaryFile() as sink:
        try:
            process = start(
                [str(part) for part in command],
                cwd=cwd,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=stdout or sink,
                stderr=sink,
                start_new_session=True,
                pass_fds=pass_fds,
            )
        except OSError as error:
            return Finished(127, f"{command[0]}: {error.strerror}", False, 0.0)
        with ends_with_us(-process.pid):
            _running.add(process.pid)
            try:
                _stop_if_interrupted()
                timed_out, stopped = _wait(process, limit, stop)
            finally:
                _running.discard(process.pid)
                _end_group(process)
        _stop_if_interrupted()
        size = sink.seek(0, os.SEEK_END)
        sink.seek(0 if whole else max(0, size - OUTPUT_LIMIT))
        output = sink.read().decode("utf-8", "replace")
    console.verbose(output.rstrip())
    return Finished(process.returncode, output, timed_out, time.monotonic() - started, stopped)


def _wait(
    process: "subprocess.Popen[bytes]", limit: float | None, stop: Callable[[int], bool] | None
) -> tuple[bool, bool]:
    """Wait for the end. Returns whether the limit was reached, and whether `stop` asked for it."""
    end = time.monotonic() + limit if limit is not None else float("inf")
    with _end_of(process) as ended:
        while True:
            left = max(0.0, end - time.monotonic())
            pause = min(left, WATCH_SECONDS) if stop else left
            if ended(pause):
                process.wait()
                return False, False
            if time.monotonic() >= end:
                return True, False
            if stop and stop(process.pid):
                return False, True


@contextlib.contextmanager
def _end_of(process: "subprocess.Popen[bytes]") -> Iterator[Callable[[float], bool]]:
    """A function that waits for the end for so many seconds, and returns whether it came.

    The kernel reports it at once; Popen.wait() with a limit would sleep for up to 50 ms more.
    """
    descriptor = os.pidfd_open(process.pid)
    try:
        events = select.poll()
        events.register(descriptor, select.POLLIN)
        yield lambda seconds: bool(events.poll(min(seconds, LONGEST_WAIT) * 1000))
    finally:
        os.close(descriptor)


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill what is left of the process group, also the children of a judge or a compiler."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.wait() < 0:  # it could not end its own children
        end_all_of(process.pid)
