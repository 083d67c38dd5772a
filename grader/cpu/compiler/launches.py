"""Rewrites kernel launches: k<<<configuration>>>(arguments).

include/cuda_on_cpu/launch.hpp shows the result.
"""

from __future__ import annotations

from .kernels import Kernel
from .tokens import (
    Tokens,
    closing,
    erase,
    is_blank,
    is_name,
    next_significant,
    opening,
    opening_angle,
    previous_significant,
    refusal,
    significant,
    split_commas,
)
from .values import mark_zeros

_KEYWORDS = {"return", "else", "do", "case", "co_return", "if", "for", "while", "switch", "throw"}
_CONDITIONS = {"if", "for", "while", "switch"}
_VALUES = "cuda_on_cpu_values"


def rewrite_launch(
    tokens: Tokens, chevron: int, kernels: dict[str, Kernel], instrumented: bool
) -> None:
    """`chevron` is the index of a '<<<'."""
    last = previous_significant(tokens, chevron - 1)
    first = _expression_start(tokens, last)
    end = _closing_chevron(tokens, chevron)
    parenthesis = next_significant(tokens, end + 1)
    if parenthesis >= len(tokens) or tokens[parenthesis] != "(":
        sentence = "a launch needs its arguments: write kernel<<<grid, block>>>(...)"
        raise refusal(tokens, end, sentence)
    after = closing(tokens, parenthesis)
    if not _has_two_numbers(tokens, chevron + 1, end):
        sentence = "a launch needs two numbers, blocks and threads: kernel<<<grid, block>>>(...)"
        raise refusal(tokens, chevron, sentence)

    words = significant(tokens, first, last + 1)
    run = _run(tokens, parenthesis, words, kernels, instrumented)
    if ".run_" in run:
        for i in range(parenthesis + 1, after):
            if tokens[i] == "__null":  # NULL would be deduced as an integer
                tokens[i] = "nullptr"

    erase(tokens, first, last)
    # To nvcc a launch is of type void: `return k<<<1, 1>>>();` and `x ? k<<<1, 1>>>() : void()`.
    tokens[first] = "(void)::cuda_on_cpu::Launch{::cuda_on_cpu::Configuration(" + tokens[first]
    tokens[chevron] = ""
    name = _spelled(words).replace("\\", "").replace('"', "")
    tokens[end] = f'), "{name}", {{__builtin_FILE(), __builtin_LINE()}}}}{run}'
    has_arguments = any(not is_blank(token) for token in tokens[parenthesis + 1 : after])
    tokens[parenthesis] = ", " if has_arguments else ""


def _run(
    tokens: Tokens, parenthesis: int, words: list[str], kernels: dict[str, Kernel],
    instrumented: bool,
) -> str:  # fmt: skip
    """The call of a Launch's function that runs `words`, with its first arguments."""
    kernel = " ".join(words)
    is_one = _is_one_function(words, kernels)
    parameters, values = f"auto... {_VALUES}", f"{_VALUES}..."
    if not is_one:
        parameters, values = _without_braces(tokens, parenthesis) or (parameters, values)
    noinline = (
        "__attribute__((noinline)) " if instrumented else ""
    )  # otherwise it would be inlined into the uninstrumented loop
    call = f"({parameters}) {noinline}{{ {kernel}({values}); }}"
    if is_one:
        return f".run(&{kernel}, []{call}"
    fits = f"requires requires {{ {kernel}({values}); }} {{"
    if mark_zeros(tokens, parenthesis):
        return f".run_with_zeros([=]{call.replace('{', fits, 1)}"
    return f".run_found([=]{call}, [=]({parameters}) {fits}}}"


def _without_braces(tokens: Tokens, parenthesis: int) -> tuple[str, str] | None:
    """`k<<<1, 1>>>(p, {1, 2}, n)`: what is in braces has no type of its own, so it is taken out of
    the launch's arguments, into the call of the kernel. Returns that call's parameters and
    arguments; None without such braces."""
    after = closing(tokens, parenthesis)
    arguments = ["".join(" " if is_blank(token) else token for token in part).strip()
                 for part in split_commas(tokens[parenthesis + 1 : after])]  # fmt: skip
    in_braces = [argument.startswith("{") for argument in arguments]
    if not any(in_braces):
        return None
    names = [f"{_VALUES}_{i}" for i in range(len(arguments))]
    each = list(zip(arguments, names, in_braces, strict=True))
    parameters = [f"auto {name}" for _, name, braces in each if not braces]
    values = [argument if braces else name for argument, name, braces in each]
    i = parenthesis + 1
    while (i := next_significant(tokens, i)) < after:
        end = closing(tokens, i) if tokens[i] in ("(", "[", "{") else i
        before, comma = previous_significant(tokens, i - 1), next_significant(tokens, end + 1)
        if tokens[i] == "{" and (before == parenthesis or tokens[before] == ","):
            erase(tokens, i, end)
            if tokens[comma] == ",":
                tokens[comma] = ""
            elif before != parenthesis:
                tokens[before] = ""
        i = end + 1
    return ", ".join([*parameters, "auto..."]), ", ".join(values)  # a template in any case


