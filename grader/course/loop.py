"""The grading loop: its phases, as many processes as cores, and a stop that loses nothing.

Correctness first, on all cores. On the CPU backend what took too long there is judged again alone,
because time limits are by the clock on the wall. Then, on a GPU, the times of what passed. One has
the GPU at a time; the next one gets ready and the last one's answers are checked in between.
A task is finished when its folder is in results/; whatever ends the loop, the next call sees
which tasks are not, and goes on with them.
"""

import os
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.errors import InfrastructureError, UsageError
from ..machine import hardware
from . import tasks
from .course import Course
from .plan import Job
from .slots import COMMAND, Event, Slot
from .worker import ALONE, CROWDED, DONE, JUDGE, JUDGED, LOST, TIME, TROUBLE

PER_GPU = 6  # gradings that share a GPU while nothing is timed
TIMED_PER_GPU = 2  # one of them has the GPU
POLL_SECONDS = 0.2
LOG = "grading.log"  # what the grading processes said in the last call

Tell = Callable[[str, Event | None], None]


@dataclass(frozen=True)
class Site:
    """Where a class is graded: with which cores and GPUs, and how a process is started."""

    course: Course
    checkout: Path
    backend: str
    public_seed: int = 1
    trust: bool = False
    gpus: tuple[str, ...] = ()  # UUIDs
    processes: int | None = None  # None: as many as cores
    command: Sequence[str] = COMMAND

    def slots(self, phase: str, tasks: int) -> list[Slot]:
        """The slots of a phase. The cores are shared out: among the slots, or when times are
        measured among the GPUs. What gets ready on one GPU must not slow down what is timed on
        another; on its GPU it waits, and the clock chooses a core that nobody else uses."""
        cores = sorted(os.sched_getaffinity(0))
        most = len(cores) if self.backend == "cpu" else min(len(cores), PER_GPU * len(self.gpus))
        usual = self.processes or most
        count = {TIME: TIMED_PER_GPU * len(self.gpus), ALONE: 1}.get(phase, usual)
        count = max(1, min(count, tasks))
        made = []
        for number in range(count):
            own = _share(cores, number, count)
            if phase == TIME and self.gpus:
                own = _share(cores, number % len(self.gpus), len(self.gpus))
            gpu = {"CUDA_VISIBLE_DEVICES": self.gpus[number % len(self.gpus)]} if self.gpus else {}
            argument = {"checkout": str(self.checkout), "course": str(self.course.folder),
                        "backend": self.backend, "seed": self.public_seed, "trust": self.trust,
                        "cores": own}  # fmt: skip
            environment = {"PYTHONPATH": str(self.checkout), "PYTHONUNBUFFERED": "1", **gpu}
            made.append(Slot(number, argument, environment, self.course.folder / LOG, self.command))
        return made


def _share(cores: list[int], number: int, count: int) -> list[int]:
    """The cores of one of `count`: neighbours, the first ones for number 0. All, if too few."""
    return cores[number * len(cores) // count : (number + 1) * len(cores) // count] or cores


@dataclass
class Outcome:
    """What became of the jobs. `lost` could not be graded; `trouble` stopped the loop."""

    done: list[str] = field(default_factory=list)
    lost: list[tuple[str, str]] = field(default_factory=list)
    trouble: str = ""


def run(site: Site, jobs: Sequence[Job], tell: Tell) -> Outcome:
    """Grade all jobs. `tell` hears of every event, and of the passing time."""
    outcome = Outcome()
    site.course.judged.mkdir(exist_ok=True)
    (site.course.folder / LOG).write_bytes(b"")
    todo: dict[str, list[Job]] = {JUDGE: [], ALONE: [], TIME: []}
    for job in jobs:
        todo[_begins_with(site.course, job)].append(job)
    for phase in todo:
        if not outcome.trouble:
            _phase(site, phase, todo, outcome, tell)
    return outcome


def _begins_with(course: Course, job: Job) -> str:
    """The phase in which an earlier call was interrupted."""
    if tasks.judged(course, job.task.name) is not None:
        return TIME
    return ALONE if (course.judged / f"{job.task.name}.alone").is_file() else JUDGE


def _phase(
    site: Site, phase: str, all_jobs: dict[str, list[Job]], outcome: Outcome, tell: Tell
) -> None:
    """One phase; adds to a later phase what needs it. What takes long begins first, so that at the
    end no slot waits for another."""
    todo = {job.task.name: job for job in sorted(all_jobs[phase], key=_length, reverse=True)}
    if not todo:
        return
    tell(phase, None)
    waiting: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    slots = site.slots(phase, len(todo))
    for message in [*(job.message(phase) for job in todo.values()), *(None for _ in slots)]:
        waiting.put(message)
    stop = threading.Event()
    threads = [threading.Thread(target=slot.work, args=(waiting, events, stop), daemon=True)
               for slot in slots]  # fmt: skip
    try:
        for thread in threads:
            thread.start()
        idle = 0
        while idle < len(slots):
            event = _next(events)
            if event and event.said == "idle":
                idle += 1
            elif event:
                _take(event, todo, outcome, all_jobs)
            tell(phase, event)
            if outcome.trouble:
                break
    finally:  # also after Ctrl-C: what runs is given up, what is stored stays
        stop.set()
        for slot in slots:
            slot.end()
    for thread in threads:
        thread.join()


def _length(job: Job) -> int:
    """How long a grading takes, roughly: its stages, and once more those that are timed."""
    return sum(1 + (stage.speed is not None) for stage in job.task.lab.stages)


def _next(events: "queue.SimpleQueue[Event]") -> Event | None:
    try:
        return events.get(timeout=POLL_SECONDS)
    except queue.Empty:
        return None


def _take(
    event: Event, todo: dict[str, Job], outcome: Outcome, all_jobs: dict[str, list[Job]]
) -> None:
    name = event.task.get("task", "")
    if event.said == DONE:
        outcome.done.append(name)
    elif event.said == JUDGED:
        all_jobs[TIME].append(todo[name])
    elif event.said == CROWDED:
        all_jobs[ALONE].append(todo[name])
    elif event.said == LOST:
        outcome.lost.append((name, event.answer["text"]))
    elif event.said == TROUBLE:
        outcome.trouble = event.answer["text"]


def chosen_gpus(backend: str, wanted: str | None) -> tuple[str, ...]:
    """The UUIDs of the GPUs that `--gpus` names: `all`, or numbers with commas; without it the
    granted one. Raises UsageError, or InfrastructureError if there is no GPU."""
    if backend != "gpu":
        if wanted is not None:
            raise UsageError(f"--gpus {wanted}: kernels of this course run on the CPU (backend in "
                             "course.toml); leave --gpus out.")  # fmt: skip
        return ()
    found = [gpu.uuid for gpu in hardware.all_gpus() if gpu.uuid]
    if not found:
        raise InfrastructureError("nvidia-smi names no GPU.")
    if wanted is None:
        gpu = hardware.find_gpu()
        return (gpu.uuid,) if gpu and gpu.uuid else tuple(found[:1])
    if wanted == "all":
        return tuple(found)
    numbers = [int(part) for part in wanted.split(",") if part.strip().isdecimal()]
    if not numbers or len(numbers) != len(wanted.split(",")) or max(numbers) >= len(found):
        raise UsageError(f"--gpus {wanted}: say all, or numbers below {len(found)}.")
    return tuple(found[number] for number in dict.fromkeys(numbers))
