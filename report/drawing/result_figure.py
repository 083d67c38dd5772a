"""Figures beside a result. The drawing itself is in speedup.py, which needs matplotlib."""

import importlib.util
import json
from pathlib import Path
from typing import Any

from grader.base import console
from grader.base.errors import UsageError
from grader.base.verdict import PASSED

SCHEMAS = (1, 2)  # what a figure shows has the same form in both


def available() -> bool:
    """Whether matplotlib can be imported."""
    return importlib.util.find_spec("matplotlib") is not None


def draw_if_possible(result: dict[str, Any], folder: Path) -> list[Path]:
    """Draw the measurements into `folder`. Print the reason if there is nothing to draw, although a
    stage has passed, or no matplotlib."""
    if not result["measured"]:
        _remove_old(folder)
        if any(stage["verdict"] == PASSED for stage in result.get("stages", ())):
            console.note(f"{result['lab']}: no figure: nothing was measured.")
        return []
    if not available():
        _remove_old(folder)
        console.note(f"{result['lab']}: no figure: matplotlib is not installed.")
        return []
    with console.progress(f"{result['lab']}: drawing its figure"):
        from .speedup import draw  # matplotlib alone takes a second

        return draw(result, folder)


def _remove_old(folder: Path) -> None:
    """Remove old figures: beside a new result they would show values that it does not contain."""
    for name in ("speedup.svg", "speedup.png"):
        (folder / name).unlink(missing_ok=True)


def load_result(path: Path) -> dict[str, Any]:
    """A result.json that figures can be drawn from. Raises UsageError."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            raise UsageError(f"{path}: cannot be read as a result: {error.strerror}.") from error
        raise UsageError(f"{path}: is not a whole result; check or grade again.") from error
    if not isinstance(document, dict) or document.get("schema") not in SCHEMAS:
        raise UsageError(f"{path}: is not a result of schema 1 or 2; grade again.")
    return document
