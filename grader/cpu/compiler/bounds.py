"""`__launch_bounds__(MOST, ...)`: the kernel does not run if a block has more threads than MOST.

The qualifier is taken out of the declaration. The body of the kernel begins with a call instead,
which knows the template's parameters, as the qualifier does.
"""

from __future__ import annotations

from .tokens import Tokens, closing, erase, next_significant, split_commas

WORD = "__launch_bounds__"


def take_launch_bounds(tokens: Tokens) -> dict[int, str]:
    """What has to stand after the brace with this index."""
    found = {}
    for i, token in enumerate(tokens):
        opener = next_significant(tokens, i + 1)
        if token != WORD or tokens[opener : opener + 1] != ["("]:
            continue
        end = closing(tokens, opener)
        most = "".join(split_commas(tokens[opener + 1 : end])[0]).strip()
        erase(tokens, i, end)
        if (brace := _body(tokens, end)) is not None and most:
            found[brace] = f"::cuda_on_cpu::keep_launch_bound({most});"
    return found


def _body(tokens: Tokens, index: int) -> int | None:
    """The brace that begins the function's body; None for a declaration."""
    i = index + 1
    while i < len(tokens) and tokens[i] not in (";", "{"):
        i = closing(tokens, i) + 1 if tokens[i] == "(" else i + 1
    return i if tokens[i : i + 1] == ["{"] else None
