"""Tasks: what is graded once, however many students handed it in, and where its result lies.

A task's folder in results/ appears whole, with result.json and figures, and is never changed. The
key says all that its result depends on. If the same task is graded again, the new result gets a
folder of its own, with a number behind the name.
"""

import contextlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .. import __version__
from ..base import console
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError, UsageError
from ..base.files import sha256, to_json
from ..base.scratch import scratch_folder
from ..grading.order import Seed
from ..grading.provenance import grader_info
from ..grading.read_result import read_result
from ..grading.result import FILE_NAME
from ..lab_file.manifest import Lab
from .course import Course
from .hand_ins import HandIn

NAME = re.compile(r"(\d\d-[a-z0-9-]+)\.([0-9a-f]{16})\.([0-9a-f]{12})(?:\.(\d+))?")
DAMAGED = ".damaged"


@dataclass(frozen=True)
class Task:
    """One grading. `key` is what its result depends on; `again` counts gradings of one key."""

    lab: Lab
    source: str  # the hash of what was handed in
    key: str
    again: int = 1

    @property
    def name(self) -> str:
        number = f".{self.again}" if self.again > 1 else ""
        return f"{self.lab.name}.{self.source[:16]}.{self.key[:12]}{number}"


@dataclass(frozen=True)
class Conditions:
    """Under which a class is graded. The GPU is named by its model: each of them will do."""

    checkout: Checkout
    backend: str
    gpu: str
    sandbox: str
    seed: Seed
    figures: bool

    def task(self, hand_in: HandIn) -> Task:
        return Task(hand_in.lab, hand_in.sha256, self._key(hand_in.lab, hand_in.sha256))

    def _key(self, lab: Lab, source: str) -> str:
        said = {
            "source": source, "lab": lab.name, "kit": __version__,
            "grader": _grader_hash(self.checkout, lab), "backend": self.backend, "gpu": self.gpu,
            "stages": lab.stage_names, "sandbox": self.sandbox, "seed": self.seed.public,
            "commitment": self.seed.commitment, "figures": self.figures,
        }  # fmt: skip
        return sha256(to_json(said).encode())


@cache
def _grader_hash(checkout: Checkout, lab: Lab) -> str:
    """Of everything that judges this lab, the lab's own files included."""
    return grader_info(checkout, lab).sha256


@dataclass(frozen=True)
class Stored:
    """A result in results/."""

    folder: Path
    document: dict[str, Any]

    @property
    def task(self) -> str:
        return self.folder.name


class Results:
    """All results of a course, by lab and source, in the order in which they were finished."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._found: dict[tuple[str, str], list[Stored]] = {}
        folders = sorted(course.results.iterdir()) if course.results.is_dir() else []
        for folder in folders:
            if match := NAME.fullmatch(folder.name):
                self._read(folder, match[1], match[2])

    def _read(self, folder: Path, lab: str, source: str) -> None:
        try:
            document = read_result(folder / FILE_NAME)
        except UsageError as error:  # the machine went down while the disk was written
            self._put_aside(folder, error)
            return
        same = self._found.setdefault((lab, source), [])
        same.append(Stored(folder, document))
        same.sort(key=lambda one: (one.document["finished"] or "", one.task))

    @staticmethod
    def _put_aside(folder: Path, error: UsageError) -> None:
        """A damaged result does not count; it is kept, and its task is graded again."""
        kept = folder.with_name(f".{folder.name}{DAMAGED}")
        with contextlib.suppress(OSError):
            folder.rename(kept)
        console.note(f"lab: {error} It is kept as {kept.name}.")

    def of(self, hand_in: HandIn) -> list[Stored]:
        """The results of this source, the oldest first."""
        return self._found.get((hand_in.lab.name, hand_in.sha256[:16]), [])

    def all(self) -> list[Stored]:
        return [one for same in self._found.values() for one in same]

    def next_number(self, task: Task) -> int:
        """The number of a further grading of this key; 1 if there is none yet."""
        stem = f"{task.lab.name}.{task.source[:16]}.{task.key[:12]}"
        used = [NAME.fullmatch(one.task) for one in self.all()]
        numbers = [int(m[4] or 1) for m in used if m and m[0].split(".")[:3] == stem.split(".")]
        return max(numbers, default=0) + 1


def store(course: Course, task: str, fill: Callable[[Path], None]) -> None:
    """Make the folder of a task's result: `fill` writes result.json and figures into a folder that
    then gets its name. It appears whole or not at all. Raises InfrastructureError."""
    try:
        course.results.mkdir(exist_ok=True)
        with scratch_folder("result", course.results) as folder:
            os.chmod(folder, 0o700)
            fill(folder)
            if not (folder / FILE_NAME).is_file():
                raise InfrastructureError(f"{task}: the result could not be written.")
            for path in (*folder.iterdir(), folder):
                _to_disk(path)
            if not (course.results / task).exists():  # else somebody was first with the same
                folder.rename(course.results / task)
            _to_disk(course.results)
    except OSError as error:
        said = f"cannot write a result in {course.results}: {error.strerror}; free some space"
        raise InfrastructureError(f"{said} and call again.") from error


def _to_disk(path: Path) -> None:
    """What has a name must also have its content after a power cut."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
