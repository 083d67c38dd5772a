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
# Who does not look at the answer has not learned that work is over.
_UNREAD = {"cudaStreamQuery": "::cuda_on_cpu::unread_stream_query",
           "cudaEventQuery": "::cuda_on_cpu::unread_event_query"}  # fmt: skip
_BEFORE_STATEMENT = (";", "{", "}", "else", "do")


def mark_discarded(tokens: Tokens, index: int) -> None:
    """`index` is the index of a name inside a function."""
    if not _CALL.fullmatch(tokens[index]) or not _begins_statement(tokens, index):
        return
    start = next_significant(tokens, index + 1)
    if start >= len(tokens) or tokens[start] != "(":
        return
    after = next_significant(tokens, closing(tokens, start) + 1)
    if after < len(tokens) and tokens[after] == ";":
        site = "{__builtin_FILE(), __builtin_LINE()}"
        name = tokens[index]
        called = _UNREAD.get(name, name)
        tokens[index] = f'::cuda_on_cpu::Discarded{{"{name}", {site}}}, {called}'


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
