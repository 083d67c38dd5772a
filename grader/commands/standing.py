"""The student's progress: `./lab`, `./lab list` and `./lab next`."""

import argparse
from typing import Any

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED
from ..base.outcome import Outcome
from ..base.verdict import PASSED
from ..grading.progress import standing
from ..study.standing import (
    LEGEND,
    ahead,
    lab_line,
    last_check,
    line_of_stage,
    place,
    stage_line,
)
from .parser import Commands


def add(commands: Commands) -> None:
    commands.add("list", list_labs, "every lab and stage, with points and last verdict")
    commands.add("next", next_stage, "the next unsolved stage, in the lab that you checked last")


def list_labs(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Every lab and stage with points and the last verdict."""
    labs = standing(checkout)
    lines: list[str] = []
    for lab in labs:
        passed = sum(stage["verdict"] == PASSED for stage in lab["stages"])
        head = console.paint(f"{lab['name']}  {lab['title']}", "bold")
        lines.append(f"{head}  {passed} of {len(lab['stages'])} stages  {lab['source']}")
        lines += [stage_line(number, stage) for number, stage in enumerate(lab["stages"], 1)]
    return Outcome(ALL_PASSED, {"labs": labs}, "\n".join(lines))


def next_stage(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Name the next unsolved stage, its file, and the commands for it.

    It is the first one of the lab whose folder this is, or of the lab that you checked last.
    Without either, or if that lab is solved, it is the first of all.
    """
    labs = standing(checkout)
    found = ahead(checkout, labs)
    if found is None and (stale := _edited(labs)):
        text = (f"Every stage has passed, but you have edited {stale['source']} since.\n"
                f"  check   ./lab check {stale['name']}")  # fmt: skip
        return Outcome(ALL_PASSED, {"next": None}, text)
    if found is None:
        text = ("Every stage of every lab has passed.\n"
                "  how fast   ./lab bench LAB\n  hand in    ./lab submit LAB")  # fmt: skip
        return Outcome(ALL_PASSED, {"next": None}, text)
    lab, stage, why = found
    document = {
        "next": {"lab": lab["name"], "stage": stage["name"], "title": stage["title"],
                 "file": lab["source"], "verdict": stage["verdict"], "why": why,
                 "line": line_of_stage(checkout, lab["source"], stage["name"])}
    }  # fmt: skip
    return Outcome(ALL_PASSED, document, _next_text(checkout, lab, stage, why))


def _edited(labs: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The first lab whose file is not the one that was checked."""
    return next((lab for lab in labs if any(s["edited_since"] for s in lab["stages"])), None)


def _next_text(
    checkout: Checkout, lab: dict[str, Any], stage: dict[str, Any], why: str
) -> str:  # fmt: skip
    name = f"{lab['name']}.{stage['name']}"
    return (
        f"Next: {console.paint(name, 'bold')} - {stage['title']}\n"
        f"  why    {why}\n"
        f"  edit   {place(checkout, lab['source'], stage['name'])}\n"
        f"  watch  ./lab watch {lab['name']}\n"
        f"  check  ./lab check {name}\n"
        f"  hint   ./lab hint {name}"
    )


def status(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """`./lab` without a command: one line per lab, whose code ran where, then what is next."""
    labs = standing(checkout)
    ahead = next_stage(checkout, arguments)
    lines = [*map(lab_line, labs), console.paint(LEGEND, "dim"), last_check(labs), ahead.text]
    shown = "\n".join(line for line in lines if line)
    return Outcome(ALL_PASSED, {"labs": labs, **ahead.document}, shown)
