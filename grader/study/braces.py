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
    """What begins in line `begin` has its { at its end, and the } in line `closes`."""

    begin: int
    closes: int


def odd(text: str) -> Pair | None:
    """The first pair over several lines whose } is in a line that is indented as none of the lines
    up to the {; None if there is none."""
    code = NOT_CODE.sub(lambda other: re.sub(r"[^\n]", " ", other[0]), text)
    lines = code.split("\n")
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
            if brace < number and not is_list and _indent(lines[number - 1]) not in fits:
                return Pair(first, number)
        elif begin == 0:
            begin = number
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "{":
            opened.append((begin or number, number))
        is_label = sign == ":" and LABEL.search(code, max(0, at - 60), at)
        if sign in "{}" or (sign == ";" and depth == 0) or is_label:
            begin, depth = 0, depth if sign == ";" else 0
    return None


def _indent(line: str) -> int:
    return len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip())
