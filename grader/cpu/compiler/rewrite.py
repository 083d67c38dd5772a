"""CUDA to C++, on preprocessed text: the few things a C++ compiler cannot parse.

Launches (launches.py), __shared__ variables (shared.py), __device__ and __constant__ variables
(variables.py), loops that may wait (spins.py), calls whose result is thrown away
(discards.py), __launch_bounds__ and __cluster_dims__ (bounds.py), __global__, __host__ and
__noinline__.
The rewriter works after the preprocessor, so it also sees kernels, launches and declarations in
headers and macros. It never adds or removes a line break, so the compiler's messages and the
debugger show the student's lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from . import spins, variables
from .assembly import is_unwatched
from .bounds import take_launch_qualifiers
from .buffers import named_allocations
from .by_value import inlined
from .captures import SharedNames
from .discards import mark_discarded, may_begin_call
from .heap import for_all, mark_heap
from .host_copies import addresses_in_host_code, host_copies
from .host_functions import of_the_host
from .kernels import kernels
from .launches import join_chevrons, rewrite_launch
from .lenient import let_pass
from .local_arrays import fenced
from .own_memory import large_variables
from .own_places import refuse_columns
from .refusals import refuse_what_is_gone
from .regions import region_ends
from .scopes import FUNCTION, Scope, scopes
from .shared import decay_in_cast, outside_name, rewrite_shared
from .sides import Place, Sides, positions
from .tokens import (
    Tokens,
    closing,
    erase,
    is_blank,
    next_significant,
    place_of_own_name,
    previous_significant,
    tokenize,
)
from .values import rewrite_cast

# -fsanitize=thread announces no access of these, and the compiler may make a few moves of a call.
_COPIES = ("memcpy", "memmove", "memset")
_ANNOUNCED = {f"{prefix}{name}": f"__tsan_{name}" for name in (*_COPIES, "mempcpy")
              for prefix in ("", "__builtin_")}  # fmt: skip
_COMPARES = "memcmp"  # a function of the host, but its builtin reads whatever a kernel gives it
_IN_HEADERS = re.compile(rf"(__builtin_|std::)({'|'.join((*_COPIES, _COMPARES))})\b(?=\s*\()")
_OF_ATOMIC = re.compile(
    r"__atomic_\w+_dispatch\((?:[^(){}]|\([^()]*\))*\b_Sco = \{\}\)(?:[^;{}()]|\([^()]*\))*\{"
)
_SCOPE = " [[maybe_unused]] const ::cuda_on_cpu::AtomicScope<_Sco> scope_here{};"
_DECLARED = (
    'extern "C" { void *__tsan_memcpy(void *, const void *, decltype(sizeof 0)) noexcept; '
    "void *__tsan_memmove(void *, const void *, decltype(sizeof 0)) noexcept; "
    "void *__tsan_memset(void *, int, decltype(sizeof 0)) noexcept; "
    "int __tsan_memcmp(const void *, const void *, decltype(sizeof 0)) noexcept; }\n"
)

_UNROLL = re.compile(r"#pragma unroll\s*(?:\(?\s*(\d+)\s*\)?\s*)?")
_MOST_TURNS = 16  # more would make the compiler slow


@dataclass(frozen=True)
class Unit:
    """A translation unit before and after rewriting; the first three have the same length.
    `replaced` are tokens of what is compiled, but not of what is looked at for calls. `addresses`
    are names of variables of the device whose address host code takes. `own_name` is where the
    user's text names what is the CPU backend's own, or "". `kernels` is what is compiled, if
    functions of both sides had the device's bodies alone; "" if no function has two bodies."""

    tokens: Tokens
    rewritten: Tokens
    scope_of: list[Scope]
    replaced: dict[int, str]
    addresses: list[int]
    own_name: str
    kernels: str = ""

    @cached_property
    def places(self) -> list[Place]:
        """Of `tokens`, by which messages name the user's text."""
        return positions(self.tokens)

    @property
    def text(self) -> str:
        if not self.replaced:
            return "".join(self.rewritten)
        return "".join(self.replaced.get(i, token) for i, token in enumerate(self.rewritten))


