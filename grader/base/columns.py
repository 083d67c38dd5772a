"""Text for a terminal: lines that are too wide are broken between words, and stay indented.

Rows of a table are left alone, because a row that is broken cannot be read at all. A line of code
is cut; what is said about it moves to lines of its own. If a caret below it would be cut off, the
line begins later.
"""

import contextlib
import os
import re
import shutil
import unicodedata
from functools import cache
from typing import TextIO

PAINTED = re.compile(r"\033\[\d+m")
ROW = re.compile(r"\S(?: {2,}\S+){3}")  # four columns or more
CODE = re.compile(r"\s*(?:->)?\s*\d* \| ")  # as gcc and excerpts of a student's file show it
CARET = re.compile(r"( +\| )( *)\^$")
DEED = "    // "


def for_stream(text: str, stream: TextIO) -> str:
    """`text` as it fits the terminal of `stream`; unchanged if that is no terminal."""
    return fitted(text, size(stream)[0]) if stream.isatty() else text


def size(stream: TextIO) -> tuple[int, int]:
    """Columns and rows of the terminal of `stream`; the other stream may go to a file."""
    with contextlib.suppress(OSError, ValueError):
        if not os.environ.get("COLUMNS"):
            found = os.get_terminal_size(stream.fileno())
            if found.columns and found.lines:
                return found.columns, found.lines
    asked = shutil.get_terminal_size()
    return asked.columns, asked.lines


def fitted(text: str, columns: int) -> str:
    """`text` with no line of prose wider than `columns`, if its words are not."""
    lines = _with_carets(text.split("\n"), columns)
    return "\n".join(part for line in lines for part in _parts(line, columns))


def width(text: str) -> int:
    """Columns that are seen: colour takes none, an ideograph or an emoji two."""
    shown = PAINTED.sub("", text)
    return len(shown) if shown.isascii() else sum(map(_cells, shown))


def cut(text: str, columns: int) -> str:
    """The beginning of `text`, which has no colour, that fits so many columns."""
    if text.isascii():
        return text[:columns]
    end, room = 0, columns
    for end, character in enumerate(text):
        room -= _cells(character)
        if room < 0:
            return text[:end]
    return text


def padded(text: str, columns: int, right: bool = False) -> str:
    """`text` and blanks; with `right` the blanks come first."""
    blanks = " " * (columns - width(text))
    return blanks + text if right else text + blanks


@cache
def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _parts(line: str, columns: int) -> list[str]:
    if width(line) <= columns:
        return [line]
    if code := CODE.match(line):
        return _code(line, code.end(), columns)
    return [line] if ROW.search(line) else _broken(line, columns)


def _with_carets(lines: list[str], columns: int) -> list[str]:
    """The lines; where a caret would be beyond the edge, it and its line of code are moved left."""
    for at, line in enumerate(lines[1:]):
        caret, code = CARET.match(line), CODE.match(lines[at])
        if not caret or not code or code.end() != caret.end(1) or not lines[at].isascii():
            continue
        begin = code.end()
        over = caret.end(2) + 2 - columns
        if over > 0:
            over += (columns - begin) // 3  # so that something after it is seen
            lines[at] = f"{lines[at][:begin]}<{lines[at][begin + over + 1 :]}"
            lines[at + 1] = line[:begin] + line[begin + over :]
    return lines


def _code(line: str, begin: int, columns: int) -> list[str]:
    code, found, deed = line.rpartition(DEED)
    if not found:
        return [f"{cut(line, columns - 1)}>"]
    margin = f"{' ' * (begin - 2)}| "
    said = _broken(f"{DEED.strip()} {deed}", columns - len(margin))
    shown = code if width(code) <= columns else f"{cut(code, columns - 1)}>"
    return [shown, *(margin + part for part in said)]


def _broken(line: str, columns: int) -> list[str]:
    begin = len(line) - len(line.lstrip(" "))
    begin = begin if begin <= columns // 2 else columns // 4  # a narrow strip cannot be read
    indent = " " * (begin + 2)
    lines, now = [], " " * begin
    for number, word in enumerate(line.lstrip(" ").split(" ")):
        longer = now + (" " if number and now.strip() else "") + word
        if width(longer) > columns and now.strip():
            lines.append(now.rstrip())
            longer = indent + word
        now = longer
    return [*lines, now]
