"""The namespace, class or function that contains each token of a translation unit."""

from __future__ import annotations

from .tokens import Tokens, is_blank, next_significant

_CLASS_KEYS = ("class", "struct", "union")
FUNCTION = "{}"  # the name of a scope that is a function body or an initialiser

Scope = tuple[str, ...]


def scopes(tokens: Tokens) -> list[Scope]:
    """The scope of every token, as the names of the braces around it."""
    stack: list[str] = []
    result: list[Scope] = []
    now: Scope = ()
    for i, token in enumerate(tokens):
        if token == "}" and stack:
            stack.pop()
            now = tuple(stack)
        result.append(now)
        if token == "{":
            stack.append(FUNCTION if FUNCTION in stack else _name_of_brace(tokens, i))
            now = tuple(stack)
    return result


def _name_of_brace(tokens: Tokens, brace: int) -> str:
    words = [t for t in tokens[declaration_start(tokens, brace) : brace] if not is_blank(t)]
    if "namespace" in words or (words[:1] == ["extern"] and len(words) == 2):
        return " ".join(words[words.index("namespace") + 1 :] if "namespace" in words else [])
    outside = _outside_brackets(words)
    if _heads_class(outside):
        key = next(i for i, word in enumerate(outside) if word in _CLASS_KEYS)
        return outside[key + 1] if key + 1 < len(outside) else ""
    return FUNCTION


def _outside_brackets(words: Tokens) -> Tokens:
    outside, depth = [], 0
    for word in words:
        depth -= word in (">", ")", "]")
        if depth <= 0:
            outside.append(word)
        depth += word in ("<", "(", "[")
    return outside


def _heads_class(outside: Tokens) -> bool:
    return any(key in outside for key in _CLASS_KEYS) and ")" not in outside


class Braces:
    """The innermost braces around each token, found once for all of them."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._around: list[int] = []
        self._of_class = {-1: False}
        stack = [-1]
        for i, token in enumerate(tokens):
            if token == "}" and len(stack) > 1:
                stack.pop()
            self._around.append(stack[-1])
            if token == "{":
                stack.append(i)

    def are_of_class(self, index: int) -> bool:
        """Whether they are those of a class."""
        brace = self._around[index]
        if brace not in self._of_class:
            start = declaration_start(self._tokens, brace)
            words = [token for token in self._tokens[start:brace] if not is_blank(token)]
            self._of_class[brace] = _heads_class(_outside_brackets(words))
        return self._of_class[brace]


def declaration_start(tokens: Tokens, index: int) -> int:
    """The first token of the declaration that contains `index`."""
    i = index - 1
    while i >= 0 and tokens[i] not in (";", "{", "}"):
        i -= 1
    return next_significant(tokens, i + 1)