def rewrite(text: str, instrumented: bool = False, watched: bool = False) -> str:
    return translate(text, instrumented, watched).text


def announce_headers(text: str) -> str:
    """Lets copies and fills in the library's headers, where a kernel may come through a pointer,
    and in thrust's be announced as well. The first lines stay the first: they name the file for the
    debugger."""
    place = re.match(r"(# .*\n)*", text)
    first = place.end() if place else 0
    return text[:first] + _DECLARED + _IN_HEADERS.sub(_announced, text[first:])


def _announced(found: re.Match[str]) -> str:
    """What comes before the name is looked at only here: in a megabyte that takes a fifth."""
    before = found.string[max(0, found.start() - 1) : found.start()]
    other = before == "_" or before.isalnum() or (before == ":" and found[1] == "std::")
    return found[0] if other else f"__tsan_{found[2]}"


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
    refuse_columns(tokens)
    join_chevrons(tokens)
    bounds = take_launch_qualifiers(tokens)
    given = list(tokens)
    own_name = place_of_own_name(tokens)
    scope_of = scopes(tokens)
    refuse_what_is_gone(tokens, scope_of)
    let_pass(tokens, scope_of)
    _rewrite_each(tokens, scope_of, instrumented, watched)
    around = _rewrite_variables(given, tokens, scope_of, instrumented)
    _rewrite_functions(tokens, instrumented)
    if heap:
        mark_heap(given, tokens, scope_of)
    for more in around:
        more.put(tokens)
    if instrumented:
        Added(after=region_ends(given, scope_of)).put(tokens)
        Added(after=for_all(given, scope_of)).put(tokens)
    Added(after=bounds).put(tokens)
    addresses = addresses_in_host_code(given, scope_of)
    replaced = inlined(given, scope_of, tokens) | _comparisons(given) if watched else {}
    replaced |= host_copies(given, addresses)
    if heap:
        replaced |= fenced(given, tokens, scope_of)
        replaced |= of_the_host(given, scope_of)
    if instrumented:
        Added(*named_allocations(given)).put_in(replaced, tokens)
    return Unit(given, tokens, scope_of, replaced, addresses, own_name)


@dataclass(frozen=True)
class Added:
    """Text to be put before and after tokens, by their index."""

    before: Mapping[int, str] = field(default_factory=dict)
    after: Mapping[int, str] = field(default_factory=dict)

    def put(self, tokens: Tokens) -> None:
        for i, text in self.before.items():
            tokens[i] = text + tokens[i]
        for i, text in self.after.items():
            tokens[i] += text

    def put_in(self, replaced: dict[int, str], tokens: Tokens) -> None:
        """Leaves the tokens themselves alone."""
        for i in {**self.before, **self.after}:
            text = replaced.get(i, tokens[i])
            replaced[i] = self.before.get(i, "") + text + self.after.get(i, "")


def with_own_memory(unit: Unit) -> Unit | None:
    """The unit whose large local variables are announced, without fences; None if it has none."""
    added = Added(after=large_variables(unit.tokens, unit.scope_of))
    if not added.after:
        return None
    replaced = dict(unit.replaced)
    added.put_in(replaced, unit.rewritten)
    return replace(unit, replaced=replaced)


