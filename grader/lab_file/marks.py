"""The marks that cut a skeleton out of a reference.

    // BEGIN STAGE 2 strided: serve several elements (about 12 lines)
    // STUB: return;            <- optional, directly below; becomes code in the skeleton
    ...the solution...
    // END STAGE 2

A stage may have several regions. The marks stay in the skeleton, so that a student sees where the
solution belongs. Every function raises UsageError with `file:line: what is wrong; what to write`.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..base.errors import UsageError

BEGIN = re.compile(r"(\s*)// BEGIN STAGE (\d{1,4}) ([a-z][a-z0-9-]*): \S.*")
END = re.compile(r"\s*// END STAGE (\d{1,4})")
STUB = re.compile(r"(\s*)// STUB: ?(.*)")
TODO = "// TODO: your code"

# Nearly a mark: BEGN STAGE, begin stage, END STGE 2, //STUB, a mark after code.
SHOWN = 100  # characters of a line that are quoted
NEARLY = re.compile(
    r"^\s*//+\s*(?:(?i:begin|end)\W*(?i:sta?ge?)\b|[A-Z]+ STAGE\b|(?:BEGIN|END) [A-Z]+ \d|STU?B\b)"
    r"|//\s*(?:BEGIN|END) STAGE\b|//\s*STUB:"
)


@dataclass(frozen=True)
class Region:
    """One region, lines counted from 0: BEGIN at `begin`, code from `code` on, END at `end`."""

    number: int
    name: str
    begin: int
    code: int
    end: int
    indent: str
    stub: tuple[str, ...]


def parse(text: str, where: str, stages: Sequence[str] | None = None) -> list[Region]:
    """The regions of `text` in order; `stages` are the manifest's names, checked when given."""
    lines = text.split("\n")
    regions: list[Region] = []
    opened: tuple[int, re.Match[str]] | None = None
    for index, line in enumerate(lines):
        place = f"{where}:{index + 1}"
        begin, end = BEGIN.fullmatch(line.rstrip("\r")), END.fullmatch(line.rstrip("\r"))
        if begin:
            if opened:
                raise UsageError(
                    f"{place}: a stage begins, but the stage of line {opened[0] + 1} is still "
                    f"open; write // END STAGE {opened[1][2]} after its last line"
                )
            _check_name(begin, place, stages)
            opened = (index, begin)
        elif end:
            _check_end(end[1], opened, place)
            assert opened
            regions.append(_region(lines, opened, index, where))
            opened = None
        elif NEARLY.search(line) and not (opened and STUB.fullmatch(line)):
            raise UsageError(
                f"{place}: looks like a mark but is not one: {line.strip()[:SHOWN]}; a mark is a "
                "line // BEGIN STAGE N NAME: TEXT or // END STAGE N"
            )
    if opened:
        raise UsageError(f"{where}:{opened[0] + 1}: stage {opened[1][2]} is never ended; write "
                         f"// END STAGE {opened[1][2]} after its last line")  # fmt: skip
    return regions


def _check_end(number: str, opened: tuple[int, re.Match[str]] | None, place: str) -> None:
    if not opened:
        raise UsageError(f"{place}: ends stage {number}, but no stage is open; its line "
                         f"// BEGIN STAGE {number} NAME: ... is missing above")  # fmt: skip
    if number != opened[1][2]:
        raise UsageError(f"{place}: ends stage {number}, but stage {opened[1][2]} is open, since "
                         f"line {opened[0] + 1}; both must have one number")  # fmt: skip


def names(text: str) -> set[str]:
    """Of the stages that begin in `text`, whether or not its marks are whole."""
    return {begin[3] for line in text.split("\n") if (begin := BEGIN.fullmatch(line.rstrip("\r")))}


def _check_name(begin: re.Match[str], place: str, stages: Sequence[str] | None) -> None:
    number, name = int(begin[2]), begin[3]
    if stages is None:
        return
    if name not in stages:
        raise UsageError(f"{place}: '{name}' is not a stage of this lab's lab.toml")
    if stages.index(name) + 1 != number:
        raise UsageError(
            f"{place}: stage '{name}' is number {stages.index(name) + 1} in lab.toml, not {number}"
        )


def _region(lines: list[str], opened: tuple[int, re.Match[str]], end: int, where: str) -> Region:
    begin, match = opened
    stub: list[str] = []
    code = begin + 1
    while code < end and (line := STUB.fullmatch(lines[code])):
        stub.append((line[1] + line[2]).rstrip())
        code += 1
    for index in range(code, end):
        if STUB.fullmatch(lines[index]):
            place = f"{where}:{index + 1}"
            raise UsageError(f"{place}: STUB lines must come directly below BEGIN STAGE")
    return Region(int(match[2]), match[3], begin, code, end, match[1], tuple(stub))


def _replace(text: str, regions: Sequence[Region], insides: dict[Region, list[str]]) -> str:
    """`text` with new lines between the marks of the regions named in `insides`."""
    lines = text.split("\n")
    for region in reversed(regions):
        if region in insides:
            lines[region.begin + 1 : region.end] = insides[region]
    return "\n".join(lines)


def cut(
    text: str, where: str, stages: Sequence[str] | None = None, keep: Collection[str] = ()
) -> str:
    """The skeleton: every solution is replaced by its stub, except in the stages in `keep`."""
    regions = parse(text, where, stages)
    return _replace(
        text,
        regions,
        {r: list(r.stub) or [r.indent + TODO] for r in regions if r.name not in keep},
    )


def frame(text: str, where: str) -> str:
    """Everything outside the stages, and the marks: the part that a student does not change."""
    regions = parse(text, where)
    return _replace(text, regions, {region: [] for region in regions})


def first_difference(mine: str, theirs: str, where: str) -> int | None:
    """The first line of `mine` (from 1) that differs from the frame of `theirs`; None if none."""
    regions = parse(mine, where)
    inside = {i for region in regions for i in range(region.begin + 1, region.end)}
    kept = [(i + 1, line) for i, line in enumerate(mine.split("\n")) if i not in inside]
    expected = frame(theirs, where).split("\n")
    for (number, line), other in zip(kept, expected, strict=False):
        if line.rstrip() != other.rstrip():
            return number
    if len(kept) == len(expected):
        return None
    return kept[min(len(kept), len(expected)) - 1][0]
