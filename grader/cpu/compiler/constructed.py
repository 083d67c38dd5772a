"""Variables that a constructor makes. A device has what is known while the program is compiled, so
the compiler has to do all of a constructor's work. One that does nothing is no matter."""

from __future__ import annotations

from collections.abc import Iterator

from .scopes import FUNCTION, Scope, declaration_start
from .tokens import (
    Tokens,
    closing,
    is_name,
    next_significant,
    opening_angle,
    previous_significant,
    significant,
)

_CLASS_KEYS = ("struct", "class")
ALL_KEYS = (*_CLASS_KEYS, "union", "enum")
_NUMBERS = ("int", "char", "short", "long", "unsigned", "signed", "float", "double", "bool")
_ON_DEVICE = ("__device__", "__constant__", "__managed__")
WITH_PARENTHESES = ("__attribute__", "__attribute", "alignas", "decltype")


class Constructors:
    """Whether C() has initialisers or statements, as a class of this file says."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._working: dict[str, int] = {}
        self._classes: dict[str, list[int]] = {}
        for i, token in enumerate(tokens):
            if token in _CLASS_KEYS and (name := next_significant(tokens, i + 1)) < len(tokens):
                self._classes.setdefault(tokens[name], []).append(name)

    def work_of(self, name: str) -> bool:
        return self._index_of(name) >= 0

    def work_late(self, name: str) -> bool:
        """It does so when the program runs: C() is not constexpr."""
        index = self._index_of(name)
        if index < 0:
            return False
        head = self._tokens[declaration_start(self._tokens, index) : index]
        return not {"constexpr", "consteval"} & set(head)

    def _index_of(self, name: str) -> int:
        """Where the C() is that does something; -1 if there is none."""
        if name not in self._working:
            classes = [] if name in _NUMBERS else self._classes.get(name, [])
            self._working[name] = max((self._in_class(name, i) for i in classes), default=-1)
        return self._working[name]

    def _in_class(self, name: str, index: int) -> int:
        tokens = self._tokens
        brace = next((j for j in range(index, len(tokens)) if tokens[j] in ("{", ";", "(")), index)
        if tokens[brace] != "{":
            return -1
        return _working(tokens, name, brace + 1, closing(tokens, brace))


def is_constructed(tokens: Tokens, index: int, end: int, constructors: Constructors) -> bool:
    """Of the declaration from `index` to `end`: `C c(1)`, `C c{1}`, and `C c` if C() does work."""
    i = _after_name(tokens, index, end)
    opens = i < end and tokens[i] in ("(", "{")
    if opens and (given := significant(tokens, i + 1, closing(tokens, i))):
        is_number = _type_before(tokens, i) in _NUMBERS and not any(map(is_name, given))
        is_pointer = tokens[i] == "(" and given[0] == "*"  # to a function
        return not is_number and not is_pointer
    if i < end and tokens[i] == "=":
        return _type_before(tokens, i) not in ("", *_NUMBERS)
    if i < end and not opens and tokens[i] != "[":
        return False
    return constructors.work_of(_type_before(tokens, i))


def shared_constructors(tokens: Tokens) -> Iterator[tuple[int, str]]:
    """`__shared__ C c;`: neither nvcc nor the rewriter runs C()."""
    constructors = Constructors(tokens)
    for i, token in enumerate(tokens):
        if token != "__shared__":
            continue
        end = next((j for j in range(i, len(tokens)) if tokens[j] == ";"), i)
        name = _after_name(tokens, i, end)
        if tokens[name] in (";", "[") and is_constructed(tokens, i, end, constructors):
            yield i, ("nobody runs the constructor of a __shared__ variable: give it its values in "
                      "one thread, before a __syncthreads()")  # fmt: skip


def _after_name(tokens: Tokens, index: int, end: int) -> int:
    """The first of `( { [ = , ;` after the name of the variable."""
    i, angle = index, 0
    while i < end:
        token = tokens[i]
        if token in WITH_PARENTHESES:
            i = closing(tokens, next_significant(tokens, i + 1))
        elif token == "[" and tokens[next_significant(tokens, i + 1)] == "[":
            i = closing(tokens, i)
        elif angle == 0 and token in ("(", "{", "[", "=", ","):
            return i
        elif token in ALL_KEYS:
            brace = next((j for j in range(i, end) if tokens[j] in ("{", "(", "=")), end)
            i = closing(tokens, brace) if tokens[brace] == "{" else i
        angle += (token == "<") - (token == ">")
        i += 1
    return end


def _type_before(tokens: Tokens, end: int) -> str:
    """`C` of `C c`, `n::C c` and `C<int> c`."""
    name = previous_significant(tokens, end - 1)
    before = previous_significant(tokens, name - 1)
    if before >= 0 and tokens[before] == ">":
        before = previous_significant(tokens, opening_angle(tokens, before) - 1)
    return tokens[before] if before >= 0 and is_name(tokens[before]) else ""


def arrays(
    tokens: Tokens, scope_of: list[Scope], bodies: list[tuple[int, int]]
) -> Iterator[tuple[int, str]]:
    """`__device__ C c[4];`, also static in one of these bodies of device functions. Of arrays g++
    does not find that C() is no constant."""
    outside = (i for i, token in enumerate(tokens)
               if token in _ON_DEVICE and FUNCTION not in scope_of[i])  # fmt: skip
    inside = (i for body in bodies for i in range(*body) if tokens[i] == "static")
    constructors = Constructors(tokens)
    for i in (*outside, *inside):
        end = next((j for j in range(i, len(tokens)) if tokens[j] == ";"), i)
        bracket = _after_name(tokens, i, end)
        is_late = tokens[bracket] == "[" and constructors.work_late(_type_before(tokens, bracket))
        if is_late and _has_no_values(tokens, bracket) and "__shared__" not in tokens[i:end]:
            yield i, (f"variable ‘{tokens[previous_significant(tokens, bracket - 1)]}’ of the "
                      "device has an initialiser that is computed when the program runs: it must "
                      "be a constant")  # fmt: skip


def _has_no_values(tokens: Tokens, bracket: int) -> bool:
    """`[4];` or `[2][3];`: of others g++ does find it."""
    while tokens[bracket] == "[":
        bracket = next_significant(tokens, closing(tokens, bracket) + 1)
    return tokens[bracket] in (";", ",")


def _working(tokens: Tokens, name: str, begin: int, end: int) -> int:
    i = begin
    while i < end:
        if tokens[i] == "{":
            i = closing(tokens, i)
        elif tokens[i] == name and tokens[next_significant(tokens, i + 1)] == "(":
            is_destructor = tokens[previous_significant(tokens, i - 1)] == "~"
            parenthesis = next_significant(tokens, i + 1)
            last = closing(tokens, parenthesis)
            if not is_destructor and _needs_nothing(significant(tokens, parenthesis + 1, last)):
                after = next((j for j in range(last, end) if tokens[j] in (":", "{", ";")), end)
                return i if tokens[after] == ":" or _has_statements(tokens, after) else -1
        i += 1
    return -1


def _has_statements(tokens: Tokens, brace: int) -> bool:
    return tokens[brace] == "{" and bool(significant(tokens, brace + 1, closing(tokens, brace)))


def _needs_nothing(parameters: Tokens) -> bool:
    return not parameters or parameters.count("=") == parameters.count(",") + 1
