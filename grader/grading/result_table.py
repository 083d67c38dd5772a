"""A result as text: one line per stage, failures with their reason, the sum last."""

from typing import Any

from ..base.console import paint
from ..base.text import counted, singular
from ..base.verdict import PASSED, WITHOUT_POINTS
from .decisions import in_force, total

BACKENDS = {"cpu": "CPU backend", "gpu": "GPU"}
MESSAGE_LINES = 12
SHORT = 100  # characters of a message that is said again
WORD = {True: ("PASS", "green"), False: ("FAIL", "red"), None: ("OPEN", "yellow")}


def table(result: dict[str, Any]) -> str:
    """The result document of one lab as text."""
    where = BACKENDS[result["backend"]]
    lines = [paint(f"{result['lab']}  {result['title']}", "bold")
             + f"  ({result['submission']['name']}, {where})"]  # fmt: skip
    decided = in_force(result)
    told: dict[str, int] = {}  # a file that does not compile fails every stage in the same words
    for number, stage in enumerate(result["stages"], 1):
        lines += _stage(number, stage, told.setdefault(_message(stage), number))
        if decision := decided.get(stage["name"]):
            lines += _indented(_decision(decision))
    for note in (*result["notes"], *result["staff_notes"]):
        first, *more = _indented(note["text"])
        lines += [f"  note: {first.strip()}", *more]
    return "\n".join([*lines, f"  {points(total(result))}"])


def points(total: dict[str, Any]) -> str:
    """`30 of 50 points, 20 not measured`."""
    text = f"{total['earned']:g} of {total['possible']:g} points"
    return text + (f", {total['not_measured']:g} not measured" if total["not_measured"] else "")


def heading(number: int, stage: dict[str, Any]) -> str:
    """The line of a stage: pass or fail, seconds, name, points for right answers, verdict."""
    verdict = stage["verdict"]
    word = WORD[True if verdict == PASSED else None if verdict in WITHOUT_POINTS else False]
    correct = stage["points"]["correct"]
    name = f"{number} {stage['name']}"
    line = f"  {paint(*word)} [{stage['seconds']:7.2f}s]  {name:<16}  {_score(correct):>8}"
    return line + ("" if verdict == PASSED else f"  {verdict}")


def _message(stage: dict[str, Any]) -> str:
    return singular(stage["staff_message"] or stage["message"])


def _stage(number: int, stage: dict[str, Any], told: int) -> list[str]:
    """`told` is the number of the first stage with this message."""
    verdict = stage["verdict"]
    lines = [heading(number, stage)]
    if verdict != PASSED:
        message = _message(stage)
        is_short = len(message) <= SHORT
        lines += _indented(message if is_short or told == number else f"as stage {told}")
        if stage["case"] and stage["case"] not in stage["message"]:
            lines += _indented(f"case: {stage['case']}")
        if handout := stage["handout"]:
            lines.append(f"        {handout['path']}:{handout['line']}: {handout['text']}")
    return lines + parts(stage)


def parts(stage: dict[str, Any]) -> list[str]:
    """Points for speed and for counts, with their reasons."""
    lines: list[str] = []
    fast = stage["points"]["fast"]
    if fast and fast["possible"]:
        speed = f"speed: {fast['verdict']}"
        lines.append(f"{'':34}{_score(fast):>8}  {speed} ({fast['reason']})")
    for counter in stage["points"].get("counters", ()):
        lines += _counter(counter)
    return lines


def _indented(text: str) -> list[str]:
    """No line of what a submission says begins where the lines of the table begin."""
    return [f"{'':8}{part}" for part in (text.splitlines() or [""])[:MESSAGE_LINES]]


def _decision(decision: dict[str, Any]) -> str:
    return (f"decided: {counted(decision['points'], 'point')}, by {decision['who']} "
            f"at {decision['time']}: {decision['because']}")  # fmt: skip


def _counter(counter: dict[str, Any]) -> list[str]:
    lines = [f"{'':34}{_score(counter):>8}  {counter['counter']}: {counter['reason']}"]
    if counter["line"]:
        lines += _indented(f"most of it at {counter['line']}")
    if counter["advice"]:
        lines.append(f"        {counter['advice']}")
    return lines


def _score(part: dict[str, Any]) -> str:
    earned = "-" if part["earned"] is None else f"{part['earned']:g}"
    return f"{earned}/{part['possible']:g}"
