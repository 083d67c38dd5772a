"""Text for a terminal: lines that are too wide are broken between words, and stay indented.

Rows of a table are left alone, because a row that is broken cannot be read at all. A line of code
is cut; what is said about it moves to a line of its own.
"""

import re
import shutil
from typing import TextIO

PAINTED = re.compile(r"\033\[\d+m")
ROW = re.compile(r"\S(?: {2,}\S+){3}")  # four columns or more
CODE = re.compile(r"\s*(?:->)?\s*\d* \| ")  # as gcc and excerpts of a student's file show it
DEED = "    // "


def for_stream(text: str, stream: TextIO) -> str:
    """`text` as it fits the terminal behind `stream`; unchanged if there is none."""
    return fitted(text, shutil.get_terminal_size().columns) if stream.isatty() else text


def fitted(text: str, columns: int) -> str:
    """`text` with no line of prose wider than `columns`, if its words are not."""
    return "\n".join(part for line in text.split("\n") for part in _parts(line, columns))


def width(text: str) -> int:
    """Characters that are seen: colour takes no room."""
    return len(PAINTED.sub("", text))


def _parts(line: str, columns: int) -> list[str]:
    if width(line) <= columns:
        return [line]
    if code := CODE.match(line):
        return _code(line, code.end(), columns)
    return [line] if ROW.search(line) else _broken(line, columns)


def _code(line: str, begin: int, columns: int) -> list[str]:
    code, found, deed = line.rpartition(DEED)
    if not found:
        return [f"{line[: columns - 1]}>"]
    said = f"{' ' * (begin - 2)}| {DEED.strip()} {deed}"
    return [code if len(code) <= columns else f"{code[: columns - 1]}>", said]


def _broken(line: str, columns: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    lines, now = [], line[: len(indent) - 2]
    for number, word in enumerate(line.lstrip(" ").split(" ")):
        longer = now + (" " if number and now.strip() else "") + word
        if width(longer) > columns and now.strip():
            lines.append(now.rstrip())
            longer = indent + word
        now = longer
    return [*lines, now]
