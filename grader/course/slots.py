"""Slots: places where one grading process works at a time, each with its own cores and GPU.

A process that dies is replaced, and its task is tried once more. The loop ends all processes when
it ends; if SIGKILL ends the loop, the reaper ends them.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from ..base.reaper import ends_with_us, start
from .worker import LOST

COMMAND = (sys.executable, "-P", "-m", "grader.course.worker")
TRIES = 2


@dataclass(frozen=True)
class Event:
    """What became of a task: `begun`, or one of the worker's answers."""

    task: dict[str, Any]
    said: str
    answer: dict[str, Any] = field(default_factory=dict)
    slot: int = 0


@dataclass
class Slot:
    """One thread that feeds one process."""

    number: int
    argument: dict[str, Any]  # the process's, see worker.Place
    environment: dict[str, str]
    log: Path
    command: Sequence[str] = COMMAND
    _process: "subprocess.Popen[str] | None" = None

    def work(
        self, waiting: "queue.SimpleQueue[dict[str, Any] | None]",
        events: "queue.SimpleQueue[Event]", stop: threading.Event,
    ) -> None:  # fmt: skip
        """Take tasks until there are none, or until `stop`. Everything ends up in `events`."""
        try:
            while not stop.is_set() and (task := waiting.get()) is not None:
                events.put(Event(task, "begun", slot=self.number))
                answer = self._ask(task, stop)
                events.put(Event(task, answer["said"], answer, self.number))
        except OSError as error:
            events.put(Event({}, LOST, {"text": f"a grading process: {error.strerror}"}))
        finally:
            self.end()
            events.put(Event({}, "idle", slot=self.number))

    def _ask(self, task: dict[str, Any], stop: threading.Event) -> dict[str, Any]:
        status = 0
        for _ in range(TRIES):
            if stop.is_set():
                break
            process = self._running()
            with ends_with_us(-process.pid), contextlib.suppress(BrokenPipeError, ValueError):
                stdin, stdout = _pipes(process)
                stdin.write(json.dumps(task) + "\n")
                stdin.flush()
                if answer := stdout.readline():
                    found: dict[str, Any] = json.loads(answer)
                    return found
            status = self.end()
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        return {"said": LOST, "text": f"the grading process died twice ({how}); see {self.log}"}

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is None or self._process.poll() is not None:
            with self.log.open("a", encoding="utf-8") as log:
                self._process = start(
                    [*self.command, json.dumps(self.argument)],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                    env={**os.environ, **self.environment}, start_new_session=True,
                )  # fmt: skip
        return self._process

    def end(self) -> int:
        """Kill the process and what it started; returns its exit status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe:
                    pipe.close()
        return status


def _pipes(process: "subprocess.Popen[str]") -> tuple[IO[str], IO[str]]:
    assert process.stdin and process.stdout
    return process.stdin, process.stdout
