"""Which expressions have one value for all threads of a block."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from ..scopes import FUNCTION, Scope
from ..sides import after_angle
from ..tokens import (
    Tokens,
    closing,
    is_blank,
    is_name,
    next_significant,
    previous_significant,
    significant,
)

SAME, EACH = "same for all threads", "computed by each thread"
TYPES = frozenset(
    "void bool char short int long float double unsigned signed auto size_t ptrdiff_t uchar ushort "
    "uint ulong int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t"
    .split()
)  # fmt: skip
QUALIFIERS = frozenset("const volatile constexpr typename struct enum".split())
_VALUES = frozenset(
    "true false nullptr sizeof alignof std blockIdx blockDim gridDim warpSize".split()
)
_PURE = frozenset(
    "min max abs umin umax sizeof __mul24 __umul24 __popc __popcll __clz __ffs __brev".split()
)
_BUILTIN = re.compile(r"__builtin_(inf|huge_val|nan)[fl]?")
# Before a parenthesis: what is in it stays as it is.
_GIVE_BACK = (
    _PURE | TYPES | frozenset("if while switch return = + - * / % ( , < > <= >= == !=".split())
)
ASSIGNS = frozenset("= += -= *= /= %= &= |= ^= <<= >>=".split())
COUNTS = frozenset(("++", "--"))
CHANGES = ASSIGNS | COUNTS


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
    is_const: bool = False
    is_of_block: bool = False  # declared outside of the loops over threads
    is_lent: bool = False  # to each of these loops, which may not change it
    changes: bool = False  # a statement changes it, for all threads
    is_late: bool = False  # declared after such a statement, without a barrier between
    is_used_again: bool = False  # a later part computes it again
    reads: bool = False  # its value is more than numbers and indices: memory, a call


Known = dict[str, Variable]


class Names:
    """What is known of a translation unit's names outside of functions: constants, and functions
    whose value depends on their arguments alone. `computing` are functions that are not constexpr.
    """

    def __init__(self, tokens: Tokens, scope_of: list[Scope], computing: frozenset[str]) -> None:
        self.constants: set[str] = set()
        self.functions: set[str] = set(_PURE)
        of_memory: set[str] = set()
        depth = 0  # of parentheses: what is in them are parameters
        for i, token in enumerate(tokens):
            depth += (token == "(") - (token == ")")
            if token in ("constexpr", "const") and not depth and FUNCTION not in scope_of[i]:
                self._add(tokens, i, of_memory)
            elif token == "template":
                self._add_parameters(tokens, i)
        self.functions -= of_memory | computing

    def _add(self, tokens: Tokens, index: int, of_memory: set[str]) -> None:
        """What the declaration with this `const` or `constexpr` names."""
        i = index + 1
        while i < len(tokens) and tokens[i] not in (";", "}", ")"):
            before = tokens[previous_significant(tokens, i - 1)]
            if tokens[i] == "*" and tokens[next_significant(tokens, i + 1)] != "const":
                return  # what it points to is constant
            if tokens[i] in ("=", "{"):
                self.constants.add(before)
                i = _end_of_value(tokens, i)
                if tokens[i] != ",":
                    return
            elif tokens[i] == "(":
                words = significant(tokens, i, closing(tokens, i))
                takes_memory = tokens[index] == "const" or {"*", "&", "["} & set(words)
                (of_memory if takes_memory else self.functions).add(before)
                return
            elif tokens[i] == ",":
                return  # between parameters
            i = after_angle(tokens, i) if tokens[i] == "<" else i + 1

    def _add_parameters(self, tokens: Tokens, index: int) -> None:
        start = next_significant(tokens, index + 1)
        if tokens[start] == "<":
            words = significant(tokens, start, after_angle(tokens, start))
            self.constants |= {word for word in words if is_name(word)}


def _end_of_value(tokens: Tokens, index: int) -> int:
    """The comma or semicolon after a variable's value."""
    while index < len(tokens) and tokens[index] not in (",", ";", ")", "}"):
        index = closing(tokens, index) + 1 if tokens[index] in ("(", "[", "{") else index + 1
    return index


def operators(tokens: Tokens, first: int, last: int) -> list[tuple[str, int]]:
    """The tokens with their indices; an operator is one, as in C++: `+=`, `==`, `++`."""
    found: list[tuple[str, int]] = []
    for i in range(first, last + 1):
        token = tokens[i]
        if is_blank(token):
            continue
        before, at = found[-1] if found else ("", -2)
        if _joins(before, token) and i == at + _pieces(before):
            found[-1] = (before + token, at)
        else:
            found.append((token, i))
    return found


def _pieces(operator: str) -> int:
    """How many tokens it is made of."""
    return {"<<=": 2, ">>=": 2, "<=": 1, ">=": 1, "<<": 1}.get(operator, len(operator))


def _joins(before: str, token: str) -> bool:
    if token == "=":
        return before in ("=", "!", "+", "-", "*", "/", "%", "&", "|", "^", "<<")
    if token == ">=":
        return before == ">"
    return token == before and token in ("+", "-", "&", "|", ">")


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
            elif after in CHANGES or before in ("++", "--"):
                self._changed.setdefault(word, []).append(at)
            elif before == "&" and not _is_operand(words[k - 2][0]):
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


def _has_between(places: list[int], first: int, last: int) -> bool:
    return bisect_left(places, first) < bisect_right(places, last)


def _is_operand(word: str) -> bool:
    return is_name(word) or word[0].isdigit() or word in (")", "]")


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
            if word in ("*", "&") and not _is_operand(before):
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
