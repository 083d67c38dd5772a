"""decisions.jsonl: what persons decided about marks, one line each, only ever appended.

Each line has the hash of the line before it, so a line that was changed or removed later is seen.
A line that is not whole was cut off while it was written, before anybody was told that it counts.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..base import console
from ..base.errors import InfrastructureError, UsageError
from ..base.text import line
from ..grading.decisions import login

KINDS = ("decide", "extend", "excuse", "accept")
LONGEST_REASON = 2000
TIME = "%Y-%m-%dT%H:%M:%SZ"
FIRST = "0" * 64  # the hash before the first line


@dataclass(frozen=True)
class Decision:
    """One line. `number` is its line in the file; `about` are the keys that only its kind has."""

    number: int
    kind: str
    because: str
    who: str
    time: str
    about: dict[str, Any]

    def is_about(self, student: str, lab: str) -> bool:
        return (self.about.get("student"), self.about.get("lab")) == (student, lab)


def read(path: Path) -> list[Decision]:
    """All decisions, the oldest first. What is not whole or was changed is told on stderr."""
    found: list[Decision] = []
    before = FIRST
    for number, raw in _lines(path):
        try:
            entry = json.loads(raw)
            decision = Decision(number, entry["kind"], entry["because"], entry["who"],
                                entry["time"], entry["about"])  # fmt: skip
            if entry["kind"] not in KINDS or not isinstance(entry["about"], dict):
                raise ValueError(entry["kind"])
        except (ValueError, KeyError, TypeError):
            console.note(f"lab: {path.name}:{number}: is not a whole decision and does not count.")
            before = _hash(raw) if _is_json(raw) else before
            continue
        if entry.get("previous") != before:
            console.note(f"lab: {path.name}:{number}: a line before this one was changed, added or "
                         "removed by something else than ./lab class.")  # fmt: skip
        before = _hash(raw)
        found.append(decision)
    return found


def append(path: Path, kind: str, because: str, about: dict[str, Any]) -> Decision:
    """Add a decision and make it last. The caller holds the course's lock. Raises UsageError if
    there is no reason, InfrastructureError if it cannot be written; then nothing is changed."""
    because = line(" ".join(because.split()), LONGEST_REASON)
    if not because:
        raise UsageError("--because must give a reason.")
    whole = [raw for _, raw in _lines(path) if _is_json(raw)]
    entry = {"kind": kind, "about": about, "because": because, "who": login(),
             "time": datetime.now(UTC).strftime(TIME),
             "previous": _hash(whole[-1]) if whole else FIRST}  # fmt: skip
    text = json.dumps(entry, ensure_ascii=True, allow_nan=False)
    _append(path, text.encode())
    number = sum(1 for _ in _lines(path))
    return Decision(number, kind, because, entry["who"], entry["time"], about)


def _append(path: Path, text: bytes) -> None:
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error.strerror}.") from error
    try:
        size = os.fstat(handle).st_size
        torn = size and os.pread(handle, 1, size - 1) != b"\n"
        data = (b"\n" if torn else b"") + text + b"\n"
        try:
            written = os.write(handle, data)
            if written < len(data):
                raise OSError(28, "No space left on device")
            os.fsync(handle)
        except OSError as error:
            os.ftruncate(handle, size)
            raise InfrastructureError(
                f"cannot write {path}: {error.strerror}; free some space. Nothing was decided."
            ) from error
    finally:
        os.close(handle)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}.") from error
    for number, raw in enumerate(content.split(b"\n"), 1):
        if raw.strip():
            yield number, raw


def _is_json(raw: bytes) -> bool:
    try:
        return isinstance(json.loads(raw), dict)
    except ValueError:
        return False


def _hash(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
