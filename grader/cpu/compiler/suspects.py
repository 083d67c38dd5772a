"""Whether a translation unit may break a rule about host and device.

Names alone decide, and they decide too often rather than too seldom: a suspect costs a second
compilation (language.py), which knows overloads, templates and scopes. A file without suspects, and
that is nearly every correct one, costs nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from .scopes import FUNCTION, Scope, declaration_start
from .sides import BOTH, DEVICE, KERNEL, Function, Sides, after_angle
from .tokens import (
    Tokens,
    closing,
    is_name,
    next_significant,
    opening,
    previous_significant,
    significant,
)

INCLUDE = Path(__file__).resolve().parents[1] / "include"
_WORDS = frozenset(
    "if for while switch return sizeof alignof decltype static_assert catch noexcept alignas "
    "static_cast reinterpret_cast const_cast dynamic_cast typeid int unsigned signed long short "
    "char bool float double void auto case operator else do new delete throw defined typename "
    "template __attribute__ __builtin_expect constexpr consteval explicit requires asm".split()
)
_FOR_BOTH = re.compile(
    r"is_\w+|\w+_t|\w+_v|move|forward|declval|numbers|conditional|enable_if|remove_\w+|add_\w+|"
    r"f?abs|rsqrt|rhypot|norm3d|fdivide|isnan|integral_constant|true_type|false_type|byte|initializer_list|abs|fabs\w*|sqrt|cbrt|pow|exp2?|"
    r"expm1|log(2|10|1p|b)?|sin|cos|tan|a?(sin|cos|tan)h?|atan2|floor|ceil|round|trunc|rint|lround|"
    r"llround|lrint|fma|fmin|fmax|fmod|hypot|is(nan|inf|finite|normal)|signbit|copysign|ldexp|frexp|"
    r"modf|erfc?|[lt]gamma|nearbyint|remainder|remquo|memcpy|memset|printf|size_t|in_place\w*"
)
# Types of the C++ library that are passed to kernels, with methods for the host.
_PASSED = frozenset("array pair tuple complex optional span function bitset variant".split())
_OF_DEVICE = re.compile(
    r"__(?!attribute|builtin|declspec|typeof|has_|func|FUNCTION|PRETTY|extension|asm|volatile|null)"
    r"[a-z]\w+|atomic[A-Z]\w+|this_(thread_block|grid)|(tiled|labeled|binary)_partition|"
    r"coalesced_threads"
)
# Names that the headers make with macros, and the device's part of the C library.
_KNOWN = re.compile(r"__\w+|atomic\w+|make_\w+|(tex|surf)[123]D\w+|malloc|free|strlen|assert|clock")


@dataclass
class HostNames:
    """What is declared like a function without a qualifier."""

    functions: set[str] = field(default_factory=set)  # constructors are named like their class
    classes: set[str] = field(default_factory=set)  # that have operators or a destructor
    has_operators: bool = False  # besides conversions and assignments


def has_suspects(tokens: Tokens, scope_of: list[Scope], sides: Sides) -> bool:
    host = host_names(tokens, scope_of, sides)
    types = {  # that a template takes
        token for i, token in enumerate(tokens)
        if tokens[previous_significant(tokens, i - 1)] in ("class", "typename")
        and tokens[next_significant(tokens, i + 1)] in (",", ">", "=")
    }  # fmt: skip
    return (
        any(_in_device_code(tokens, function, sides, host, types) for function in sides.with_body)
        or _in_host_code(tokens, scope_of, sides)
        or _passes_host_code(tokens, sides)
        or _has_variable_of_library(tokens, scope_of)
        or bool(host_variables(tokens, scope_of, sides))
    )


def host_names(tokens: Tokens, scope_of: list[Scope], sides: Sides) -> HostNames:
    found = HostNames()
    for i, token in enumerate(tokens):
        if FUNCTION in scope_of[i] or token not in ("(", "operator", "~"):
            continue
        name = previous_significant(tokens, i - 1) if token == "(" else i
        if name < 0 or name in sides.functions or _is_defaulted(tokens, i):
            continue
        scope = [word for word in scope_of[i] if word]
        if token != "(":
            after = tokens[next_significant(tokens, i + 1)]
            found.classes.update(scope[-1:])
            found.has_operators |= token == "operator" and not is_name(after) and after != "="
        elif is_name(tokens[name]) and tokens[name] not in _WORDS:
            head = tokens[declaration_start(tokens, name) : name]
            before = tokens[previous_significant(tokens, name - 1)]
            if "=" in head or before == "{":  # a member's value, perhaps
                found.classes.update(scope[-1:])
            elif before not in (":", ",", "operator"):
                found.functions.add(tokens[name])
    return found


def _is_defaulted(tokens: Tokens, index: int) -> bool:
    start = next((i for i in range(index, len(tokens)) if tokens[i] == "("), index)
    if tokens[start] != "(":
        return False
    after = next_significant(tokens, closing(tokens, start) + 1)
    while after < len(tokens) and tokens[after] in ("noexcept", "const"):
        after = next_significant(tokens, after + 1)
    return significant(tokens, after, after + 4)[:2] in (["=", "default"], ["=", "delete"])


def _in_device_code(
    tokens: Tokens, function: Function, sides: Sides, host: HostNames, types: set[str]
) -> bool:
    first, last = function.name, (function.body or (0, 0))[1]
    if function.side == BOTH:
        return not function.is_template and any(
            tokens[i] in sides.only_device and _is_used(tokens, i)
            for i in range(function.parenthesis, last)
        )
    if host.has_operators and function.is_template:
        return True
    own = types | {tokens[i] for i in range(first + 1, last) if declares(tokens, i)}
    return any(
        is_name(tokens[i]) and tokens[i] not in _WORDS and _is_suspect(tokens, i, sides, host, own)
        for i in range(next_significant(tokens, first + 1), last)
    )


def _is_suspect(tokens: Tokens, i: int, sides: Sides, host: HostNames, own: set[str]) -> bool:
    token, before = tokens[i], tokens[previous_significant(tokens, i - 1)]
    if token == "std" and before != "::":
        after = next_significant(tokens, next_significant(tokens, i + 1) + 1)
        return not _FOR_BOTH.fullmatch(tokens[after])
    if token in host.classes:
        return True
    if token in own or not _is_used(tokens, i):
        return False
    if token in host.functions or token in sides.kernels:  # which only a launch may call
        return True
    if before in (".", "->", "::") or not _is_called(tokens, i) or token in sides.names:
        return False
    is_known = token in vocabulary() or _KNOWN.fullmatch(token) or _is_math(token)
    return token.startswith("cuda") or not is_known


def _is_math(name: str) -> bool:
    return bool(_FOR_BOTH.fullmatch(name) or _FOR_BOTH.fullmatch(name.removesuffix("f")))


def _in_host_code(tokens: Tokens, scope_of: list[Scope], sides: Sides) -> bool:
    for i, token in enumerate(tokens):
        if FUNCTION not in scope_of[i] or not is_name(token):
            continue
        suspect = (token in sides.only_device and _is_used(tokens, i)) or (
            _OF_DEVICE.fullmatch(token) and _is_called(tokens, i)
        )
        if suspect and not sides.around(i):
            return True
    return False


def _passes_host_code(tokens: Tokens, sides: Sides) -> bool:
    """A kernel that is a template may get a lambda of the host, or a type with methods for it."""
    if not any(one.is_template and one.side != BOTH for one in sides.with_body):
        return False
    lambdas = {
        tokens[previous_significant(tokens, previous_significant(tokens, i - 1) - 1)]
        for i, token in enumerate(tokens)
        if token == "[" and tokens[previous_significant(tokens, i - 1)] == "="
    }
    for i, token in enumerate(tokens):
        if token in _PASSED and tokens[previous_significant(tokens, i - 1)] == "::":
            return True
        if token == "<<<":
            passed = tokens[i : next((j for j in range(i, len(tokens)) if tokens[j] == ";"), i)]
            if lambdas.intersection(passed) or ("[" in passed and "](" in "".join(passed)):
                return True
    return False


def _has_variable_of_library(tokens: Tokens, scope_of: list[Scope]) -> bool:
    """`__device__ std::atomic<int> n;`, whose methods and operators are the host's."""
    return any(
        token in ("__device__", "__managed__") and FUNCTION not in scope_of[i]
        and significant(tokens, i + 1, i + 7)[:2] == ["std", "::"]
        and not _FOR_BOTH.fullmatch(significant(tokens, i + 1, i + 7)[2])
        for i, token in enumerate(tokens)
    )  # fmt: skip


