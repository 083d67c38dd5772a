"""The list of mutants: one TOML file per room, read with care.

    [[file]]
    path = "grader/grading/points.py"
    tests = ["grader/tests/test_points.py"]    # pytest nodes, the cheapest that should fail
    labs = ["01-rank-sort"]                    # optional: build and keep these labs only

    [[file.mutant]]
    old = "ratio <= full"                      # occurs exactly once in the file; where a line of it
                                               # ends, C++ may have a comment
    new = "ratio < full"
    tests = [...]                              # optional: instead of the file's
    stage = "global"                           # of a reference instead of tests: it is judged
    equivalent = "..."                         # optional: why no test can kill it
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.base.errors import UsageError
from grader.lab_file.toml_table import Table

FOLDER = Path(__file__).parent
# In the order in which they run.
ROOMS = ("points", "sandbox", "references", "judge", "checker", "clock")
REFERENCE = "reference"
COMMENT = r"[ \t]*(?://[^\n]*)?\n"
SHOWN = 60  # characters of a changed text in a line of output


class Stale(UsageError):
    """The text that a mutant changes is not in its file, or more than once."""


@dataclass(frozen=True)
class Mutant:
    """One change of one file, and what should notice it."""

    room: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...] = ()
    stage: str = ""
    equivalent: str = ""
    labs: tuple[str, ...] = ()

    @property
    def lab(self) -> str:
        """The lab of a reference; "" for every other file."""
        folder, _, rest = self.path.partition("/")
        return rest.partition("/")[0] if folder == REFERENCE else ""

    def applied(self, text: str) -> str:
        """`text` with the change. Raises Stale."""
        found = list(self._pattern().finditer(text))
        if len(found) != 1:
            raise Stale(f"{self.path}: `{one_line(self.old)}` occurs {len(found)} times, not once.")
        return text[: found[0].start()] + self.new + text[found[0].end() :]

    def _pattern(self) -> re.Pattern[str]:
        """Lines of `old` in C++ may end in any comment: comments are reworded more often."""
        end = "\n" if self.path.endswith(".py") else COMMENT
        return re.compile(end.join(map(re.escape, self.old.split("\n"))))

    def label(self, text: str) -> str:
        """`file:line: old -> new`; the line is that of the first difference."""
        same = next((i for i, (a, b) in enumerate(zip(self.old, self.new, strict=False)) if a != b),
                    min(len(self.old), len(self.new)))  # fmt: skip
        found = self._pattern().search(text)
        before = text.count("\n", 0, found.start()) if found else 0
        line = before + self.old.count("\n", 0, same) + 1
        return f"{self.path}:{line}: {one_line(self.old)} -> {one_line(self.new) or '(nothing)'}"


def one_line(text: str) -> str:
    """`text` without line ends and indentation, shortened to SHOWN characters."""
    joined = " ".join(text.split())
    return joined if len(joined) <= SHOWN else joined[: SHOWN - 3] + "..."


def read_lists(folder: Path = FOLDER, rooms: Iterable[str] = ROOMS) -> list[Mutant]:
    """All mutants in their order. Raises UsageError with the file and the key that is wrong."""
    return [mutant for room in rooms for mutant in _read_room(folder / f"{room}.toml", room)]


def chosen(mutants: list[Mutant], only: str | None, shard: tuple[int, int]) -> list[Mutant]:
    """Those of a room, or of the files whose path begins so; of these every N-th from the I-th."""
    some = [m for m in mutants if only is None or m.room == only or m.path.startswith(only)]
    if only is not None and not some:
        raise UsageError(f"--only {only}: no mutant of this room ({', '.join(ROOMS)}) or path.")
    index, count = shard
    return some[index - 1 :: count]


def _read_room(file: Path, room: str) -> list[Mutant]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file.name}: cannot be read: {error}") from error
    mutants: list[Mutant] = []
    for number, entry in enumerate(document.pop("file", [])):
        table = Table(file.name, f"file[{number}]", entry)
        path, tests, labs = table.text("path"), _texts(table, "tests"), _texts(table, "labs")
        for index, one in enumerate(table.take("mutant", [])):
            each = Table(file.name, f"{path}[{index}]", one)
            mutants.append(
                Mutant(
                    room, path, each.text("old"), _text(each, "new"),
                    _texts(each, "tests") or tests, _text(each, "stage", ""),
                    _text(each, "equivalent", ""), labs,
                )  # fmt: skip
            )
            _check(each, mutants[-1])
        _require_empty(table)
    if document:
        raise UsageError(f"{file.name}: unknown key {min(document)}.")
    return mutants


def _check(table: Table, mutant: Mutant) -> None:
    _require_empty(table)
    if mutant.old == mutant.new:
        raise table.fail("new", "is the same as old")
    if mutant.lab and not mutant.stage:
        raise table.fail("stage", "is missing: the stage of the reference that is judged")
    if not mutant.lab and not mutant.tests:
        raise table.fail("tests", "is missing: a pytest node that should fail")


def _require_empty(table: Table) -> None:
    if table.left:
        raise table.fail(min(table.left), "is not a key of this table")


def _text(table: Table, key: str, *default: str) -> str:
    value: Any = table.take(key, *default)
    if not isinstance(value, str):
        raise table.fail(key, "must be a string")
    return value


def _texts(table: Table, key: str) -> tuple[str, ...]:
    values: Any = table.take(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise table.fail(key, "must be a list of strings")
    return tuple(values)
