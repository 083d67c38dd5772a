"""Runs one program with a time limit, and ends it with all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Done:
    code: int | None  # None: it ran into its time limit
    output: str
    errors: str


@dataclass(frozen=True)
class Clock:
    """Seconds for one program, and when the whole comparison has to be over (monotonic)."""

    each: float
    end: float

    @property
    def seconds(self) -> float:
        return min(self.each, self.end - time.monotonic())


def run(command: list[str], clock: Clock, **environment: str) -> Done | None:
    """None when there was no time left to begin."""
    if clock.seconds <= 0:
        return None
    process = subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,  # a profiler's child dies with it
    )
    try:
        output, errors = process.communicate(timeout=clock.seconds)
        return Done(process.returncode, output, errors)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        return Done(None, output, errors)