def _is_called(tokens: Tokens, index: int) -> bool:
    after = next_significant(tokens, index + 1)
    if after < len(tokens) and tokens[after] == "<":
        behind = after_angle(tokens, after)
        after = next_significant(tokens, behind) if behind > after + 1 else after
    return after < len(tokens) and tokens[after] in ("(", "{")


def _is_used(tokens: Tokens, index: int) -> bool:
    """Called, or the type of a variable."""
    after = next_significant(tokens, index + 1)
    return _is_called(tokens, index) or (
        after < len(tokens) and is_name(tokens[after]) and tokens[after] not in _WORDS
    )


def declares(tokens: Tokens, index: int) -> bool:
    """Whether the name is declared here as a parameter or variable."""
    if not is_name(tokens[index]) or tokens[index] in _WORDS:
        return False
    before = tokens[previous_significant(tokens, index - 1)]
    after = tokens[next_significant(tokens, index + 1)]
    return (
        after in ("=", ",", ")", ";", "[", "{", "(", ":")
        and (
            (is_name(before) and before not in ("return", "else", "new", "throw", "case"))
            or before in ("*", "&", ">")
        )
        and (before != "&" or after != "(")
        and (after != "(" or is_name(before) or before == ">")
    )


@cache
def vocabulary() -> frozenset[str]:
    """Every name in the headers of CUDA on the CPU."""
    names: set[str] = set()
    for header in INCLUDE.rglob("*.h*"):
        names.update(re.findall(r"[A-Za-z_]\w+", header.read_text()))
    return frozenset(names)


