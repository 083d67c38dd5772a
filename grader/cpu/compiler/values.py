"""Kernels as values: casts of a kernel to void *, and literal zeros among a launch's arguments."""

from __future__ import annotations

from collections.abc import Container

from .tokens import (
    Tokens,
    closing,
    erase,
    next_significant,
    opening,
    previous_significant,
    split_commas,
)

_ERASED = "::cuda_on_cpu::ErasedKernel"
_LAUNCHES = ("cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaLaunchKernelExC")
_ZERO = "::cuda_on_cpu::ZeroLiteral{}"


def rewrite_cast(tokens: Tokens, index: int, kernels: Container[str]) -> None:
    """`(void *)kernel`: the address keeps the kernel's type. `index` is the index of a 'void'.

    So does the address in a variable where it goes to a function that launches it.
    """
    star = next_significant(tokens, index + 1)
    if tokens[star : star + 1] != ["*"]:
        return
    end = next_significant(tokens, star + 1)
    first = index - 1
    while first >= 0 and (tokens[first].isspace() or tokens[first] in ("const", "")):
        first -= 1
    opener = tokens[first] if first >= 0 else ""
    if (opener, tokens[end : end + 1]) == ("(", [")"]):
        named = next_significant(tokens, end + 1)
    elif (opener, tokens[end : end + 1]) == ("<", [">"]) and first >= 1:
        keyword = previous_significant(tokens, first - 1)
        named = next_significant(tokens, next_significant(tokens, end + 1) + 1)
        if tokens[keyword] != "reinterpret_cast":
            return
        first = keyword
    else:
        return
    while named < len(tokens) and tokens[named] in ("&", "("):
        named = next_significant(tokens, named + 1)
    if named < len(tokens) and (tokens[named] in kernels or _is_launched(tokens, first)):
        is_c_cast = opener == "("
        erase(tokens, first, end)
        tokens[first] = f"({_ERASED})" if is_c_cast else _ERASED


def _is_launched(tokens: Tokens, cast: int) -> bool:
    """Is it an argument of a function that launches a kernel, or a graph's kernel?"""
    index = previous_significant(tokens, cast - 1)
    if tokens[index] == "=":
        return tokens[previous_significant(tokens, index - 1)] == "func"
    while index > 0 and tokens[index] not in ("(", ";", "{", "}"):
        index = opening(tokens, index) if tokens[index] == ")" else index
        index -= 1
    return index > 0 and tokens[previous_significant(tokens, index - 1)] in _LAUNCHES


def mark_zeros(tokens: Tokens, parenthesis: int) -> bool:
    """An argument that is a plain 0 becomes a value that converts to integers and to pointers."""
    end = closing(tokens, parenthesis)
    parts = split_commas(tokens[parenthesis + 1 : end])
    index, found = parenthesis + 1, False
    for part in parts:
        words = [i for i in range(index, index + len(part)) if tokens[i].strip()]
        if len(words) == 1 and tokens[words[0]] == "0":
            tokens[words[0]] = _ZERO
            found = True
        index += len(part) + 1
    return found
