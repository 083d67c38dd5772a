"""Code under `#ifdef __CUDA_ARCH__`, a word that nvcc defines for the device's side only.

nvcc compiles a file once for each side. Here one compilation makes both: so the file is
preprocessed for each, and a function of the device gets the body that the device's text has. A
function of both sides gets both bodies and asks where it runs.
"""

from __future__ import annotations

import re
from collections import Counter

from .scopes import declaration_start, scopes
from .sides import BOTH, Function, Sides, positions
from .tokens import Tokens, text_of, tokenize

WORD = "__CUDA_ARCH__"
DEFINED = f"-D{WORD}=900"  # cuda_on_cpu/virtual_device.hpp
ASKS = "runs_on_device"  # cuda_on_cpu/index.hpp
_FILE = re.compile(r'^# \d+ "((?:\\.|[^"\\\n])*)"([ 1-4]*)$', re.MULTILINE)
_ASSEMBLY = frozenset(("asm", "__asm__", "__asm"))

Place = tuple[str, int, int]  # file, line, and how many bodies begin before on that line


def is_asked_for(text: str) -> bool:
    """Whether one of the user's files, of which preprocessed text comes, has the word."""
    files = {name for name, flags in _FILE.findall(text) if "3" not in flags}
    return any(WORD in text_of(name) for name in files)


def joined(host: str, device: str, alone: bool = False) -> str:
    """The host's text with the device's bodies. If the device is `alone`, a function of both sides
    has no other one: that is all that kernels run of it."""
    tokens, others = tokenize(host), tokenize(device)
    of_device = {place: _text(others, one) for place, one in _bodies(others).items()}
    end = 0
    for (file, line, number), one in _bodies(tokens).items():
        own, other = _text(tokens, one), of_device.get((file, line, number), "")
        first, last = one.body or (0, 0)
        if first < end or other in ("", own) or _has_assembly(other) > _has_assembly(own):
            continue
        if one.side == BOTH:
            if "constexpr" in tokens[declaration_start(tokens, one.name) : one.name]:
                continue
            if not alone:
                other = (f"{{ if (::cuda_on_cpu::{ASKS}()) {other} else\n"
                         f'# {line} "{file}"\n{own} }}')  # fmt: skip
        tokens[first : last + 1] = [other, *[""] * (last - first)]
        end = last
    return "".join(tokens)


def _bodies(tokens: Tokens) -> dict[Place, Function]:
    places, seen = positions(tokens), Counter[tuple[str, int]]()
    found = {}
    for one in sorted(Sides(tokens, scopes(tokens)).with_body, key=lambda one: one.body or (0, 0)):
        file, line, _ = places[one.body[0] if one.body else 0]
        found[file, line, seen[file, line]] = one
        seen[file, line] += 1
    return found


def _text(tokens: Tokens, function: Function) -> str:
    first, last = function.body or (0, -1)
    return "".join(tokens[first : last + 1])


def _has_assembly(body: str) -> bool:
    return not _ASSEMBLY.isdisjoint(tokenize(body))
