"""Whether a program has pointers to vectors of 16 bytes, whose addresses are then looked at.

The checker is told of 16 bytes, not of their type: a struct of two doubles may be at a multiple of
8. -fsanitize=alignment knows the type, and makes each access a little slower.
"""

from __future__ import annotations

import re

from .tokens import Tokens, next_significant

FLAG = "-fsanitize=alignment"
_WIDE = re.compile(r"(u?int|float)4|(double|u?long(long)?)[24]")


def are_pointed_to(tokens: Tokens) -> bool:
    """Also as the argument of a template, which may have such pointers."""
    return any(_WIDE.fullmatch(token) and tokens[next_significant(tokens, i + 1)] in ("*", ">", ",")
               for i, token in enumerate(tokens[:-1]))  # fmt: skip
