"""What is to be graded: every source once, and nothing that has a result already."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .book import Entry, counting_attempts
from .course import Course
from .hand_ins import HandIn
from .tasks import Conditions, Results, Task


@dataclass(frozen=True)
class Job:
    """A task, one hand-in that has its source, and the students who handed that in."""

    task: Task
    hand_in: HandIn
    students: tuple[str, ...]

    def message(self, phase: str) -> dict[str, Any]:
        """What a worker is told. The folder and the student stay in the worker."""
        return {"task": self.task.name, "lab": self.task.lab.name, "source": self.task.source,
                "folder": str(self.hand_in.folder), "student": self.hand_in.student,
                "attempt": self.hand_in.attempt, "phase": phase}  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """`jobs` are new; `finished` have a result; `other_kit` of those were made under other
    conditions: an older kit, another machine or another seed."""

    jobs: tuple[Job, ...]
    finished: int
    other_kit: int
    hand_ins: int


def plan(course: Course, conditions: Conditions, entries: Iterable[Entry]) -> Plan:
    """What these entries still need. With "best" every attempt counts, with "last" only that."""
    results = Results(course)
    jobs: dict[str, Job] = {}
    finished: dict[str, bool] = {}
    wanted = [one for entry in entries for one in counting_attempts(course, entry)]
    for hand_in in wanted:
        task = conditions.task(hand_in)
        if stored := results.of(hand_in):
            finished[task.name] = all(one.task.split(".")[2] != task.name.split(".")[2]
                                      for one in stored)  # fmt: skip
            continue
        _add(jobs, task, hand_in)
    return Plan(tuple(jobs.values()), len(finished), sum(finished.values()), len(wanted))


def again(course: Course, conditions: Conditions, entries: Iterable[Entry]) -> Plan:
    """The same sources once more, whatever their results are. With "best" those of every attempt:
    by other tests another one may be the best."""
    results = Results(course)
    jobs: dict[str, Job] = {}
    wanted = [one for entry in entries for one in counting_attempts(course, entry)]
    for hand_in in wanted:
        task = conditions.task(hand_in)
        _add(jobs, replace(task, again=results.next_number(task)), hand_in)
    return Plan(tuple(jobs.values()), 0, 0, len(wanted))


def _add(jobs: dict[str, Job], task: Task, hand_in: HandIn) -> None:
    students: Sequence[str] = jobs[task.name].students if task.name in jobs else ()
    names = tuple(dict.fromkeys((*students, hand_in.student)))
    first = jobs[task.name].hand_in if task.name in jobs else hand_in
    jobs[task.name] = Job(task, first, names)
