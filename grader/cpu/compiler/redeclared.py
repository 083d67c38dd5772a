"""A kernel that is declared once more without __global__: nvcc refuses it, g++ does not see it."""

from __future__ import annotations

from collections.abc import Iterator

from .scopes import FUNCTION, Braces, Scope, declaration_start
from .sides import KERNEL, Sides, qualified
from .tokens import Tokens, closing, is_name, previous_significant, significant

_TYPES = frozenset(
    ("int", "char", "short", "long", "float", "double", "bool", "unsigned", "signed", "const")
)
Declared = tuple[tuple[str, ...], bool, tuple[tuple[str, ...], ...]]  # name, template, parameters


def redeclared(tokens: Tokens, scope_of: list[Scope], sides: Sides) -> Iterator[tuple[int, str]]:
    """What differs from the kernel in more than the words of its types is another function."""
    kernels: dict[Declared, int] = {}
    braces = Braces(tokens)
    for name, one in sides.functions.items():
        if one.side == KERNEL and not braces.are_of_class(name):
            kernels[_declared(tokens, scope_of, name)] = name
    for i, token in enumerate(tokens):
        if token not in sides.kernels or i in sides.functions or not _is_declared(tokens, i):
            continue
        if FUNCTION not in scope_of[i] and _declared(tokens, scope_of, i) in kernels:
            yield i, (f"`{token}` is declared with __global__ in another place and without it "
                      "here: write __global__ in both")  # fmt: skip


def _is_declared(tokens: Tokens, index: int) -> bool:
    """`void name(` or `void space::name(`."""
    if tokens[index + 1 : index + 2] != ["("]:
        return False
    before = previous_significant(tokens, index - 1)
    while before > 0 and tokens[before] == "::":
        before = previous_significant(tokens, previous_significant(tokens, before - 1) - 1)
    return before >= 0 and tokens[before] == "void"


def _declared(tokens: Tokens, scope_of: list[Scope], name: int) -> Declared:
    parenthesis = next(i for i in range(name, len(tokens)) if tokens[i] == "(")
    end = closing(tokens, parenthesis)
    parameters: list[tuple[str, ...]] = []
    begin, depth = parenthesis + 1, 0
    for i in range(begin, end + 1):
        depth += (tokens[i] in ("(", "<", "[", "{")) - (tokens[i] in (")", ">", "]", "}"))
        if i == end or (tokens[i] == "," and depth == 0):
            parameters.append(_type(significant(tokens, begin, i)))
            begin = i + 1
    head = significant(tokens, declaration_start(tokens, name), name)
    return qualified(tokens, name, scope_of[name]), "template" in head, tuple(parameters)


def _type(words: Tokens) -> tuple[str, ...]:
    """A parameter without its name and without the value that it has by default."""
    words = words[: words.index("=")] if "=" in words else words
    has_name = len(words) > 1 and is_name(words[-1]) and words[-1] not in _TYPES
    is_named = has_name and words[-2] not in ("::", "const", "struct", "typename")
    return tuple(words[:-1] if is_named else words)
