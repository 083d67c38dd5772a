"""Variables that a constructor makes. A device has what is known while the program is compiled, so
the compiler has to do all of a constructor's work. One that does nothing is no matter."""

from __future__ import annotations

from collections.abc import Iterator

from .classes import CLASS_KEYS, NUMBERS, Constructors
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

ALL_KEYS = (*CLASS_KEYS, "union", "enum")
_ON_DEVICE = ("__device__", "__constant__", "__managed__")
WITH_PARENTHESES = ("__attribute__", "__attribute", "alignas", "decltype")


def is_constructed(
    tokens: Tokens, index: int, end: int, constructors: Constructors, in_function: bool = False
) -> bool:
    """Of the declaration from `index` to `end`: `C c(1)`, `C c{1}`, and `C c` if C() does work."""
    i = _after_name(tokens, index, end)
    opens = i < end and tokens[i] in ("(", "{")
    if opens and (given := significant(tokens, i + 1, closing(tokens, i))):
        is_number = _type_before(tokens, i) in NUMBERS and not any(map(is_name, given))
        is_pointer = tokens[i] == "(" and given[0] == "*"  # to a function
        return not is_number and not is_pointer
    if i < end and not opens and tokens[i] not in ("=", "["):
        return False
    after = _after_bounds(tokens, i)
    if tokens[after] == "=" or (tokens[i] == "[" and tokens[after] == "{"):
        return _type_before(tokens, i) not in ("", *NUMBERS)
    return constructors.work_of(_type_before(tokens, i), in_function)


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
        kind, in_function = _type_before(tokens, bracket), FUNCTION in scope_of[i]
        is_late = tokens[bracket] == "[" and constructors.work_late(kind, in_function)
        if is_late and _has_no_values(tokens, bracket) and "__shared__" not in tokens[i:end]:
            yield i, (f"variable ‘{tokens[previous_significant(tokens, bracket - 1)]}’ of the "
                      "device has an initialiser that is computed when the program runs: it must "
                      "be a constant")  # fmt: skip


def _has_no_values(tokens: Tokens, bracket: int) -> bool:
    """`[4];` or `[2][3];`: of others g++ does find it."""
    return tokens[_after_bounds(tokens, bracket)] in (";", ",")


def _after_bounds(tokens: Tokens, index: int) -> int:
    while index < len(tokens) and tokens[index] == "[":
        index = next_significant(tokens, closing(tokens, index) + 1)
    return index


def unfit(
    tokens: Tokens, scope_of: list[Scope], computing: frozenset[str]
) -> Iterator[tuple[int, str]]:
    """`__device__ C c(3);` without a C(), a lambda, and `int n(f());` with such a function f."""
    constructors = Constructors(tokens)
    for i, token in enumerate(tokens):
        if token not in _ON_DEVICE or FUNCTION in scope_of[i]:
            continue
        end = next((j for j in range(i, len(tokens)) if tokens[j] in (";", "{")), i)
        at = _after_name(tokens, i, end)
        name = tokens[previous_significant(tokens, at - 1)]
        after = _after_bounds(tokens, at)
        first = tokens[next_significant(tokens, after + 1)] if after < end else ""
        kind = _type_before(tokens, at)
        head = tokens[declaration_start(tokens, i) : at]
        needs_copy = {"const", "constexpr"}.isdisjoint(head)  # of the host's
        if tokens[after] == "=" and first == "[" and not _is_called(tokens, end):
            yield i, (f"variable `{name}` of the device is a lambda, which nvcc does not take: "
                      "write a struct with a __device__ operator()")  # fmt: skip
        elif tokens[at] == "(" and _is_call(tokens, at, computing):
            yield i, (f"variable ‘{name}’ of the device has an initialiser that is computed when "
                      "the program runs: it must be a constant")  # fmt: skip
        elif needs_copy and tokens[at] in ("=", "[", "{", "(") and constructors.are_missing(kind):
            if tokens[at] != "(" or not _is_parameter_list(tokens, at):
                yield i, (f"variable `{name}` of the device: `{kind}` has no constructor without "
                          f"arguments, which nvcc wants for the host's copy: add {kind}() = "
                          "default;")  # fmt: skip


def _is_called(tokens: Tokens, brace: int) -> bool:
    """Of a lambda with this body: `[] { return 3; }()`."""
    after = next_significant(tokens, closing(tokens, brace) + 1) if tokens[brace] == "{" else brace
    return tokens[after] == "("


def _is_call(tokens: Tokens, parenthesis: int, functions: frozenset[str]) -> bool:
    """`(f(3))`, where f is a function and no type."""
    name = next_significant(tokens, parenthesis + 1)
    opens = next_significant(tokens, name + 1)
    if tokens[name] not in functions or tokens[opens] != "(":
        return False
    return next_significant(tokens, closing(tokens, opens) + 1) == closing(tokens, parenthesis)


def _is_parameter_list(tokens: Tokens, parenthesis: int) -> bool:
    """Of a function that returns such an object: only numbers and texts are no types."""
    given = significant(tokens, parenthesis + 1, closing(tokens, parenthesis))
    return not given or is_name(given[0])
