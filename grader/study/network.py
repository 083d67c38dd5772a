"""The strides that the loops of a sorting network go through, computed from the source: what is
missing there is a fact, whatever the kernel does. Nothing is said of loops that depend on more than
constants and the numbers of the call."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..base.verdict import CRASHED, RACE, TIMED_OUT, WRONG_ANSWER, WROTE_OUTSIDE
from . import launch_size
from .launch_size import Size

CALL = re.compile(r"^bitonic::(global|any_length)\(")  # one launch makes one step
NOT_CODE = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
LET = r"(?:const\s+)?(?:auto|int|unsigned|bool|(?:std::)?size_t)\s+\w+\s*=[^;<>]*;\s*"
HEAD = r"for\s*\(\s*(?:[\w:]+\s+)*(\w+)\s*=([^;]*);([^;]*);([^;{}]*?)\)\s*"
NESTED = re.compile(rf"{HEAD}\{{?\s*(?:{LET})*{HEAD}(?=[{{\w])")
TEST = re.compile(r"([^<>=!]+)(<=|>=|<|>|!=)([^<>=!]+)")
ONE_MORE = re.compile(r"(?:\+\+|--)\w+|\w+(?:\+\+|--)")
STEP = re.compile(r"\w+\s*(<<|>>|[-+*/])?=(.*)")
MOST = 32  # rounds of a loop: what makes more has no end
Group = tuple[int, ...]


def strides(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a network that fails, if its two loops leave steps out or have others."""
    call = CALL.match(stage["message"])
    if stage["verdict"] not in (WRONG_ANSWER, CRASHED, WROTE_OUTSIDE, TIMED_OUT, RACE) or not call:
        return ()
    names = launch_size.names_of_call(stage, file, source)
    lines = launch_size.lines_of_call(stage, file, source)
    code = NOT_CODE.sub(lambda found: "\n" * found[0].count("\n"), source)
    loops = [one for one in NESTED.finditer(code) if _line(code, one.start()) in lines]
    n = names.get("n", ())
    if len(loops) != 1 or len(n) != 1 or n[0] < 2:
        return ()
    [loop] = loops
    before = code.split("\n")[min(lines) - 1 : _line(code, loop.start()) - 1]
    made = _groups(loop, names)
    may_be_more = stage["verdict"] == WRONG_ANSWER  # a kernel may leave out what does not exist
    if not made or any("<<<" in line for line in before) or _is_network(made, n[0], may_be_more):
        return ()
    first, second = _line(code, loop.start()), _line(code, loop.start(5))
    due = _network((n[0] - 1).bit_length(), 1)
    return (f"With n = {n[0]} the loops in lines {first} and {second} go through the strides "
            f"{_shown(made)}: a group for each size. A network for {n[0]} keys has "
            f"{_shown(due)}.",)  # fmt: skip


def _line(code: str, at: int) -> int:
    return code.count("\n", 0, at) + 1


def _groups(loop: re.Match[str], names: Mapping[str, Size]) -> list[Group]:
    """The strides of each size, in order; none if they are not known."""
    size, stride = loop.groups()[:4], loop.groups()[4:]
    try:
        return [tuple(_values(stride, {**names, size[0]: (value,)}))
                for value in _values(size, names)]  # fmt: skip
    except ValueError:
        return []


def _values(head: tuple[str, ...], names: Mapping[str, Size]) -> Iterator[int]:
    """What the variable of a loop is in each round. Raises ValueError if it is not known."""
    name, begin, test, step = head
    value = _number(begin, names)
    for _ in range(MOST):
        known = {**names, name: (value,)}
        if not _holds(test, known):
            return
        yield value
        value = _next(name, step.strip(), known)


def _holds(test: str, names: Mapping[str, Size]) -> bool:
    found = TEST.fullmatch(test.strip())
    if not found:
        raise ValueError
    left, right = _number(found[1], names), _number(found[3], names)
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
            "!=": left != right}[found[2]]  # fmt: skip


def _next(name: str, step: str, names: Mapping[str, Size]) -> int:
    if ONE_MORE.fullmatch(step):
        return _number(f"{name} {'+' if '+' in step else '-'} 1", names)
    found = STEP.fullmatch(step)
    if not found:
        raise ValueError
    return _number(f"{name} {found[1]} ({found[2]})" if found[1] else found[2], names)


def _number(text: str, names: Mapping[str, Size]) -> int:
    size = launch_size.size(text, names)
    if len(size) != 1:
        raise ValueError
    return size[0]


def _is_network(made: list[Group], n: int, may_be_more: bool) -> bool:
    """Whether the groups are 1; 2, 1; 4, 2, 1 and so on for n keys, or twice these numbers, which
    a kernel may halve."""
    sizes, due = len(made), (n - 1).bit_length()
    is_enough = sizes >= due if may_be_more else sizes == due
    return is_enough and made in (_network(sizes, 1), _network(sizes, 2))


def _network(sizes: int, least: int) -> list[Group]:
    return [tuple(least << bit for bit in range(size, -1, -1)) for size in range(sizes)]


def _shown(groups: list[Group]) -> str:
    return " ".join(f"[{' '.join(map(str, group)) or 'none'}]" for group in groups)
