"""Finds assembly in a program, and what works like it: no mode of the compiler sees its accesses.

That are the processor's instructions by name, a few builtins of the compiler, and attributes that
switch the checker off.
"""

from __future__ import annotations

import re

from .tokens import Tokens, is_blank, next_significant, place

_KEYWORDS = frozenset(("asm", "__asm", "__asm__"))
# In a system header `asm` after a declarator names a function; a statement does not.
_STATEMENT = re.compile(
    r"(?:[;{}:]|\b(?:else|do))(?:\s|^#[^\n]*\n)*\b(?:asm|__asm|__asm__)\b|"
    r"\b(?:asm|__asm|__asm__)\s+(?:volatile|__volatile__|__volatile|goto|inline)\b",
    re.M,
)
# Attributes whose text the compiler copies into its assembly.
_COPIED = frozenset(("section", "alias", "weakref", "ifunc", "symver", "target_clones"))
# Builtins that store where no mode sees it, or that leave a function by another way than its end.
_BUILTIN = re.compile(
    r"__builtin_(?:__\w+_chk|mempcpy|memccpy|bcopy|bzero|st[pr]n?cpy|strn?cat|clear_padding|"
    r"setjmp|longjmp|apply\w*|return|init_\w+|adjust_\w+|eh_\w+|unwind_\w+)"
)
# libstdc++ waits with a pause; it touches no memory.
_INSTRUCTION = re.compile(r"\b__builtin_(?:ia32|aarch64|neon|arm)_(?!pause\b)\w+")
_UNWATCHED = re.compile(r"_*(?:no_sanitize\w*|disable_sanitizer_instrumentation)")
_OF_CHECKER = re.compile(r"__(?:tsan|ubsan_handle)_\w+")  # calls that the compiler itself writes
_OWN_CALLS = re.compile(r"_*indirect_branch_*")  # of an attribute: calls that nobody sees
_PLAIN = re.compile(r'"[\w.$@,=+-]*"')


def find_assembly(tokens: Tokens) -> str:
    """FILE:LINE of the first assembly in preprocessed text; "" if there is none."""
    for i, token in enumerate(tokens):
        if token in _KEYWORDS or (token.strip("_") in _COPIED and _copies_text(tokens, i)):
            return place(tokens, i)
        if _INSTRUCTION.match(token) or _BUILTIN.fullmatch(token) or is_unwatched(token):
            return place(tokens, i)
        if _OF_CHECKER.fullmatch(token):
            return place(tokens, i)
        if _OWN_CALLS.fullmatch(token) and _in_brackets(tokens, i).startswith('"'):
            return place(tokens, i)
        if len(token) > 1 and is_blank(token) and _is_assembly(token):
            return place(tokens, i + 1)
    return ""


def is_unwatched(token: str) -> bool:
    """An attribute's name that keeps accesses from the checker."""
    return _UNWATCHED.fullmatch(token) is not None


def _is_assembly(header: str) -> bool:
    """Whether a header has any. A system header is long: its letters are looked for first."""
    return bool(
        ("asm" in header and _STATEMENT.search(header))
        or ("__builtin_" in header and _INSTRUCTION.search(header))
    )


def _copies_text(tokens: Tokens, index: int) -> bool:
    """Whether more than a name is in the brackets of this attribute."""
    inside = _in_brackets(tokens, index)
    return '"' in inside and not _PLAIN.fullmatch(inside)


def _in_brackets(tokens: Tokens, index: int) -> str:
    """The first token in the brackets that follow; "" if none follow."""
    opener = next_significant(tokens, index + 1)
    if tokens[opener : opener + 1] != ["("]:
        return ""
    inside = next_significant(tokens, opener + 1)
    return tokens[inside] if inside < len(tokens) else ""
