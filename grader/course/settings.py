"""course.toml: the labs of a course, when they are due, what counts, and what is exported."""

import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..base.errors import UsageError
from ..base.local_time import latest_time
from ..base.text import line
from ..lab_file.manifest import Lab, Stage
from ..lab_file.toml_table import Table

FILE_NAME = "course.toml"
BACKENDS = ("cpu", "gpu")
ENGINES = ("local",)
SEEDS = ("public", "secret")
ATTEMPTS = ("last", "best")
OPEN = ("blank", "earned")  # what an export has for a mark with open points
MISSING = ("blank", "zero")  # and for a student without a hand-in
WITHOUT_GPU = ("leave-out", "open")
PENALTY_OF = ("earned", "possible")
MOST_POINTS = 1e6
VISIBLE = ("points", "messages", "figures", "staff-notes")


@dataclass(frozen=True)
class LatePolicy:
    """Percent for each day begun after due date and grace; at most `most`. After `last_day` days
    nothing is earned; None: no such day."""

    grace_minutes: float = 0
    percent_per_day: float = 0
    most: float = 100
    of: str = "earned"
    last_day: float | None = None
    unknown_days: float | None = None  # for who is late by nobody knows how much; None: ask

    @property
    def has_effect(self) -> bool:
        return self.percent_per_day > 0 or self.last_day is not None


@dataclass(frozen=True)
class CourseLab:
    """A lab in a course. `weight` is what full points are worth; None: the lab's own points.

    `due` has a time zone; None: never late.
    """

    lab: Lab
    stages: tuple[Stage, ...]  # those that count
    weight: float | None
    due: datetime | None

    @property
    def counts_all(self) -> bool:
        return len(self.stages) == len(self.lab.stages)


@dataclass(frozen=True)
class Settings:
    title: str
    labs: tuple[CourseLab, ...]
    zone: tzinfo = UTC
    backend: str = "cpu"
    engine: str = "local"
    seed: str = "public"
    attempt: str = "last"
    open_points: str = "blank"
    missing: str = "blank"
    without_gpu: str = "leave-out"
    figures: bool = False
    late: LatePolicy = field(default_factory=LatePolicy)
    students_see: tuple[str, ...] = ("points", "messages", "figures")
    hints: int | None = None  # at most so many for each stage in what is released; None: all
    kit: tuple[Lab, ...] = ()  # all labs that there are, also those that the course leaves out

    def lab(self, name: str) -> CourseLab:
        """The course's lab with this name, or part of its name. Raises UsageError."""
        found = [one for one in self.labs if one.lab.name == name]
        found = found or [one for one in self.labs if name and name in one.lab.name]
        if len(found) == 1:
            return found[0]
        names = ", ".join(one.lab.name for one in self.labs)
        what = "several labs" if found else "no lab"
        shown = line(name) or "''"
        raise UsageError(f"{shown}: names {what} of this course; its labs are {names}.")


