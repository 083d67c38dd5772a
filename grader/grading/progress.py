"""What `./lab check` last said about each stage, kept beside its result."""

import json
from pathlib import Path
from typing import Any

from ..base.checkout import Checkout
from ..base.files import sha256, to_json, write_atomically
from ..intake.submission import BYTE_ORDER_MARK
from ..lab_file import manifest
from ..lab_file.manifest import Lab
from .result import Result

Progress = dict[str, dict[str, str]]  # stage -> {"verdict", "sha256" of the file at that time}


def _progress_file(checkout: Checkout, lab: str) -> Path:
    return checkout.out / "check" / lab / "progress.json"


def remember(checkout: Checkout, result: Result) -> None:
    progress = recall(checkout, result.lab)
    for stage in result.stages:
        progress[stage.name] = {"verdict": stage.verdict, "sha256": result.submission.sha256}
    write_atomically(_progress_file(checkout, result.lab), to_json(progress))


def recall(checkout: Checkout, lab: str) -> Progress:
    """What `check` last said about each stage; empty if it never ran or its file is damaged."""
    try:
        known = json.loads(_progress_file(checkout, lab).read_text(encoding="utf-8"))
        return {str(k): {"verdict": str(v["verdict"]), "sha256": str(v["sha256"])}
                for k, v in known.items()}  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


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
        "stages": [
            {
                "name": stage.name,
                "title": stage.title,
                "points": {
                    "correct": stage.correct,
                    "fast": stage.fast,
                    "counters": sum(rule.points for rule in stage.counters),
                },
                "verdict": progress.get(stage.name, {}).get("verdict"),
                "edited_since": progress.get(stage.name, {}).get("sha256", now) != now,
            }
            for stage in lab.stages
        ],
    }
