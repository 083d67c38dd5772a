"""Columns of a source file, for what is at a column of its preprocessed text.

The preprocessor leaves comments out, makes one blank of several, and puts a macro's text in the
place of its name. So a column of its output is not the column that an editor shows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache
from itertools import takewhile

from .sides import Place, bytes_of
from .tokens import Tokens, is_blank, split, text_of

# Texts are named, because what looks like a comment in them is none. In 1'000 no text begins.
_COMMENT_OR_TEXT = re.compile(
    r"""
    (?P<comment> //(?:\\\n|[^\n])* | /\*.*?(?:\*/|\Z) )
  | R"([^()\\\s]{0,16})\(.*?\)\2"
  | "(?:\\.|[^"\\\n])*"
  | (?<!\w)'(?:\\.|[^'\\\n])+'
    """,
    re.S | re.X,
)
_NO_LINE_END = re.compile(r"[^\n]")
# To compare two lists of tokens takes up to the product of their lengths.
_MOST_COMPARED = 250_000

Placed = list[tuple[str, int]]  # tokens that are not blank, with their columns in bytes


class SourceColumns:
    """Of one translation unit, by its preprocessed tokens and their places."""

    def __init__(self, tokens: Tokens, places: list[Place]) -> None:
        for kept in (_text, _without_comments):
            kept.cache_clear()  # files may have changed since the last unit
        self._on_line: dict[tuple[str, int], Placed] = defaultdict(list)
        for token, (file, line, column) in zip(tokens, places, strict=True):
            if not is_blank(token):
                self._on_line[file, line].append((token, column))

    def find(self, file: str, line: int, column: int) -> int:
        """The column in the file, in bytes; the same one if the file does not tell."""
        given = self._on_line[file, line]
        at = sum(start <= column for _, start in given) - 1
        source = list(_tokens_of(_line(_without_comments(file), line)))
        if at < 0 or not source:
            return column
        place, is_same = _counterpart([one for one, _ in given], [one for one, _ in source], at)
        return source[place][1] + (column - given[at][1] if is_same else 0)


def line_of(file: str, line: int) -> str:
    """A line of a source file, without its end; "" if there is none."""
    return _line(_text(file), line).rstrip()


def _counterpart(given: list[str], source: list[str], at: int) -> tuple[int, bool]:
    """The index in `source` of what is `given[at]`, and whether it is the same token. It is not if
    it comes from a macro: then the index is that of the macro's name."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(given, source)))  # noqa: B905
    if at < same:
        return at, True
    rest, rest_of_source = given[same:], source[same:]
    if len(rest) * len(rest_of_source) <= _MOST_COMPARED:
        matcher = SequenceMatcher(None, rest, rest_of_source, autojunk=False)
        for kind, first, end, first_of_source, _ in matcher.get_opcodes():
            if first <= at - same < end:
                shift = at - same - first if kind == "equal" else 0
                return min(same + first_of_source + shift, len(source) - 1), kind == "equal"
    return min(same, len(source) - 1), False


def _tokens_of(line: str) -> Iterator[tuple[str, int]]:
    column = 1
    for token in split(line):
        if not token.isspace():
            yield token, column
        column += bytes_of(token)


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1] if 1 <= number <= len(lines) else ""


@cache
def _without_comments(file: str) -> list[str]:
    """The lines of a file with blanks for its comments, so that columns stay."""

    def blanks(found: re.Match[str]) -> str:
        # As many bytes as the comment has: columns are counted in bytes.
        return _NO_LINE_END.sub(lambda sign: " " * bytes_of(sign[0]), found[0])

    return _COMMENT_OR_TEXT.sub(
        lambda found: blanks(found) if found["comment"] else found[0], "\n".join(_text(file))
    ).split("\n")


@cache
def _text(file: str) -> list[str]:
    return text_of(file).split("\n")