def host_variables(tokens: Tokens, scope_of: list[Scope], sides: Sides) -> list[int]:
    """The last token of the declarator of each variable of the host that device code names."""
    used = {tokens[i] for one in sides.device_bodies() for i in range(*(one.body or (0, 0)))}
    classes = _classes(tokens)
    found = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token == "(" and FUNCTION not in scope_of[i]:
            i = closing(tokens, i)
        elif token == "template":
            i = after_angle(tokens, next_significant(tokens, i + 1)) - 1
        elif token in used and FUNCTION not in scope_of[i] and is_name(token):
            end = _end_of_variable(tokens, i, any(first < i < last for first, last in classes))
            found += [end] if end else []
        i += 1
    return found


def _start_of_variables(tokens: Tokens, name: int) -> int:
    """Of the whole `int a[2] = {1, 2}, *name;`"""
    start = declaration_start(tokens, name)
    before = previous_significant(tokens, start - 1)
    while tokens[start] == "," and before >= 0 and tokens[before] == "}":
        start = declaration_start(tokens, opening(tokens, before))
        before = previous_significant(tokens, start - 1)
    return start


def _end_of_variable(tokens: Tokens, name: int, is_member: bool) -> int:
    """The name, or its last bound; 0 if no variable is declared that a kernel must not name."""
    before = tokens[previous_significant(tokens, name - 1)]
    after = next_significant(tokens, name + 1)
    head = significant(tokens, _start_of_variables(tokens, name), name)
    if not (is_name(before) or before in ("*", "&", ">", ",")) or after >= len(tokens):
        return 0
    if tokens[after] not in ("=", ";", "[", "{", ",") or not head or "(" in head:
        return 0
    if {"using", "typedef", "namespace", "friend", "enum", "operator", "template", "struct",
        "class", "union", "__device__", "__constant__", "__managed__", "__shared__",
        "asm"} & set(head):  # fmt: skip
        return 0
    if is_member and "static" not in head:
        return 0
    stars = [i for i, word in enumerate(head) if word == "*"]
    constant = "constexpr" in head or "const" in (head[stars[-1] :] if stars else head)
    if tokens[after] != "[":
        return 0 if constant else name
    end = closing(tokens, after)
    while tokens[next_significant(tokens, end + 1)] == "[":
        end = closing(tokens, next_significant(tokens, end + 1))
    return end


def _classes(tokens: Tokens) -> list[tuple[int, int]]:
    found = []
    for i, token in enumerate(tokens):
        if token in ("struct", "class", "union", "enum"):
            j = i + 1
            while j < len(tokens) and tokens[j] not in ("{", ";", "(", ")", "=", ">", "*", "&"):
                j = max(after_angle(tokens, j), j + 1) if tokens[j] == "<" else j + 1
            if j < len(tokens) and tokens[j] == "{":
                found.append((j, closing(tokens, j)))
    return found


def constexpr_functions(tokens: Tokens, scope_of: list[Scope], sides: Sides) -> list[int]:
    """The word `constexpr` of each function of the host that device code names."""
    used = {tokens[i] for one in sides.device_bodies() for i in range(*(one.body or (0, 0)))}
    found = []
    for i, token in enumerate(tokens):
        if token != "constexpr" or FUNCTION in scope_of[i]:  # consteval: computed before, for all
            continue
        j = i + 1
        while j < len(tokens) and tokens[j] not in ("(", "=", "{", ";", "["):
            j = after_angle(tokens, j) if tokens[j] == "<" else j + 1
        if j >= len(tokens) or tokens[j] != "(":
            continue
        name = previous_significant(tokens, j - 1)
        head = significant(tokens, declaration_start(tokens, i), name)
        if not {DEVICE, KERNEL, "operator"} & set(head) and tokens[name] in used:
            found.append(i)
    return found
