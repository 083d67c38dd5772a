"""`__launch_bounds__(MOST, ...)`: the kernel does not run if a block has more threads than MOST.
`__cluster_dims__(X, Y, Z)`: it runs in clusters of so many blocks.

The qualifier is taken out of the declaration. The body of the kernel begins with a call instead,
which knows the template's parameters, as the qualifier does. A declaration's qualifier holds for
the definition that follows, if that has none.
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

BOUNDS, CLUSTER = "__launch_bounds__", "__cluster_dims__"
# a qualifier, a kernel's name, how many parameters it has, its template's head
Key = tuple[str, str, int, str]


def take_launch_qualifiers(tokens: Tokens) -> dict[int, str]:
    """What has to stand after the brace with this index."""
    words = [word for word in (BOUNDS, CLUSTER) if word in tokens]
    found: dict[tuple[str, int], str] = {}  # by the qualifier and the brace
    declared: dict[Key, str] = {}
    for i, token in enumerate(tokens) if words else ():
        if token in words:
            given, end = _arguments(tokens, i)
            parameters, brace = _signature(tokens, end)
            _refuse_elsewhere(tokens, i, parameters)
            key = _key(token, tokens, i, parameters)
            erase(tokens, i, end)
            if given and brace is None:
                declared[key] = given
            elif given and brace is not None:
                found[token, brace] = given
        elif token == "__global__":
            parameters, brace = _signature(tokens, i)
            for word in words:
                key = _key(word, tokens, i, parameters)
                if brace is not None and key in declared:
                    found.setdefault((word, brace), declared[key])
    calls: dict[int, str] = {}
    for (word, brace), given in sorted(found.items()):
        calls[brace] = calls.get(brace, "") + _call(word, given)
    return calls


def _refuse_elsewhere(tokens: Tokens, index: int, parameters: int) -> None:
    """Raises RewriteError for a function that is no kernel; of a variable nvcc only says that the
    qualifier does not apply."""
    name = previous_significant(tokens, parameters - 1)
    is_function = tokens[parameters : parameters + 1] == ["("] and is_name(tokens[name])
    if is_function and "__global__" not in tokens[declaration_start(tokens, index) : parameters]:
        what = "launch bounds" if tokens[index] == BOUNDS else "clusters"
        raise refusal(tokens, index, f"{tokens[index]} on `{tokens[name]}`, which is no kernel: "
                      f"only a __global__ function has {what}")  # fmt: skip


def _call(word: str, given: str) -> str:
    if word == CLUSTER:
        return f" ::cuda_on_cpu::keep_cluster({given});"
    return (f" {{ constexpr long long cuda_on_cpu_bound = ({given}); "
            "::cuda_on_cpu::keep_launch_bound(cuda_on_cpu_bound); }")


def _arguments(tokens: Tokens, index: int) -> tuple[str, int]:
    """The arguments, of bounds the first, and the last token of the qualifier."""
    opener = next_significant(tokens, index + 1)
    if tokens[opener : opener + 1] != ["("]:
        return "", index
    end = closing(tokens, opener)
    given = tokens[opener + 1 : end]
    return "".join(given if tokens[index] == CLUSTER else split_commas(given)[0]).strip(), end


def _signature(tokens: Tokens, index: int) -> tuple[int, int | None]:
    """Where the parameters open, and the brace that begins the body; None for a declaration."""
    i, parameters = index + 1, index
    while i < len(tokens) and tokens[i] not in (";", "{"):
        if tokens[i] == "(":
            name = tokens[previous_significant(tokens, i - 1)]
            if is_name(name) and name not in (BOUNDS, CLUSTER, "__attribute__"):
                parameters = i
            i = closing(tokens, i)
        i += 1
    return parameters, i if tokens[i : i + 1] == ["{"] else None


def _key(word: str, tokens: Tokens, index: int, parameters: int) -> Key:
    """What a declaration and its definition have in common."""
    if tokens[parameters : parameters + 1] != ["("]:
        return word, "", 0, ""
    name = tokens[previous_significant(tokens, parameters - 1)]
    count = len(split_commas(tokens[parameters + 1 : closing(tokens, parameters)]))
    head = significant(tokens, declaration_start(tokens, index), index)
    template = " ".join(head[: head.index(">") + 1]) if "template" in head and ">" in head else ""
    return word, name, count, template
