"""Functions that cannot be inlined, and those that could be: the compiler knows which these are.

by_value.py goes by names. An operator has none where it is called, nor has a lambda that gets
itself as an argument: of these g++ says that they call themselves. To nvcc, `__forceinline__` of
such a function says nothing; it is an error of g++. But a function that calls another of its name,
an overload or another instance of its template, does not call itself: g++ lists who calls whom.
"""

from __future__ import annotations

import re
from dataclasses import replace

from .by_value import ATTRIBUTE, inlined, lambda_at
from .own_columns import OwnColumns
from .rewrite import Unit
from .scopes import declaration_start
from .unseen import names_of_recursive

_REFUSED = re.compile(r"^([^\s:][^:\n]*):(\d+):(\d+): error: inlining failed in call to ", re.M)

_FORCED = ("always_inline", "__always_inline__")


def without_refused(unit: Unit, said: str) -> Unit | None:
    """The unit with these functions as they were; None if the compiler said nothing of any."""
    refused = set(_REFUSED.findall(said))
    if not refused:
        return None
    columns = OwnColumns(unit)
    kept = dict(unit.replaced)
    for file, line, column in refused:
        at = columns.token_at((file, int(line), int(column)))
        head = _head(unit, at) if at >= 0 else range(0)
        is_of_device = "__device__" in unit.tokens[head.start : head.stop]
        for i in head:
            if ATTRIBUTE in kept.get(i, ""):
                kept[i] = kept[i].replace(ATTRIBUTE, "")
            elif unit.tokens[i] in _FORCED and is_of_device:
                kept[i] = "unused"
    return replace(unit, replaced=kept) if kept != unit.replaced else None


def _head(unit: Unit, name: int) -> range:
    """Where the attribute of the function with this name is, or that of the lambda."""
    if found := unit.tokens[name] == "[" and lambda_at(unit.tokens, name):
        parenthesis, brace = found
        return range(parenthesis, brace + 1)
    return range(declaration_start(unit.tokens, name), name)


def with_overloads(unit: Unit, listing: str) -> Unit | None:
    """The unit with those functions inlined as well; None if there are none."""
    names = names_of_recursive(listing)
    more = inlined(unit.tokens, unit.scope_of, unit.rewritten, names)
    added = {i: text for i, text in more.items() if i not in unit.replaced}
    return replace(unit, replaced={**unit.replaced, **added}) if added else None
