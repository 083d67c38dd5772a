"""The kernels that a translation unit declares, and whether a launch names exactly one of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from .scopes import FUNCTION, Scope, declaration_start
from .tokens import (
    Tokens,
    closing,
    is_name,
    next_significant,
    opening,
    opening_angle,
    previous_significant,
    refusal,
    significant,
    split_commas,
)

_NO_TYPES = ("return", "else", "new", "throw", "case", "co_return", "goto", "using")
_ATTRIBUTES = ("__attribute__", "__attribute", "alignas")


@dataclass
class Kernel:
    """All declarations of one name with __global__."""

    parameter_lists: dict[Scope, set[tuple[str, ...]]] = field(default_factory=dict)
    templates: set[tuple[int, int]] = field(default_factory=set)  # (required, possible) arguments
    plain: bool = False  # declared as a non-template
    hidden: bool = False  # another function has the same name, or there is a parameter pack

    def address_is_unique(self, explicit_arguments: int | None) -> bool:
        """Can `&name` or `&name<...>` mean only one function?"""
        if self.hidden or any(len(lists) > 1 for lists in self.parameter_lists.values()):
            return False
        if explicit_arguments is None:
            return self.plain and not self.templates
        if self.plain or len(self.templates) != 1:
            return False
        required, possible = next(iter(self.templates))
        return required <= explicit_arguments <= possible


def kernels(tokens: Tokens, scope_of: list[Scope]) -> dict[str, Kernel]:
    """Every kernel that the text declares, by its unqualified name."""
    found: dict[str, Kernel] = {}
    own_names: set[int] = set()
    for i, token in enumerate(tokens):
        if token != "__global__":
            continue
        name, parenthesis = _declared_name(tokens, i)
        own_names.add(name)
        _add(found.setdefault(tokens[name], Kernel()), tokens, i, parenthesis, scope_of[i])
    for i, token in enumerate(tokens):
        if token not in found or i in own_names:
            continue
        is_local = FUNCTION in scope_of[i]
        if (not is_local and _declares_function(tokens, i)) or (
            _declares_variable(tokens, i) and _launches(tokens, i, is_local)
        ):
            found[token].hidden = True
    return found


def _declared_name(tokens: Tokens, start: int) -> tuple[int, int]:
    """Index of a kernel's name and of the parenthesis that opens its parameters."""
    i = start + 1
    while i < len(tokens) and tokens[i] not in (";", "{"):
        if tokens[i] in _ATTRIBUTES or tokens[i] == "decltype":
            i = closing(tokens, next_significant(tokens, i + 1))
        elif tokens[i] == "[":  # [[deprecated("other")]]
            i = closing(tokens, i)
        elif tokens[i] == "(":
            name = previous_significant(tokens, i - 1)
            while tokens[name] == "]":  # of an attribute, `void k [[maybe_unused]] ()`
                name = previous_significant(tokens, opening(tokens, name) - 1)
            if tokens[name] == ">":
                name = previous_significant(tokens, opening_angle(tokens, name) - 1)
            if is_name(tokens[name]):
                return name, i
        i += 1
    sentence = "__global__ is not followed by a function: write __global__ void NAME(...)"
    raise refusal(tokens, start, sentence)


def _add(kernel: Kernel, tokens: Tokens, start: int, parenthesis: int, scope: Scope) -> None:
    head = significant(tokens, declaration_start(tokens, start), start)
    if head[:1] and head[0] in ("public", "private", "protected"):
        head = head[2:]
    is_template = head[:1] == ["template"]
    if is_template and head[1:3] in (["<", ">"], []):
        return  # an explicit specialisation or instantiation declares nothing new
    parameters = split_commas(significant(tokens, parenthesis + 1, closing(tokens, parenthesis)))
    kernel.hidden |= any("auto" in parameter for parameter in parameters)
    names_dropped = tuple(" ".join(_without_name(parameter)) for parameter in parameters)
    kernel.parameter_lists.setdefault(scope, set()).add(names_dropped)
    if not is_template:
        kernel.plain = True
        return
    arguments = split_commas(head[2 : _closing_angle(head, 1)])
    kernel.hidden |= any("..." in argument for argument in arguments)
    kernel.templates.add((sum("=" not in argument for argument in arguments), len(arguments)))


def _closing_angle(words: Tokens, index: int) -> int:
    depth = 0
    for i in range(index, len(words)):
        depth += (words[i] == "<") - (len(words[i]) if words[i] in (">", ">>>") else 0)
        if depth <= 0:
            return i
    return len(words)


def _without_name(parameter: Tokens) -> Tokens:
    """`const float *values = nullptr` -> `const float *`: the name may vary by declaration."""
    if "=" in parameter:
        parameter = parameter[: parameter.index("=")]
    if (
        len(parameter) > 1
        and is_name(parameter[-1])
        and parameter[-1] not in ("int", "char", "long", "short", "const")
    ):
        return parameter[:-1]
    return parameter


def _declares_function(tokens: Tokens, name: int) -> bool:
    after = next_significant(tokens, name + 1)
    before = previous_significant(tokens, name - 1)
    if after >= len(tokens) or tokens[after] != "(" or before < 0:
        return False
    if tokens[before] == ")":  # an attribute before the name
        before = previous_significant(tokens, opening(tokens, before) - 1)
    return is_name(tokens[before]) or tokens[before] in (">", "*", "&")


def _declares_variable(tokens: Tokens, name: int) -> bool:
    """Or a parameter of a function or a template. `void (*name)(int)` declares one, too."""
    after = next_significant(tokens, name + 1)
    before = previous_significant(tokens, name - 1)
    if after >= len(tokens) or before < 1:
        return False
    if tokens[before] not in ("*", "&"):
        is_type = is_name(tokens[before]) and tokens[before] not in _NO_TYPES
        return is_type and tokens[after] in ("=", ",", ")", ";", "{", ">")
    earlier = tokens[previous_significant(tokens, before - 1)]
    return is_name(earlier) or earlier == ">" or (earlier == "(" and tokens[after] == ")")


def _launches(tokens: Tokens, name: int, is_local: bool) -> bool:
    """Whether the function that declares this name has a launch after it."""
    i = name
    while not is_local and i < len(tokens) and tokens[i] not in (";", "{"):
        i += 1
    if not is_local:
        return tokens[i : i + 1] == ["{"] and "<<<" in tokens[i : closing(tokens, i)]
    depth = 0
    while i < len(tokens) and depth >= 0 and tokens[i] != "<<<":
        depth += (tokens[i] == "{") - (tokens[i] == "}")
        i += 1
    return depth >= 0 and i < len(tokens)
