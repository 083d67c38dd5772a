"""Rewrites __shared__ declarations. include/cuda_on_cpu/shared.hpp shows the result."""

from __future__ import annotations

import re

from .declarations import Declaration, name_index, parse
from .scopes import FUNCTION, Scope
from .tokens import (
    RewriteError,
    Tokens,
    Where,
    closing,
    erase,
    is_blank,
    next_significant,
    opening,
    refusal,
    significant,
)


def rewrite_shared(
    tokens: Tokens, index: int, scope: Scope, serial: int, named: bool, dynamic: set[str]
) -> list[str]:
    """`index` is the index of a '__shared__'; `serial` makes generated names unique.

    Returns the names that became references. Those of extern arrays outside of functions, which
    become objects, are added to `dynamic`.
    """
    first, end = _bounds(tokens, index)
    where = Where(tokens, index)
    words = significant(tokens, first, end)
    is_extern = "extern" in words
    in_function = FUNCTION in scope
    declaration = parse(words, where, serial)
    if is_extern:
        text = "; ".join(
            _dynamic(declaration, declarator, in_function, where)
            for declarator in declaration.declarators
        )
    elif in_function:
        text = _static(declaration, where, serial, named)
    else:
        text = _functions(_static(declaration, where, serial, named))
    erase(tokens, first, end - 1)
    tokens[first] = declaration.definition + text + tokens[first]
    names = [parts[name_index(parts, where)] for parts in declaration.declarators]
    if not is_extern:
        return names
    if not in_function:
        dynamic.update(names)
    return []


def decay_in_cast(tokens: Tokens, index: int, dynamic: set[str]) -> None:
    """`reinterpret_cast<T *>(array)` asks an object for no conversion: `+array` is a pointer.

    So it is of any other array or pointer of this name.
    """
    i = next_significant(tokens, index + 1)
    if tokens[i] != "<":
        return
    while i < len(tokens) and tokens[i] not in ("(", ";"):
        i += 1
    name = next_significant(tokens, i + 1)
    if tokens[i] == "(" and tokens[name] in dynamic:
        tokens[name] = f"+{tokens[name]}"


def _bounds(tokens: Tokens, index: int) -> tuple[int, int]:
    """The first token and the semicolon of the declaration around `index`."""
    first = index
    i = index - 1
    while i >= 0 and tokens[i] not in (";", "{", "}", ":"):
        if tokens[i] == ")":
            start = opening(tokens, i)
            if not _is_attribute(tokens, start):
                break
            i = start
        if not is_blank(tokens[i]):
            first = i
        i -= 1
    end = index
    while end < len(tokens) and tokens[end] != ";":
        end = closing(tokens, end) if tokens[end] in ("(", "[", "{") else end
        end += 1
    if end >= len(tokens):
        raise refusal(tokens, index, "this __shared__ declaration has no semicolon")
    return first, end


def _is_attribute(tokens: Tokens, parenthesis: int) -> bool:
    return any(
        token in ("alignas", "__attribute__")
        for token in tokens[max(0, parenthesis - 2) : parenthesis]
    )


def _type(specifier: Tokens, declarator: Tokens, name: int, skip: int = 0) -> str:
    """The type: the declarator without its name, and without `skip` tokens after the name."""
    text = " ".join(specifier + declarator[:name])
    bounds = declarator[name + 1 + skip :]
    for i, token in enumerate(bounds):  # a '>' in an array bound would end the template argument
        text += "[(" if token == "[" else ")]" if token == "]" else f" {token}" if i else token
    return text


def _static(declaration: Declaration, where: Where, serial: int, named: bool) -> str:
    alignment = prefix = ""
    if declaration.alignments:
        struct = f"cuda_on_cpu_alignment_{serial}"
        prefix = f"struct {' '.join(declaration.alignments)} {struct} {{ char byte; }}; "
        alignment = f", alignof({struct})"
    variables = []
    for declarator in declaration.declarators:
        name = name_index(declarator, where)
        type_id = _type(declaration.specifier, declarator, name)
        lambda_text = f'[]{{ return "{declarator[name]}"; }}' if named else "[]{}"
        variable = f"::cuda_on_cpu::shared_variable<{type_id}{alignment}>({lambda_text})"
        variables.append(f"auto &{declarator[name]} = {variable}")
    return prefix + "; ".join(variables)


def outside_name(name: str) -> str:
    """The replacement for a variable at namespace scope, which exists only inside a kernel."""
    return f"cuda_on_cpu_shared_{name}()"


def _functions(text: str) -> str:
    """Each `auto &x = VALUE` becomes a function that returns VALUE."""

    def function(match: re.Match[str]) -> str:
        return f"[[maybe_unused]] static auto &{outside_name(match[1])} {{ return {match[2]}; }}"

    return re.sub(r"auto &(\w+) = (.*?)(?=; auto &|$)", function, text, flags=re.S)


def _dynamic(declaration: Declaration, declarator: Tokens, in_function: bool, where: Where) -> str:
    name = name_index(declarator, where)
    if declarator[name + 1 : name + 3] != ["[", "]"]:
        sentence = "extern __shared__ declares an array without a size: write TYPE NAME[];"
        raise RewriteError(f"{where}: {sentence}")
    element = _type(declaration.specifier, declarator, name, skip=2)
    same = f"extern ::cuda_on_cpu::Unsized<{element}> extern__shared__{declarator[name]};"
    same = f"[[maybe_unused]] {same}"  # of one name and two types: refused, as by nvcc
    if in_function:
        pointer = f"auto *{declarator[name]} = ::cuda_on_cpu::dynamic_shared<{element}>()"
        return f"{{ {same} }} {pointer}"
    variable = f"::cuda_on_cpu::DynamicShared<{element}> {declarator[name]}{{}}"
    return f"{same} [[maybe_unused]] static const {variable}"
