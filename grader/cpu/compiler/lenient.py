"""What nvcc lets pass, at most with a warning, and other C++ compilers refuse."""

from __future__ import annotations

from collections.abc import Iterator

from .by_value import after_captures, lambda_at
from .scopes import Scope
from .sides import after_angle
from .tokens import Tokens, closing, next_significant, previous_significant

BUILT_IN = "constexpr int warpSize = 32;"  # include/cuda_on_cpu/index.hpp


def let_pass(tokens: Tokens, scope_of: list[Scope]) -> None:
    for i in empty_returns(tokens, scope_of):
        tokens[i] = "return 0"
    for i in shared_parameters(tokens):
        tokens[i] = ""
    _yield_warp_size(tokens, scope_of)


def empty_returns(tokens: Tokens, scope_of: list[Scope]) -> Iterator[int]:
    """Each `return;` of `int main()`, not those of its lambdas."""
    for i in (i for i, token in enumerate(tokens) if token == "main" and not scope_of[i]):
        opener = next_significant(tokens, i + 1)
        if tokens[opener : opener + 1] != ["("]:
            continue
        brace = next_significant(tokens, closing(tokens, opener) + 1)
        if tokens[previous_significant(tokens, i - 1)] == "int" and tokens[brace] == "{":
            yield from _returns(tokens, brace)


def shared_parameters(tokens: Tokens) -> Iterator[int]:
    """The word in `void f(__shared__ int *p)`: the word says nothing of a parameter."""
    for i in (i for i, token in enumerate(tokens) if token == "__shared__"):
        depth, j = 0, i - 1
        while j >= 0 and tokens[j] not in (";", "{", "}"):
            depth += (tokens[j] == "(") - (tokens[j] == ")")
            j -= 1
        if depth > 0:
            yield i


def warnings(tokens: Tokens, scope_of: list[Scope]) -> Iterator[tuple[int, str]]:
    for i in shared_parameters(tokens):
        yield i, "`__shared__` says nothing of a parameter: any pointer may lead there"
    for i in empty_returns(tokens, scope_of):
        yield i, "`return;` in `int main()` gives no value: write `return 0;`"


def _returns(tokens: Tokens, brace: int) -> Iterator[int]:
    i, end = brace, closing(tokens, brace)
    while i < end:
        if inner := _inner_function(tokens, i):
            i = closing(tokens, inner)
        elif tokens[i] == "return" and tokens[next_significant(tokens, i + 1)] == ";":
            yield i
        i += 1


def _inner_function(tokens: Tokens, index: int) -> int:
    """The brace of the lambda or the class that begins there; 0 if there is none."""
    if tokens[index] == "[":
        after = after_captures(tokens, index)
        found = lambda_at(tokens, index)
        return after if after and tokens[after] == "{" else found[1] if found else 0
    return _class_body(tokens, index) if tokens[index] in ("struct", "class", "union") else 0


def _class_body(tokens: Tokens, index: int) -> int:
    """The brace after `struct alignas(16) S : B<int>`; 0 if no body follows."""
    i = index
    while i < len(tokens) and tokens[i] not in ("{", ";", "=", ")", ">", ">>>"):
        if tokens[i] == "<":
            i = after_angle(tokens, i)
        else:
            i = (closing(tokens, i) if tokens[i] in ("(", "[") else i) + 1
    return i if i < len(tokens) and tokens[i] == "{" else 0


def _yield_warp_size(tokens: Tokens, scope_of: list[Scope]) -> None:
    """A program's own `constexpr int warpSize = 32;` outside of functions replaces the built-in,
    which is in the text of our headers: one token."""
    if not any(token == "warpSize" and not scope_of[i] and _is_defined(tokens, i)
               for i, token in enumerate(tokens)):  # fmt: skip
        return
    for i, token in enumerate(tokens):
        if BUILT_IN in token:
            tokens[i] = token.replace(BUILT_IN, BUILT_IN.replace("warpSize", "own_warp_size"))


def _is_defined(tokens: Tokens, index: int) -> bool:
    return tokens[next_significant(tokens, index + 1)] in ("=", "{")
