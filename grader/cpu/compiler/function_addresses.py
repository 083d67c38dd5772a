"""Host code that hands on the address of a function of the device: it is the host's own."""

from __future__ import annotations

from collections.abc import Iterator

from .scopes import FUNCTION, Scope, declaration_start
from .sides import DEVICE, Sides, after_angle
from .suspects import declares
from .tokens import Tokens, closing, next_significant, previous_significant

_ADDRESS_OF_FUNCTION = (
    "{what} the host's address of `{name}`, where a GPU finds no function: take the device's, of "
    "`__device__ auto p = {name};`, with cudaMemcpyFromSymbol()"
)


def functions_as_arguments(
    tokens: Tokens, scope_of: list[Scope], sides: Sides
) -> Iterator[tuple[int, str]]:
    """`apply<<<1, 1>>>(twice)` in host code: nvcc says nothing, and a GPU jumps to nowhere."""
    for i, token in enumerate(tokens):
        opener = next_significant(tokens, i + 1)
        if token != ">>>" or tokens[opener : opener + 1] != ["("] or sides.around(i):
            continue
        for j in range(opener + 1, closing(tokens, opener)):
            name = tokens[j]
            if name in sides.names and FUNCTION in scope_of[j] and _is_whole(tokens, j):
                if _is_only_declared(tokens, j, sides):
                    yield j, _ADDRESS_OF_FUNCTION.format(what="the kernel gets", name=name)


def addresses_of_functions(
    tokens: Tokens, scope_of: list[Scope], sides: Sides
) -> Iterator[tuple[int, str]]:
    """`Step h = twice;` in host code, where only the device has `twice`: nvcc says nothing."""
    names = {tokens[k] for k, one in sides.functions.items() if one.side == DEVICE}
    for i, token in enumerate(tokens):
        if token not in names or FUNCTION not in scope_of[i] or sides.around(i):
            continue
        before = previous_significant(tokens, i - 1)
        if tokens[before] == "&":
            before = previous_significant(tokens, before - 1)
        words = tokens[declaration_start(tokens, i) : i]
        is_whole = tokens[before] == "=" and tokens[next_significant(tokens, i + 1)] == ";"
        if is_whole and "constexpr" not in words and _is_only_declared(tokens, i, sides):
            yield i, _ADDRESS_OF_FUNCTION.format(what="this is", name=token)


def _is_only_declared(tokens: Tokens, index: int, sides: Sides) -> bool:
    """Whether the name means the function: no variable before has it."""
    return not any(tokens[k] == tokens[index] and k not in sides.functions
                   and _may_declare(tokens, k) for k in range(index))  # fmt: skip


def _may_declare(tokens: Tokens, index: int) -> bool:
    """Also `int n = 1, name = 2;` and `auto [n, name]`."""
    before = previous_significant(tokens, index - 1)
    if declares(tokens, index) or tokens[before] != ",":
        return declares(tokens, index)
    words = tokens[declaration_start(tokens, index) : index]
    return words.count("(") == words.count(")")


def _is_whole(tokens: Tokens, index: int) -> bool:
    """Whether an argument of a call is this name, or its address."""
    before, after = previous_significant(tokens, index - 1), next_significant(tokens, index + 1)
    if tokens[before] == "&":
        before = previous_significant(tokens, before - 1)
    if tokens[after] == "<":
        after = next_significant(tokens, after_angle(tokens, after))
    return tokens[before] in ("(", ",") and tokens[after] in (")", ",")
