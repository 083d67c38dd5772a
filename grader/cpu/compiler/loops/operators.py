"""A function's tokens as C++ reads them: `+=` is one operator, and a `*` may be unary."""

from __future__ import annotations

from collections.abc import Container

from ..tokens import Tokens, is_blank, is_name

Words = list[tuple[str, int]]  # with the indices of their tokens
TYPES = frozenset(
    "void bool char short int long float double unsigned signed auto size_t ptrdiff_t uchar ushort "
    "uint ulong int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t"
    .split()
)  # fmt: skip
ASSIGNS = frozenset("= += -= *= /= %= &= |= ^= <<= >>=".split())
COUNTS = frozenset(("++", "--"))
CHANGES = ASSIGNS | COUNTS


_OF_TYPES = ("*", "&", "::", "<", ">")


def operators(tokens: Tokens, first: int, last: int) -> Words:
    """The tokens with their indices; an operator is one, as in C++: `+=`, `==`, `++`."""
    found: Words = []
    for i in range(first, last + 1):
        token = tokens[i]
        if is_blank(token):
            continue
        before, at = found[-1] if found else ("", -2)
        if _joins(before, token) and i == at + _pieces(before):
            found[-1] = (before + token, at)
        else:
            found.append((token, i))
    return found


def _pieces(operator: str) -> int:
    """How many tokens it is made of."""
    return {"<<=": 2, ">>=": 2, "<=": 1, ">=": 1, "<<": 1}.get(operator, len(operator))


def _joins(before: str, token: str) -> bool:
    if token == "=":
        return before in ("=", "!", "+", "-", "*", "/", "%", "&", "|", "^", "<<")
    if token == ">=":
        return before == ">"
    return token == before and token in ("+", "-", "&", "|", ">")


def changed(words: Words, k: int) -> str:
    """The variable that the operator `=` of word `k` changes: `name.part[2] = 1`."""
    k -= 1
    while k > 1 and (words[k][0] == "]" or words[k - 1][0] == "."):
        depth = int(words[k][0] == "]")
        k -= 2 - depth
        while depth and k:
            depth += (words[k][0] == "]") - (words[k][0] == "[")
            k -= 1
    return words[k][0]


def _is_operand(word: str) -> bool:
    return is_name(word) or word[:1].isdigit() or word in (")", "]")


def is_unary(words: Words, k: int, variables: Container[str]) -> bool:
    """Whether word `k` is the `*` or `&` before an operand: also in `(int *)&value`."""
    before = words[k - 1][0] if k else ""
    if words[k][0] not in ("*", "&"):
        return False
    return before == "return" or not _is_operand(before) or _ends_cast(words, k - 1, variables)


def _ends_cast(words: Words, k: int, variables: Container[str]) -> bool:
    """Whether word `k` ends a type in parentheses. A single name is one unless it is a variable."""
    if words[k][0] != ")":
        return False
    begin = k - 1
    while begin >= 0 and (is_name(words[begin][0]) or words[begin][0] in _OF_TYPES):
        begin -= 1
    before = words[begin - 1][0] if begin > 0 else ""
    inside = [word for word, _ in words[begin + 1 : k]]
    if begin < 0 or words[begin][0] != "(" or not inside:
        return False
    if is_name(before) and before != "return":
        return False  # arguments
    is_type = inside[-1] in ("*", "&") or not TYPES.isdisjoint(inside)
    return is_type or (len(inside) == 1 and inside[0] not in variables)
