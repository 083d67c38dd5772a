"""submitted/: who handed in what, when. A hand-in's folder holds the files as they arrived.

Beside the folder `submitted/<student>/<lab>/<attempt>/` is the course's own record of it,
`<attempt>.json`. Files that somebody put there by hand have no record: their time is not known.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from ..base import console
from ..base.errors import Refusal
from ..base.files import sha256, sha256_of_files, to_json, write_atomically
from ..intake.submission import Submission, take_in
from ..lab_file.manifest import Lab
from .course import Course

SCHEMA = 1
TIME = "%Y-%m-%dT%H:%M:%SZ"
SHOWN = "the hand-in"  # instead of its folder's name, which is the student's


@dataclass(frozen=True)
class Record:
    """What the course knows of a hand-in; `handed_in` is None where the system did not say it.

    `is_marked_late`: the system calls it late. Canvas's zip says that, and no time.
    """

    student: str
    lab: str
    attempt: int
    handed_in: str | None
    imported: str
    source: str  # the system that it came from
    notes: tuple[str, ...] = ()
    is_marked_late: bool = False

    def write(self, course: Course) -> None:
        path = folder_of(course, self.student, self.lab) / f"{self.attempt}.json"
        write_atomically(path, to_json({"schema": SCHEMA, **asdict(self)}))


@dataclass(frozen=True)
class HandIn:
    """One attempt of a student at a lab."""

    student: str
    lab: Lab
    attempt: int
    folder: Path
    record: Record | None
    kit: tuple[Lab, ...] = ()  # labs whose file may have been handed in by mistake

    @property
    def handed_in(self) -> datetime | None:
        return read_time(self.record.handed_in) if self.record else None

    @property
    def is_late_by_unknown(self) -> bool:
        """Late, but nobody knows by how much."""
        return bool(self.record and self.record.is_marked_late and self.handed_in is None)

    @cached_property
    def content(self) -> Submission | Refusal:
        """The file that is graded, or why there is none."""
        try:
            taken = take_in(self.folder, self.kit or [self.lab], self.lab)
        except Refusal as refusal:
            return refusal
        return taken.submissions[0] if taken.submissions else taken.refused[0]

    @cached_property
    def sha256(self) -> str:
        """Of the file that is graded; of all that was handed in, where it is refused."""
        if isinstance(self.content, Submission):
            return sha256(self.content.source)
        files = [path for path in self.folder.rglob("*")
                 if path.is_file() and not path.is_symlink()]  # fmt: skip
        return sha256_of_files(files, self.folder)

    @property
    def refusal(self) -> tuple[str, str] | None:
        """The code and the reason, without the name of a folder or a student."""
        if isinstance(self.content, Submission):
            return None
        folder = str(self.folder)
        return self.content.code, str(self.content).replace(folder, SHOWN)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was forgiven, for the student."""
        own = self.content.notes if isinstance(self.content, Submission) else ()
        return (*(self.record.notes if self.record else ()), *own)


def folder_of(course: Course, student: str, lab: str) -> Path:
    return course.submitted / student / lab


def hand_ins(course: Course, student: str, lab: Lab) -> list[HandIn]:
    """A student's attempts at a lab, the first one first."""
    place = folder_of(course, student, lab.name)
    if not place.is_dir():
        return []
    attempts = sorted(int(path.name) for path in place.iterdir()
                      if path.name.isdecimal() and path.is_dir())  # fmt: skip
    return [HandIn(student, lab, attempt, place / str(attempt),
                   read_record(place / f"{attempt}.json"), course.settings.kit)
            for attempt in attempts]  # fmt: skip


def all_hand_ins(course: Course) -> Iterator[HandIn]:
    """Those of the roster's students, student by student."""
    for student in course.students:
        for one in course.settings.labs:
            yield from hand_ins(course, student.id, one.lab)


def read_record(path: Path) -> Record | None:
    """None where there is none, or where it is damaged: that is said once."""
    try:
        said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        read_time(said["handed_in"])
        return Record(str(said["student"]), str(said["lab"]), int(said["attempt"]),
                      said["handed_in"], str(said["imported"]), str(said["source"]),
                      tuple(map(str, said["notes"])),
                      said.get("is_marked_late") is True)  # fmt: skip
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        _tell_damaged(path)
        return None


@cache
def _tell_damaged(path: Path) -> None:
    console.note(f"lab: {path}: is not a whole record, so the hand-in's time is not known, and it "
                 "counts as in time. Import its download again: that writes the record anew.")


def read_time(text: str | None) -> datetime | None:
    return datetime.strptime(text, TIME).replace(tzinfo=UTC) if text else None


def write_time(time: datetime | None) -> str | None:
    return time.astimezone(UTC).strftime(TIME) if time else None
