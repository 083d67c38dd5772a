"""In check mode: branches and loops that have warp functions in them.

A thread that comes to the end of such a statement tells the runtime. So it is known which lanes
went past a warp function, and which had left the kernel before.
"""

from __future__ import annotations

import re

from .scopes import Scope
from .sides import Sides
from .tokens import Tokens, closing, is_name, next_significant, opening, previous_significant

_WARP = re.compile(r"__(shfl|ballot|any|all|match|reduce)\w*_sync|__syncwarp")
_OF_GROUPS = frozenset(
    "shfl shfl_up shfl_down shfl_xor any all ballot match_any match_all sync reduce "
    "inclusive_scan exclusive_scan labeled_partition binary_partition".split()
)
_STATEMENTS = ("if", "for", "while", "do", "switch")
MOST = 64


def region_ends(tokens: Tokens, scope_of: list[Scope]) -> dict[int, str]:
    """The last token of each such statement, and what has to stand after it."""
    if not any(_WARP.fullmatch(token) or token == "cooperative_groups" for token in tokens):
        return {}
    sides = Sides(tokens, scope_of)
    bodies = [(one.name, one.body) for one in sides.with_body if one.body]
    known: set[str] = set()  # the user's functions that call a warp function
    while True:
        more = {tokens[name] for name, (first, last) in bodies
                if tokens[name] not in known and _has_call(tokens, first, last, known)}  # fmt: skip
        if not more:
            break
        known |= more
    ends: dict[int, str] = {}
    for _, (first, last) in bodies:
        for i in range(first, last):
            if tokens[i] in _STATEMENTS and _stands_alone(tokens, i):
                end = end_of_statement(tokens, i)
                if end < last and _has_call(tokens, i, end, known):
                    ends[end] = f" ::cuda_on_cpu::went_past({len(ends) % MOST});"
    return ends


def _has_call(tokens: Tokens, first: int, last: int, known: set[str]) -> bool:
    for i in range(first, last):
        token = tokens[i]
        if _WARP.fullmatch(token) or (is_name(token) and token in known):
            return True
        if token in _OF_GROUPS:
            before = tokens[previous_significant(tokens, i - 1)]
            if before in (".", "->", "::"):
                return True
    return False


def _stands_alone(tokens: Tokens, index: int) -> bool:
    """Among the statements of a block, so that another one may follow."""
    before = previous_significant(tokens, index - 1)
    if tokens[before] == "}" and tokens[index] == "while":  # of `do { } while`?
        return tokens[previous_significant(tokens, opening(tokens, before) - 1)] != "do"
    return tokens[before] in ("{", "}", ";")


def end_of_statement(tokens: Tokens, index: int) -> int:
    """The last token of the statement that begins at `index`: a brace or a semicolon."""
    i = next_significant(tokens, index)
    token = tokens[i]
    if token == "{":
        return closing(tokens, i)
    if token == "do":
        i = next_significant(tokens, end_of_statement(tokens, i + 1) + 1)
        return next_significant(tokens, closing(tokens, next_significant(tokens, i + 1)) + 1)
    if token in _STATEMENTS:
        start = next_significant(tokens, i + 1)
        if tokens[start] == "constexpr":
            start = next_significant(tokens, start + 1)
        end = end_of_statement(tokens, closing(tokens, start) + 1)
        after = next_significant(tokens, end + 1)
        if token == "if" and tokens[after : after + 1] == ["else"]:
            return end_of_statement(tokens, after + 1)
        return end
    while i < len(tokens) and tokens[i] != ";":
        i = closing(tokens, i) if tokens[i] in ("(", "[", "{") else i
        i += 1
    return i
