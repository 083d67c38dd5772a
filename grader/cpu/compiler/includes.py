"""Which preprocessed text comes from system headers: the files that the preprocessor has entered.

It says so by line markers: `# 1 "FILE" 1 3` where it enters a system header, `# 9 "FILE" 2` where
it comes back to one that it has left. A source could say the same. So a marker counts only where
the preprocessor begins a file, a file that includes itself stays the user's, and a source may not
have such markers of its own.
"""

from __future__ import annotations

import os
import re
from functools import cache

_MARKER = re.compile(r'^# \d+ "((?:\\.|[^"\\\n])*)"([ 1-4]*)$', re.M)
NO_MARKERS = (
    "such a line is the preprocessor's own: it says where a header begins or ends; leave it out, "
    "or write #line"
)
_NAMELESS = ("/proc/", "/dev/")  # a file may have a second name there

_BLANK = rb"(?>(?:[ \t\f\v\r\0]|/\*.*?\*/)*)"  # never tried in another way: files are long
# Wherever it is, in a comment or a text as well: what the preprocessor would take for a marker is
# found whatever it takes the lines before for.
_OWN_MARKER = re.compile(
    rb"(?:^|\*/)(?:\xef\xbb\xbf)?" + _BLANK + rb"(?:#|%:)" + _BLANK + rb"\d+" + _BLANK
    + rb'"(?:\\.|[^"\\\n])*"' + _BLANK + rb"\d",
    re.M | re.S,
)  # fmt: skip
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
        for marker in _MARKER.finditer(text, start):
            if not self.enter(marker[0]):
                return marker.span()
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
    found = _OWN_MARKER.search(joined)
    return joined.count(b"\n", 0, found.end()) + 1 if found else 0
