"""In check mode: addresses of functions of both sides, as host code has them.

On a GPU such a function has two addresses, and a kernel that gets the host's, in a struct or
through memory, enters nothing. Here there is one function. So where host code of a program takes
its address, it gets that of another function, which says so when a kernel enters it
(include/cuda_on_cpu/host_function.hpp).
"""

from __future__ import annotations

from collections import Counter

from .scopes import FUNCTION, Braces, Scope, declaration_start
from .sides import BOTH, Sides
from .suspects import declares, host_names
from .tokens import Tokens, closing, is_name, next_significant, opening, previous_significant

_BEFORE = frozenset(("=", "{", "(", ",", "return", "?", ":"))
_AFTER = frozenset((";", ",", ")", "}", ":"))
_ASKS_FOR_TYPE = frozenset(("decltype", "sizeof", "typeid", "static_assert", "alignof"))
_AFTER_PARAMETERS = frozenset((")", "const", "noexcept", "override", "final"))


def of_the_host(tokens: Tokens, scope_of: list[Scope]) -> dict[int, str]:
    """What names of functions are replaced with, by their index."""
    if "__host__" not in tokens or "__device__" not in tokens:
        return {}
    sides = Sides(tokens, scope_of)
    names = _of_both_sides(tokens, scope_of, sides)
    return {i: f"::cuda_on_cpu::OfTheHost<{token}>::call" for i, token in enumerate(tokens)
            if token in names and FUNCTION in scope_of[i] and _is_value(tokens, i)
            and _is_in_host_function(tokens, scope_of, i) and not sides.around(i)}  # fmt: skip


def _of_both_sides(tokens: Tokens, scope_of: list[Scope], sides: Sides) -> set[str]:
    """Plain functions with one body, whose name means nothing else in the program."""
    entries = [
        (tokens[name], one) for name, one in sides.functions.items() if is_name(tokens[name])
    ]
    bodies = Counter(name for name, one in entries if one.body)
    parameters: dict[str, set[str]] = {}
    for name, one in entries:
        end = closing(tokens, one.parenthesis)
        parameters.setdefault(name, set()).add("".join(tokens[one.parenthesis : end]))
    others = {name for name, one in entries
              if one.side != BOTH or one.is_template or len(parameters[name]) > 1}  # fmt: skip
    braces = Braces(tokens)
    others |= {tokens[i] for i in sides.functions if braces.are_of_class(i)}
    others |= host_names(tokens, scope_of, sides).functions
    others |= {token for i, token in enumerate(tokens)
               if token in bodies and i not in sides.functions and declares(tokens, i)
               and not _is_value(tokens, i)}  # fmt: skip
    return {name for name, count in bodies.items() if count == 1} - others


def _is_value(tokens: Tokens, index: int) -> bool:
    """`= twice;`, `{twice, &twice}`, `call(twice)`; no template argument, nothing of its type."""
    before = previous_significant(tokens, index - 1)
    if tokens[before] == "&":
        before = previous_significant(tokens, before - 1)
    if tokens[before] not in _BEFORE or tokens[next_significant(tokens, index + 1)] not in _AFTER:
        return False
    start = declaration_start(tokens, index)
    i = before
    while i >= start and tokens[i] not in ("(", "{"):
        if tokens[i] == "<":
            return False
        i = (opening(tokens, i) if tokens[i] in (")", "]") else i) - 1
    asks = i >= start and tokens[previous_significant(tokens, i - 1)] in _ASKS_FOR_TYPE
    return not asks and "constexpr" not in tokens[start:index]


def _is_in_host_function(tokens: Tokens, scope_of: list[Scope], index: int) -> bool:
    """And not in the initialiser of a variable, which may be one of the device."""
    brace = next(i for i in range(index, -1, -1) if FUNCTION not in scope_of[i])
    return tokens[previous_significant(tokens, brace - 1)] in _AFTER_PARAMETERS
