"""`(int)3e10` and `static_cast<int>(3e10)`: a constant that the type cannot hold.

nvcc warns. g++ is silent where a cast says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from .scopes import FUNCTION, Scope
from .tokens import (
    Tokens,
    next_significant,
    opening,
    opening_angle,
    previous_significant,
    significant,
)

_REAL = re.compile(r"\d+\.\d*(?:[eE]\d+)?[fF]?|\d+[eE]\d+[fF]?")
_BITS = {"char": 8, "short": 16, "int": 32, "long": 64, "long long": 64}
_HOLDS = {name: (-(1 << bits - 1), (1 << bits - 1) - 1) for name, bits in _BITS.items()}
_HOLDS |= {f"unsigned {name}": (0, (1 << bits) - 1) for name, bits in _BITS.items()}
_HOLDS["unsigned"] = _HOLDS["unsigned int"]


def wrong_casts(tokens: Tokens, scope_of: list[Scope]) -> Iterator[tuple[int, str]]:
    """The index of a constant, and a sentence."""
    for i, token in enumerate(tokens):
        if not token[:1].isdigit() or not _REAL.fullmatch(token) or FUNCTION not in scope_of[i]:
            continue
        before = previous_significant(tokens, i - 1)
        minus = "-" if tokens[before] == "-" else ""
        name = _type_of_cast(tokens, previous_significant(tokens, before - 1) if minus else before,
                             tokens[next_significant(tokens, i + 1)] == ")")  # fmt: skip
        value = float(minus + token.rstrip("fF"))
        low, high = _HOLDS.get(name, (-math.inf, math.inf))
        if not low - 1 < value < high + 1:
            yield i, f"{minus}{token} does not fit type {name}: CPU and GPU have different results"


def _type_of_cast(tokens: Tokens, index: int, is_closed: bool) -> str:
    """What the constant after `index` is cast to; "" if it is not, or not alone."""
    if tokens[index] == ")":  # (int)3e10
        return " ".join(significant(tokens, opening(tokens, index) + 1, index))
    if tokens[index] != "(" or not is_closed:
        return ""
    end = previous_significant(tokens, index - 1)
    if tokens[end] != ">":  # int(3e10)
        return tokens[end]
    first = opening_angle(tokens, end)
    is_cast = tokens[previous_significant(tokens, first - 1)] == "static_cast"
    return " ".join(significant(tokens, first + 1, end)) if is_cast else ""
