"""lab.toml: a lab's name, the file that is handed in, its stages, points and thresholds."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from ..base.access import denied, is_closed
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError, UsageError
from ..base.text import close_to, nearest
from .rules import (
    SANITIZERS,
    CounterRule,
    ExpectedRace,
    Requirement,
    SpeedRule,
    read_advice,
    read_counters,
    read_races,
    read_requirement,
    read_speed,
)
from .toml_table import Table

# racecheck slows a kernel down by a factor of a hundred or more. Stages with thousands of launches
# name a smaller size.
SANITIZER_SIZE = 2049

LAB_NAME = re.compile(r"\d\d-[a-z0-9]+(-[a-z0-9]+)*")
STAGE_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

LIBRARY_SORT, HOST_WORK = "library-sort", "host-work"
HOST_WORK_BUT_FLAGS = "host-work-but-flags"  # for stages that loop until a flag is set
FORBIDDEN = (LIBRARY_SORT, HOST_WORK, HOST_WORK_BUT_FLAGS)  # intake/calls.py says what each means


@dataclass(frozen=True)
class Stage:
    """One rung of a lab. `number` counts from 1, in the manifest's order.

    `forbids` names groups of things that a stage must not use; FORBIDDEN lists the groups.
    """

    number: int
    name: str
    title: str
    needs: tuple[str, ...]
    correct: float
    fast: float
    hints: tuple[str, ...]
    speed: SpeedRule | None
    counters: tuple[CounterRule, ...] = ()
    races: tuple[ExpectedRace, ...] = ()
    forbids: tuple[str, ...] = ()
    requires: Requirement | None = None
    sanitizers: tuple[str, ...] = ()  # tools of compute-sanitizer that must find nothing, on a GPU
    sanitizer_size: int = SANITIZER_SIZE  # the largest input in a run under them
    entries: tuple[str, ...] = ()  # entry points of the contract that are not named like the stage
    advice: tuple[tuple[str, str], ...] = ()  # for ./lab why: a counter, and what saves most of it

    @property
    def identifier(self) -> str:
        """The name in C++: `any-length` becomes `any_length`."""
        return self.name.replace("-", "_")


@dataclass(frozen=True)
class Lab:
    """A lab as its manifest describes it; `seconds` limits one call of an entry point."""

    name: str
    title: str
    source: str
    contract: str
    seconds: float
    stages: tuple[Stage, ...]

    @property
    def stage_names(self) -> tuple[str, ...]:
        return tuple(stage.name for stage in self.stages)


def load(path: Path) -> Lab:
    """Read and check one lab.toml. Raises UsageError with `file: key: what is wrong`."""
    file = f"labs/{path.parent.name}/lab.toml"
    try:
        top = Table(file, "", tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: not valid TOML: {error}") from error
    if not LAB_NAME.fullmatch(path.parent.name):
        raise UsageError(f"{file}: the folder's name must look like 06-scan")
    title, source = top.text("title"), top.file_name("source", ".cu")
    contract = top.file_name("contract", ".hpp")
    limits = Table(file, "limits", top.take("limits", {}))
    seconds = limits.number("seconds", 10.0, low=0.1)
    limits.done()
    entries = top.take("stage")
    if not isinstance(entries, list) or not entries:
        raise top.fail("stage", "at least one [[stage]] is needed")
    stages: list[Stage] = []
    for number, entry in enumerate(entries, 1):
        stages.append(_stage(Table(file, f"stage[{number}]", entry), number, stages))
    top.done()
    return Lab(path.parent.name, title, source, contract, float(seconds), tuple(stages))


def _stage(table: Table, number: int, earlier: list[Stage]) -> Stage:
    name = table.text("name")
    known = [stage.name for stage in earlier]
    if not STAGE_NAME.fullmatch(name):
        raise table.fail("name", "must be lower-case words joined by hyphens")
    if name in known:
        raise table.fail("name", f"'{name}' is already the name of stage {known.index(name) + 1}")
    title = table.text("title")
    needs = table.texts("needs", [])
    for need in needs:
        if need not in known:
            raise table.fail("needs", f"'{need}' is not an earlier stage of this lab")
    points = Table(table.file, f"{table.key}.points", table.take("points"))
    correct, fast = points.number("correct", low=0), points.number("fast", 0, low=0)
    points.done()
    hints = table.texts("hints")
    if not hints:
        raise table.fail("hints", "at least one hint is needed")
    speed = read_speed(table, known)
    counters, races = read_counters(table), read_races(table)
    requires = read_requirement(table)
    if fast > 0 and speed is None:
        raise table.fail("fast", "is missing, but points.fast promises points for speed")
    forbids = table.texts("forbids", [])
    for group in forbids:
        if group not in FORBIDDEN:
            raise table.fail("forbids", f"'{group}' is not one of {', '.join(FORBIDDEN)}")
    sanitizers = table.texts("sanitizers", [])
    for tool in sanitizers:
        if tool not in SANITIZERS:
            raise table.fail("sanitizers", f"'{tool}' is not one of {', '.join(SANITIZERS)}")
    size = int(table.number("sanitizer_size", SANITIZER_SIZE, low=1))
    entries, advice = table.texts("entries", []), read_advice(table)
    table.done()
    return Stage(number, name, title, needs, correct, fast, hints, speed, counters, races, forbids,
                 requires, sanitizers, size, entries, advice)  # fmt: skip


def discover(checkout: Checkout) -> list[Lab]:
    """Every lab of the checkout, in order of name. Finding none is an error, not a pass."""
    folders = checkout.labs.iterdir() if checkout.labs.is_dir() else ()
    if closed := sorted(one for one in folders if one.is_dir() and is_closed(one)):
        raise InfrastructureError(denied(closed[0]))  # a glob passes it over
    found = sorted(checkout.labs.glob("*/lab.toml"))
    if not found:
        raise UsageError("no lab was found: labs/*/lab.toml matches no file in this checkout.")
    return [load(path) for path in found]


def find(labs: list[Lab], name: str) -> Lab:
    """The lab called `name`: its full name (01-rank-sort), number (01, 1) or words (rank-sort)."""
    matches = [
        lab
        for lab in labs
        if name == lab.name
        or name == lab.name[3:]
        or (name.isdecimal() and int(name) == int(lab.name[:2]))
    ]
    if len(matches) != 1:
        names = [lab.name for lab in labs]
        stages = [f"{lab.name[:2]}.{name}" for lab in labs if name in lab.stage_names]
        meant = (f" (did you mean {' or '.join(stages)}?)" if stages
                 else nearest(name, [*names, *(lab.name[3:] for lab in labs)]))  # fmt: skip
        raise UsageError(f"there is no lab '{name}'{meant}; the labs are: {', '.join(names)}.")
    return matches[0]


def find_stage(lab: Lab, name: str) -> Stage:
    """The stage of `lab` with this name or number."""
    for stage in lab.stages:
        if name in (stage.name, str(stage.number)):
            return stage
    names, meant = ", ".join(lab.stage_names), nearest(name, lab.stage_names)
    raise UsageError(f"{lab.name} has no stage '{name}'{meant}; it has: {names}.")


def find_target(labs: list[Lab], target: str) -> tuple[Lab, Stage | None]:
    """Split `LAB` or `LAB.STAGE`."""
    lab_name, dot, stage_name = target.partition(".")
    if meant := like(labs, lab_name, stage_name):
        names = ", ".join(lab.name for lab in labs)
        raise UsageError(f"there is no lab '{lab_name}'{meant}; the labs are: {names}.")
    lab = find(labs, lab_name)
    return lab, find_stage(lab, stage_name) if dot else None


def like(labs: list[Lab], name: str, stage: str) -> str:
    """` (did you mean rank-sort.global?)` if a lab that is called nearly so has a stage that is
    called so, or nearly so; or ""."""
    names = {word: lab for lab in labs for word in (lab.name, lab.name[3:])}
    if name in names or "." in stage:
        return ""
    exact = {word: stage for word, lab in names.items() if stage in lab.stage_names}
    known = exact or {word: near for word, lab in names.items()
                      if (near := close_to(stage, lab.stage_names))}  # fmt: skip
    found = close_to(name, known)
    return f" (did you mean {found}.{known[found]}?)" if found else ""


# What the handout says of a stage's points, after what is new: "; tiles: correct 20, fast 12".
SHARES = re.compile(r": (?:(?:correct|memory|fast) \d+(?:, )?)+")


@dataclass(frozen=True)
class HandoutLine:
    """`path` is relative to the checkout, `line` counts from 1."""

    path: str
    line: int
    text: str


def find_line(checkout: Checkout, lab: Lab, stage: Stage) -> HandoutLine | None:
    """The sentence about the stage in the table of the lab's README.md: the cell after its name."""
    readme = checkout.labs / lab.name / "README.md"
    if not readme.is_file():
        return None
    for number, line in enumerate(readme.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("|") and f"`{stage.name}`" in line:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            cells = [SHARES.sub("", cell) for cell in cells]
            sentence = f"{stage.name}: {cells[1]}" if len(cells) > 1 else line.strip()
            return HandoutLine(f"labs/{lab.name}/README.md", number, sentence)
    return None
