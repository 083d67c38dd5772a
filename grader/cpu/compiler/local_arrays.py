"""In check mode: fences around the local arrays of device code whose address goes elsewhere.

`keep(best, k)` and `*top++ = i` may leave the array through a pointer, which the compiler's own
checks of an index do not see. include/cuda_on_cpu/local_array.hpp says what is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from .scopes import Scope
from .sides import Sides, after_angle
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
NO_PLAIN_ARRAY = frozenset(
    """static extern __shared__ constexpr auto typedef using namespace return delete new throw goto
    case default else do if for while switch operator register alignas __align__ __attribute__
    thread_local friend template struct class union enum""".split()
)
_ENDS = ("(", ")", "=", ";", "{", "}", "?", ":")
_UNARY_AFTER = ("(", ",", "=", "return", "?", ":", "{", "[", ";", "}")


@dataclass(frozen=True)
class _Declarator:
    """`*name[3][4] = {1}`. All numbers are indices of tokens."""

    name: int
    bracket: int  # the last one, that closes; 0 if it is no array
    end: int  # the comma or semicolon
    dimensions: int


@dataclass(frozen=True)
class _Declaration:
    """Of local variables of one type, from the first token of the type on."""

    start: int
    type_end: int
    declarators: tuple[_Declarator, ...]

    @property
    def arrays(self) -> tuple[_Declarator, ...]:
        return tuple(one for one in self.declarators if one.bracket)


def fenced(given: Tokens, tokens: Tokens, scope_of: list[Scope]) -> dict[int, str]:
    """What replaces which of `tokens`; `given` is the text before it was rewritten into them."""
    if "__device__" not in given and "__global__" not in given:
        return {}
    made: dict[int, str] = {}
    for function in Sides(given, scope_of).device_bodies():
        first, last = function.body or (0, 0)
        if "goto" in given[first:last]:  # it may not jump over a constructor
            continue
        for declaration in declarations(given, first, last):
            known = [one for one in declaration.arrays if _goes_elsewhere(given, one)]
            if known:
                made |= _with_fences(given, tokens, declaration, known)
    return made


def declarations(
    tokens: Tokens, first: int, last: int, words_of_others: frozenset[str] = NO_PLAIN_ARRAY
) -> list[_Declaration]:
    """Those of plain local variables, where a statement can follow."""
    found = []
    around: list[str] = []
    for i in range(first, last):
        if tokens[i] in ("(", "{"):
            around.append(tokens[i])
        elif tokens[i] in (")", "}") and around:
            around.pop()
        # `for (...; i < n[0]; ...)` declares nothing.
        if tokens[i] in ("{", "}", ";") and around[-1:] != ["("]:
            declaration = _declaration(tokens, next_significant(tokens, i + 1), words_of_others)
            if declaration and not _is_in_switch(tokens, i):
                found.append(declaration)
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


def _declaration(
    tokens: Tokens, start: int, words_of_others: frozenset[str]
) -> _Declaration | None:
    """The declaration that begins there, if it is one of plain local variables."""
    name = start
    while name < len(tokens) and tokens[name] not in ("[", ",", *_ENDS):
        after = after_angle(tokens, name) if tokens[name] == "<" else name + 1
        if tokens[name] == "<" and after == name + 1:
            return None  # less than
        name = after
    name = previous_significant(tokens, name - 1)
    words = significant(tokens, start, name + 1)
    if len(words) < 2 or not is_name(words[-1]) or not words_of_others.isdisjoint(words):
        return None
    if words[-1] == "auto" or words[-2] == "::":  # `auto [a, b] = c;` and `kit::count = 1;`
        return None
    if "<" not in words and not all(is_name(word) or word in ("::", "*") for word in words):
        return None
    type_end = name
    while tokens[previous_significant(tokens, type_end - 1)] == "*":
        type_end = previous_significant(tokens, type_end - 1)
    if type_end <= start:
        return None
    found: list[_Declarator] = []
    at = type_end
    while not found or tokens[found[-1].end] == ",":
        one = _declarator(tokens, at)
        if one is None:
            return None
        found.append(one)
        at = next_significant(tokens, one.end + 1)
    return _Declaration(start, type_end, tuple(found))


def _declarator(tokens: Tokens, at: int) -> _Declarator | None:
    while tokens[at : at + 1] == ["*"]:
        at = next_significant(tokens, at + 1)
    if at >= len(tokens) or not is_name(tokens[at]):
        return None
    dimensions, last, after = 0, 0, next_significant(tokens, at + 1)
    while tokens[after : after + 1] == ["["]:
        last = closing(tokens, after)
        if next_significant(tokens, after + 1) == last:
            return None
        dimensions += 1
        after = next_significant(tokens, last + 1)
    if tokens[after : after + 1] not in (["="], [";"], [","], ["{"]):
        return None
    return _Declarator(at, last, _end(tokens, after), dimensions)


def _end(tokens: Tokens, index: int) -> int:
    """The comma or semicolon after an initialiser."""
    while tokens[index] not in (";", ","):
        if tokens[index] in ("(", "[", "{"):
            index = closing(tokens, index)
        elif tokens[index] == "<" and (behind := after_angle(tokens, index)) > index + 1:
            index = behind - 1
        index += 1
    return index


def _goes_elsewhere(tokens: Tokens, array: _Declarator) -> bool:
    """Whether some use in its block is no element by all its indices."""
    depth, i = 0, array.end  # the next name of the declaration may use it
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


def _with_fences(
    given: Tokens, tokens: Tokens, declaration: _Declaration, known: list[_Declarator]
) -> dict[int, str]:
    """Each name becomes a declaration of its own."""
    type_name = " ".join(significant(tokens, declaration.start, declaration.type_end))
    made: dict[int, str] = {}
    typedef = "typedef "
    if declaration.declarators[0] in known:
        made[declaration.start] = typedef + tokens[declaration.start]
    for one, following in zip_longest(declaration.declarators, declaration.declarators[1:]):
        end = ";"
        if following:
            end = f"; {typedef if following in known else ''}{type_name} "
        made |= _with_fence(given, tokens, one, end) if one in known else {one.end: end}
    return made


def _with_fence(given: Tokens, tokens: Tokens, array: _Declarator, end: str) -> dict[int, str]:
    name = given[array.name]
    kind, whole = f"{name}_array", f"{name}_fenced"
    declared = f"; ::cuda_on_cpu::FencedArray<{kind}> {whole}"
    made = {array.name: kind, array.bracket: tokens[array.bracket] + declared}
    after = next_significant(given, array.bracket + 1)
    has_values = after != array.end
    opened = f"{whole}.open{'' if has_values else '_new'}()"
    used = f'; {whole}.name("{name}"); {kind} &{name} = {opened}{end}'
    if has_values:
        made[array.bracket] += "{{}, "
        if given[after] == "=":
            made[after] = ""
        used = ", {}}" + used
    made[array.end] = used
    return made
