"""What the compiler said, at the columns of the user's own text.

The compiler reads the rewritten text. Lines stay in place there, but columns move: where a launch
was translated, where `__global__` is left out, and most of all where accesses are watched.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cached_property

from .rewrite import Unit
from .sides import Place, positions
from .source_columns import SourceColumns, line_of
from .tokens import BYTES, is_name, readable

# Columns of the compiler are bytes, and it draws no picture of a line that is not the user's.
FLAGS = ["-fdiagnostics-column-unit=byte", "-fno-diagnostics-show-caret"]
FLAGS_OF_CLANG = ["-fno-caret-diagnostics"]
SAID = re.compile(r"^([^\s:][^:\n]*):(\d+):(\d+): (?=(fatal error|error|warning|note): )", re.M)
_WORD = re.compile(r"\w+")
_TAB = 8


class OwnColumns:
    """Of one translation unit."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    def moved(self, said: str) -> str:
        """The compiler's words with the user's columns, in bytes as the compiler has them."""

        def own(found: re.Match[str]) -> str:
            file, line, column = self._own((found[1], int(found[2]), int(found[3])))
            return f"{file}:{line}:{column}: "

        return SAID.sub(own, said)

    def token_at(self, place: Place) -> int:
        """The token that the compiler read there, by its index; -1 if there is none."""
        file, line, column = place
        tokens = [i for i in self._on_line[file, line] if self._read[i][2] <= column]
        return tokens[-1] if tokens else -1

    def _own(self, place: Place) -> Place:
        file, line, column = place
        if (at := self.token_at(place)) < 0:
            return place
        offset = column - self._read[at][2]
        if self._unit.tokens[at] != self._compiled[at]:
            at, offset = self._named(at, offset), 0
        own = self._unit.places[at]
        return (*own[:2], own[2] + offset) if own[:2] == (file, line) else place

    def _named(self, at: int, offset: int) -> int:
        """The user's token that is meant by a word within what stands for several of them."""
        words = (word for word in _WORD.finditer(self._compiled[at]) if word.end() > offset)
        word = next(words, None)
        if word and word.start() <= offset:
            for i in range(at, min(at + 200, len(self._compiled))):
                if self._unit.tokens[i] == word[0] and is_name(word[0]):
                    return i
                if i > at and self._compiled[i] == self._unit.tokens[i] == ";":
                    break
        return at

    @cached_property
    def _compiled(self) -> list[str]:
        return [self._unit.replaced.get(i, one) for i, one in enumerate(self._unit.rewritten)]

    @cached_property
    def _read(self) -> list[Place]:
        return positions(self._compiled)

    @cached_property
    def _on_line(self) -> dict[tuple[str, int], list[int]]:
        found = defaultdict(list)
        for i, (file, line, _) in enumerate(self._read):
            found[file, line].append(i)
        return found


def drawn(said: str, unit: Unit) -> str:
    """With columns of a screen, as g++ counts them by default, and the lines that are meant.
    Those of `said` are in the preprocessed text of `unit`."""
    lines = []
    columns = SourceColumns(unit.tokens, unit.places) if said else None
    for line in said.splitlines(keepends=True):
        found = SAID.match(line)
        text = line_of(found[1], int(found[2])) if found else ""
        if columns and found and text:
            column = columns.find(found[1], int(found[2]), int(found[3]))
            before = readable(text.encode(errors=BYTES)[: column - 1])
            text = readable(text.encode(errors=BYTES))
            line = f"{found[1]}:{found[2]}:{_columns(before) + 1}: {line[found.end() :]}"
            if found[4] != "note":
                blanks = "".join(sign if sign == "\t" else " " * _width(sign) for sign in before)
                line += f"{found[2]:>5} | {text}\n      | {blanks}^\n"
        lines.append(line)
    return "".join(lines)


def _columns(text: str) -> int:
    """How wide it is on a screen, with tabs of 8."""
    width = 0
    for sign in text:
        width += _TAB - width % _TAB if sign == "\t" else _width(sign)
    return width


def _width(sign: str) -> int:
    return 0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF")
