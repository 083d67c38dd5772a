"""Where the barrier is missing that a race in a shared array needs: what the source shows of it.

The message names two lines. If no barrier is written between them, it is missing there. If one is,
and both are in a loop, it is missing between one round and the next.
"""

import re
from collections.abc import Mapping
from typing import Any

from ..base.verdict import RACE

FOUND = re.compile(
    r"(?:shared memory (?P<name>\w+)\[\d+\]|dynamic shared memory .*?): kernel .*: thread "
    r"\([\d,]+\) (?P<one>reads|writes) at "
    r"(?P<file>[\w.-]+):(?P<first>\d+); thread \([\d,]+\) (?P<other>reads|writes) at "
    r"(?P=file):(?P<second>\d+); no (?P<warp>__syncwarp\(\) or )?__syncthreads\(\) between$"
)
BARRIER = re.compile(r"\b__syncthreads(?:_\w+)?\s*\(|\bsync\s*\(")
OF_A_WARP = re.compile(BARRIER.pattern + r"|\b__syncwarp\s*\(")
LOOP = re.compile(r"\b(?:for|while)\s*\(|\bdo\b")
FUNCTION = re.compile(r"\b__(?:global|device)__\b")
READS = "reads"
RULE = "Between two barriers no thread may use an element that another one writes."


def missing(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a race in shared memory; none if its lines are in two functions, or if a barrier
    is written on every way between them."""
    found = _found(stage, file)
    if not found:
        return ()
    does = {int(found["first"]): found["one"], int(found["second"]): found["other"]}
    lines = [line.partition("//")[0] for line in source.split("\n")]
    if len(does) != 2 or max(does) > len(lines):
        return ()
    low, high = sorted(does)
    if any(FUNCTION.search(line) for line in lines[low:high]):
        return ()
    barrier = OF_A_WARP if found["warp"] else BARRIER
    name = _name(found)
    if not any(barrier.search(line) for line in lines[low - 1 : high]):
        return (f"No barrier between line {low}, which {does[low]} {name}, and line {high}, which "
                f"{does[high]} it: {_comes_of_it(does[low], does[high])}",)  # fmt: skip
    loop = loop_around(lines, low, high)
    if not loop or any(barrier.search(line) for line in (*lines[loop[0] - 1 : low - 1],
                                                         *lines[high : loop[1]])):  # fmt: skip
        return ()
    return (f"No barrier between line {high}, which {does[high]} {name}, and line {low}, which "
            f"{does[low]} it in the next round of the loop in line {loop[0]}: "
            f"{_comes_of_it(does[high], does[low])}",)  # fmt: skip


def in_one_line(stage: Mapping[str, Any], file: str) -> tuple[str, ...]:
    """The cause of a race of a line that reads an element and writes another one: no barrier can
    be between."""
    found = _found(stage, file)
    if not found or found["first"] != found["second"] or found["one"] == found["other"]:
        return ()
    return (f"Line {found['first']} reads {_name(found)} and writes it. Between them all threads "
            "must have read: into a variable first, then a barrier, then write.",)  # fmt: skip


def _found(stage: Mapping[str, Any], file: str) -> re.Match[str] | None:
    found = FOUND.search(stage["message"].partition("\n")[0])
    return found if stage["verdict"] == RACE and found and found["file"] == file else None


def _name(found: re.Match[str]) -> str:
    return found["name"] or "dynamic shared memory"


def _comes_of_it(earlier: str, later: str) -> str:
    """And the rule that is broken: perhaps an index is another one than is meant."""
    if later == READS:
        comes = "a thread that is ahead reads what others have not written yet."
    elif earlier == READS:
        comes = "a thread that is ahead overwrites what others still have to read."
    else:
        comes = "a thread that is ahead writes there before the others have."
    return f"{comes} {RULE}"


def loop_around(lines: list[str], low: int, high: int) -> tuple[int, int] | None:
    """The first and last line of the innermost loop with braces that holds both lines."""
    for first in range(low, 0, -1):
        if FUNCTION.search(lines[first - 1]):
            return None
        if LOOP.search(lines[first - 1]) and (last := _end(lines, first)) and last >= high:
            return first, last
    return None


def _end(lines: list[str], first: int) -> int | None:
    """The line of the brace that closes the first one from line `first` on."""
    depth = 0
    for number in range(first, len(lines) + 1):
        for sign in lines[number - 1]:
            depth += {"{": 1, "}": -1}.get(sign, 0)
            if sign == "}" and depth <= 0:
                return number
    return None
