"""Where the barrier is missing that a race in a shared array needs: what the source shows of it.

The message names two lines. If no barrier is written between them, it is missing there. If one is,
and both are in a loop, it is missing between one round and the next.
"""

import re
from collections.abc import Mapping
from typing import Any

from ..base.verdict import NOT_ATTEMPTED, RACE
from . import block_index
from .causes import IN_A_HELPER

FOUND = re.compile(
    r"(?:shared memory (?P<element>(?P<name>\w+)\[\d+\])|dynamic shared memory .*?): kernel .*: "
    r"thread (?P<here>\([\d,]+\)) (?P<one>reads|writes) at "
    r"(?P<file>[\w.-]+):(?P<first>\d+); "
    r"thread (?P<there>\([\d,]+\)) (?P<other>reads|writes) at "
    r"(?P=file):(?P<second>\d+); no (?P<warp>__syncwarp\(\) or )?__syncthreads\(\) between$"
)
BARRIER = re.compile(r"\b__syncthreads(?:_\w+)?\s*\(|\bsync\s*\(")
OF_A_WARP = re.compile(BARRIER.pattern + r"|\b__syncwarp\s*\(")
LOOP = re.compile(r"\b(?:for|while)\s*\(|\bdo\b")
FUNCTION = re.compile(r"\b__(?:global|device)__\b")
SHARED = re.compile(r"\b__shared__\s+[\w:<>\s]*?\b(\w+)\s*\[")
ELEMENT = re.compile(r"\b(\w+)\[((?:[^\[\]]|\[[^\[\]]*\])+)\]")
STORE = re.compile(ELEMENT.pattern + r"\s*=(?!=)")
CALL = re.compile(r".*\b\w+\([^()=]*\);\s*")  # a helper may store to each element
CONDITION = re.compile(r"\b(?:if|else|for|while|switch)\b|\?")
READS, WRITES = "reads", "writes"
RULE = "Between two barriers no thread may use an element that another one writes."


