"""Which preprocessed text comes from system headers: the files that the preprocessor has entered.

It says so by line markers: `# 1 "FILE" 1 3` where it enters a system header, `# 9 "FILE" 2` where
it comes back to one that it has left. A source could say the same. So a marker counts only where
the preprocessor begins a file, a file that includes itself stays the user's, and a source may not
have such markers of its own.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from functools import cache

_MARKER = re.compile(r'^# \d+ "((?:\\.|[^"\\\n])*)"([ 1-4]*)$', re.M)
NO_MARKERS = (
    "such a line is the preprocessor's own: it says where a header begins or ends; leave it out, "
    "or write #line"
)
_NAMELESS = ("/proc/", "/dev/")  # a file may have a second name there

_BLANK = rb"[ \t\f\v\r\0]*"
# Wherever it is, in a comment or a text as well: what the preprocessor would take for a marker is
# found whatever it takes the lines before for. A comment before the sign ends as `*/`, too.
_SIGN = re.compile(rb"(?:^|\*/)(?:\xef\xbb\xbf)?" + _BLANK + rb"(?:#|%:)", re.M)
_BLANKS = re.compile(_BLANK)
_PARTS = [re.compile(part, re.S) for part in (rb"\d+", rb'"(?:\\.|[^"\\\n])*"', rb"\d")]
_CONTINUED = re.compile(rb"\\[ \t\f\v\r\0]*\n")


class Includes:
    """The files that are open at a place in the text, the user's own file at the bottom."""

    def __init__(self) -> None:
        self._is_system = [False]
        self._source = ""

    def enter(self, line: str) -> bool:
        """Takes note of a marker; whether what follows is a system header's text."""
        if marker := _MARKER.match(line):
            name, flags = marker[1], marker[2].split()
            self._source = self._source or name
            if "1" in flags:
                self._is_system.append("3" in flags and not _is_same(name, self._source))
            elif "2" in flags and len(self._is_system) > 1:
                self._is_system.pop()
        return self._is_system[-1]

    def way_back(self, text: str, start: int) -> tuple[int, int]:
        """Begin and end of the marker after which the user's text goes on."""
        before = text.find("\n# ", start)  # in a megabyte of headers few lines are markers
        while before >= 0:
            marker = _MARKER.match(text, before + 1)
            if marker and not self.enter(marker[0]):
                return marker.span()
            before = text.find("\n# ", before + 1)
        return len(text), len(text)


@cache
def _is_same(name: str, source: str) -> bool:
    try:
        name = name.encode(errors="surrogateescape").decode("unicode_escape")
        return os.path.realpath(name).startswith(_NAMELESS) or os.path.samefile(name, source)
    except (OSError, ValueError):
        return False


def own_marker(source: bytes) -> int:
    """The line of the first marker with flags that a source has itself; 0 if there is none."""
    if b'"' not in source:
        return 0
    # What goes on after a backslash is one line to the preprocessor.
    joined = _CONTINUED.sub(b"", source.replace(b"\r\n", b"\n"))
    gaps = _Gaps(joined)
    for sign in _SIGN.finditer(joined):
        place = sign.end()
        for part in _PARTS:
            found = part.match(joined, gaps.end(place))
            if not found:
                break
            place = found.end()
        else:
            return joined.count(b"\n", 0, place) + 1
    return 0


class _Gaps:
    """Blanks and comments of a text. Each is passed once, however many comments begin in it."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._closings = [found.end() for found in re.finditer(rb"\*/", text)]
        self._known: dict[int, int] = {}  # the end of a gap, by places in it

    def end(self, place: int) -> int:
        """Where the blanks and comments end that begin at `place`."""
        passed = []
        while place not in self._known:
            passed.append(place)
            place += len(_BLANKS.match(self._text, place)[0])
            closing = bisect_left(self._closings, place + 4)
            if not self._text.startswith(b"/*", place) or closing == len(self._closings):
                self._known[place] = place
            else:
                place = self._closings[closing]
        end = self._known[place]
        self._known.update(dict.fromkeys(passed, end))
        return end
