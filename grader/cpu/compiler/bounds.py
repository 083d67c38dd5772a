"""`__launch_bounds__(MOST, ...)`: the kernel does not run if a block has more threads than MOST.

The qualifier is taken out of the declaration. The body of the kernel begins with a call instead,
which knows the template's parameters, as the qualifier does. A declaration's bound holds for the
definition that follows, if that has none.
"""

from __future__ import annotations

from .scopes import declaration_start
from .tokens import (
    Tokens,
    closing,
    erase,
    is_name,
    next_significant,
    previous_significant,
    refusal,
    significant,
    split_commas,
)

WORD = "__launch_bounds__"
Key = tuple[str, int, str]  # a kernel's name, how many parameters it has, its template's head


def take_launch_bounds(tokens: Tokens) -> dict[int, str]:
    """What has to stand after the brace with this index."""
    if WORD not in tokens:
        return {}
    found: dict[int, str] = {}
    declared: dict[Key, str] = {}
    for i, token in enumerate(tokens):
        if token not in (WORD, "__global__"):
            continue
        most, end = _most(tokens, i) if token == WORD else ("", i)
        parameters, brace = _signature(tokens, end)
        key = _key(tokens, i, parameters)
        if token == WORD:
            _refuse_elsewhere(tokens, i, parameters)
            erase(tokens, i, end)
        if most and brace is None:
            declared[key] = most
        elif most and brace is not None:
            found[brace] = _call(most)
        elif brace is not None and key in declared:
            found.setdefault(brace, _call(declared[key]))
    return found


def _refuse_elsewhere(tokens: Tokens, index: int, parameters: int) -> None:
    """Raises RewriteError for a function that is no kernel; of a variable nvcc only says that the
    qualifier does not apply."""
    name = previous_significant(tokens, parameters - 1)
    is_function = tokens[parameters : parameters + 1] == ["("] and is_name(tokens[name])
    if is_function and "__global__" not in tokens[declaration_start(tokens, index) : parameters]:
        raise refusal(tokens, index, f"{WORD} on `{tokens[name]}`, which is no kernel: only a "
                      "__global__ function has launch bounds")  # fmt: skip


def _call(most: str) -> str:
    return (f" {{ constexpr long long cuda_on_cpu_bound = ({most}); "
            "::cuda_on_cpu::keep_launch_bound(cuda_on_cpu_bound); }")


def _most(tokens: Tokens, index: int) -> tuple[str, int]:
    """The first argument, and the last token of the qualifier."""
    opener = next_significant(tokens, index + 1)
    if tokens[opener : opener + 1] != ["("]:
        return "", index
    end = closing(tokens, opener)
    return "".join(split_commas(tokens[opener + 1 : end])[0]).strip(), end


def _signature(tokens: Tokens, index: int) -> tuple[int, int | None]:
    """Where the parameters open, and the brace that begins the body; None for a declaration."""
    i, parameters = index + 1, index
    while i < len(tokens) and tokens[i] not in (";", "{"):
        if tokens[i] == "(":
            name = tokens[previous_significant(tokens, i - 1)]
            if is_name(name) and name not in (WORD, "__attribute__"):
                parameters = i
            i = closing(tokens, i)
        i += 1
    return parameters, i if tokens[i : i + 1] == ["{"] else None


def _key(tokens: Tokens, index: int, parameters: int) -> Key:
    """What a declaration and its definition have in common."""
    if tokens[parameters : parameters + 1] != ["("]:
        return "", 0, ""
    name = tokens[previous_significant(tokens, parameters - 1)]
    count = len(split_commas(tokens[parameters + 1 : closing(tokens, parameters)]))
    head = significant(tokens, declaration_start(tokens, index), index)
    template = " ".join(head[: head.index(">") + 1]) if "template" in head and ">" in head else ""
    return name, count, template
