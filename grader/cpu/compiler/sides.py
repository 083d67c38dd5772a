"""Which code of a translation unit runs where: on the host, on the device, or on both.

A function, and a lambda, has the side that its qualifiers say. A lambda without any has the side of
the function around it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .scopes import Scope, declaration_start
from .tokens import (
    BYTES,
    Tokens,
    closing,
    is_name,
    next_significant,
    opening,
    opening_angle,
    previous_significant,
    significant,
)

QUALIFIERS = ("__device__", "__global__")
HOST, DEVICE, KERNEL, BOTH = "__host__", "__device__", "__global__", "__host__ __device__"
_WITH_PARENTHESES = ("__attribute__", "__attribute", "alignas", "decltype", "noexcept", "explicit")
_ENDS = (";", "=", "}")
_MARKER = re.compile(r'^# (\d+) "((?:\\.|[^"\\])*)"[^\n]*', re.M)


@dataclass(frozen=True)
class Function:
    """A function or lambda with a qualifier. All numbers are indices of tokens."""

    name: int  # of a lambda its '['
    side: str
    parenthesis: int  # that opens the parameters; of a lambda without any its '{'
    body: tuple[int, int] | None  # the braces
    is_template: bool = False


class Sides:
    """The functions with __device__ or __global__, and the side of every token inside them."""

    def __init__(self, tokens: Tokens, scope_of: list[Scope]) -> None:
        self.functions: dict[int, Function] = {}
        self.lambdas: list[Function] = []
        for i, token in enumerate(tokens):
            if token not in QUALIFIERS:
                continue
            if function := _lambda(tokens, i) or _function(tokens, i):
                self.functions[function.name] = function
                if tokens[function.name] == "[":
                    self.lambdas.append(function)
        self.names = {tokens[name] for name in self.functions if is_name(tokens[name])}
        self.kernels = {tokens[n] for n, one in self.functions.items() if one.side == KERNEL}
        self.qualified = {qualified(tokens, name, scope_of[name]) for name in self.functions}
        self.with_body = [function for function in self.functions.values() if function.body]

        self.only_device = {
            tokens[name] for name, one in self.functions.items()
            if one.side in (DEVICE, KERNEL) and is_name(tokens[name])
        }  # fmt: skip

    def around(self, index: int) -> Function | None:
        """The innermost function with a qualifier whose body contains the token."""
        found = [one for one in self.with_body if one.body and one.body[0] <= index <= one.body[1]]
        return max(found, key=lambda one: one.name, default=None)

    def device_bodies(self) -> list[Function]:
        """The functions that only the device runs."""
        return [function for function in self.with_body if function.side in (DEVICE, KERNEL)]

    def computing(self, tokens: Tokens) -> frozenset[str]:
        """The functions that no compiler computes."""
        return frozenset(
            tokens[name] for name in self.functions
            if "constexpr" not in tokens[declaration_start(tokens, name) : name]
        )  # fmt: skip


def qualified(tokens: Tokens, name: int, scope: Scope) -> tuple[str, ...]:
    """The name of a function with its namespaces and classes."""
    parts = [tokens[name]]
    if tokens[name] == "operator":
        end = next((i for i in range(name + 2, len(tokens)) if tokens[i] == "("), name + 2)
        parts = ["".join(significant(tokens, name, end))]
    i = previous_significant(tokens, name - 1)
    while i > 0 and tokens[i] == "::":
        i = previous_significant(tokens, i - 1)
        if tokens[i] == ">":
            i = previous_significant(tokens, opening_angle(tokens, i) - 1)
        parts.insert(0, tokens[i])
        i = previous_significant(tokens, i - 1)
    return (*(word for word in scope if word), *parts)


def _lambda(tokens: Tokens, index: int) -> Function | None:
    """`[=] __device__ (int i) {` or `[=](int i) __device__ {`."""
    before = previous_significant(tokens, index - 1)
    while before >= 0 and tokens[before] in (*QUALIFIERS, "__host__", "mutable"):
        before = previous_significant(tokens, before - 1)
    if before < 0:
        return None
    if tokens[before] == ")":
        before = previous_significant(tokens, opening(tokens, before) - 1)
    if before < 0 or tokens[before] != "]":
        return None
    bracket = opening(tokens, before)
    if _is_attribute(tokens, bracket):  # [[nodiscard]] __device__
        return None
    i = next_significant(tokens, before + 1)
    words = []
    while i < len(tokens) and tokens[i] not in ("{", *_ENDS):
        words.append(tokens[i])
        i = closing(tokens, i) if tokens[i] == "(" else i
        i = next_significant(tokens, i + 1)
    if i >= len(tokens) or tokens[i] != "{":
        return None
    return Function(bracket, _side(words), before + 1, (i, closing(tokens, i)))


def _function(tokens: Tokens, index: int) -> Function | None:
    """The function whose declaration contains the qualifier; None for a variable."""
    name, i = -1, index + 1
    while i < len(tokens) and tokens[i] not in (*_ENDS, "{"):
        token = tokens[i]
        if token in _WITH_PARENTHESES:
            after = next_significant(tokens, i + 1)
            i = closing(tokens, after) if tokens[after : after + 1] == ["("] else i
        elif token == "operator":
            name = i
            i = _after_operator(tokens, i)
            break
        elif token == "[" and not _is_attribute(tokens, i):
            return None
        elif token == "[":
            i = closing(tokens, i)
        elif token == "<":
            i = after_angle(tokens, i)
            continue
        elif token == "(":
            break
        elif is_name(token) or token == "~":
            name = i if name < 0 or tokens[previous_significant(tokens, i - 1)] != "~" else name
        i += 1
    if name < 0 or i >= len(tokens) or tokens[i] != "(":
        return None
    if tokens[next_significant(tokens, i + 1)] in ("*", "&") and tokens[name] != "operator":
        name = _in_declarator(tokens, i)
        i = next_significant(tokens, name + 1)
        if tokens[i : i + 1] != ["("]:
            return None  # a pointer to a function, not a function that returns one
    start = declaration_start(tokens, index)
    head = significant(tokens, start, name)
    body = _body(tokens, closing(tokens, i))
    return Function(name, _side(head), i, body, "template" in head)


def _in_declarator(tokens: Tokens, parenthesis: int) -> int:
    """The name in `(*name)` and `(&name(int))`."""
    i = next_significant(tokens, parenthesis + 1)
    while i + 1 < len(tokens) and (tokens[i] == "const" or not is_name(tokens[i])):
        i += 1
    return i


def _side(words: Tokens) -> str:
    if KERNEL in words:
        return KERNEL
    return BOTH if "__host__" in words else DEVICE


def _is_attribute(tokens: Tokens, index: int) -> bool:
    return tokens[next_significant(tokens, index + 1)] == "["


def _after_operator(tokens: Tokens, index: int) -> int:
    """The parenthesis that opens the parameters of `operator+`, `operator()`, `operator float`."""
    i = next_significant(tokens, index + 1)
    if tokens[i] == "(":
        i = next_significant(tokens, i + 1) + 1
    while i < len(tokens) and tokens[i] not in ("(", ";", "{"):
        i += 1
    return i


def after_angle(tokens: Tokens, index: int) -> int:
    """The token after the template arguments that begin at `index`."""
    depth = 0
    for i in range(index, min(index + 400, len(tokens))):
        if tokens[i] == "<":
            depth += 1
        elif tokens[i] in (">", ">>>"):
            depth -= len(tokens[i])
            if depth <= 0:
                return i + 1
        elif tokens[i] in (";", "{"):
            break
    return index + 1


def _body(tokens: Tokens, parenthesis: int) -> tuple[int, int] | None:
    """The braces after a function's parameters; None for a declaration or `= default`."""
    i = next_significant(tokens, parenthesis + 1)
    in_initialisers = False
    while i < len(tokens) and tokens[i] not in (";", "="):
        if tokens[i] == ":":
            in_initialisers = True
        elif tokens[i] == "{":
            before = previous_significant(tokens, i - 1)
            if not in_initialisers or tokens[before] in (")", "}"):
                return i, closing(tokens, i)
            i = closing(tokens, i)  # member{value}
        elif tokens[i] == "(":
            i = closing(tokens, i)
        i = next_significant(tokens, i + 1)
    return None


Place = tuple[str, int, int]  # file, line, column


def positions(tokens: Tokens) -> list[Place]:
    """File, line and column of each token, as a compiler reads the joined text."""
    file, line, column = "", 1, 1
    found = []
    for token in tokens:
        found.append((file, line, column))
        if "\n" in token or token.startswith("#"):
            file, line = _after(token, file, line)
            end = token.rfind("\n") + 1
            column = 1 + bytes_of(token[end:]) if end or not token.startswith("#") else column
        else:
            column += bytes_of(token)
    return found


def bytes_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors=BYTES))


def _after(token: str, file: str, line: int) -> tuple[str, int]:
    markers = list(_MARKER.finditer(token))
    if markers:
        marker = markers[-1]
        return marker[2], int(marker[1]) - 1 + token.count("\n", marker.end())
    return file, line + token.count("\n")
