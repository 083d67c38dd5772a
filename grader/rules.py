"""What a stage of lab.toml demands beyond right answers, and which races are part of its lesson."""

import re
from dataclasses import dataclass

from .toml_table import Table

VERBS = ("read", "write", "atomic")
BUFFER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class SpeedRule:
    """Full marks at `full` times the yardstick's time, none at `none` times, on `n` elements.

    `against` is `reference`, the reference's same stage, or `reference.STAGE`, an earlier one.
    """

    against: str
    n: int
    full: float
    none: float

    def yardstick_stage(self, own: str) -> str:
        """The reference's stage that is the yardstick of stage `own`."""
        return self.against.partition(".")[2] or own


@dataclass(frozen=True)
class ExpectedRace:
    """A race that the checker may find: on which buffer, between what, in lines that look how.

    `buffer` is the name that the test gives the argument. The two accesses are `read`, `write` or
    `atomic`, in either order; a line is named by what its text matches, or is any line.
    """

    buffer: str
    first: str
    second: str
    first_line: re.Pattern[str] | None = None
    second_line: re.Pattern[str] | None = None

    def for_judge(self, file: str, text: str) -> str:
        """The judge's form, for a submission: patterns become the numbers of matching lines."""
        lines = (_matching(self.first_line, file, text), _matching(self.second_line, file, text))
        return ";".join((self.buffer, self.first, self.second, *lines))

    def __str__(self) -> str:
        return f"{self.first} and {self.second} of {self.buffer}"


def _matching(pattern: re.Pattern[str] | None, file: str, text: str) -> str:
    if pattern is None:
        return "*"
    lines = enumerate(text.split("\n"), 1)
    return ",".join(f"{file}:{number}" for number, line in lines if pattern.search(line))


def read_speed(table: Table, earlier: list[str]) -> SpeedRule | None:
    """The stage's `fast` table; None where there is none."""
    if (value := table.take("fast", None)) is None:
        return None
    rule = Table(table.file, f"{table.key}.fast", value)
    against = rule.text("against")
    yardstick, dot, stage = against.partition(".")
    if yardstick != "reference" or (dot and stage not in earlier):
        raise rule.fail(
            "against",
            f"'{against}' is not a yardstick; use \"reference\", or \"reference.STAGE\" with an "
            "earlier stage",
        )
    n = rule.take("n")
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise rule.fail("n", "must be a whole number, 1 or more")
    full, none = rule.number("full", low=0.01), rule.number("none", low=0.01)
    if not full < none:
        raise rule.fail("none", "must be larger than full: these are time ratios")
    rule.done()
    return SpeedRule(against, n, float(full), float(none))


def read_races(table: Table) -> tuple[ExpectedRace, ...]:
    """The stage's `races`: a list of tables, empty where there is none."""
    entries = table.take("races", [])
    if not isinstance(entries, list):
        raise table.fail("races", "must be a list of tables")
    return tuple(
        _race(Table(table.file, f"{table.key}.races[{number}]", entry))
        for number, entry in enumerate(entries, 1)
    )


def _race(table: Table) -> ExpectedRace:
    buffer = table.text("buffer")
    if not BUFFER.fullmatch(buffer):
        raise table.fail("buffer", "must be the name that the test gives the argument")
    first, second = table.text("first"), table.text("second")
    for key, verb in (("first", first), ("second", second)):
        if verb not in VERBS:
            raise table.fail(key, f"'{verb}' is not one of {', '.join(VERBS)}")
    if first == second != "write":
        raise table.fail("second", f"two {first}s are never a race")
    lines = (_pattern(table, "first_line"), _pattern(table, "second_line"))
    table.done()
    return ExpectedRace(buffer, first, second, *lines)


def _pattern(table: Table, key: str) -> re.Pattern[str] | None:
    if key not in table.left:
        return None
    try:
        return re.compile(table.text(key))
    except re.error as error:
        raise table.fail(key, f"is no regular expression: {error}") from error
