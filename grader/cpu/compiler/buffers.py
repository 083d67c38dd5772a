"""In check mode: the name of the variable that gets a buffer or a stream, for reports."""

from __future__ import annotations

import re

from .tokens import (
    Tokens,
    closing,
    next_significant,
    previous_significant,
    significant,
    split_commas,
)

_ALLOCATION = re.compile(
    r"cuda(Malloc(Managed|Async|Host|Pitch|Array|3DArray)?|HostAlloc"
    r"|StreamCreate(With(Flags|Priority))?)"
)
_PLAIN = re.compile(r"(this->)?[A-Za-z_]\w*((\.|->|::)[A-Za-z_]\w*|\[\w+\])*")


def named_allocations(tokens: Tokens) -> tuple[dict[int, str], dict[int, str]]:
    """What comes before and after tokens: see name_next_buffer() in runtime_api.hpp."""
    before: dict[int, str] = {}
    behind: dict[int, str] = {}
    for i, token in enumerate(tokens):
        if not token.startswith("cuda") or not _ALLOCATION.fullmatch(token):
            continue
        start = next_significant(tokens, i + 1)
        if tokens[start : start + 1] != ["("]:
            continue
        end = closing(tokens, start)
        argument = split_commas(significant(tokens, start + 1, end))[0]
        if name := _name(argument):
            first = previous_significant(tokens, i - 1)  # ::cudaMalloc
            where = first if tokens[first] == "::" else i
            before[where] = f'(::cuda_on_cpu::name_next_buffer("{name}"), '
            behind[end] = ")"
    return before, behind


def _name(argument: Tokens) -> str:
    """`x` of `&x`, `(void **)&x` and `reinterpret_cast<void **>(&x)`."""
    if "&" not in argument:
        return ""
    last = len(argument) - 1 - argument[::-1].index("&")
    text = "".join(argument[last + 1 :]).rstrip(")")
    return text.removeprefix("this->") if _PLAIN.fullmatch(text) else ""
