"""What a person decided about points that the grader left open.

A decision is appended to result.json and stays there. Of several about one stage the last counts.
What the grader itself found out is not changed.
"""

import fcntl
import json
import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..base import console
from ..base.errors import UsageError
from ..base.files import to_json, write_atomically
from ..base.text import line
from .read_result import read_result

LONGEST_REASON = 2000


def append(path: Path, stage: str, points: float, because: str) -> dict[str, Any]:
    """Add a decision to the result at `path`, and return the whole document. Raises UsageError."""
    with _locked(path):
        document = _load(path)
        found = [one for one in document["stages"] if one["name"] == stage]
        if not found:
            names = ", ".join(one["name"] for one in document["stages"])
            raise UsageError(f"{path}: there is no stage {line(stage)}; its stages are {names}.")
        most = open_points(found[0])
        if not most:
            raise UsageError(f"{path}: no points of stage {stage} are open; there is nothing "
                             "to decide.")  # fmt: skip
        if not 0 <= points <= most:
            raise UsageError(f"--points must be from 0 to {most:g}: that many are open.")
        document.setdefault("decisions", []).append({
            "stage": stage, "points": points, "because": because, "who": login(),
            "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        })  # fmt: skip
        write_atomically(path, to_json(document))
    return document


def open_points(stage: dict[str, Any]) -> float:
    """The points of a stage that are neither earned nor lost."""
    points = stage["points"]
    return float(points["not_measured"])


def in_force(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The decision that counts for each stage that has one."""
    return {decision["stage"]: decision for decision in document.get("decisions", ())}


def total(document: dict[str, Any]) -> dict[str, Any]:
    """The sum of points with the decisions: a decided stage has no open points. A course's decision
    says what the stage gets in all, `instead` of what it earned."""
    decided = in_force(document)
    settled = [stage for stage in document["stages"] if stage["name"] in decided]
    points = document["points"]
    earned = points["earned"]
    for stage in settled:
        decision = decided[stage["name"]]
        earned += decision["points"]
        earned -= stage["points"]["earned"] if decision.get("instead") else 0
    still_open = points["not_measured"] - sum(map(open_points, settled))
    return {**points, "earned": round(earned, 2), "not_measured": round(still_open, 2)}


def keep_decided(path: Path) -> None:
    """Before a result is written at `path`: one that a person decided about gets another name."""
    try:
        decided = bool(json.loads(path.read_text(encoding="utf-8")).get("decisions"))
    except (OSError, ValueError, AttributeError):
        return
    number = 1
    while decided and (kept := path.with_name(f"{path.stem}.decided-{number}.json")).exists():
        number += 1
    if decided:
        path.rename(kept)
        console.note(f"lab: the result with a person's decisions is kept as {kept}.")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Nobody else appends meanwhile. The folder is locked, since the file itself is replaced."""
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read as a result: {error.strerror}.") from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _load(path: Path) -> dict[str, Any]:
    try:
        document = read_result(path)
        total(document)
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: its decisions are damaged; grade again.") from error
    return document


def login() -> str:
    """Of the user who runs this, whatever the environment claims."""
    try:
        return line(pwd.getpwuid(os.getuid()).pw_name)
    except KeyError:
        return f"uid {os.getuid()}"
