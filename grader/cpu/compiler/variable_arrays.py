"""Arrays of device code whose size is known only when it runs: g++ takes them, nvcc does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .sides import Function, Sides
from .suspects import declares
from .tokens import Tokens, closing, is_name, opening, previous_significant, significant

SAID = re.compile(r"^(.*?):(\d+):(\d+): warning: (?:ISO C\+\+ forbids )?variable length array",
                  re.MULTILINE)  # fmt: skip
_CHOSEN = frozenset("blockDim gridDim threadIdx blockIdx warpSize".split())


def sentence(name: str) -> str:
    return (f"the size of `{name}` is known only when the kernel runs, and device code has no such "
            "arrays: give it the largest size as a constant")  # fmt: skip


def may_be_there(tokens: Tokens, sides: Sides) -> bool:
    """Whether the size of some array in device code has the name of a variable: the compiler knows
    whether that is a constant."""
    return any(True for one in sides.with_body for _ in _in_body(tokens, one))


def _in_body(tokens: Tokens, one: Function) -> Iterator[int]:
    """Brackets after what looks like a new name, with a parameter or a local name inside."""
    first, last = one.parenthesis, (one.body or (0, 0))[1]
    brackets = [i for i in range(first, last) if tokens[i] == "[" and _is_declared(tokens, i)]
    if not brackets:
        return
    own = _CHOSEN | {tokens[i] for i in range(first, last)
                     if is_name(tokens[i]) and declares(tokens, i)}  # fmt: skip
    for i in brackets:
        if not own.isdisjoint(_sizes(tokens, i)):
            yield i


def _is_declared(tokens: Tokens, bracket: int) -> bool:
    """Whether the statement is so far a type, a name, and perhaps other arrays."""
    start = bracket - 1
    while tokens[start] not in (";", "{", "}"):
        if tokens[start] in ("=", "return", "("):
            return False
        start = opening(tokens, start) if tokens[start] in ("]", ")") else start
        start -= 1
    name = previous_significant(tokens, bracket - 1)
    words = significant(tokens, start + 1, name)
    is_new = declares(tokens, name) or tokens[previous_significant(tokens, name - 1)] == ","
    return is_new and bool(words) and is_name(words[0])


def _sizes(tokens: Tokens, bracket: int) -> set[str]:
    found: set[str] = set()
    while tokens[bracket] == "[":
        end = closing(tokens, bracket)
        found.update(tokens[bracket:end])
        bracket = next((i for i in range(end + 1, len(tokens)) if tokens[i].strip()), end)
    return found
