"""What no program may have, whatever else is in it: the first of these ends the translation."""

from __future__ import annotations

import re

from .scopes import FUNCTION, Braces, Scope, declaration_start
from .sides import KERNEL, Sides
from .suspects import declares, host_names
from .tokens import (
    RewriteError,
    Tokens,
    closing,
    is_name,
    next_significant,
    opening_angle,
    previous_significant,
    refusal,
    significant,
)

# CUDA 9 to 13 have removed these; a GPU of this century's twenties does not run them.
_GONE = {
    "__shfl": "__shfl_sync(mask, ...)",
    "__shfl_up": "__shfl_up_sync(mask, ...)",
    "__shfl_down": "__shfl_down_sync(mask, ...)",
    "__shfl_xor": "__shfl_xor_sync(mask, ...)",
    "__any": "__any_sync(mask, ...)",
    "__all": "__all_sync(mask, ...)",
    "__ballot": "__ballot_sync(mask, ...)",
    "cudaBindTexture": "cudaCreateTextureObject()",
    "cudaBindTexture2D": "cudaCreateTextureObject()",
    "cudaBindTextureToArray": "cudaCreateTextureObject()",
    "cudaUnbindTexture": "cudaDestroyTextureObject()",
}
_OF_CONDITIONAL_NODES = re.compile(r"cudaGraphConditional\w+|cudaGraphSetConditional")


def refuse_what_is_gone(tokens: Tokens, scope_of: list[Scope]) -> None:
    """Raises RewriteError for names that CUDA had once, unless the program has its own."""
    for i, token in enumerate(tokens):
        if _OF_CONDITIONAL_NODES.fullmatch(token):
            raise refusal(tokens, i, f"`{token}`: CUDA on the CPU does not have conditional nodes: "
                          "let the host decide between two launches")  # fmt: skip
        after = next_significant(tokens, i + 1)
        if after >= len(tokens):
            return
        last = previous_significant(tokens, i - 1)
        before = tokens[last] if last >= 0 else ""
        if token in _GONE and tokens[after] == "(" and FUNCTION in scope_of[i]:
            if before not in (".", "->", "::") and not _is_defined(tokens, scope_of, token):
                raise _gone(tokens, i, f"`{token}`", _GONE[token])
        elif token in ("texture", "surface") and tokens[after] == "<" and not scope_of[i]:
            if before in ("", ";", "}", "static") and not _is_defined(tokens, scope_of, token):
                raise _gone(tokens, i, f"{token} references", f"a cuda{token.title()}Object_t")


def _gone(tokens: Tokens, index: int, what: str, instead: str) -> RewriteError:
    verb = "are" if what.endswith("s") else "is"
    return refusal(tokens, index, f"{what} {verb} no longer in CUDA: use {instead}")


def _is_defined(tokens: Tokens, scope_of: list[Scope], name: str) -> bool:
    """Whether the program declares a function or class of that name."""
    for i, token in enumerate(tokens):
        if token == name and FUNCTION not in scope_of[i]:
            before = tokens[previous_significant(tokens, i - 1)]
            if is_name(before) or before in ("*", "&", ">"):
                return True
    return False


def refuse_other_launches(tokens: Tokens, scope_of: list[Scope], sides: Sides) -> None:
    """Raises RewriteError for `f<<<grid, block>>>()` of a function that is no kernel."""
    if "<<<" not in tokens:
        return
    others = (sides.names | host_names(tokens, scope_of, sides).functions) - sides.kernels
    braces = Braces(tokens)
    for i, token in enumerate(tokens):
        if token != "<<<":
            continue
        name = previous_significant(tokens, i - 1)
        if tokens[name] == ">":
            name = previous_significant(tokens, opening_angle(tokens, name) - 1)
        if tokens[name] not in others:
            continue
        inside = (j for j in range(i, 0, -1) if FUNCTION not in scope_of[j])
        outside = next((j for j in inside if not braces.are_of_class(j)), 0)
        start = declaration_start(tokens, outside)  # of the function or class around
        if not any(declares(tokens, j) for j in range(start, i) if tokens[j] == tokens[name]):
            side = "of the device" if tokens[name] in sides.names else "of the host"
            raise refusal(tokens, i, f"`{tokens[name]}` is a function {side}, no kernel: only a "
                          "__global__ function can be launched")  # fmt: skip


def refuse_impossible_kernels(tokens: Tokens, sides: Sides) -> None:
    """Raises RewriteError for a member of a class, for `__host__ __global__`, `noexcept` and `...`,
    which g++ would take; and for a kernel that returns something, of which g++ would speak by the
    templates of a launch."""
    braces = Braces(tokens)
    for function in sides.functions.values():
        if function.side != KERNEL or not is_name(tokens[function.name]):
            continue
        head = significant(tokens, declaration_start(tokens, function.name), function.name)
        if "friend" not in head and braces.are_of_class(function.name):
            said = f"kernel `{tokens[function.name]}` is a member of a class: put it outside"
            raise refusal(tokens, function.name, said)
        behind = closing(tokens, function.parenthesis)
        is_trailing = significant(tokens, behind + 1, behind + 6)[:2] == ["->", "void"]
        if not {"void", "decltype", "using"} & set(head) and not is_trailing:
            said = f"kernel `{tokens[function.name]}` returns a value: it must be void"
            raise refusal(tokens, function.name, said)
        if others := [word for word in ("__host__", "__device__") if word in head]:
            said = f"kernel `{tokens[function.name]}` is {others[0]}, too: __global__ stands alone"
            raise refusal(tokens, function.name, said)
        word = next_significant(tokens, behind + 1)
        if tokens[word] in ("noexcept", "throw"):
            said = f"kernel `{tokens[function.name]}` is {tokens[word]}: leave the word out"
            raise refusal(tokens, word, said)
        last = previous_significant(tokens, closing(tokens, function.parenthesis) - 1)
        if tokens[last] == "..." and not is_name(tokens[previous_significant(tokens, last - 1)]):
            said = f"kernel `{tokens[function.name]}` takes `...`: a kernel has fixed parameters"
            raise refusal(tokens, last, said)