def _rewrite_each(tokens: Tokens, scope_of: list[Scope], instrumented: bool, watched: bool) -> None:
    """What is decided at one token, with what came before it."""
    known = kernels(tokens, scope_of)
    volatile = spins.volatile_names(tokens)
    shared = _SharedVariables(tokens, scope_of, instrumented)
    for i, token in enumerate(tokens):
        in_function = FUNCTION in scope_of[i]
        if shared.rewrite(i, token):
            continue
        if token == "void":
            rewrite_cast(tokens, i, known)
        elif token in ("while", "for") and in_function:
            spins.mark_loop(tokens, i, volatile, instrumented)
        elif token == "goto" and in_function:
            spins.mark_goto(tokens, i, max(0, i - spins.FARTHEST_LABEL))
        elif token == "<<<":
            rewrite_launch(tokens, i, known, instrumented)
        elif in_function and may_begin_call(token):
            mark_discarded(tokens, i)
        elif token == "__noinline__" and not _inside_attribute(tokens, i):
            tokens[i] = "__attribute__((noinline))"
        elif watched and token in _ANNOUNCED and not _is_member(tokens, i):
            tokens[i] = _ANNOUNCED[token]
        elif token.startswith("#pragma unroll"):
            tokens[i] = "" if instrumented else _unrolled(tokens, i)
        elif token.startswith("#pragma nv_"):  # what nvcc shall not warn of
            tokens[i] = ""


class _SharedVariables:
    """The __shared__ variables seen so far: their declarations, and what names them."""

    def __init__(self, tokens: Tokens, scope_of: list[Scope], instrumented: bool) -> None:
        self._tokens, self._scope_of, self._instrumented = tokens, scope_of, instrumented
        self._names = SharedNames()  # in functions
        self._outside: set[str] = set()  # at namespace scope
        self._dynamic: set[str] = set()  # extern ones
        self._serial = 0

    def rewrite(self, i: int, token: str) -> bool:
        """Whether the token was about them."""
        tokens, in_function = self._tokens, FUNCTION in self._scope_of[i]
        if token in ("{", "}"):
            self._names.brace(token)
        elif token == "[":
            self._names.rewrite_capture(tokens, i)
        elif token == "__shared__":
            self._declare(i)
        elif token == "reinterpret_cast" and self._dynamic:
            decay_in_cast(tokens, i, self._dynamic)
        elif token in self._outside and in_function and not _is_member(tokens, i):
            tokens[i] = f"({outside_name(token)})"
        else:
            return False
        return True

    def _declare(self, i: int) -> None:
        self._serial += 1
        names = rewrite_shared(self._tokens, i, self._scope_of[i], self._serial,
                               self._instrumented, self._dynamic)  # fmt: skip
        if FUNCTION in self._scope_of[i]:
            self._names.add(names)
        else:
            self._outside.update(names)


def _rewrite_variables(
    given: Tokens, tokens: Tokens, scope_of: list[Scope], instrumented: bool
) -> list[Added]:
    """Variables of the device come into a section of their own. Returns what is to be added around
    them, once nothing looks at the tokens any more."""
    places = [i for i, token in enumerate(tokens) if token in variables.WORDS]
    known = variables.Known(given, gaps=instrumented)
    sections = [variables.attribute(tokens, i, scope_of[i], known) for i in places]
    gaps = variables.gaps(tokens, places, sections, known) if instrumented else {}
    limits = variables.limits(tokens, places, sections, known)
    around = Added(*variables.around_templates(given, places, sections, known))
    for i, section in zip(places, sections, strict=True):
        tokens[i] = section
    if "static" in given and not {"__global__", *variables.WORDS}.isdisjoint(given):
        bodies = [one.body for one in Sides(given, scope_of).device_bodies() if one.body]
        Added(after=variables.local_statics(given, bodies, known)).put(tokens)
    return [around, Added(after=limits), Added(after=gaps)]


def _comparisons(tokens: Tokens) -> dict[int, str]:
    names = _COMPARES, f"__builtin_{_COMPARES}"
    places = (i for i, token in enumerate(tokens) if token in names)
    return {i: f"__tsan_{_COMPARES}_or_constant" for i in places if not _is_member(tokens, i)}


def _rewrite_functions(tokens: Tokens, instrumented: bool) -> None:
    """The words before a function. A kernel stays one where -fsanitize=thread is to see it."""
    for i, token in enumerate(tokens):
        if instrumented and is_unwatched(token):
            _erase_attribute(tokens, i)
        elif token == "__global__":
            tokens[i] = "__attribute__((noinline))" if instrumented else ""
        elif token == "__host__":
            tokens[i] = ""


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
