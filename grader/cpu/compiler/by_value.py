"""Device functions that take or return a struct by value, where a checker or counter watches.

g++ announces an access that is an assignment, but not one that is an argument or a result of a
call: in `energy(bodies[i])` and `bodies[i] = moved(body)` the bodies would not be seen. Inlined,
which is also what nvcc does, both are assignments. A function that calls itself cannot be inlined,
nor one that is called through a pointer: see unseen.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from .scopes import Scope, declaration_start
from .sides import KERNEL, Function, Sides, after_angle
from .tokens import (
    Tokens,
    closing,
    is_blank,
    is_name,
    next_significant,
    opening,
    previous_significant,
    significant,
    split,
    split_commas,
)

ATTRIBUTE = " __attribute__((always_inline)) "
# What fits a register of a GPU, and is no struct.
_SCALARS = frozenset(
    """void bool char short int long float double signed unsigned size_t ptrdiff_t uchar ushort uint
    ulong int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t
    cudaTextureObject_t cudaSurfaceObject_t cudaStream_t""".split()
)
_WORDS = frozenset(
    """const volatile static inline constexpr extern virtual explicit friend typename struct class
    union template __device__ __host__ __forceinline__ __noinline__ __restrict__ __inline__
    __inline __restrict register auto""".split()
)
_SIDES = ("__host__", "__device__")
_INDIRECT = frozenset(("*", "&", "&&", "[", "("))
_NOT_INLINED = frozenset("noinline __noinline__ noclone __noclone__ noipa __noipa__".split())


def inlined(
    tokens: Tokens, scope_of: list[Scope], rewritten: Tokens, recursive: Set[str] | None = None
) -> dict[int, str]:
    """What replaces which token of `rewritten`: the attribute is added, others are left out.
    `recursive` are the names of functions that call themselves, if they are known."""
    if "__device__" not in tokens and "__global__" not in tokens:
        return {}
    sides = Sides(tokens, scope_of)
    functions = _functions(tokens, sides, recursive)
    return {**functions, **_lambdas(tokens, sides, rewritten, recursive)}


def _functions(tokens: Tokens, sides: Sides, recursive: Set[str] | None) -> dict[int, str]:
    functions = [one for one in sides.with_body if one.side != KERNEL and tokens[one.name] != "["]
    if recursive is None:
        recursive = _recursive(tokens, functions)
    moving = [one for one in functions
              if _name(tokens, one) not in recursive and _moves_struct(tokens, one)]  # fmt: skip
    names = {_name(tokens, one) for one in moving}
    changed: dict[int, str] = {}
    for one in sides.functions.values():
        if _name(tokens, one) in names:
            end = one.body[0] if one.body else tokens.index(";", one.name)
            changed |= _without_refusal(tokens, declaration_start(tokens, one.name), end)
    for one in moving:
        for i in range(declaration_start(tokens, one.name), one.name):
            if tokens[i] == "__device__":
                changed[i] = ATTRIBUTE
    return changed


def _without_refusal(tokens: Tokens, begin: int, end: int) -> dict[int, str]:
    """Leaves out `__noinline__`, and what says the same as an attribute."""
    changed = {}
    for i in range(begin, end):
        if tokens[i] in _NOT_INLINED:
            before = tokens[previous_significant(tokens, i - 1)]
            changed[i] = "unused" if before in ("(", ",", "::", "[") else ""
    return changed


def _name(tokens: Tokens, function: Function) -> str:
    """Of an operator its signs, too."""
    end = function.parenthesis if tokens[function.name] == "operator" else function.name + 1
    return "".join(significant(tokens, function.name, end))


def _lambdas(
    tokens: Tokens, sides: Sides, rewritten: Tokens, recursive: Set[str] | None
) -> dict[int, str]:
    """The lambdas of kernels and device functions, whatever they return. One that calls what it
    gets may call itself."""
    may_call = recursive is None or "operator()" in recursive
    changed: dict[int, str] = {}
    for one in sides.device_bodies():
        for i in range(*one.body) if one.body else ():
            if tokens[i] != "[" or not (found := lambda_at(tokens, i)):
                continue
            parenthesis, brace = found
            if may_call and _calls_parameter(tokens, parenthesis, brace):
                continue
            changed |= _without_refusal(tokens, parenthesis, brace)
            at = next((k for k in range(parenthesis, brace) if tokens[k] == "->"), brace)
            changed[at] = ATTRIBUTE + rewritten[at]
    return changed


def _calls_parameter(tokens: Tokens, parenthesis: int, brace: int) -> bool:
    """Whether the lambda with these parameters and this body calls one of any type."""
    head = significant(tokens, opening(tokens, parenthesis), parenthesis)
    body = significant(tokens, brace, closing(tokens, brace))
    called = {word for word, after in zip(body, body[1:], strict=False) if after == "("}
    return "auto" in head and not called.isdisjoint(head)


def lambda_at(tokens: Tokens, index: int) -> tuple[int, int] | None:
    """The end of a lambda's parameters, and the brace that opens it; None for what is no lambda."""
    opener = after_captures(tokens, index)
    if not opener or tokens[opener] != "(":
        return None
    end = closing(tokens, opener)
    i = end
    while i < len(tokens) and tokens[i] not in ("{", ";", "}"):
        i = closing(tokens, i) if tokens[i] == "(" else i
        i = next_significant(tokens, i + 1)
    return (end, i) if i < len(tokens) and tokens[i] == "{" else None


