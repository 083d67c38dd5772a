"""In check mode: fences around the local arrays of device code whose address goes elsewhere.

`keep(best, k)` and `*top++ = i` may leave the array through a pointer, which the compiler's own
checks of an index do not see. include/cuda_on_cpu/local_array.hpp says what is written.
"""

from __future__ import annotations

from dataclasses import dataclass

from .scopes import Scope
from .sides import Sides, behind_angle
from .tokens import (
    Tokens,
    closing,
    is_name,
    next_significant,
    opening,
    previous_significant,
    significant,
)

# A statement with one of these is no declaration of a plain local array.
_NOT = frozenset(
    """static extern __shared__ constexpr auto typedef using return delete new throw goto case
    default else do if for while switch operator register alignas __align__ __attribute__
    thread_local friend template struct class union enum""".split()
)
_ENDS = ("(", ")", "=", ";", "{", "}", "?", ":")
_UNARY_AFTER = ("(", ",", "=", "return", "?", ":", "{", "[", ";", "}")


@dataclass(frozen=True)
class _Array:
    """All numbers are indices of tokens."""

    start: int
    name: int
    bracket: int  # the last one, that closes
    end: int  # the semicolon
    dimensions: int


def fenced(given: Tokens, tokens: Tokens, scope_of: list[Scope]) -> dict[int, str]:
    """What replaces which of `tokens`; `given` is the text before it was rewritten into them."""
    if "__device__" not in given and "__global__" not in given:
        return {}
    made: dict[int, str] = {}
    for function in Sides(given, scope_of).device_bodies():
        first, last = function.body or (0, 0)
        if "goto" in given[first:last]:  # it may not jump over a constructor
            continue
        for array in _arrays(given, first, last):
            if _goes_elsewhere(given, array):
                made |= _with_fences(given, tokens, array)
    return made


def _arrays(tokens: Tokens, first: int, last: int) -> list[_Array]:
    found = []
    for i in range(first, last):
        if tokens[i] in ("{", "}", ";"):
            array = _array(tokens, next_significant(tokens, i + 1))
            if array and not _is_in_switch(tokens, i):
                found.append(array)
    return found


def _is_in_switch(tokens: Tokens, index: int) -> bool:
    """Whether the innermost braces around what follows are those of a `switch`."""
    depth = 0
    for i in range(index, -1, -1):
        depth += (tokens[i] == "}") - (tokens[i] == "{")
        if depth < 0:
            before = previous_significant(tokens, i - 1)
            if before < 0 or tokens[before] != ")":
                return False
            return tokens[previous_significant(tokens, opening(tokens, before) - 1)] == "switch"
    return False


def _array(tokens: Tokens, start: int) -> _Array | None:
    """The declaration of one array with its size, from its first token on."""
    bracket = start
    while bracket < len(tokens) and tokens[bracket] not in ("[", *_ENDS):
        bracket = behind_angle(tokens, bracket) if tokens[bracket] == "<" else bracket + 1
    words = significant(tokens, start, bracket)
    if tokens[bracket : bracket + 1] != ["["] or len(words) < 2 or not is_name(words[-1]):
        return None
    plain = "<" in words or all(is_name(word) or word in ("::", "*") for word in words)
    if not plain or not _NOT.isdisjoint(words):
        return None
    dimensions, last, after = 0, bracket, bracket
    while tokens[after : after + 1] == ["["]:
        last = closing(tokens, after)
        if next_significant(tokens, after + 1) == last:
            return None
        dimensions += 1
        after = next_significant(tokens, last + 1)
    if tokens[after : after + 1] not in (["="], [";"], ["{"]):
        return None
    name = previous_significant(tokens, bracket - 1)
    return _Array(start, name, last, _semicolon(tokens, after), dimensions)


def _semicolon(tokens: Tokens, index: int) -> int:
    while tokens[index] != ";":
        index = closing(tokens, index) if tokens[index] in ("(", "[", "{") else index
        index += 1
    return index


def _goes_elsewhere(tokens: Tokens, array: _Array) -> bool:
    """Whether some use in its block is no element by all its indices."""
    depth, i = 0, array.end
    while i < len(tokens) and depth >= 0:
        depth += (tokens[i] == "{") - (tokens[i] == "}")
        if tokens[i] == tokens[array.name] and _is_address(tokens, i, array.dimensions):
            return True
        i += 1
    return False


def _is_address(tokens: Tokens, index: int, dimensions: int) -> bool:
    before = previous_significant(tokens, index - 1)
    if tokens[before] in (".", "->", "::"):
        return False
    indices, after = 0, next_significant(tokens, index + 1)
    while tokens[after] == "[":
        indices += 1
        after = next_significant(tokens, closing(tokens, after) + 1)
    ahead = previous_significant(tokens, before - 1)
    if indices < dimensions:
        return not (tokens[before] == "(" and tokens[ahead] == "sizeof")
    return tokens[before] == "&" and tokens[ahead] in _UNARY_AFTER


def _with_fences(given: Tokens, tokens: Tokens, array: _Array) -> dict[int, str]:
    name = given[array.name]
    kind, whole = f"{name}_array", f"{name}_fenced"
    declared = f"; ::cuda_on_cpu::FencedArray<{kind}> {whole}"
    used = f'; {whole}.name("{name}"); {kind} &{name} = {whole}.array;'
    made = {array.start: f"typedef {tokens[array.start]}", array.name: kind}
    made[array.bracket] = tokens[array.bracket] + declared
    after = next_significant(given, array.bracket + 1)
    if after != array.end:
        made[array.bracket] += "{{}, "
        if given[after] == "=":
            made[after] = ""
        used = ", {}}" + used
    made[array.end] = used
    return made
