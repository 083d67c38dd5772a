"""The names in a symbol of the linker, as a person writes them. Enough for a sentence."""

from __future__ import annotations

import re

_OPERATORS = {"ix": "[]", "aS": "=", "cl": "()", "pl": "+", "mi": "-", "ml": "*", "dv": "/",
              "ls": "<<", "rs": ">>", "eq": "==", "ne": "!=", "lt": "<", "pp": "++"}  # fmt: skip


def readable(symbol: str) -> str:
    """`std::array::operator[]` of _ZNSt5arrayIiLm4EEixEm."""
    match = re.match(r"_ZN?K?(St|9__gnu_cxx)?", symbol)
    if not match:
        return symbol
    parts, rest = (["std"] if match[1] else []), symbol[match.end() :]
    while number := re.match(r"\d+", rest):
        end = number.end() + int(number[0])
        parts.append(rest[number.end() : end])
        rest = rest[end:]
        if not symbol.startswith("_ZN"):
            break
        if rest.startswith("I"):
            rest = _after_arguments(rest)
    if re.match(r"D[012]E", rest):
        parts.append("~" + parts[-1])
    elif rest[:2] in _OPERATORS:
        parts.append("operator" + _OPERATORS[rest[:2]])
    return "::".join(parts) or symbol


def base_name(symbol: str) -> str:
    return readable(symbol).rpartition("::")[2]


def _after_arguments(text: str) -> str:
    """What follows the template arguments at the beginning of a part of a symbol."""
    depth, i = 0, 0
    while i < len(text):
        if number := re.match(r"\d+", text[i:]):  # a name of so many characters
            i += number.end() + int(number[0])
        elif literal := re.match(r"L[a-z]n?\d+E", text[i:]):
            i += literal.end()
        else:
            depth += (text[i] in "INJX") - (text[i] == "E")
            i += 1
            if depth == 0:
                return text[i:]
    return ""
