"""In check mode: malloc, free, new and delete in device code are those of the checker's heap.

What the runtime and the C++ library allocate while a kernel runs is the host's, and looks the same
to the linker. So the text says which blocks are the program's.
"""

from __future__ import annotations

from .scopes import Scope
from .sides import Sides
from .tokens import Tokens, closing, next_significant, previous_significant

_HEAP = "::cuda_on_cpu::"
_WORDS = ("malloc", "free", "new", "delete")
_FOR_ALL = f" const {_HEAP}AllocatesForAll cuda_on_cpu_for_all;"


def mark_heap(given: Tokens, tokens: Tokens, scope_of: list[Scope]) -> None:
    """`given` is the text before it was rewritten into `tokens`."""
    if set(_WORDS).isdisjoint(given):
        return
    is_replaced = bool(own_operators(given, scope_of))  # a kernel's `new` is the program's, too
    for function in Sides(given, scope_of).with_body:
        first, last = function.body or (0, 0)
        for i in range(first, last):
            if given[i] in _WORDS[:2] if is_replaced else given[i] in _WORDS:
                if tokens[i] == given[i]:
                    _mark(tokens, i)


def own_operators(tokens: Tokens, scope_of: list[Scope]) -> list[int]:
    """The brace that begins the body of each `operator new` and `operator delete` of the program
    that replaces the library's."""
    found = []
    for i, token in enumerate(tokens):
        if token != "operator" or any(scope_of[i]):
            continue
        if tokens[next_significant(tokens, i + 1)] not in ("new", "delete"):
            continue
        is_of_class = tokens[previous_significant(tokens, i - 1)] == "::"
        parameters = tokens.index("(", i)
        end = range(closing(tokens, parameters), len(tokens))
        brace = next((j for j in end if tokens[j] in ("{", ";", "=")), i)
        found += [brace] if tokens[brace] == "{" and not is_of_class else []
    return found


def for_all(tokens: Tokens, scope_of: list[Scope]) -> dict[int, str]:
    """What comes after the brace of each of these: the runtime allocates by them, too, and while a
    kernel runs that is no access of the kernel's."""
    return dict.fromkeys(own_operators(tokens, scope_of), _FOR_ALL)


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
