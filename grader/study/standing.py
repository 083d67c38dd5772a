"""Where a student stands, in words: labs, stages, points, whose code ran where, and what is next.

The data are those of grading/progress.py. Lines fit into 60 columns where names do.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ..base.checkout import Checkout
from ..base.console import paint
from ..base.verdict import NOT_ATTEMPTED, PASSED
from ..grading.progress import following
from ..grading.result_table import BACKENDS
from ..lab_file import manifest, target

MINUTE = 60  # seconds
Row = dict[str, Any]
# Why a stage that was not tried is the next one.
OF_THIS_FOLDER = "not solved yet, in the lab of this folder"
OF_THE_LAST_CHECK = "not solved yet, in the lab that you checked last"
IN_ORDER = "the first stage in order that you have not solved"
LEGEND = "# passed   ! failed   . to do\n~ passed   ? failed, both before your last edit"


def ahead(checkout: Checkout, labs: list[Row]) -> tuple[Row, Row, str] | None:
    """The lab and stage that are next, and why; None if all have passed.

    It is the first unsolved one of the lab whose folder this is, else of the lab that was checked
    last, else of all.
    """
    here = target.here(checkout, manifest.discover(checkout))
    inside = [lab for lab in labs if here and lab["name"] == here.name]
    places = ((inside, OF_THIS_FOLDER), (_checked_last(labs), OF_THE_LAST_CHECK), (labs, IN_ORDER))
    for rows, why in places:
        if found := following(rows):
            return *found, why_next(found[1], why)
    return None


def _checked_last(labs: Sequence[Row]) -> list[Row]:
    """The lab whose file was judged last; none before the first check."""
    found = _last_checked(labs)
    return [found[0]] if found else []


def bar(stages: Sequence[Row]) -> str:
    """`[##~!..]`: one sign per stage, as LEGEND says."""
    return f"[{''.join(map(_sign, stages))}]"


def _sign(stage: Row) -> str:
    if stage["verdict"] in (None, NOT_ATTEMPTED):
        return "."
    now, before = "#~" if stage["verdict"] == PASSED else "!?"
    return before if stage["edited_since"] else now


def is_stale(stage: Row) -> bool:
    """Whether the stage passed before the last edit: whatever changed may be used by it."""
    return bool(stage["verdict"] == PASSED and stage["edited_since"])


def names(stages: Sequence[str]) -> str:
    """`global`, `global and stable`, or how many, if there are more."""
    return " and ".join(stages) if len(stages) < 3 else f"{len(stages)} stages"


def lab_line(lab: Row) -> str:
    """One lab with its bar, passed stages and points."""
    stages = lab["stages"]
    passed = sum(stage["verdict"] == PASSED for stage in stages)
    earned, possible = points_of(lab)
    score = f"{passed}/{len(stages)}  {earned:g} of {possible:g} points"
    return f"{lab['name']:<15} {bar(stages):<9} {score}"


def points_of(lab: Row) -> tuple[float, float]:
    """Points earned, and possible."""
    earned = sum(stage["earned"] for stage in lab["stages"])
    return earned, sum(sum(stage["points"].values()) for stage in lab["stages"])


def stage_line(number: int, stage: Row) -> str:
    """One stage with its points and last verdict."""
    verdict = stage["verdict"] or "not checked yet"
    if stage["edited_since"]:
        verdict += " (before your last edit)"
    points = sum(stage["points"].values())
    colour = "green" if stage["verdict"] == PASSED else "dim"
    name = f"{number} {stage['name']}"
    word = "point" if points == 1 else "points"
    return f"  {name:<16} {points:>4g} {word:<6}  {paint(verdict, colour)}"


def last_check(labs: Sequence[Row]) -> str:
    """Whose code ran last, where and when, in a sentence; "" before the first check."""
    found = _last_checked(labs)
    if not found:
        return ""
    lab, stage = found
    return (f"Last check: your file {lab['source']},\n"
            f"  on the {BACKENDS[stage['backend']]}, {ago(stage['when'])}.")  # fmt: skip


def _last_checked(labs: Sequence[Row]) -> tuple[Row, Row] | None:
    checked = [(lab, stage) for lab in labs for stage in lab["stages"]
               if stage["when"] and stage["backend"]]  # fmt: skip
    return max(checked, key=lambda one: (one[1]["check"], one[1]["when"]), default=None)


def ago(when: str) -> str:
    """`5 minutes ago`, for a time in UTC. After the clock was turned back that may be to come."""
    then = datetime.strptime(when, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    seconds = (datetime.now(UTC) - then).total_seconds()
    if seconds < -MINUTE:
        return f"at {then:%Y-%m-%d %H:%M} UTC, by a clock that was ahead"
    for size, unit in ((86400, "day"), (3600, "hour"), (MINUTE, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def why_next(stage: Row, chosen: str) -> str:
    """Why a stage is the next one: its last verdict, or how it was `chosen` if it was not tried."""
    verdict = stage["verdict"]
    if verdict in (None, NOT_ATTEMPTED):
        return chosen
    edited = "; you have edited the file since" if stage["edited_since"] else ""
    return f"its last verdict is '{verdict}'{edited}"


def line_of_stage(checkout: Checkout, source: str, stage: str) -> int | None:
    """The line (from 1) of the first mark of `stage` in a lab's file, or None."""
    file = checkout.root / source
    if not file.is_file():
        return None
    text = file.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        if "// BEGIN STAGE" in line and f" {stage}:" in line:
            return number
    return None


def place(checkout: Checkout, source: str, stage: str) -> str:
    """`labs/01-rank-sort/rank_sort.cu:41`: where the stage begins."""
    if not (checkout.root / source).exists():
        return f"{source} (it is not there; ./lab check says what to do)"
    line = line_of_stage(checkout, source, stage)
    return f"{source}:{line}" if line else source
