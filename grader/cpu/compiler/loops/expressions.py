"""Which expressions have one value for all threads of a block."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from ..sides import after_angle
from ..tokens import Tokens, is_name
from .names import PURE, Names
from .operators import CHANGES, COUNTS, TYPES, Words, is_unary, operators

SAME, EACH = "same for all threads", "computed by each thread"
QUALIFIERS = frozenset("const volatile constexpr typename struct enum".split())
_VALUES = frozenset(
    "true false nullptr sizeof alignof std blockIdx blockDim gridDim warpSize".split()
)
_BUILTIN = re.compile(r"__builtin_(inf|huge_val|nan)[fl]?")
# Before a parenthesis: what is in it stays as it is.
_GIVE_BACK = (
    PURE | TYPES | frozenset("if while switch return = + - * / % ( , < > <= >= == !=".split())
)


@dataclass
class Variable:
    """A parameter, or a variable that is declared among the statements between barriers. `text`
    declares it again with its value, `bare` without one; `type` is "" if it cannot be written down.
    """

    name: str
    kind: str  # SAME, EACH, or "" if only its thread knows the value
    place: tuple[int, int, int] = (-1, -1, -1)  # tokens: first of the declarator, its name, last
    text: str = ""
    bare: str = ""
    type: str = ""
    needs: list[Variable] = field(default_factory=list)  # to be computed
    is_pointer: bool = False
    is_array: bool = False
    is_class: bool = False  # or a type with a name of its own, which may be one
    is_const: bool = False
    is_of_block: bool = False  # declared outside of the loops over threads
    is_lent: bool = False  # to each of these loops, which may not change it
    changes: bool = False  # a statement changes it, for all threads
    is_late: bool = False  # declared after such a statement, without a barrier between
    is_used_again: bool = False  # a later part computes it again
    may_point: bool = False  # to what only its thread has
    reads: bool = False  # its value is more than numbers and indices: memory, a call
    equals: int = -1  # the token before a value that a constant's may be, in a variable


Known = dict[str, Variable]


class Changes:
    """Where a function says that a variable gets another value, or where something else could say
    it: what takes its address, or gets it as an argument, perhaps by reference."""

    def __init__(self, tokens: Tokens, body: tuple[int, int], values: set[tuple[str, int]]) -> None:
        """`values` are arguments that a function gets a copy of: its name, and their place."""
        self._changed: dict[str, list[int]] = {}
        self._lent: dict[str, list[int]] = {}
        words = operators(tokens, *body)
        calls: list[tuple[str, int]] = []  # of each parenthesis that is open: commas since then
        for k, (word, at) in enumerate(words[:-1]):
            before, after = words[k - 1][0], words[k + 1][0]
            if word in ("(", "{"):
                calls.append((before, 0))
            elif word in (")", "}"):
                calls.pop()
            elif word == ",":
                calls[-1] = calls[-1][0], calls[-1][1] + 1
            elif not is_name(word) or not k:
                continue
            elif after in CHANGES or before in COUNTS or _changes_member(words, k):
                self._changed.setdefault(word, []).append(at)
            elif before == "&" and is_unary(words, k - 1, {}):
                self._changed.setdefault(word, []).append(at)
            elif before in ("(", "{", ",") and after in (")", "}", ","):
                if calls[-1][0] not in _GIVE_BACK and calls[-1] not in values:
                    self._lent.setdefault(word, []).append(at)
            elif before == "=" and words[k - 3][0] == "&":
                self._lent.setdefault(word, []).append(at)

    def of(self, name: str, first: int, last: int) -> bool:
        return _has_between(self._changed.get(name, []), first, last)

    def possibly_of(self, name: str, first: int, last: int) -> bool:
        return self.of(name, first, last) or _has_between(self._lent.get(name, []), first, last)


def _changes_member(words: Words, k: int) -> bool:
    """`name.x += 1`, `name.part.place[2] = 1` and `name.move()`, where word `k` is the name."""
    after = k + 1
    while after < len(words) and words[k + 1][0] == "." and words[after][0] in (".", "["):
        if words[after][0] == "[":
            depth = 1
            while depth and after + 1 < len(words):
                after += 1
                depth += (words[after][0] == "[") - (words[after][0] == "]")
            after += 1
        else:
            after += 2
    return after > k + 1 and after < len(words) and words[after][0] in CHANGES | {"("}


def _has_between(places: list[int], first: int, last: int) -> bool:
    return bisect_left(places, first) < bisect_right(places, last)


class Expressions:
    """Whether an expression has the same value for all threads."""

    def __init__(self, tokens: Tokens, names: Names) -> None:
        self._tokens, self._names = tokens, names

    def kind(self, first: int, last: int, known: Known) -> tuple[str, list[Variable]]:
        """SAME, EACH or "", and the variables that are in it."""
        words = operators(self._tokens, first, last)
        kind, needs, k = SAME, [], 0
        while k < len(words):
            word, at = words[k]
            before = words[k - 1][0] if k else ""
            after = words[k + 1][0] if k + 1 < len(words) else ""
            if word in ("[", "->", "{") or word in CHANGES:
                return "", []
            if is_unary(words, k, known):
                return "", []
            if is_name(word) and after != "::":
                if word in ("static_cast", "reinterpret_cast", "const_cast"):
                    end = after_angle(self._tokens, words[k + 1][1])
                    k = next((n for n in range(k, len(words)) if words[n][1] >= end), len(words))
                    continue
                found, variable = self._name(word, before, after, known)
                if variable:
                    needs.append(variable)
                if not found:
                    return "", []
                kind = EACH if EACH in (found, kind) else SAME
            k += 1
        return kind, needs

    def may_point(self, first: int, last: int, known: Known) -> bool:
        """Whether this may be the address of what a thread has: its next part has it elsewhere."""
        words = [word for word, _ in operators(self._tokens, first, last)]
        for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
            variable = known.get(word)
            if variable is None or variable.is_of_block:
                continue
            points_elsewhere = variable.is_pointer and after in ("[", "->")
            if before == "&" and not points_elsewhere or variable.may_point:
                return True
            if variable.is_array and after != "[":
                return True
        return False

    def _name(
        self, word: str, before: str, after: str, known: Known
    ) -> tuple[str, Variable | None]:
        if before == ".":
            return ("" if after == "(" else SAME), None
        if word in known:
            return ("" if after == "(" else known[word].kind), known[word]
        if word == "threadIdx":
            return EACH, None
        if after == "(":
            is_known = word in TYPES or word in self._names.functions
            return (SAME if is_known or _BUILTIN.fullmatch(word) else ""), None
        constant = word in _VALUES or word in TYPES or word in self._names.constants
        return (SAME if constant or word in QUALIFIERS else ""), None
