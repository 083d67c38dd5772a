"""Lambdas that capture by copy: a __shared__ variable is a reference and must not be copied."""

from __future__ import annotations

from .tokens import Tokens, next_significant


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
