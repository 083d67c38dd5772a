"""Functions that by_value.py has inlined, but that call themselves: g++ says where they are.

by_value.py goes by names. An operator has none where it is called, nor has a lambda that gets
itself as an argument.
"""

from __future__ import annotations

import re
from dataclasses import replace

from .by_value import ATTRIBUTE, lambda_at
from .own_columns import OwnColumns
from .rewrite import Unit
from .scopes import declaration_start

_REFUSED = re.compile(r"^([^\s:][^:\n]*):(\d+):(\d+): error: inlining failed in call to ", re.M)


def without_refused(unit: Unit, said: str) -> Unit | None:
    """The unit with these functions as they were; None if the compiler said nothing of any."""
    columns = OwnColumns(unit)
    kept = dict(unit.replaced)
    for file, line, column in set(_REFUSED.findall(said)):
        at = columns.token_at((file, int(line), int(column)))
        for i in _head(unit, at) if at >= 0 else ():
            if ATTRIBUTE in kept.get(i, ""):
                kept[i] = kept[i].replace(ATTRIBUTE, "")
    return replace(unit, replaced=kept) if kept != unit.replaced else None


def _head(unit: Unit, name: int) -> range:
    """Where the attribute of the function with this name is, or that of the lambda."""
    if found := unit.tokens[name] == "[" and lambda_at(unit.tokens, name):
        parenthesis, brace = found
        return range(parenthesis, brace + 1)
    return range(declaration_start(unit.tokens, name), name)
