"""Running another program under a wall-clock limit."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from . import console

OUTPUT_LIMIT = 256 * 1024  # bytes kept of a program's output: its end, which gives the reason


@dataclass(frozen=True)
class Finished:
    """How a program ended. `seconds` is wall-clock time."""

    returncode: int
    output: str
    timed_out: bool
    seconds: float

    @property
    def ok(self) -> bool:
        return self.returncode == 0 and not self.timed_out

    @property
    def last_line(self) -> str:
        """The last line of output that is not blank, or the exit status."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines else f"exit status {self.returncode}"


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    limit: float | None = None,
    env: Mapping[str, str] | None = None,
    stdout: BinaryIO | None = None,
    pass_fds: Sequence[int] = (),
    whole: bool = False,
) -> Finished:
    """Run `command`; after `limit` seconds kill it and its whole process group.

    stdout and stderr are returned together: their last OUTPUT_LIMIT bytes, or with `whole` all of
    them. With `stdout`, stdout goes to that file instead. `env` is added to the environment. The
    command inherits only `pass_fds` of our open files. A program that cannot be started counts as
    exit status 127.
    """
    console.verbose("+ " + " ".join(str(part) for part in command))
    started = time.monotonic()
    with tempfile.TemporaryFile() as sink:
        try:
            process = subprocess.Popen(
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
        timed_out = False
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            _end_group(process)
        size = sink.seek(0, os.SEEK_END)
        sink.seek(0 if whole else max(0, size - OUTPUT_LIMIT))
        output = sink.read().decode("utf-8", "replace")
    console.verbose(output.rstrip())
    return Finished(process.returncode, output, timed_out, time.monotonic() - started)


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill what is left of the process group, also the children of a judge or a compiler."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
