"""What lambdas capture: a __shared__ variable is a reference and must not be copied; a variable of
the host must be."""

from __future__ import annotations

from collections.abc import Iterator

from .sides import BOTH, Sides
from .tokens import Tokens, closing, next_significant, significant, split_commas


class SharedNames:
    """The __shared__ variables that are visible where the rewriter is now."""

    def __init__(self) -> None:
        self._scopes: list[list[str]] = [[]]

    def brace(self, token: str) -> None:
        if token == "{":
            self._scopes.append([])
        elif len(self._scopes) > 1:
            self._scopes.pop()

    def add(self, names: list[str]) -> None:
        self._scopes[-1].extend(names)

    def rewrite_capture(self, tokens: Tokens, index: int) -> None:
        """`[=]` becomes `[=, &tile]`. `index` is the index of a '['."""
        names = [name for scope in self._scopes for name in scope]
        equals = next_significant(tokens, index + 1)
        if not names or tokens[equals : equals + 1] != ["="]:
            return
        end = next_significant(tokens, equals + 1)
        if tokens[end : end + 1] in (["]"], [","]):
            tokens[equals] = "=" + "".join(f", &{name}" for name in dict.fromkeys(names))


def by_reference(tokens: Tokens, sides: Sides) -> Iterator[tuple[int, str]]:
    """Of a lambda with __device__ in host code, which nvcc refuses: where it begins, and what."""
    for one in sides.lambdas:
        around = sides.around(one.name)
        if around and around.side != BOTH:
            continue
        captures = significant(tokens, one.name + 1, closing(tokens, one.name))
        for capture in split_commas(captures) if captures else []:
            if capture[:1] == ["&"]:
                yield one.name, f"`{capture[1]}`" if len(capture) > 1 else "what it uses"
