"""What is known of a translation unit's names outside of functions: constants, and functions whose
value depends on their arguments alone."""

from __future__ import annotations

from ..scopes import FUNCTION, Scope
from ..sides import after_angle
from ..tokens import Tokens, closing, is_name, next_significant, previous_significant, significant
from .operators import TYPES, is_unary, operators

PURE = frozenset(
    "min max abs umin umax sizeof __mul24 __umul24 __popc __popcll __clz __ffs __brev".split()
)
_NO_CALL = frozenset("if while for switch return sizeof static_cast alignof decltype".split())


class Names:
    """`computing` are functions that are not constexpr."""

    def __init__(self, tokens: Tokens, scope_of: list[Scope], computing: frozenset[str]) -> None:
        self.constants: set[str] = set()
        self.functions: set[str] = set(PURE)
        of_memory: set[str] = set()
        self._called: dict[str, set[str]] = {}  # by constexpr functions
        depth = 0  # of parentheses: what is in them are parameters
        for i, token in enumerate(tokens):
            depth += (token == "(") - (token == ")")
            if token in ("constexpr", "const") and not depth and FUNCTION not in scope_of[i]:
                self._add(tokens, i, of_memory)
            elif token == "template":
                self._add_parameters(tokens, i)
        self.functions -= of_memory | computing
        while more := {
            name for name, called in self._called.items() if not called <= self.functions
        }:
            self.functions -= more
            self._called = {n: c for n, c in self._called.items() if n not in more}

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
                takes_memory = tokens[index] == "const" or self._takes_memory(tokens, i)
                (of_memory if takes_memory else self.functions).add(before)
                return
            elif tokens[i] == ",":
                return  # between parameters
            i = after_angle(tokens, i) if tokens[i] == "<" else i + 1

    def _takes_memory(self, tokens: Tokens, parenthesis: int) -> bool:
        """Of the function with these parameters; notes what it calls."""
        end = closing(tokens, parenthesis)
        if {"*", "&", "["} & set(tokens[parenthesis:end]):
            return True
        brace = next((i for i in range(end, len(tokens)) if tokens[i] in ("{", ";", "=")), end)
        if tokens[brace] != "{":
            return False
        words = operators(tokens, brace, closing(tokens, brace))
        called = self._called.setdefault(
            tokens[previous_significant(tokens, parenthesis - 1)], set()
        )
        for k, (word, _) in enumerate(words[:-1]):
            if word in ("[", "->") or is_unary(words, k, {}):
                return True
            if is_name(word) and words[k + 1][0] == "(" and word not in _NO_CALL | TYPES:
                called.add(word)
        return False

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