def missing(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a race in shared memory; none if its lines are in two functions, or if a barrier
    is written on every way between them."""
    found = _found(stage, file, in_helpers=True)
    if not found:
        return ()
    does = {int(found["first"]): found["one"], int(found["second"]): found["other"]}
    lines = _code(source)
    if len(does) != 2 or max(does) > len(lines):
        return ()
    low, high = sorted(does)
    if any(FUNCTION.search(line) for line in lines[low:high]):
        return ()
    barrier = _barrier(found)
    name = _name(found)
    if not any(barrier.search(line) for line in lines[low - 1 : high]):
        if does[low] == READS and (scope := _of_exchange(found, lines, low, high)):
            return _around_exchange(found, lines, (low, high), scope, barrier)
        if set(does.values()) == {WRITES}:
            return (f"Threads {found['here']} and {found['there']} both write "
                    f"{found['element'] or name}, in lines {low} and {high}, without a barrier "
                    "between. Either an index is another one than is meant (do two equal keys get "
                    "one place?), or a barrier is missing.",)  # fmt: skip
        return (f"No barrier between line {low}, which {does[low]} {name}, and line {high}, which "
                f"{does[high]} it: {_comes_of_it(does[low], does[high])}",)  # fmt: skip
    loop = loop_around(lines, low, high)
    if not loop or any(barrier.search(line) for line in (*lines[loop[0] - 1 : low - 1],
                                                         *lines[high : loop[1]])):  # fmt: skip
        return ()
    return (f"No barrier between line {high}, which {does[high]} {name}, and line {low}, which "
            f"{does[low]} it in the next round of the loop in line {loop[0]}: "
            f"{_comes_of_it(does[high], does[low])}",)  # fmt: skip


def _of_exchange(
    found: re.Match[str], lines: list[str], low: int, high: int
) -> tuple[int, int] | None:
    """The loop or function in which a thread reads elements and then writes the same ones; None if
    it does not. No barrier belongs in between."""
    scope = _rounds_around(lines, low, high) or _function_around(lines, low)
    if not scope:
        return None
    read = {index for name, index in ELEMENT.findall(lines[low - 1]) if name == found["name"]}
    written = {index for line in lines[low : scope[1]]
               for name, index in (ELEMENT if CALL.fullmatch(line) else STORE).findall(line)
               if name == found["name"]}  # fmt: skip
    return scope if read and read == written else None


def _rounds_around(lines: list[str], low: int, high: int) -> tuple[int, int] | None:
    """The innermost loop around both lines with a barrier in it; the innermost one if none has any:
    what a thread does for several elements is a loop in that of the steps."""
    loops: list[tuple[int, int]] = []
    first, last = low, high
    while loop := loop_around(lines, first, last):
        loops.append(loop)
        first, last = loop[0] - 1, loop[1]
    with_barrier = (loop for loop in loops if any(map(OF_A_WARP.search, lines[slice(*loop)])))
    return next(with_barrier, loops[0] if loops else None)


def _around_exchange(
    found: re.Match[str], lines: list[str], exchange: tuple[int, int], scope: tuple[int, int],
    barrier: re.Pattern[str],
) -> tuple[str, ...]:  # fmt: skip
    """With a barrier in every round two threads have an element in one step; without any, that is
    missing. Nothing is known of a barrier that some rounds leave out."""
    (low, high), (first, last) = exchange, scope
    rounds = [number for number in (*range(first, low), *range(high + 1, last + 1))
              if barrier.search(lines[number - 1])]  # fmt: skip
    if not rounds:
        where = f"lines {low} to {high}" if low != high else f"line {low}"
        return (f"No barrier after the exchange in {where}: a thread that is ahead begins its next "
                "one with elements that others still exchange. " + RULE,)  # fmt: skip
    if not any(_is_always_met(lines, first, one) for one in rounds):
        return ()
    return (f"Threads {found['here']} and {found['there']} both have {found['element']} in one "
            "step. There each element belongs to one thread: compute by hand which indices each of "
            "them gets.",)  # fmt: skip


def _is_always_met(lines: list[str], first: int, number: int) -> bool:
    """Whether a line is in the loop or function from line `first` on, and under no condition
    in it."""
    depth = sum(line.count("{") - line.count("}") for line in lines[first - 1 : number - 1])
    before = lines[number - 2].strip()
    is_free = not before or before.endswith(("{", "}", ";"))
    return depth == 1 and is_free and not CONDITION.search(lines[number - 1])


def _function_around(lines: list[str], low: int) -> tuple[int, int] | None:
    for first in range(low, 0, -1):
        if FUNCTION.search(lines[first - 1]):
            last = _end(lines, first)
            return (first, last) if last else None
    return None


def in_one_line(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a race of a line that reads an element and writes another one: no barrier can
    be between. None belongs there if the line writes all that it reads: it exchanges elements."""
    found = _found(stage, file)
    if not found or found["first"] != found["second"] or found["one"] == found["other"]:
        return ()
    lines, number = _code(source), int(found["first"])
    if number <= len(lines) and _is_exchange(lines[number - 1], found["name"]):
        scope = _rounds_around(lines, number, number) or _function_around(lines, number)
        barrier = _barrier(found)
        return _around_exchange(found, lines, (number, number), scope, barrier) if scope else ()
    return (f"Line {found['first']} reads {_name(found)} and writes it. Between them all threads "
            "must have read: into a variable first, then a barrier, then write.",)  # fmt: skip


def _is_exchange(line: str, name: str | None) -> bool:
    """Whether the line writes each of the elements that it reads, and more than one."""
    used = {index for of, index in ELEMENT.findall(line) if of == name}
    written = {index for of, index in (ELEMENT if CALL.fullmatch(line) else STORE).findall(line)
               if of == name}  # fmt: skip
    return len(used) > 1 and used == written


def without_any(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """Why a call may leave its output as it was: threads share an array, and none waits. The first
    thread does all of its work before the second one begins."""
    if stage["verdict"] != NOT_ATTEMPTED:
        return ()
    code = block_index.numbered_code(stage, file, source)
    lines = _code(source)
    for number in code:
        if (shared := SHARED.search(lines[number - 1])) is None:
            continue
        body = lines[number : (_function_around(lines, number) or (0, 0))[1]]
        stored = {index for line in body for of, index in STORE.findall(line) if of == shared[1]}
        used = {index for line in body for of, index in ELEMENT.findall(line) if of == shared[1]}
        if stored and used - stored and not any(map(OF_A_WARP.search, body)):
            said = f"The threads share {shared[1]} of line {number}, but the kernel has no barrier"
            return (f"{said}: a thread reads what others have not written yet. {RULE}",)
    return ()


def _found(
    stage: Mapping[str, Any], file: str, in_helpers: bool = False
) -> re.Match[str] | None:  # fmt: skip
    """What the race is about; of a place in a helper, the line that calls it, if at all."""
    first = stage["message"].partition("\n")[0]
    found = FOUND.search(IN_A_HELPER.sub(r"\1", first) if in_helpers else first)
    return found if stage["verdict"] == RACE and found and found["file"] == file else None


def _code(source: str) -> list[str]:
    """The lines without their comments."""
    return [line.partition("//")[0] for line in source.split("\n")]


def _barrier(found: re.Match[str]) -> re.Pattern[str]:
    """What would order the two threads."""
    return OF_A_WARP if found["warp"] else BARRIER


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
    """The line of the brace that closes the first one from line `first` on; None without one."""
    depth = 0
    for number in range(first, len(lines) + 1):
        for sign in lines[number - 1]:
            depth += {"{": 1, "}": -1}.get(sign, 0)
            if sign == "}" and depth <= 0:
                return number if depth == 0 else None
    return None
