"""The student's own lines that a message names, with what happens there."""

import re
from collections.abc import Sequence

from ..base.text import piece

NEAR = 6  # lines: two places that are no further apart are shown in one piece
MOST_PLACES = 3
OWN_COMMENT = re.compile(r"(?<=\S)\s*//[^\"]*$")  # gives way to what happens in the line
# A race's message says of each side: "thread (0,0,0) writes at bitonic.cu:42".
DEED = r"(\b(?:thread|block|threads|lanes?)\b[^;:]*?(?:reads|writes|accesses)[^;:]*?) at "


def places(message: str, source: str) -> dict[int, str]:
    """The lines of `source` that `message` names, each with who does what there; at most three."""
    name = re.escape(source)
    found: dict[int, str] = {}
    for match in re.finditer(rf"(?:{DEED})?\b{name}:(\d+)", message):
        number, deed = int(match[2]), " ".join((match[1] or "").split()).rstrip(",")
        if number in found:
            found[number] = found[number] or deed
        elif len(found) < MOST_PLACES:
            found[number] = deed
    return found


def excerpt(text: str, marked: dict[int, str], around: int = 1) -> list[str]:
    """The marked lines of `text` (from 1) with their neighbours; a place that it lacks is left out.

    Places that are near each other are shown in one piece, so a barrier that is missing between
    them is seen to be missing.
    """
    # As compilers do: a form feed ends no line.
    lines = text.removesuffix("\n").split("\n")
    inside = sorted(number for number in marked if 1 <= number <= len(lines))
    shown: list[str] = []
    for group in _groups(inside):
        first, last = max(1, group[0] - around), min(len(lines), group[-1] + around)
        if shown:
            shown.append("      ...")
        for number in range(first, last + 1):
            sign = "->" if number in marked else "  "
            deed = f"    // {marked[number]}" if marked.get(number) else ""
            code = lines[number - 1].expandtabs(2).rstrip()
            code, _ = piece(OWN_COMMENT.sub("", code) if deed else code)
            shown.append(f"{sign} {number:>4} | {code}{deed}".rstrip())
    return shown


def _groups(numbers: Sequence[int]) -> list[list[int]]:
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number - groups[-1][-1] <= NEAR:
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups
