"""What a stage of lab.toml demands besides right answers, and the races that it teaches."""

import re
from dataclasses import dataclass

from ..base.verdict import CRASHED, RACE, WRONG_ANSWER, WROTE_OUTSIDE
from .counters import LARGER_IS_BETTER, NAMES
from .toml_table import Table

VERBS = ("read", "write", "atomic")
RECORD, REFERENCE = "record", "reference"  # the yardsticks
BUFFER = re.compile(r"[A-Za-z_]\w*")
# The tools of compute-sanitizer, and the verdict on a stage if a tool reports an error.
SANITIZERS = {
    "memcheck": WROTE_OUTSIDE,
    "racecheck": RACE,
    "initcheck": WRONG_ANSWER,
    "synccheck": CRASHED,
}


@dataclass(frozen=True)
class SpeedRule:
    """Full marks at `full` times the yardstick's time, none at `none` times, on `n` elements.

    `against` is `record` (the same stage of the fastest form that is known) or `reference`, or
    `reference.STAGE` (an earlier stage).
    """

    against: str
    n: int
    full: float
    none: float

    @property
    def form(self) -> str:
        """The yardstick's form, as lab_file/exemplars.py names it."""
        return RECORD if self.against.partition(".")[0] == RECORD else "good"

    def yardstick_stage(self, own: str) -> str:
        """The stage of that file that is the yardstick of stage `own`."""
        return self.against.partition(".")[2] or own


@dataclass(frozen=True)
class CounterRule:
    """Points for a counter of one call on `n` elements: all of them at `full`, none at `none`.

    With `against` both are ratios to the reference's count. Without it they are counts.
    """

    counter: str
    n: int
    against: str | None
    full: float
    none: float
    points: float
    advice: str


@dataclass(frozen=True)
class Requirement:
    """A technique that a stage must use.

    `ptx` is a regular expression for an instruction that one of its kernels must contain. `because`
    completes the message to a student who left it out. `never`, if it is given, is one for what
    none of its kernels may contain: a kernel that is launched for show does not excuse the others.
    """

    ptx: str
    because: str
    never: str = ""


@dataclass(frozen=True)
class ExpectedRace:
    """A race that the checker may find: the buffer, the two accesses, and patterns of their lines.

    `buffer` is the name that the test gives the argument. The two accesses are `read`, `write` or
    `atomic`, in either order. A pattern selects the lines whose text it matches; without a pattern
    any line will do. The reference has every expected race, except those that are `optional`.
    """

    buffer: str
    first: str
    second: str
    first_line: re.Pattern[str] | None = None
    second_line: re.Pattern[str] | None = None
    optional: bool = False

    def for_judge(self, file: str, text: str) -> str:
        """The form that the judge reads: each pattern becomes the numbers of the submission's
        matching lines."""
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
    """The stage's `fast` table; None if it has none."""
    if (value := table.take("fast", None)) is None:
        return None
    rule = Table(table.file, f"{table.key}.fast", value)
    against = rule.text("against")
    yardstick, dot, stage = against.partition(".")
    if yardstick not in (REFERENCE, RECORD) or (dot and stage not in earlier):
        raise rule.fail(
            "against",
            f'\'{against}\' is not a yardstick; use "record" or "reference", or one of them '
            'with an earlier stage: "reference.STAGE"',
        )
    n = rule.size("n")
    full, none = rule.number("full", low=0.01), rule.number("none", low=0.01)
    if not full < none:
        raise rule.fail("none", "must be larger than full: these are time ratios")
    rule.done()
    return SpeedRule(against, n, float(full), float(none))


def read_counters(table: Table) -> tuple[CounterRule, ...]:
    """The stage's `counters`, a table of tables by the counter's name; empty if it has none."""
    rules = Table(table.file, f"{table.key}.counters", table.take("counters", {}))
    return tuple(_counter(rules, name) for name in list(rules.left))


def _counter(rules: Table, name: str) -> CounterRule:
    if name not in NAMES:
        raise rules.fail(f'"{name}"', f"is not a counter; the counters are: {', '.join(NAMES)}")
    rule = Table(rules.file, f'{rules.key}."{name}"', rules.take(name))
    against = rule.take("against", None)
    if against not in (None, "reference"):
        raise rule.fail("against", f"'{against}' is not a yardstick; use \"reference\" or none")
    full, none = rule.number("full", low=0), rule.number("none", low=0)
    if name in LARGER_IS_BETTER and not full > none > 0:
        raise rule.fail("none", "must be smaller than full, and larger than 0")
    if name not in LARGER_IS_BETTER and not full < none:
        raise rule.fail("none", "must be larger than full: less is better")
    points = rule.number("points", low=0)
    made = CounterRule(name, rule.size("n"), against, full, none, points, rule.text("advice"))
    rule.done()
    return made


def read_advice(table: Table) -> tuple[tuple[str, str], ...]:
    """The stage's `advice`, texts by the counter's name; empty if it has none."""
    texts = Table(table.file, f"{table.key}.advice", table.take("advice", {}))
    for name in texts.left:
        if name not in NAMES:
            raise texts.fail(f'"{name}"', f"is not a counter; the counters are: {', '.join(NAMES)}")
    return tuple((name, texts.text(name)) for name in list(texts.left))


def read_requirement(table: Table) -> Requirement | None:
    """The stage's `requires` table; None if it has none."""
    if (value := table.take("requires", None)) is None:
        return None
    rule = Table(table.file, f"{table.key}.requires", value)
    ptx, because = rule.text("ptx"), rule.text("because")
    never = rule.text("never") if "never" in value else ""
    for key, pattern in (("ptx", ptx), ("never", never)):
        try:
            re.compile(pattern)
        except re.error as error:
            raise rule.fail(key, f"is not a regular expression: {error}") from error
    rule.done()
    return Requirement(ptx, because, never)


def read_races(table: Table) -> tuple[ExpectedRace, ...]:
    """The stage's `races`: a list of tables, empty if it has none."""
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
    optional = table.take("optional", False)
    if not isinstance(optional, bool):
        raise table.fail("optional", "must be true or false")
    table.done()
    return ExpectedRace(buffer, first, second, *lines, optional)


def _pattern(table: Table, key: str) -> re.Pattern[str] | None:
    if key not in table.left:
        return None
    try:
        return re.compile(table.text(key))
    except re.error as error:
        raise table.fail(key, f"is not a regular expression: {error}") from error
