"""Tasks: what is graded once, however many students handed it in, and where its result lies.

A task's folder in results/ appears whole, with result.json and figures, and is never changed. The
key says all that its result depends on. If the same task is graded again, the new result gets a
folder of its own, with a number behind the name.
"""

import contextlib
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from .. import __version__
from ..base import console
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError, UsageError
from ..base.files import sha256, to_json, write_atomically
from ..base.scratch import scratch_folder
from ..base.text import counted
from ..grading.derived import Document
from ..grading.order import Seed
from ..grading.provenance import grader_info
from ..grading.read_result import converted, read_result
from ..grading.result import FILE_NAME
from ..lab_file.manifest import Lab
from . import seals
from .course import Course
from .hand_ins import HandIn
from .seals import Seals

NAME = re.compile(r"(\d\d-[a-z0-9-]+)\.([0-9a-f]{16})\.([0-9a-f]{12})(?:\.(\d+))?")
DAMAGED, EDITED = ".damaged", ".edited"  # added to the name of what is put aside
MANY = 5  # results: if none of them fits, the key does not
OF_ANOTHER_KEY = (
    "seal-key: is not the key with which the results of this course were sealed. Put the right one "
    "back, from a backup or from who graded last. If it is lost, remove this one: then ./lab class "
    "grade seals the results as they are."
)


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
    """A result in results/. `number` is its place among those of the same source."""

    folder: Path
    document: dict[str, Any]
    number: int = 0

    @property
    def task(self) -> str:
        return self.folder.name


class Results:
    """All results of a course, by lab and source, in the order in which they were stored.

    `edited` are the names of those whose seal does not fit; they do not count.
    """

    def __init__(self, course: Course) -> None:
        self.edited: list[str] = []
        self._seals = Seals.of(course.seal_key)
        self._found: dict[tuple[str, str], list[Stored]] = {}
        for folder, match in _folders(course):
            self._read(folder, match[1], match[2])
        for same in self._found.values():  # an earlier kit did not number them
            same.sort(key=lambda one: (one.number, one.document["finished"] or "", one.task))
            same[:] = [replace(one, number=number) for number, one in enumerate(same, 1)]

    def _read(self, folder: Path, lab: str, source: str) -> None:
        try:
            document = read_result(folder / FILE_NAME)
            number = self._seals.number(folder)
        except UsageError as error:  # the machine went down while the disk was written
            kept = _put_aside(folder, DAMAGED)
            console.note(f"lab: {error} It is kept as {kept}.")
            return
        if number is None:
            self.edited.append(folder.name)
        else:
            same = self._found.setdefault((lab, source), [])
            same.append(Stored(folder, document, number))

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


def _folders(course: Course) -> list[tuple[Path, re.Match[str]]]:
    """The folders of results, in the order of their names."""
    found = sorted(course.results.iterdir()) if course.results.is_dir() else []
    return [(path, match) for path in found if (match := NAME.fullmatch(path.name))]


def _put_aside(folder: Path, why: str) -> str:
    """A result that does not count is kept, and its task is graded again. Returns its new name."""
    names = (f".{folder.name}{why}{number}" for number in ("", *range(2, 1000)))
    kept = next(folder.with_name(name) for name in names if not folder.with_name(name).exists())
    with contextlib.suppress(OSError):
        folder.rename(kept)
    return kept.name


def said_of_edited(course: Course) -> list[str]:
    """A sentence about each result that something else than the grading has written. Whoever asks
    has made the book, which has read the results: here only their seals are looked at."""
    known = Seals.of(course.seal_key)
    edited = [folder.name for folder, _ in _folders(course)
              if (folder / FILE_NAME).is_file() and known.number(folder) is None]  # fmt: skip
    if _has_another_key(len(edited), len(_folders(course))):
        return [f"{OF_ANOTHER_KEY} Until then no result counts."]
    text = [f"edited: results/{name}: is not as ./lab class grade wrote it, so it does not count. "
            "./lab class grade grades it again; ./lab class decide gives other points."
            for name in edited]
    lost = not course.seal_key.exists() and any(
        (folder / seals.FILE_NAME).exists() for folder, _ in _folders(course))  # fmt: skip
    return [*text, *([f"{course.seal_key.name} is gone from the course: nobody can tell whether a "
                      "result was edited."] if lost else [])]  # fmt: skip


def _has_another_key(edited: int, all_of_them: int) -> bool:
    """Nobody edits many results, one by one; but a key can be another one's, or an older one."""
    return edited == all_of_them >= MANY


def begin(course: Course) -> None:
    """Before grading: there is a key, and what was edited is put aside. Raises UsageError if that
    would be everything."""
    results = Results(course)
    if _has_another_key(len(results.edited), len(_folders(course))):
        raise UsageError(f"{OF_ANOTHER_KEY} Nothing was graded.")
    known = results.all() if not course.seal_key.exists() else []  # then none counts as edited
    known.sort(key=lambda one: (one.number, one.task))
    if count := seals.begin(course.seal_key, [one.folder for one in known]):
        console.note(f"lab: {counted(count, 'result')} without a seal of this course: sealed now, "
                     "as found.")  # fmt: skip
    for name in results.edited:
        kept = _put_aside(course.results / name, EDITED)
        console.note(f"lab: results/{name}: is not as ./lab class grade wrote it. It is kept as "
                     f"{kept}, and graded again.")  # fmt: skip


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
            Seals.of(course.seal_key).write(folder, task, _next_number(course, task))
            for path in (*folder.iterdir(), folder):
                _to_disk(path)
            if not (course.results / task).exists():  # else somebody was first with the same
                folder.rename(course.results / task)
            _to_disk(course.results)
    except (OSError, InfrastructureError) as error:
        failure = error if isinstance(error, OSError) else error.__cause__
        if not isinstance(failure, OSError):
            raise
        said = f"cannot write a result in {course.results}: {failure.strerror}; free some space"
        raise InfrastructureError(f"{said} and call again.") from error


def keep_judged(course: Course, task: str, document: Document) -> None:
    """Keep a result whose times are not measured yet."""
    text = Seals.of(course.seal_key).sealed(task, to_json(document))
    write_atomically(_judged_file(course, task), text)


def judged(course: Course, task: str) -> Document | None:
    """A result that waits for its times; None if there is none, or if it was edited."""
    text = Seals.of(course.seal_key).opened(task, _judged_file(course, task))
    return None if text is None else converted(json.loads(text))


def forget_judged(course: Course, task: str) -> None:
    _judged_file(course, task).unlink(missing_ok=True)


def _judged_file(course: Course, task: str) -> Path:
    return course.judged / f"{task}.json"


def _next_number(course: Course, task: str) -> int:
    """Of a result among those of its source. Each source is graded by one process at a time."""
    source = task.split(".")[:2]
    same = [folder for folder, _ in _folders(course) if folder.name.split(".")[:2] == source]
    return 1 + max((seals.said_number(folder) for folder in same), default=0)


def _to_disk(path: Path) -> None:
    """What has a name must also have its content after a power cut."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
