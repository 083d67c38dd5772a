"""gradebook.sqlite: an index over hand-ins, results and marks. It is made anew, never repaired.

The truth is in submitted/, results/ and decisions.jsonl; whoever loses this file loses nothing.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..base import console
from ..base.errors import InfrastructureError, UsageError
from ..base.scratch import scratch_folder
from . import marks
from .book import EXCUSED, Entry, waiting
from .course import Course
from .hand_ins import write_time

QUERY_SECONDS = 10.0
TABLES = """
CREATE TABLE grades (
  student TEXT NOT NULL, lab TEXT NOT NULL, name TEXT, section TEXT,
  state TEXT NOT NULL,           -- missing, waiting, graded, refused, excused
  verdict TEXT,                  -- passed, failed, refused, infrastructure error
  points REAL, possible REAL, open_points REAL, penalty REAL,
  attempt INTEGER, attempts INTEGER, handed_in TEXT, due TEXT, days_late INTEGER,
  needs_review INTEGER,          -- what a person has not looked at yet
  decisions INTEGER, notes TEXT,
  task TEXT, source TEXT, backend TEXT, gpu TEXT, kit TEXT, sandbox TEXT,
  started TEXT, finished TEXT, seconds REAL,
  PRIMARY KEY (student, lab)
);
CREATE TABLE stages (
  student TEXT NOT NULL, lab TEXT NOT NULL, stage TEXT NOT NULL,
  verdict TEXT NOT NULL, code TEXT NOT NULL,
  earned REAL, possible REAL, not_measured REAL, ratio REAL, message TEXT,
  PRIMARY KEY (student, lab, stage)
);
"""


def rebuild(course: Course, entries: Iterable[Entry]) -> Path:
    """Make the index from the book. The old one stays until the new one is whole."""
    try:
        with scratch_folder("index", course.folder) as folder:
            path = folder / course.index.name
            with contextlib.closing(sqlite3.connect(path)) as base:
                base.executescript(TABLES)
                for entry in entries:
                    _insert(base, "grades", _grade(entry))
                    for stage in entry.document["stages"] if entry.document else ():
                        _insert(base, "stages", _stage(entry, stage))
                base.commit()
            os.chmod(path, 0o600)
            path.replace(course.index)
    except (OSError, sqlite3.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InfrastructureError(f"{course.index}: cannot be written: {why}.") from error
    return course.index


def refresh(course: Course, entries: Iterable[Entry]) -> None:
    """Make the index if that can be done. Nothing depends on it, so a full disk is only told."""
    try:
        rebuild(course, entries)
    except InfrastructureError as error:
        console.note(f"lab: {error} Nothing else was lost; ./lab class index makes it later.")


def _insert(base: sqlite3.Connection, table: str, values: Sequence[Any]) -> None:
    base.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(values))})", values)


def _grade(entry: Entry) -> list[Any]:
    document, hand_in, mark = entry.document or {}, entry.hand_in, entry.mark
    machine, grader = document.get("machine", {}), document.get("grader", {})
    gpu = machine.get("gpu") or {}
    policy_free_days = marks.days_late(hand_in.handed_in, entry.due, 0) if hand_in else None
    points: list[Any] = [mark.points, mark.possible, mark.open_points, mark.penalty]
    if entry.state == EXCUSED:  # it does not count
        points = [None] * len(points)
    return [
        entry.student.id, entry.lab.name, entry.student.name, entry.student.section,
        entry.state, document.get("verdict"),
        *points,
        hand_in and hand_in.attempt, len(entry.others) + (hand_in is not None),
        hand_in and write_time(hand_in.handed_in), write_time(entry.due), policy_free_days,
        len(waiting(entry)), len(entry.decisions),
        "\n".join(note["text"] for note in document.get("notes", ())),
        entry.stored and entry.stored.task, hand_in and hand_in.sha256,
        document.get("backend"), gpu.get("name"), grader.get("version"), document.get("sandbox"),
        document.get("started"), document.get("finished"), document.get("seconds"),
    ]  # fmt: skip


def _stage(entry: Entry, stage: dict[str, Any]) -> list[Any]:
    points, fast = stage["points"], stage["points"]["fast"] or {}
    return [entry.student.id, entry.lab.name, stage["name"], stage["verdict"], stage["code"],
            points["earned"], points["possible"], points["not_measured"], fast.get("ratio"),
            stage["message"]]  # fmt: skip


def select(course: Course, where: str) -> set[tuple[str, str]]:
    """The students and labs for which a WHERE expression over `grades` holds. Raises UsageError.

    The index is open for reading only, nothing but one SELECT is allowed, and not for ever.
    """
    _require_expression(where)
    uri = f"{course.index.absolute().as_uri()}?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as base:
            base.set_authorizer(_only_reading)
            end = time.monotonic() + QUERY_SECONDS
            base.set_progress_handler(lambda: time.monotonic() > end, 10_000)
            rows = base.execute(f"SELECT student, lab FROM grades WHERE (\n{where}\n)")
            return {(row[0], row[1]) for row in rows}
    except sqlite3.Error as error:
        raise UsageError(f"--where {where}: {error}. An example: 'verdict = \"failed\" AND points "
                         "< 10'. ./lab class index names the columns.") from error  # fmt: skip


def columns() -> list[str]:
    """Those of the table `grades`."""
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.executescript(TABLES)
        named = base.execute("SELECT name FROM pragma_table_info('grades')")
        return [row[0] for row in named]


def _only_reading(action: int, *_: Any) -> int:
    allowed = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
    return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY


def _require_expression(where: str) -> None:
    """One expression, and not the end of one and the beginning of something else."""
    depth, quote = 0, ""
    for index, character in enumerate(where):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"`":
            quote = character
        elif character in "()":
            depth += 1 if character == "(" else -1
        elif character == ";" or where[index : index + 2] in ("--", "/*"):
            depth = -1
        if depth < 0:
            break
    if depth or quote or not where.strip():
        raise UsageError(f"--where {where}: is not a single condition; an example: "
                         "'verdict = \"infrastructure error\"'.")  # fmt: skip
