"""Where braces and indentation disagree: probably there a brace is missing, or one too many."""

import re
from dataclasses import dataclass

NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#(?:\\\n|[^\n])*',
    re.DOTALL | re.MULTILINE,
)
LABEL = re.compile(r"\b(?:public|private|protected|default|case\b[^:?]*)\s*$")


@dataclass(frozen=True)
class Pair:
    """The lines of a { and its }. What they enclose begins in line `begin`."""

    begin: int
    opens: int
    closes: int
    is_odd: bool  # the line with the } is indented as none of the lines up to the {


def odd(text: str) -> Pair | None:
    """The first pair over several lines that is indented as no pair is; None if there is none."""
    return next((pair for pair in pairs(text) if pair.is_odd), None)


def pairs(text: str) -> list[Pair]:
    """The pairs of braces, in the order of their ends."""
    code = NOT_CODE.sub(lambda other: re.sub(r"[^\n]", " ", other[0]), text)
    lines = code.split("\n")
    found: list[Pair] = []
    opened: list[tuple[int, int]] = []  # the lines where it begins, and of its brace
    number, start, begin, depth = 1, 0, 0, 0
    for at, sign in enumerate(code):
        if sign == "\n":
            number, start = number + 1, at + 1
        elif sign.isspace():
            continue
        elif sign == "}" and opened:
            first, brace = opened.pop()
            fits = {_indent(line) for line in lines[first - 1 : brace]}
            before = lines[number - 1][: at - start]
            is_list = before.strip(" \t}") and not before.rstrip(" \t}").endswith(";")
            is_odd = brace < number and not is_list and _indent(lines[number - 1]) not in fits
            found.append(Pair(first, brace, number, is_odd))
        elif begin == 0:
            begin = number
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "{":
            opened.append((begin or number, number))
        is_label = sign == ":" and LABEL.search(code, max(0, at - 60), at)
        if sign in "{}" or (sign == ";" and depth == 0) or is_label:
            begin, depth = 0, depth if sign == ";" else 0
    return found


def _indent(line: str) -> int:
    return len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip())
