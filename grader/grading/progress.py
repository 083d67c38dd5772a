"""What `./lab check` last said about each stage, kept beside its result."""

import json
import math
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from ..base.checkout import Checkout
from ..base.files import sha256, to_json, write_atomically
from ..base.verdict import PASSED
from ..intake.submission import BYTE_ORDER_MARK
from ..lab_file import manifest
from ..lab_file.manifest import Lab, Stage

# stage -> "verdict", "sha256" of the file at that time, "backend", "when" (UTC, ISO 8601), and
# "check", the number of the check: the clock may have been turned back since the one before
Progress = dict[str, dict[str, str]]
EARNED = "earned"  # points, in words: "10", or "" for what an older kit has written
CHECK = "check"
TIME = "%Y-%m-%dT%H:%M:%SZ"


def _progress_file(checkout: Checkout, lab: str) -> Path:
    return checkout.out / "check" / lab / "progress.json"


def remember(checkout: Checkout, result: dict[str, Any]) -> None:
    """Keep what a result document says about its stages."""
    progress = recall(checkout, result["lab"])
    number = _last_number(checkout) + 1
    for stage in result["stages"]:
        progress[stage["name"]] = {
            "verdict": stage["verdict"], "sha256": result["submission"]["sha256"],
            "backend": result["backend"], "when": result["started"],
            EARNED: f"{_earned(stage):g}", CHECK: str(number),
        }  # fmt: skip
    write_atomically(_progress_file(checkout, result["lab"]), to_json(progress))


def forget(checkout: Checkout, lab: str, stages: Iterable[str]) -> None:
    """Stages whose text is the handout's again: what was said about them is about nothing now."""
    gone = set(stages)
    left = {name: entry for name, entry in recall(checkout, lab).items() if name not in gone}
    if _progress_file(checkout, lab).is_file():
        write_atomically(_progress_file(checkout, lab), to_json(left))


def recall(checkout: Checkout, lab: str) -> Progress:
    """What `check` last said about each stage; empty if it never ran or its file is damaged."""
    return _read(_progress_file(checkout, lab))


def _read(path: Path) -> Progress:
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        return {str(stage): _entry(entry) for stage, entry in known.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _entry(said: dict[str, Any]) -> dict[str, str]:
    """One stage's. Raises what broken entries raise: somebody has edited the file, or a disk."""
    entry = {key: str(said.get(key, "")) for key in ("backend", "when", EARNED, CHECK)}
    if entry["when"]:
        datetime.strptime(entry["when"], TIME)
    if entry["backend"] not in ("", "cpu", "gpu") or not math.isfinite(float(entry[EARNED] or 0)):
        raise ValueError(entry)
    int(entry[CHECK] or 0)
    return {"verdict": str(said["verdict"]), "sha256": str(said["sha256"]), **entry}


def _last_number(checkout: Checkout) -> int:
    """Of the last check of any lab."""
    found = (checkout.out / "check").glob("*/progress.json")
    return max((int(entry[CHECK] or 0) for path in found for entry in _read(path).values()),
               default=0)  # fmt: skip


def _earned(stage: dict[str, Any]) -> float:
    """Points that are certain; what is open counts as none."""
    points = stage["points"]
    parts = (points["correct"], points["fast"], *points["counters"])
    return sum(part["earned"] for part in parts if part and part["earned"])


def standing(checkout: Checkout) -> list[dict[str, Any]]:
    """Every lab with its stages, points and last verdict (null: never checked)."""
    return [_lab_standing(checkout, lab) for lab in manifest.discover(checkout)]


def _lab_standing(checkout: Checkout, lab: Lab) -> dict[str, Any]:
    progress = recall(checkout, lab.name)
    file = checkout.labs / lab.name / lab.source
    now = sha256(file.read_bytes().removeprefix(BYTE_ORDER_MARK)) if file.is_file() else ""
    return {
        "name": lab.name,
        "title": lab.title,
        "source": f"labs/{lab.name}/{lab.source}",
        "stages": [_stage_standing(stage, progress.get(stage.name, {}), now)
                   for stage in lab.stages],
    }  # fmt: skip


def _stage_standing(stage: Stage, known: dict[str, str], now: str) -> dict[str, Any]:
    """`edited_since`: the file is not the one that the verdict is about."""
    return {
        "name": stage.name,
        "title": stage.title,
        "points": {
            "correct": stage.correct,
            "fast": stage.fast,
            "counters": sum(rule.points for rule in stage.counters),
        },
        "earned": float(known.get(EARNED) or 0),
        "verdict": known.get("verdict"),
        "edited_since": known.get("sha256", now) != now,
        "backend": known.get("backend") or None,
        "when": known.get("when") or None,
        "check": int(known.get(CHECK) or 0),
    }


def following(
    labs: list[dict[str, Any]], after: tuple[str, str] | None = None
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The first stage in order that has not passed; with `after` the first one after that stage,
    and if there is none, the first of all. None if every stage has passed."""
    stages = [(lab, stage) for lab in labs for stage in lab["stages"]]
    names = [(lab["name"], stage["name"]) for lab, stage in stages]
    start = names.index(after) + 1 if after in names else 0
    ahead = stages[start:] + stages[:start]
    return next((pair for pair in ahead if pair[1]["verdict"] != PASSED), None)
