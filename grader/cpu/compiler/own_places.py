"""Columns of the translated text, which would tell a program how it was compiled.

include/source_location has places without columns. So nothing else may ask the compiler for them.
"""

from __future__ import annotations

import re
from pathlib import Path

from .tokens import Tokens, refusal

_OURS = Path(__file__).resolve().parents[1] / "include" / "source_location"
_ASKS = re.compile(r"__builtin_(?:source_location|COLUMN)\b")
_MARKER = re.compile(r'^# \d+ "([^"\n]*)"', re.M)
_INSTEAD = "which CUDA on the CPU does not have: include <source_location> and call current()"


def refuse_columns(tokens: Tokens) -> None:
    """Raises RewriteError where anything but the kit's header asks for a place with its column."""
    for i, token in enumerate(tokens):
        if "__builtin_" not in token:
            continue
        for word in _ASKS.finditer(token):
            files = _MARKER.findall(token, 0, word.start()) if token.startswith("# ") else []
            if not (token == word[0] or files) or files[-1:] == [str(_OURS)]:
                continue  # text of the program, or the kit's own
            raise refusal(tokens, i, f"`{word[0]}`: asks the compiler for a column, {_INSTEAD}")
