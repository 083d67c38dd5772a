"""Calls of CUDA whose result is thrown away: if one fails, the runtime knows its line.

include/cuda_on_cpu/runtime_api.hpp shows the result.
"""

from __future__ import annotations

import re

from .tokens import RewriteError, Tokens, closing, next_significant, opening, previous_significant

# All that may fail. A wrong cudaFree is reported by the checker; the other four ask for an error.
_CALL = re.compile(
    r"cuda(?!(Free|FreeAsync|ThreadSynchronize|GetLastError|PeekAtLastError)$)[A-Z]\w*"
    r"|cublas[A-Z]\w*|curand[A-Z]\w*"
)
# Of the library cub, which names them `cub::DeviceScan::ExclusiveSum`.
_OF_CUB = re.compile(
    r"Device(AdjacentDifference|For|Histogram|MergeSort|Partition|RadixSort|Reduce|RunLengthEncode"
    r"|Scan|Segmented(RadixSort|Reduce|Sort)|Select)"
)
# Who does not look at the answer has not learned that work is over.
_UNREAD = {"cudaStreamQuery": "::cuda_on_cpu::unread_stream_query",
           "cudaEventQuery": "::cuda_on_cpu::unread_event_query"}  # fmt: skip
_BEFORE_STATEMENT = (";", "{", "}", "else", "do")


def may_begin_call(token: str) -> bool:
    return token.startswith(("cuda", "cublas", "curand", "Device")) or token == "cub"


def mark_discarded(tokens: Tokens, index: int) -> None:
    """`index` is the index of a name inside a function."""
    if not (name := _called(tokens, index)) or not _begins_statement(tokens, index):
        return
    start = next_significant(tokens, index + 1)
    while start < len(tokens) and (tokens[start] == "::" or tokens[start] in name.split("::")):
        start = next_significant(tokens, start + 1)
    if start >= len(tokens) or tokens[start] != "(":
        return
    after = next_significant(tokens, closing(tokens, start) + 1)
    if after < len(tokens) and tokens[after] == ";":
        site = "{__builtin_FILE(), __builtin_LINE()}"
        called = _UNREAD.get(name, tokens[index])
        tokens[index] = f'::cuda_on_cpu::Discarded{{"{name}", {site}}}, {called}'


def _called(tokens: Tokens, index: int) -> str:
    """The function of CUDA or of cub that is named at `index`; "" if there is none."""
    if _CALL.fullmatch(tokens[index]):
        return tokens[index]
    parts = []  # of a qualified name
    while index < len(tokens) and (not parts or tokens[index] == "::"):
        index = next_significant(tokens, index + 1) if parts else index
        if index < len(tokens):
            parts.append(tokens[index])
        index = next_significant(tokens, index + 1)
    own = parts[1:] if parts[0] == "cub" else parts
    return "::".join(["cub", *own]) if len(own) == 2 and _OF_CUB.fullmatch(own[0]) else ""


def _begins_statement(tokens: Tokens, index: int) -> bool:
    before = previous_significant(tokens, index - 1)
    if before < 0:
        return False
    if tokens[before] == ")":  # if (...) cudaMemcpy(...);
        try:
            keyword = previous_significant(tokens, opening(tokens, before) - 1)
        except RewriteError:  # of a launch, rewritten by now: its ';' is missing
            return False
        return keyword >= 0 and tokens[keyword] in ("if", "for", "while")
    return tokens[before] in _BEFORE_STATEMENT
