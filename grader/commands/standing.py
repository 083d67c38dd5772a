"""The student's progress: `./lab`, `./lab list` and `./lab next`."""

import argparse
from typing import Any

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED
from ..base.outcome import Outcome
from ..base.verdict import PASSED
from ..grading.progress import standing
from .parser import Commands


def add_list(commands: Commands) -> None:
    commands.add("list", list_labs, "every lab and stage, with points and last verdict")


def add_next(commands: Commands) -> None:
    commands.add("next", next_stage, "the first unsolved stage")


def list_labs(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Every lab and stage with points and the last verdict."""
    labs = standing(checkout)
    lines: list[str] = []
    for lab in labs:
        passed = sum(stage["verdict"] == PASSED for stage in lab["stages"])
        head = console.paint(f"{lab['name']}  {lab['title']}", "bold")
        lines.append(f"{head}  {passed} of {len(lab['stages'])} stages  {lab['source']}")
        lines += [_stage_line(number, stage) for number, stage in enumerate(lab["stages"], 1)]
    return Outcome(ALL_PASSED, {"labs": labs}, "\n".join(lines))


def _stage_line(number: int, stage: dict[str, Any]) -> str:
    verdict = stage["verdict"] or "not checked yet"
    if stage["edited_since"]:
        verdict += " (before your last edit)"
    points = sum(stage["points"].values())
    colour = "green" if stage["verdict"] == PASSED else "dim"
    name = f"{number} {stage['name']}"
    return f"  {name:<16} {points:>4g} points  {console.paint(verdict, colour)}"


def _next(labs: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The first stage in order that has not passed."""
    for lab in labs:
        for stage in lab["stages"]:
            if stage["verdict"] != PASSED:
                return lab, stage
    return None


def next_stage(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Name the first unsolved stage, its file, and the two commands for it."""
    found = _next(standing(checkout))
    if found is None:
        return Outcome(ALL_PASSED, {"next": None}, "Every stage of every lab has passed.")
    lab, stage = found
    target = f"{lab['name']}.{stage['name']}"
    line = _line_of_stage(checkout, lab, stage["name"])
    document = {
        "next": {"lab": lab["name"], "stage": stage["name"], "title": stage["title"],
                 "file": lab["source"], "line": line, "verdict": stage["verdict"]}
    }  # fmt: skip
    place = f"{lab['source']}:{line}" if line else lab["source"]
    text = (
        f"Next: {console.paint(target, 'bold')} - {stage['title']}\n"
        f"  edit   {place}\n"
        f"  check  ./lab check {target}\n"
        f"  hint   ./lab hint {target}"
    )
    return Outcome(ALL_PASSED, document, text)


def _line_of_stage(checkout: Checkout, lab: dict[str, Any], stage: str) -> int | None:
    file = checkout.root / lab["source"]
    if not file.is_file():
        return None
    text = file.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        if "// BEGIN STAGE" in line and f" {stage}:" in line:
            return number
    return None


def status(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """`./lab` without a command: one line per lab, then what is next."""
    labs = standing(checkout)
    lines = []
    for lab in labs:
        passed = sum(stage["verdict"] == PASSED for stage in lab["stages"])
        bar = "#" * passed + "." * (len(lab["stages"]) - passed)
        lines.append(f"{lab['name']:<16} [{bar}] {passed}/{len(lab['stages'])}  {lab['title']}")
    following = next_stage(checkout, arguments)
    return Outcome(
        ALL_PASSED, {"labs": labs, **following.document}, "\n".join([*lines, "", following.text])
    )