def load(path: Path, labs: tuple[Lab, ...]) -> Settings:
    """Read and check course.toml. Raises UsageError with `file: key: what is wrong`."""
    try:
        top = Table(FILE_NAME, "", tomllib.loads(path.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8; save it as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from error
    zone = _zone(top)
    entries = top.take("lab", [])
    if not isinstance(entries, list) or not entries:
        raise top.fail("lab", "at least one [[lab]] is needed")
    chosen: list[CourseLab] = []
    for number, entry in enumerate(entries, 1):
        chosen.append(_lab(Table(FILE_NAME, f"lab[{number}]", entry), labs, chosen, zone))
    settings = Settings(
        title=top.text("title"),
        labs=tuple(chosen),
        kit=labs,
        zone=zone,
        backend=_one_of(top, "backend", BACKENDS),
        engine=_one_of(top, "engine", ENGINES),
        seed=_one_of(top, "seed", SEEDS),
        attempt=_one_of(top, "attempt", ATTEMPTS),
        open_points=_one_of(top, "open_points", OPEN),
        missing=_one_of(top, "missing", MISSING),
        without_gpu=_one_of(top, "without_gpu", WITHOUT_GPU),
        figures=_yes_or_no(top, "figures"),
        late=_late(Table(FILE_NAME, "late", top.take("late", {}))),
        **_visible(Table(FILE_NAME, "visible", top.take("visible", {}))),
    )
    top.done()
    return settings


def _zone(top: Table) -> tzinfo:
    name = top.take("time_zone", "UTC")
    try:
        return UTC if name == "UTC" else ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        said = f"'{name}' is not a time zone that this machine knows, such as Europe/Berlin"
        raise top.fail("time_zone", said) from error


def _one_of(table: Table, key: str, words: tuple[str, ...]) -> str:
    """One of `words`, the first of which is the default."""
    value = table.take(key, words[0])
    if value not in words:
        raise table.fail(key, "must be " + " or ".join(f'"{word}"' for word in words))
    return str(value)


def _yes_or_no(table: Table, key: str) -> bool:
    value = table.take(key, False)
    if not isinstance(value, bool):
        raise table.fail(key, "must be true or false")
    return value


def _lab(table: Table, labs: tuple[Lab, ...], earlier: list[CourseLab], zone: tzinfo) -> CourseLab:
    name = table.text("name")
    lab = next((lab for lab in labs if lab.name == name), None)
    if lab is None:
        names = ", ".join(lab.name for lab in labs)
        raise table.fail("name", f"there is no lab '{name}'; the labs are {names}. A course of an "
                         "earlier term needs the kit of that term (TEACHING.md, After the term)")
    if any(one.lab.name == name for one in earlier):
        raise table.fail("name", f"'{name}' is there twice")
    wanted = table.texts("stages", list(lab.stage_names))
    if not wanted:
        raise table.fail("stages", "must name a stage; leave it out, and all count")
    for stage in wanted:
        if stage not in lab.stage_names:
            names = ", ".join(lab.stage_names)
            raise table.fail("stages", f"{name} has no stage '{stage}'; it has {names}")
    weight = table.number("weight", low=0.01, high=MOST_POINTS) if "weight" in table.left else None
    due = table.take("due", None)
    if due is not None and not isinstance(due, datetime):
        raise table.fail("due", "must be a date with a time, such as 2026-11-30T23:59:00")
    due = due and latest_time(due, zone)
    table.done()
    stages = tuple(stage for stage in lab.stages if stage.name in wanted)
    return CourseLab(lab, stages, weight, due)


def _late(table: Table) -> LatePolicy:
    last_day = table.number("last_day", low=0) if "last_day" in table.left else None
    unknown = table.number("unknown_days", low=0) if "unknown_days" in table.left else None
    policy = LatePolicy(
        grace_minutes=table.number("grace_minutes", 0, low=0),
        percent_per_day=_percent(table, "percent_per_day", 0),
        most=_percent(table, "most", 100),
        of=_one_of(table, "of", PENALTY_OF),
        last_day=last_day,
        unknown_days=unknown,
    )
    table.done()
    return policy


def _percent(table: Table, key: str, default: float) -> float:
    value = table.number(key, default, low=0)
    if value > 100:
        raise table.fail(key, "must be a number from 0 to 100")
    return value


def _visible(table: Table) -> dict[str, Any]:
    """What students see of their results, and of the hints."""
    words = table.texts("students", list(Settings.students_see))
    for word in words:
        if word not in VISIBLE:
            raise table.fail("students", f"'{word}' is not one of {', '.join(VISIBLE)}")
    hints = table.take("hints", "all")
    if hints != "all" and (type(hints) is not int or hints < 0):
        raise table.fail("hints", 'must be "all", or a whole number: at most so many a stage')
    table.done()
    return {"students_see": words, "hints": None if hints == "all" else hints}