def after_captures(tokens: Tokens, index: int) -> int:
    """What comes after a lambda's captures, `<class T>` and sides; 0 for what is no lambda."""
    before = tokens[previous_significant(tokens, index - 1)]
    if (is_name(before) and before != "return") or before in (")", "]", "["):
        return 0
    i = next_significant(tokens, closing(tokens, index) + 1)
    while i < len(tokens) and (tokens[i] in _SIDES or tokens[i] == "<"):
        i = next_significant(tokens, after_angle(tokens, i) if tokens[i] == "<" else i + 1)
    return i if i < len(tokens) else 0


def _moves_struct(tokens: Tokens, function: Function) -> bool:
    head = significant(tokens, declaration_start(tokens, function.name), function.name)
    if "template" in head:
        head = _after_template(head)
    if (_is_struct(head) and head[-1:] != ["operator"]) or "auto" in head:
        return True
    if tokens[function.name] == "operator" and is_name(
        tokens[next_significant(tokens, function.name + 1)]
    ):
        return True  # a conversion, perhaps to a struct
    end = closing(tokens, function.parenthesis)
    parameters = [t for t in tokens[function.parenthesis + 1 : end] if not is_blank(t)]
    return any(_is_struct(_without_name(one)) for one in split_commas(parameters) if one)


def _after_template(head: Tokens) -> Tokens:
    depth = 0
    for i, word in enumerate(head):
        depth += word == "<"
        depth -= len(word) if word in (">", ">>", ">>>") else 0
        if depth <= 0 and i > 0:
            return head[i + 1 :]
    return []


def _without_name(parameter: Tokens) -> Tokens:
    """The type of `const float4 v = {}`."""
    words = parameter[: parameter.index("=")] if "=" in parameter else parameter
    names = [word for word in words if is_name(word) and word not in _WORDS]
    return words[:-1] if len(names) > 1 and words[-1] == names[-1] else words


def _is_struct(words: Tokens) -> bool:
    """Is this the type of a value that may be a struct? A template's parameter may be one."""
    words = _without_arguments(words)
    if not _INDIRECT.isdisjoint(words):
        return False
    names = [word for word in words if is_name(word) and word not in _WORDS]
    return bool(names) and _SCALARS.isdisjoint(names)


def _without_arguments(words: Tokens) -> Tokens:
    """`Box` of `Box<float*>`, and `decltype` of `decltype(box())`: those are structs, too."""
    kept, depth = [], 0
    for before, word in zip(["", *words], words, strict=False):
        depth += word == "<" or (word == "(" and (depth > 0 or before == "decltype"))
        if depth == 0:
            kept.append(word)
        elif word in (">", ">>", ")"):
            depth = max(depth - len(word), 0)
    return kept


def _recursive(tokens: Tokens, functions: list[Function]) -> Set[str]:
    """Names of functions that may come to call themselves, and of those on a way between two of
    them. Overloads count as one function, and one sign as all operators that begin with it."""
    by_word: dict[str, set[str]] = defaultdict(set)
    for one in functions:
        by_word[_first_word(_name(tokens, one))].add(_name(tokens, one))
    calls: dict[str, set[str]] = {}
    for one in functions:
        if one.body:
            words = by_word.keys() & set(tokens[one.body[0] : one.body[1]])
            calls.setdefault(_name(tokens, one), set()).update(*(by_word[word] for word in words))
    return _leading_to_cycles(_leading_to_cycles(calls), backwards=True).keys()


def _leading_to_cycles(
    calls: Mapping[str, Set[str]], backwards: bool = False
) -> dict[str, set[str]]:
    """What is left of a graph without what leads to no cycle, or, backwards, comes from none."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for name, called in calls.items():
        for other in called:
            sorter.add(other, name) if backwards else sorter.add(name, other)
    with suppress(CycleError):
        sorter.prepare()
    gone: set[str] = set()
    while ready := sorter.get_ready():
        sorter.done(*ready)
        gone.update(ready)
    left = {name: called - gone for name, called in calls.items() if name not in gone}
    return {name: called for name, called in left.items() if called}


def _first_word(name: str) -> str:
    """By which a function of this name is called; parentheses are everywhere."""
    signs = name.removeprefix("operator")
    if is_name(signs) or signs in ("", "()"):
        return name
    return next(iter(split(signs)))
