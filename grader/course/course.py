"""A course folder: where it is, what is in it, and making a new one."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..base.checkout import Checkout
from ..base.errors import InfrastructureError, UsageError
from ..base.files import make_folder, write_atomically
from ..base.text import line, named
from ..lab_file import manifest
from . import roster, settings
from .roster import Student
from .settings import Settings

VARIABLE = "WARPWISE_COURSE"
IN_USE = {
    "write": "another ./lab class command writes to this course; call again in a moment.",
    "grade": "another ./lab class grade is at work on this course. It goes on with all that is not "
    "graded; wait for its end.",
}

TEMPLATE = """\
# A course. Every key but title and the labs' names may be left out; these are the defaults.
title = {title}
time_zone = "UTC"           # of the dates below; Europe/Berlin, for example
backend = "{backend}"             # where kernels run: cpu or gpu
engine = "local"            # this machine
seed = "public"             # secret: hidden tests that nobody can prepare for; ./lab class seed new
attempt = "last"            # which attempt counts: last or best
open_points = "blank"       # while a person has to look, an export says nothing; or: earned
missing = "blank"           # no hand-in, as exported: blank or zero
without_gpu = "leave-out"   # points that only a GPU measures do not count without one; or: open
figures = false             # a figure of every submission: minutes of a GPU, and no points

[late]
grace_minutes = 0
percent_per_day = 0         # for each day begun, of the earned points
most = 100                  # percent
of = "earned"               # or: possible
# last_day = 7              # later than this earns nothing
# unknown_days = 1          # for what Canvas marks late without a time; else a person decides

[visible]
students = ["points", "messages", "figures"]    # what their pages show; also: staff-notes
hints = "all"               # what ./lab release hands out; or at most so many for each stage
"""
LAB = """
[[lab]]
name = "{name}"
# due = 2026-11-30T23:59:00
# weight = 20               # what full points are worth; without it the lab's own points
# stages = ["{stage}"]      # those that count; without it all
"""


@dataclass(frozen=True)
class Course:
    """A course folder and what its files say."""

    folder: Path
    settings: Settings
    students: tuple[Student, ...]

    @classmethod
    def find(cls, checkout: Checkout, given: str | None) -> "Course":
        """The course at `given`, or that WARPWISE_COURSE names, or that we are in."""
        return cls.load(checkout, _folder(given))

    @classmethod
    def load(cls, checkout: Checkout, folder: Path) -> "Course":
        labs = tuple(manifest.discover(checkout))
        said = settings.load(folder / settings.FILE_NAME, labs)
        return cls(folder, said, tuple(roster.load(folder / roster.FILE_NAME)))

    @property
    def submitted(self) -> Path:
        return self.folder / "submitted"

    @property
    def unplaced(self) -> Path:
        return self.folder / "unplaced"

    @property
    def results(self) -> Path:
        return self.folder / "results"

    @property
    def judged(self) -> Path:
        """Results that wait for their times to be measured."""
        return self.folder / "judged"

    @property
    def decisions(self) -> Path:
        return self.folder / "decisions.jsonl"

    @property
    def index(self) -> Path:
        return self.folder / "gradebook.sqlite"

    @property
    def seal_key(self) -> Path:
        return self.folder / "seal-key"

    @property
    def secret_seed(self) -> Path:
        return self.folder / "secret-seed"

    def student(self, name: str) -> Student:
        """The student with this id, address or name. Raises UsageError."""
        finder = roster.Finder(self.students)
        found = finder.find(name)
        if found is None:
            same = " or ".join(student.id for student in finder.namesakes(name))
            name = line(name) or "''"
            perhaps = [f"{one.id} ({line(one.name)})" for one in finder.perhaps(name)]
            meant = f" (did you mean {named(perhaps, ' or ', 3)}?)" if perhaps else ""
            raise UsageError(f"{name}: are several students; give the id: {same}." if same else
                             f"{name}: is not a student of {self.folder / roster.FILE_NAME}{meant}"
                             "; its first column has the ids.")  # fmt: skip
        return found


def _folder(given: str | None) -> Path:
    named = given or os.environ.get(VARIABLE, "").strip()
    if named:
        folder = Path(named).absolute()
        if not (folder / settings.FILE_NAME).is_file():
            raise UsageError(f"{named}: is not a course, because it has no {settings.FILE_NAME}; "
                             f"./lab class new {named} makes one.")  # fmt: skip
        return folder
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / settings.FILE_NAME).is_file():
            return folder
    raise UsageError("which course? Name its folder with --course or in WARPWISE_COURSE, or go "
                     "there. ./lab class new FOLDER makes a new one.")  # fmt: skip


def make(checkout: Checkout, folder: Path, backend: str) -> list[Path]:
    """A new course with all labs. Returns the files that were made. Raises UsageError."""
    folder = folder.resolve()  # `../cs101` is not in the folder that it leaves
    root = checkout.root.resolve()
    if folder == root or root in folder.parents:
        raise UsageError(f"{folder}: is in the checkout of the kit; keep students' work outside, "
                         f"for example in {root.parent / 'cs101'}.")  # fmt: skip
    if (folder / settings.FILE_NAME).exists():
        raise UsageError(f"{folder}: is a course already; edit its {settings.FILE_NAME}.")
    make_folder(folder)
    os.chmod(folder, 0o700)  # students' work and marks are nobody else's to read
    labs = manifest.discover(checkout)
    title = json.dumps(line(folder.name), ensure_ascii=False)  # TOML's strings have these escapes
    text = TEMPLATE.format(title=title, backend=backend)
    text += "".join(LAB.format(name=lab.name, stage=lab.stages[0].name) for lab in labs)
    write_atomically(folder / settings.FILE_NAME, text)
    write_atomically(folder / roster.FILE_NAME, ",".join(roster.COLUMNS) + "\n")
    for name in ("submitted", "results"):
        make_folder(folder / name)
    return [folder / settings.FILE_NAME, folder / roster.FILE_NAME]


@contextlib.contextmanager
def alone(course: Course, what: Literal["write", "grade"] = "write") -> Iterator[None]:
    """Nobody else does `what` to this course meanwhile. Raises UsageError if somebody does, and
    InfrastructureError where this user cannot write.

    The kernel releases the lock when its holder ends, however that happens.
    """
    try:
        path = course.folder / f".{what}.lock"
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InfrastructureError(
            f"{course.folder}: cannot be written to: {error.strerror}."
        ) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(IN_USE[what]) from error
        yield
    finally:
        os.close(lock)
