"""Device functions that take or return a struct by value, where a checker or counter watches.

g++ announces an access that is an assignment, but not one that is an argument or a result of a
call: in `energy(bodies[i])` and `bodies[i] = moved(body)` the bodies would not be seen. Inlined,
which is also what nvcc does, both are assignments. A function that calls itself cannot be inlined.
"""

from __future__ import annotations

from .scopes import Scope, declaration_start
from .sides import KERNEL, Function, Sides
from .tokens import Tokens, closing, is_blank, is_name, significant, split_commas

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
_INDIRECT = frozenset(("*", "&", "&&", "[", "("))


def inlined(tokens: Tokens, scope_of: list[Scope]) -> dict[int, str]:
    """What replaces which token: the attribute at `__device__`, nothing at `__noinline__`."""
    if "__device__" not in tokens:
        return {}
    sides = Sides(tokens, scope_of)
    functions = [one for one in sides.with_body if one.side != KERNEL and tokens[one.name] != "["]
    recursive = _recursive(tokens, functions)
    changed: dict[int, str] = {}
    for one in functions:
        if tokens[one.name] in recursive or not _moves_struct(tokens, one):
            continue
        for i in range(declaration_start(tokens, one.name), one.name):
            if tokens[i] == "__noinline__":
                changed[i] = ""
            elif tokens[i] == "__device__":
                changed[i] = ATTRIBUTE
    return changed


def _moves_struct(tokens: Tokens, function: Function) -> bool:
    head = significant(tokens, declaration_start(tokens, function.name), function.name)
    if "template" in head:
        head = _after_template(head)
    if _is_struct(head) and head[-1:] != ["operator"]:
        return True
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
    if not _INDIRECT.isdisjoint(words):
        return False
    names = [word for word in words if is_name(word) and word not in _WORDS]
    return bool(names) and _SCALARS.isdisjoint(names)


def _recursive(tokens: Tokens, functions: list[Function]) -> set[str]:
    """Names of functions that may come to call themselves. Overloads count as one function."""
    names = {tokens[one.name] for one in functions if is_name(tokens[one.name])}
    calls: dict[str, set[str]] = {}
    for one in functions:
        if one.body:
            called = names.intersection(tokens[one.body[0] : one.body[1]])
            calls.setdefault(tokens[one.name], set()).update(called)
    found = set()
    for name in calls:
        reached, open_ = set(), set(calls[name])
        while open_:
            next_ = open_.pop()
            reached.add(next_)
            open_ |= calls.get(next_, set()) - reached
        if name in reached:
            found.add(name)
    return found