def _has_two_numbers(tokens: Tokens, i: int, end: int) -> bool:
    """Whether a comma, or a pack, is outside of all brackets from `i` to `end`."""
    while i < end:
        if tokens[i] in (",", "..."):
            return True
        i = (closing(tokens, i) if tokens[i] in ("(", "[", "{") else i) + 1
    return False


def _spelled(words: Tokens) -> str:
    """`scaled<unsigned int, 4>` as a person writes it: blanks only after commas and between
    words."""
    text = ""
    for word in words:
        text += " " if text and (text[-1] == "," or (is_name(text[-1:]) and is_name(word))) else ""
        text += word
    return text


def join_chevrons(tokens: Tokens) -> None:
    """`k << <grid, block>> >()`, as some editors lay out a launch. The end is found later."""
    for i, token in enumerate(tokens):
        if token not in ("<<", "<"):
            continue
        after = next_significant(tokens, i + 1)
        before = previous_significant(tokens, i - 1)
        is_operator = before >= 0 and tokens[before] == "operator"  # operator<< <char>
        if after < len(tokens) and {token, tokens[after]} == {"<<", "<"} and not is_operator:
            tokens[i] = "<<<"
            tokens[after] = ""


def _join_closing_chevron(tokens: Tokens, index: int) -> None:
    """Three '>' with blanks between them, and a parenthesis after them."""
    second = next_significant(tokens, index + 1)
    third = next_significant(tokens, second + 1)
    after = next_significant(tokens, third + 1)
    if after < len(tokens) and tokens[second] == tokens[third] == ">" and tokens[after] == "(":
        tokens[index], tokens[second], tokens[third] = "", "", ">>>"


def _closing_chevron(tokens: Tokens, chevron: int) -> int:
    i = chevron + 1
    while i < len(tokens) and tokens[i] not in (">>>", ";"):
        if tokens[i] == ">":
            _join_closing_chevron(tokens, i)
        i = closing(tokens, i) if tokens[i] in ("(", "[", "{") else i
        i += 1
    if i >= len(tokens) or tokens[i] != ">>>":
        sentence = "this launch has no '>>>': write kernel<<<grid, block>>>(...)"
        raise refusal(tokens, chevron, sentence)
    return i


def _expression_start(tokens: Tokens, last: int) -> int:
    """The first token of the postfix expression that ends at `last`.

    That may be a name, k<T, 4>, Class::k, (c ? a : b) or table[i].
    """
    if last < 0 or not (is_name(tokens[last]) or tokens[last] in (">", ")", "]")):
        sentence = "there is no kernel before '<<<': write kernel<<<grid, block>>>(...)"
        raise refusal(tokens, max(last, 0), sentence)
    i = last
    while True:
        i, is_complete = _primary_start(tokens, i)
        if is_complete:
            return i
        before = previous_significant(tokens, i - 1)
        if before >= 0 and tokens[before] == "template":  # object.template k<int>
            before = previous_significant(tokens, before - 1)
        if before < 0 or tokens[before] not in ("::", ".", "->"):
            return i
        left = previous_significant(tokens, before - 1)
        if (
            left < 0
            or tokens[left] in _KEYWORDS
            or not (is_name(tokens[left]) or tokens[left] in (">", ")", "]"))
        ):
            return before  # ::k
        i = left


def _primary_start(tokens: Tokens, i: int) -> tuple[int, bool]:
    """Back over template arguments, subscripts and calls, to a name.

    Returns (index, True) if a parenthesis begins the whole expression.
    """
    if tokens[i] == ">":
        i = previous_significant(tokens, opening_angle(tokens, i) - 1)
    while tokens[i] in (")", "]"):
        start = opening(tokens, i)
        before = previous_significant(tokens, start - 1)
        is_postfix = before >= 0 and (
            (is_name(tokens[before]) and tokens[before] not in _KEYWORDS)
            or (tokens[before] in (")", "]") and not _ends_condition(tokens, before))
        )
        if not is_postfix:
            return start, True
        i = before
    return i, False


def _ends_condition(tokens: Tokens, parenthesis: int) -> bool:
    if tokens[parenthesis] != ")":
        return False
    before = previous_significant(tokens, opening(tokens, parenthesis) - 1)
    return before >= 0 and tokens[before] in _CONDITIONS


def _is_one_function(words: Tokens, kernels: dict[str, Kernel]) -> bool:
    """Does the kernel's text name exactly one function? Then its parameter types are known."""
    explicit = None
    if words[-1] == ">":
        start = opening_angle(words, len(words) - 1)
        inside = words[start + 1 : -1]
        explicit = len(split_commas(inside)) if inside else 0
        words = words[:start]
    if (
        not all(is_name(word) or word in ("::", "<", ">", ",") for word in words)
        or words[-1] not in kernels
    ):
        return False
    return kernels[words[-1]].address_is_unique(explicit)
