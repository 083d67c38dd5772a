"""Where the time of a grading went: named steps, with seconds, from whatever thread they ran in."""

import contextvars
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


@dataclass(frozen=True)
class Step:
    """One name: how often it was taken, and the wall-clock seconds of all times together.

    Steps run beside each other, so their seconds add up to more than the grading took. `began` and
    `ended` are seconds after the recording began; None if only the duration is known.
    """

    name: str
    times: int
    seconds: float
    began: float | None = None
    ended: float | None = None


@dataclass
class Steps:
    """The steps of one grading, in the order in which each was first finished."""

    taken: dict[str, Step] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    start: float = field(default_factory=time.monotonic)

    def add(self, name: str, seconds: float, *, ends_now: bool = False) -> None:
        """Only of a step that ends now it is known when it began."""
        now = time.monotonic() - self.start
        with self.lock:
            known = self.taken.get(name, Step(name, 0, 0.0))
            known = replace(known, times=known.times + 1, seconds=known.seconds + seconds)
            if ends_now:
                began = now - seconds if known.began is None else min(known.began, now - seconds)
                known = replace(known, began=began, ended=now)
            self.taken[name] = known

    def all(self) -> tuple[Step, ...]:
        with self.lock:
            return tuple(_rounded(step) for step in self.taken.values())


def _rounded(step: Step) -> Step:
    began, ended = (None if at is None else round(at, 3) for at in (step.began, step.ended))
    return Step(step.name, step.times, round(step.seconds, 3), began, ended)


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
        if steps := _recording.get():
            steps.add(name, time.monotonic() - started, ends_now=True)


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
