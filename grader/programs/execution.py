"""Running a user's program in the user's terminal, under a time limit."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from ..base.process import OUTPUT_LIMIT
from ..base.reaper import ends_with_us, start

GRACE_SECONDS = 2.0  # after SIGTERM the runtime reports which kernel was running
ENDED_BY = {
    signal.SIGSEGV: "it accessed memory that it does not own",
    signal.SIGBUS: "it accessed memory that does not exist",
    signal.SIGFPE: "it divided an integer by zero",
    signal.SIGABRT: "it aborted, for example because of an assert or an uncaught exception",
    signal.SIGKILL: "it was killed, for example because memory ran out",
}


@dataclass(frozen=True)
class Ended:
    """How a program ended; `status` is negative for a signal. Output is None if not captured."""

    status: int
    timed_out: bool
    seconds: float
    stdout: str | None = None
    stderr: str | None = None

    @property
    def signal(self) -> signal.Signals | None:
        known = {item.value for item in signal.Signals}
        return signal.Signals(-self.status) if -self.status in known else None


def run(
    command: Sequence[str], env: Mapping[str, str], limit: float, capture: bool
) -> Ended:
    """Run `command` in the current folder with our stdin; with `capture` return its output.

    After `limit` seconds it gets SIGTERM, then SIGKILL.
    """
    sys.stdout.flush()  # our own output so far comes first
    started = time.monotonic()
    pipe = subprocess.PIPE if capture else None
    child = start(command, env={**os.environ, **env}, stdout=pipe, stderr=pipe)
    outputs = [_Tail(stream) for stream in (child.stdout, child.stderr) if stream]
    timed_out = False
    with ends_with_us(child.pid):
        try:
            child.wait(limit)
        except subprocess.TimeoutExpired:
            timed_out = True
            child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(GRACE_SECONDS)
        finally:
            child.kill()
            child.wait()
    seconds = time.monotonic() - started
    stdout, stderr = [output.text() for output in outputs] or (None, None)
    return Ended(child.returncode, timed_out, seconds, stdout, stderr)


class _Tail:
    """Reads a pipe to its end and keeps the last OUTPUT_LIMIT bytes."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while data := os.read(self._stream.fileno(), 1 << 16):
            self._kept += data
            del self._kept[:-OUTPUT_LIMIT]

    def text(self) -> str:
        self._thread.join(GRACE_SECONDS)  # a child of the program may keep the pipe open
        return self._kept.decode("utf-8", "replace")
