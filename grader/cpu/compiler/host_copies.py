"""The host's copies of variables of the device: what `cudaMemcpy(table, ...)` gets as an address.

In host code the name of such a variable means a copy that no kernel sees, so its address is one of
the host. Here there is one variable only. So where host code takes its address and does not say
that it means a symbol, it gets the address of other bytes, and what is wrong fails as on a GPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .scopes import FUNCTION, Scope, declaration_start
from .sides import Sides
from .tokens import Tokens, is_name, next_significant, opening, previous_significant

_TAKES_ADDRESSES = re.compile(r"cuda(Memcpy|Memset)(2D|3D)?(Async)?|cudaFree(Async)?")
_COPY = "::cuda_on_cpu::host_copy_of"


def host_copies(tokens: Tokens, addresses: list[int]) -> dict[int, str]:
    """What names are replaced with, by their index."""
    return {i: f"{_COPY}({tokens[i]})" for i in addresses}


def addresses_in_host_code(tokens: Tokens, scope_of: list[Scope]) -> list[int]:
    """The names in host code whose address is given away."""
    if "__device__" not in tokens and "__constant__" not in tokens:
        return []
    arrays, others = _variables(tokens, scope_of)
    names = arrays | others
    found = [
        i for i, token in enumerate(tokens)
        if token in names and FUNCTION in scope_of[i]
        and _is_address(tokens, i, token in arrays) and _is_given_away(tokens, i)
    ]  # fmt: skip
    if not found:
        return []
    sides = Sides(tokens, scope_of)
    return [i for i in found if not sides.around(i)]


def _variables(tokens: Tokens, scope_of: list[Scope]) -> tuple[set[str], set[str]]:
    """Arrays, and what is none; no templates, and no names that a function has for its own."""
    arrays: set[str] = set()
    others: set[str] = set()
    declared: set[int] = set()
    for i, token in enumerate(tokens):
        if token not in ("__device__", "__constant__") or FUNCTION in scope_of[i]:
            continue
        name, end = _declared(tokens, i)
        head = tokens[declaration_start(tokens, i) : end]
        if name and not {"template", "extern", "__managed__"} & set(head):
            (arrays if tokens[end] == "[" else others).add(tokens[name])
            declared.add(name)
    names = arrays | others
    hidden = {token for i, token in enumerate(tokens)
              if token in names and i not in declared and _hides(tokens, i)}  # fmt: skip
    return arrays - hidden, others - hidden


def _declared(tokens: Tokens, index: int) -> tuple[int, int]:
    """The variable's name, 0 for a function, and what comes after it."""
    name, i = 0, index + 1
    while i < len(tokens) and tokens[i] not in (";", "=", "[", "{", "(", ","):
        name = i if is_name(tokens[i]) else name
        i += 1
    is_variable = i < len(tokens) and tokens[i] in (";", "=", "[")
    return (name if is_variable else 0, i)


def _hides(tokens: Tokens, index: int) -> bool:
    """`int table[4]` in a function, or a parameter of that name."""
    before = tokens[previous_significant(tokens, index - 1)]
    return (is_name(before) and before not in ("return", "else", "sizeof", "case")) or (
        before in ("*", "&", ">") and is_name(tokens[_before(tokens, index, 2)])
        and tokens[next_significant(tokens, index + 1)] in (";", "=", ",", ")", "[")
        and tokens[_before(tokens, index, 3)] in (";", "{", "}", "(", ",", "const", "*")
    )  # fmt: skip


def _before(tokens: Tokens, index: int, count: int) -> int:
    for _ in range(count):
        index = previous_significant(tokens, index - 1)
    return index


def _is_address(tokens: Tokens, index: int, is_array: bool) -> bool:
    """`table`, `table + 3`, `&table[3]`, `&count`."""
    before, after = (tokens[_before(tokens, index, 1)], tokens[next_significant(tokens, index + 1)])
    if before == "&":
        return tokens[_before(tokens, index, 2)] in ("(", ",", "=", ")")
    return is_array and before in ("(", ",", "=", ")") and after in (")", ",", ";", "+", "-")


def _is_given_away(tokens: Tokens, index: int) -> bool:
    """To a call that wants an address, to a kernel, or to a pointer."""
    start = index
    while tokens[start] not in (";", "{", "}"):
        start = previous_significant(tokens, start - 1)
        if tokens[start] == ")":
            start = opening(tokens, start)
        elif tokens[start] == "=":
            is_reference = tokens[_before(tokens, start, 2)] == "&"
            return not is_reference and tokens[_before(tokens, start, 1)] not in ("]", ")")
        elif tokens[start] == "(":
            name = previous_significant(tokens, start - 1)
            if tokens[name] == ">>>" or _TAKES_ADDRESSES.fullmatch(tokens[name]):
                return True
            if is_name(tokens[name]) or tokens[name] == ">":
                return False
    return False


def warnings(tokens: Tokens, addresses: list[int]) -> Iterator[tuple[int, str]]:
    for i in addresses:
        yield i, (f"host code takes the address of `{tokens[i]}`, a variable of the device, and "
                  "gets that of the host's copy: use cudaMemcpyToSymbol() or "
                  "cudaGetSymbolAddress()")  # fmt: skip
