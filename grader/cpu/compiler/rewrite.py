"""CUDA to C++, on preprocessed text: the few things a C++ compiler cannot parse.

Launches (launches.py), __shared__ variables (shared.py), __device__ and __constant__ variables
(variables.py), loops that may wait (spins.py), calls whose result is
thrown away (discards.py), __launch_bounds__ (bounds.py), __global__, __host__ and __noinline__.
The rewriter works after the preprocessor, so it also sees kernels, launches and declarations in
headers and macros. It never adds or removes a line break, so the compiler's messages and the
debugger show the student's lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import spins, variables
from .assembly import is_unwatched
from .bounds import take_launch_bounds
from .buffers import named_allocations
from .by_value import inlined
from .captures import SharedNames
from .discards import mark_discarded
from .heap import mark_heap
from .host_copies import addresses_in_host_code, host_copies
from .kernels import kernels
from .launches import join_chevrons, rewrite_launch
from .local_arrays import fenced
from .plain_rules import refuse_what_is_gone
from .regions import region_ends
from .scopes import FUNCTION, Scope, scopes
from .shared import decay_in_cast, outside_name, rewrite_shared
from .sides import Sides
from .tokens import (
    Tokens,
    closing,
    erase,
    is_blank,
    next_significant,
    previous_significant,
    tokenize,
)
from .values import rewrite_cast

# -fsanitize=thread announces no access of these, and the compiler may make a few moves of a call.
_COPIES = ("memcpy", "memmove", "memset")
_ANNOUNCED = {f"{prefix}{name}": f"__tsan_{name}" for name in (*_COPIES, "mempcpy")
              for prefix in ("", "__builtin_")}  # fmt: skip
_IN_HEADERS = re.compile(rf"\b__builtin_({'|'.join(_COPIES)})\b(?=\s*\()")
_OF_ATOMIC = re.compile(
    r"__atomic_\w+_dispatch\((?:[^(){}]|\([^()]*\))*\b_Sco = \{\}\)(?:[^;{}()]|\([^()]*\))*\{"
)
_SCOPE = " [[maybe_unused]] const ::cuda_on_cpu::AtomicScope<_Sco> scope_here{};"
_DECLARED = (
    'extern "C" { void *__tsan_memcpy(void *, const void *, decltype(sizeof 0)); '
    "void *__tsan_memmove(void *, const void *, decltype(sizeof 0)); "
    "void *__tsan_memset(void *, int, decltype(sizeof 0)); }\n"
)

_UNROLL = re.compile(r"#pragma unroll\s*(?:\(?\s*(\d+)\s*\)?\s*)?")
_MOST_TURNS = 16  # more would make the compiler slow


@dataclass(frozen=True)
class Unit:
    """A translation unit before and after rewriting; the first three have the same length.
    `replaced` are tokens of what is compiled, but not of what is looked at for calls. `addresses`
    are names of variables of the device whose address host code takes."""

    tokens: Tokens
    rewritten: Tokens
    scope_of: list[Scope]
    replaced: dict[int, str]
    addresses: list[int]

    @property
    def text(self) -> str:
        if not self.replaced:
            return "".join(self.rewritten)
        return "".join(self.replaced.get(i, token) for i, token in enumerate(self.rewritten))


def rewrite(text: str, instrumented: bool = False, watched: bool = False) -> str:
    return translate(text, instrumented, watched).text


def announce_headers(text: str) -> str:
    """Lets copies and fills in the library's headers, where a kernel may come through a pointer, be
    announced as well. The first lines stay the first: they name the file for the debugger."""
    place = re.match(r"(# .*\n)*", text)
    first = place.end() if place else 0
    return text[:first] + _DECLARED + _IN_HEADERS.sub(r"__tsan_\1", text[first:])


def announce_scopes(text: str) -> str:
    """Lets the functions of cuda::atomic say whether they are for one block."""
    return _OF_ATOMIC.sub(lambda found: found[0] + _SCOPE, text)


def translate(
    text: str, instrumented: bool = False, watched: bool = False, heap: bool = False
) -> Unit:
    """`instrumented`: kernels stay separate functions, so that -fsanitize=thread sees them.
    `watched`: it is there, so copies and fills are announced as well.
    `heap`: malloc and the like of kernels are announced, too, and local arrays have fences.
    """
    tokens = tokenize(text)
    join_chevrons(tokens)
    bounds = take_launch_bounds(tokens)
    given = list(tokens)
    scope_of = scopes(tokens)
    refuse_what_is_gone(tokens, scope_of)
    known = kernels(tokens, scope_of)
    volatile = spins.volatile_names(tokens)
    serial = 0
    shared = SharedNames()
    outside: set[str] = set()  # __shared__ variables at namespace scope
    dynamic: set[str] = set()  # extern ones
    for i, token in enumerate(tokens):
        if token in ("{", "}"):
            shared.brace(token)
        elif token == "[":
            shared.rewrite_capture(tokens, i)
        elif token == "void":
            rewrite_cast(tokens, i, known)
        elif token in ("while", "for") and FUNCTION in scope_of[i]:
            spins.mark_loop(tokens, i, volatile, instrumented)
        elif token == "goto" and FUNCTION in scope_of[i]:
            spins.mark_goto(tokens, i, max(0, i - spins.FARTHEST_LABEL))
        elif token == "<<<":
            rewrite_launch(tokens, i, known, instrumented)
        elif token == "__shared__" and tokens[i] == "__shared__":
            serial += 1
            names = rewrite_shared(tokens, i, scope_of[i], serial, instrumented, dynamic)
            if FUNCTION in scope_of[i]:
                shared.add(names)
            else:
                outside.update(names)
        elif token == "reinterpret_cast" and dynamic:
            decay_in_cast(tokens, i, dynamic)
        elif token in outside and FUNCTION in scope_of[i] and not _is_member(tokens, i):
            tokens[i] = f"({outside_name(token)})"
        elif token.startswith("cuda") and FUNCTION in scope_of[i]:
            mark_discarded(tokens, i)
        elif token == "__noinline__" and not _inside_attribute(tokens, i):
            tokens[i] = "__attribute__((noinline))"
        elif watched and token in _ANNOUNCED and not _is_member(tokens, i):
            tokens[i] = _ANNOUNCED[token]
        elif token.startswith("#pragma unroll"):
            tokens[i] = "" if instrumented else _unrolled(tokens, i)
    places = [i for i, token in enumerate(tokens) if token in variables.WORDS]
    sections = [variables.attribute(tokens, i, scope_of[i], i) for i in places]
    gaps = variables.gaps(tokens, places, sections, scope_of) if instrumented else {}
    around = variables.around_templates(given, places, sections)
    for i, section in zip(places, sections, strict=True):
        tokens[i] = section
    if "static" in given and not set(variables.WORDS).isdisjoint(given):
        bodies = [one.body for one in Sides(given, scope_of).device_bodies() if one.body]
        for i, section in variables.local_statics(given, bodies).items():
            tokens[i] += section
    for i, token in enumerate(tokens):
        if instrumented and is_unwatched(token):
            _erase_attribute(tokens, i)
        elif token == "__global__":
            tokens[i] = "__attribute__((noinline))" if instrumented else ""
        elif token == "__host__":
            tokens[i] = ""
    if heap:
        mark_heap(given, tokens, scope_of)
    for i, text in around[0].items():
        tokens[i] = text + tokens[i]
    for i, text in around[1].items():
        tokens[i] += text
    if instrumented:
        for more in (gaps, region_ends(given, scope_of)):
            for i, text in more.items():
                tokens[i] += text
    for i, text in bounds.items():
        tokens[i] += text
    replaced = inlined(given, scope_of, tokens) if watched else {}
    addresses = addresses_in_host_code(given, scope_of)
    replaced |= host_copies(given, addresses)
    if heap:
        replaced |= fenced(given, tokens, scope_of)
    if instrumented:
        before, behind = named_allocations(given)
        for i, text in before.items():
            replaced[i] = text + replaced.get(i, tokens[i])
        for i, text in behind.items():
            replaced[i] = replaced.get(i, tokens[i]) + text
    return Unit(given, tokens, scope_of, replaced, addresses)


def _unrolled(tokens: Tokens, index: int) -> str:
    """nvcc's `#pragma unroll [N]` for g++ and clang, which want a number and a loop after it.

    Local arrays that such a loop indexes come into registers, as on a GPU. Where accesses are
    watched, each one must stay what the source says.
    """
    found = _UNROLL.fullmatch(tokens[index])
    after = next_significant(tokens, index + 1)
    if not found or after >= len(tokens) or tokens[after] not in ("for", "while", "do"):
        return ""
    return f"#pragma GCC unroll {min(int(found[1] or _MOST_TURNS), _MOST_TURNS)}"


def _erase_attribute(tokens: Tokens, index: int) -> None:
    """It may come from a macro that is only defined where the checker watches."""
    tokens[index] = "unused"
    opener = next_significant(tokens, index + 1)
    if tokens[opener] == "(":
        erase(tokens, opener, closing(tokens, opener))


def _is_member(tokens: Tokens, index: int) -> bool:
    before = previous_significant(tokens, index - 1)
    return before >= 0 and tokens[before] in (".", "->")


def _inside_attribute(tokens: Tokens, index: int) -> bool:
    """The C++ library writes __attribute__((__noinline__)) and [[gnu::__noinline__]]."""
    before = previous_significant(tokens, index - 1)
    return before >= 0 and not is_blank(tokens[before]) and tokens[before] in ("(", ",", "::")
