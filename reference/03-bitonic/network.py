"""Draws labs/03-bitonic/network.svg: both forms of the network, with the keys after every step.

    python3 reference/03-bitonic/network.py

It writes only whole numbers and plain text, so it writes the same bytes everywhere. The picture
shows what the script has computed. The script refuses to draw a network that does not sort.
"""

from collections.abc import Iterator
from pathlib import Path

PICTURE = Path(__file__).resolve().parents[2] / "labs" / "03-bitonic" / "network.svg"

KEYS = (5, 3, 8, 1, 7, 2, 6, 4)
SHORT = 6  # the second network sorts only this many keys: the others do not exist

WIRE = 26  # pixels from one wire to the next
LANE = 17  # from one comparison to the next beside it
VALUES = 66  # room for a column of keys
LEFT, TOP = 80, 64
PANEL = 8 * WIRE + 92  # height of one network with its titles

INK, FAINT, UP, DOWN = "#1f2933", "#b8c0c8", "#0b6e99", "#b4540a"
FONT = "font-family='Helvetica, Arial, sans-serif'"


def steps() -> Iterator[tuple[int, int]]:
    """(size, stride) of every step, for eight keys."""
    for size in (2, 4, 8):
        stride = size // 2
        while stride:
            yield size, stride
            stride //= 2


def partner(i: int, size: int, stride: int, mirrored: bool) -> int:
    """The index that i is compared with."""
    return i ^ (size - 1 if mirrored and stride == size // 2 else stride)


def text(x: int, y: int, words: str, colour: str = INK, size: int = 13, anchor: str = "middle",
         weight: str = "normal") -> str:  # fmt: skip
    """One line of text whose baseline is at y."""
    return (f"<text x='{x}' y='{y}' fill='{colour}' font-size='{size}' text-anchor='{anchor}' "
            f"font-weight='{weight}' {FONT}>{words}</text>")  # fmt: skip


def line(x1: int, y1: int, x2: int, y2: int, colour: str, extra: str = "") -> str:
    """A straight line, two pixels wide unless `extra` says otherwise."""
    return f"<line x1='{x1}' y1='{y1}' x2='{x2}' y2='{y2}' stroke='{colour}' {extra}/>"


def arrow(x: int, low: int, high: int, upwards: bool, exists: bool) -> list[str]:
    """A comparison; its head points to the wire that gets the larger key."""
    if not exists:
        return [line(x, low, x, high, FAINT, "stroke-width='2' stroke-dasharray='3 3'")]
    colour, tip, back = (UP, high, high - 8) if upwards else (DOWN, low, low + 8)
    return [
        line(x, low, x, high, colour, "stroke-width='2'"),
        f"<circle cx='{x}' cy='{low if upwards else high}' r='3' fill='{colour}'/>",
        f"<path d='M{x} {tip} L{x - 5} {back} L{x + 5} {back} Z' fill='{colour}'/>",
    ]


def comparisons(size: int, stride: int, mirrored: bool) -> Iterator[tuple[int, int, bool]]:
    """(lower index, higher index, upwards) of every comparison of a step."""
    for i in range(8):
        other = partner(i, size, stride, mirrored)
        if i < other:
            yield i, other, mirrored or not i & size


def network(top: int, title: str, mirrored: bool, count: int) -> tuple[list[str], int]:
    """One network from y = top on, and its width. Raises ValueError if it does not sort."""
    keys = list(KEYS[:count])
    y = [top + 44 + WIRE * i for i in range(8)]
    marks = [text(16, top, title, size=15, anchor="start", weight="bold")]
    marks += column(LEFT, y, keys)
    x = LEFT
    for size, stride in steps():
        x += VALUES // 2
        for low, high, upwards in comparisons(size, stride, mirrored):
            exists = high < count
            marks += arrow(x + LANE * (low % stride), y[low], y[high], upwards, exists)
            if exists and (keys[low] > keys[high]) == upwards:
                keys[low], keys[high] = keys[high], keys[low]
        end = x + LANE * (stride - 1)
        marks.append(text((x + end) // 2, y[7] + 30, f"stride {stride}", size=11))
        if stride == size // 2:
            marks.append(text(x - 8, top + 24, f"size {size}", size=12, anchor="start"))
            marks.append(line(x - 14, top + 14, x - 14, y[7] + 16, FAINT, "stroke-width='1'"))
        x = end + VALUES // 2
        marks += column(x, y, keys)
    if keys != sorted(keys):
        raise ValueError(f"this network does not sort: {keys}")
    return wires(x + 12, y, count) + marks, x + 24


def column(x: int, y: list[int], keys: list[int]) -> list[str]:
    """The keys on their wires, between two steps."""
    return [text(x, y[i] - 5, str(key)) for i, key in enumerate(keys)]


def wires(end: int, y: list[int], count: int) -> list[str]:
    """Eight wires with their names; those from `count` on do not exist."""
    marks = []
    for i in range(8):
        colour, dashes = (INK, "") if i < count else (FAINT, " stroke-dasharray='2 4'")
        marks.append(line(LEFT - 12, y[i], end, y[i], colour, "stroke-width='1'" + dashes))
        marks.append(text(LEFT - 20, y[i] + 4, f"{i} = {i:03b}", colour, 12, "end"))
    return marks


def picture() -> str:
    """The whole SVG."""
    first, width = network(TOP, "One form: runs upwards and downwards by turns", False, 8)
    title = f"The other: mirror images first, all upwards; here n = {SHORT}"
    second, _ = network(TOP + PANEL, title, True, SHORT)
    end = TOP + 2 * PANEL
    legend = [
        (26, "Each arrow is a comparison: its head gets the larger key, its foot the smaller."),
        (end - 6, "Dashed: comparisons with a partner that does not exist. A key larger"),
        (end + 12, "than all others would never leave its place there: leave them out."),
    ]
    height = end + 28
    return "\n".join([
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}'>",
        "<title>The bitonic network for eight keys, in two forms</title>",
        f"<rect width='{width}' height='{height}' fill='white'/>",
        *(text(16, y, words, anchor="start") for y, words in legend),
        *first, *second, "</svg>", "",
    ])  # fmt: skip


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
