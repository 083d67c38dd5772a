"""Loops in which a thread may wait for another thread: each round tells the runtime.

The threads of a block run in turn, so one that polls a flag has to let the others run. The
functions that wait (barriers, shuffles) do that themselves; a loop that only reads memory cannot.
"""

from __future__ import annotations

import re

from .tokens import (
    Tokens,
    closing,
    is_name,
    next_significant,
    previous_significant,
    significant,
)

_SPIN = "::cuda_on_cpu::spin(), "
_WAIT = "::cuda_on_cpu::wait_round(), "  # a checker wants to know who does nothing but wait
_POLLING = {"volatile", "__ldcv", "__ldcg", "__threadfence", "__threadfence_block", "__nanosleep"}
_METHODS = {"load", "exchange", "compare_exchange_weak", "compare_exchange_strong", "test_and_set"}
_BUILT_IN = "bool char short int long float double signed unsigned".split()
_MOST_STATEMENTS = 3  # of a loop that does nothing but wait
_CHANGES = re.compile(r"\+\+|--|(?:[-+*/%&|^]|<<|>>)=")
_LONGEST = 400  # tokens of a loop that only waits
FARTHEST_LABEL = _LONGEST  # tokens from it to a `goto`


def volatile_names(tokens: Tokens) -> set[str]:
    """The variables, parameters and members that are declared with `volatile`."""
    names = set()
    for i, token in enumerate(tokens):
        if token != "volatile":
            continue
        name = ""
        for after in tokens[i + 1 : i + 40]:
            if after in (";", ",", ")", "=", "[", "{", "("):
                break
            name = after if is_name(after) else name
        names.add(name)
    return names - {"", *_BUILT_IN}  # of `*(volatile int *)&flag`


def mark_loop(tokens: Tokens, index: int, volatile: set[str], watched: bool) -> None:
    """`index` is the index of a `while` or `for` inside a function."""
    start = next_significant(tokens, index + 1)
    if start >= len(tokens) or tokens[start] != "(":
        return
    end = closing(tokens, start)
    condition = start + 1 if tokens[index] == "while" else _condition(tokens, start, end, volatile)
    if condition is None:
        return
    first, last = _body(tokens, index, end)
    if last - first > _LONGEST:
        return
    words = [*tokens[start:end], *tokens[first:last]]
    if not _is_empty(tokens, first, last) and not any(_polls(word, volatile) for word in words):
        return
    call = _WAIT if watched and _only_waits(tokens, first, last) else _SPIN
    if _is_declaration(tokens, condition):
        _mark_declaration(tokens, condition, end, call)
        return
    if _is_endless(tokens, condition) and tokens[first] == "{" and tokens[first + 1].isspace():
        # In the condition it would hide from the compiler that the loop ends by `return` alone.
        tokens[first + 1] = f" {call[:-2]};{tokens[first + 1]}"
        return
    empty = tokens[next_significant(tokens, condition)] == ";"  # for (;;)
    tokens[condition] = call + ("true" if empty else "") + tokens[condition]


def mark_goto(tokens: Tokens, index: int, first: int) -> None:
    """`index` is the index of a `goto`; back to a label after `first`, it makes a loop."""
    label = next_significant(tokens, index + 1)
    end = next_significant(tokens, label + 1)
    if end >= len(tokens) or tokens[end] != ";":
        return
    if any(tokens[i] == tokens[label] and tokens[next_significant(tokens, i + 1)] == ":"
           for i in range(first, index)):  # fmt: skip
        tokens[index] = f"{{ {_SPIN[:-2]}; {tokens[index]}"
        tokens[end] = "; }"


def _polls(word: str, volatile: set[str]) -> bool:
    return word in volatile or word in _POLLING or word in _METHODS or word.startswith("atomic")


def _only_waits(tokens: Tokens, first: int, last: int) -> bool:
    """Whether a loop's body does nothing that others see: `;`, `__nanosleep(9);`, `s = *flag;`,
    `if (*flag) break;`."""
    words = significant(tokens, first, last)
    for i, word in enumerate(words):
        before = words[max(i - 2, 0) : i]
        if word == "=" and (not before or not is_name(before[-1]) or before[0] in (".", "->", "*")):
            return False
    return words.count(";") <= _MOST_STATEMENTS and not _CHANGES.search("".join(words))


def _condition(tokens: Tokens, start: int, end: int, volatile: set[str]) -> int | None:
    """Where the condition of a `for` begins, if the loop counts nothing or looks at a flag."""
    parts, i = [], start + 1
    while i < end:
        if tokens[i] in ("(", "[", "{"):
            i = closing(tokens, i)
        elif tokens[i] == ";":
            parts.append(i)
        i += 1
    if len(parts) != 2:
        return None
    counts = next_significant(tokens, parts[1] + 1) < end
    if counts and not any(_polls(word, volatile) for word in tokens[parts[0] : end]):
        return None
    return parts[0] + 1


def _is_endless(tokens: Tokens, condition: int) -> bool:
    """while (true), while (1), for (;;)"""
    said = next_significant(tokens, condition)
    after = next_significant(tokens, said + 1)
    return tokens[said] == ";" or (tokens[said] in ("true", "1") and tokens[after] in (")", ";"))


def _is_declaration(tokens: Tokens, condition: int) -> bool:
    """while (int left = next())"""
    first = next_significant(tokens, condition)
    second = next_significant(tokens, first + 1)
    return is_name(tokens[first]) and second < len(tokens) and is_name(tokens[second])


def _mark_declaration(tokens: Tokens, condition: int, end: int, call: str) -> None:
    """The value is an expression in parentheses, because a comma would end the declaration."""
    for i in range(condition, end):
        if tokens[i] == "=":
            tokens[i] = f"= ({call}"
            tokens[end] = ")" + tokens[end]
            return


def _body(tokens: Tokens, index: int, end: int) -> tuple[int, int]:
    """The first token of a loop's body and the one after its last."""
    before = previous_significant(tokens, index - 1)
    if (do := _do_before(tokens, before)) >= 0:
        return next_significant(tokens, do + 1), before + 1
    first = next_significant(tokens, end + 1)
    if first >= len(tokens):
        return first, first
    if tokens[first] == "{":
        return first, closing(tokens, first) + 1
    last = first
    while last < len(tokens) and tokens[last] != ";":
        last = closing(tokens, last) if tokens[last] in ("(", "[", "{") else last
        last += 1
    return first, last + 1


def _do_before(tokens: Tokens, last: int) -> int:
    """The `do` of the statement that ends with token `last`, which is its `;` or `}`; or -1.
    Brackets are counted letter by letter: loops before this one are marked."""
    depth = 0
    for i in range(last, max(last - _LONGEST, -1), -1):
        token = tokens[i]
        if depth == 0 and token == "do":
            return i
        is_end = token == ";" and i < last and tokens[next_significant(tokens, i + 1)] != "else"
        if depth < 0 or (depth == 0 and (is_end or token == "while")):
            return -1
        if token[:1] not in ('"', "'", "#"):
            depth += sum(map(token.count, ")]}")) - sum(map(token.count, "([{"))
    return -1


def _is_empty(tokens: Tokens, first: int, last: int) -> bool:
    return not any(is_name(token) for token in tokens[first:last])
