"""In check mode: malloc, free, new and delete in device code are those of the checker's heap.

What the runtime and the C++ library allocate while a kernel runs is the host's, and looks the same
to the linker. So the text says which blocks are the program's.
"""

from __future__ import annotations

from .scopes import Scope
from .sides import Sides
from .tokens import Tokens, next_significant, previous_significant

_HEAP = "::cuda_on_cpu::"
_WORDS = ("malloc", "free", "new", "delete")


def mark_heap(given: Tokens, tokens: Tokens, scope_of: list[Scope]) -> None:
    """`given` is the text before it was rewritten into `tokens`."""
    if set(_WORDS).isdisjoint(given):
        return
    for function in Sides(given, scope_of).with_body:
        first, last = function.body or (0, 0)
        for i in range(first, last):
            if given[i] in _WORDS and tokens[i] == given[i]:
                _mark(tokens, i)


def _mark(tokens: Tokens, index: int) -> None:
    word = tokens[index]
    before = tokens[previous_significant(tokens, index - 1)]
    after = tokens[next_significant(tokens, index + 1)]
    if word in ("malloc", "free"):
        if after == "(" and before not in (".", "->", "::"):
            tokens[index] = f"{_HEAP}heap_{word}"
    elif word == "new":
        if after != "(" and before != "operator":  # new (place) T
            tokens[index] = f"new ({_HEAP}of_heap)"
    elif before in ("{", "}", ";", ")", "else", ":"):  # a statement, not "= delete"
        tokens[index] = f"{_HEAP}heap_delete(), delete"
