"""The screen of watch: what is shown in so many columns and rows. No terminal is needed to make it.

From top to bottom: lab and stage, what happens now or the verdict, the reasons or what a key asked
for, what to do next, the keys.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..base.columns import PAINTED, cut, fitted, width
from ..base.text import escaped

SHORT_KEYS = "n h c w b q quit"
KEYS = "n next  h hint  c check all  w why slow  b bench  q quit"
COLOUR = {"PASS": "32", "FAIL": "31", "OPEN": "33", "....": "36"}
NARROWEST, LOWEST = 20, 8
UNMARKED = re.compile(r" +\d+ \| |\s+\.\.\.$")  # a line of the student's around a marked one
CAUSES = ("likely cause:", "or:")
TRY = "Try: "


@dataclass(frozen=True)
class View:
    """What the screen shows. `state` is PASS, FAIL, OPEN, or .... while something runs."""

    lab: str
    bar: str
    stage: str
    number: int
    stages: int
    state: str
    headline: str
    body: Sequence[str] = ()
    todo: str = ""


def render(view: View, columns: int, rows: int, colour: bool = False) -> list[str]:
    """The lines of the screen: none is wider than `columns`, and there are at most `rows`."""
    columns, rows = max(columns, NARROWEST), max(rows, LOWEST)
    top = _wrapped(f"{view.lab} {view.bar}  {view.number}/{view.stages} {view.stage}", columns)
    head = _wrapped(f"{view.state}  {view.headline}", columns)
    todo = _wrapped(view.todo, columns)
    keys = _wrapped(KEYS, columns)
    rule = "-" * min(columns, 72)
    body = _wrapped("\n".join(view.body), columns) if view.body else []
    room = rows - len(top) - len(head) - len(todo) - len(keys) - 3
    if len(body) > room and view.body:
        body = _wrapped("\n".join(_most_useful(view.body)), columns)
    if len(body) > room:
        kept = room - 1
        more = f"... {len(body) - kept} more lines: enlarge the window"
        body = [*body[:kept], more[:columns]] if room > 0 else []
    if room < 0:  # a very small window: what matters most
        most = [top[0], *head, *todo][: rows - 1]
        return [*most, SHORT_KEYS]
    head = [_painted(head[0], COLOUR.get(view.state, "")), *head[1:]] if colour else head
    return [*top, rule, *head, *body, rule, *todo, *keys]


def _most_useful(body: Sequence[str]) -> list[str]:
    """For a window without room for all: the likely cause comes before the student's lines, and of
    these only the marked ones are left; of why, what to try comes first."""
    plain = [PAINTED.sub("", line) for line in body]
    if not any(line.startswith("->") for line in plain):
        return sorted(plain, key=lambda line: not line.startswith(TRY))
    kept = [line for line in plain if line.strip() and not UNMARKED.match(line)]
    causes = [line for line in kept if line.startswith(CAUSES)]
    first = next(place for place, line in enumerate(kept) if line.startswith("->"))
    return [line for part in (kept[:first], causes, kept[first:]) for line in part
            if part is causes or line not in causes]  # fmt: skip


def _wrapped(text: str, columns: int) -> list[str]:
    """As on any terminal, but a row of a table, or a word, that is too long is cut."""
    text = fitted(escaped(PAINTED.sub("", text)).expandtabs(4), columns)
    return [part if width(part) <= columns else f"{cut(part, columns - 1)}>"
            for part in text.split("\n")]  # fmt: skip


def _painted(line: str, code: str) -> str:
    return f"\033[1;{code}m{line}\033[0m" if code else line
