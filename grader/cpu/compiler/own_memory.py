"""In check mode: a thread's own large variables are named, so that accesses to them are announced.

include/cuda_on_cpu/own_memory.hpp says why, and which are large. Programs that students run by
themselves have fences around such arrays as it is (local_arrays.py).
"""

from __future__ import annotations

from .local_arrays import NO_PLAIN_ARRAY, declarations
from .scopes import Braces, Scope
from .sides import HOST, Sides
from .tokens import Tokens, significant

_OWN = " ::cuda_on_cpu::own({});"
_NO_PLAIN = NO_PLAIN_ARRAY - {"auto"}
# One of these alone is small.
_SMALL = frozenset("bool char short int long unsigned signed float double const volatile *".split())


def large_variables(given: Tokens, scope_of: list[Scope]) -> dict[int, str]:
    """What comes after which token: a call for each variable that may be large."""
    if "__device__" not in given and "__global__" not in given:
        return {}
    added: dict[int, str] = {}
    braces = Braces(given)
    for function in Sides(given, scope_of).with_body:
        if function.side == HOST:
            continue
        for one in declarations(given, *(function.body or (0, 0)), _NO_PLAIN):
            is_small = _SMALL.issuperset(significant(given, one.start, one.type_end))
            names = [given[each.name] for each in one.declarators if each.bracket or not is_small]
            if names and not braces.are_of_class(one.start):
                calls = "".join(map(_OWN.format, names))
                added[one.declarators[-1].end] = calls
    return added
