"""Where the time of a grading went: named steps, with seconds, from whatever thread they ran in."""

import contextvars
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


@dataclass(frozen=True)
class Step:
    """One name: how often it was taken, and the wall-clock seconds of all times together.

    Steps run beside each other, so their seconds add up to more than the grading took.
    """

    name: str
    times: int
    seconds: float


@dataclass
class Steps:
    """The steps of one grading, in the order in which each was first finished."""

    taken: dict[str, Step] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str, seconds: float) -> None:
        with self.lock:
            known = self.taken.get(name, Step(name, 0, 0.0))
            self.taken[name] = Step(name, known.times + 1, known.seconds + seconds)

    def all(self) -> tuple[Step, ...]:
        with self.lock:
            return tuple(Step(s.name, s.times, round(s.seconds, 3)) for s in self.taken.values())


_recording: contextvars.ContextVar[Steps | None] = contextvars.ContextVar("steps", default=None)


@contextmanager
def recorded() -> Iterator[Steps]:
    """Record the steps that are taken inside, also in threads that run what within() returns."""
    steps = Steps()
    token = _recording.set(steps)
    try:
        yield steps
    finally:
        _recording.reset(token)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Take a step; outside recorded() it is not written down."""
    started = time.monotonic()
    try:
        yield
    finally:
        took(name, time.monotonic() - started)


def took(name: str, seconds: float) -> None:
    """A step that something else has taken, and timed."""
    if steps := _recording.get():
        steps.add(name, seconds)


def within(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """The function for another thread, so that its steps are written down with ours."""
    context = contextvars.copy_context()

    def run(*arguments: Parameters.args, **options: Parameters.kwargs) -> Returned:
        return context.copy().run(function, *arguments, **options)

    return run
