"""Draws labs/04-odd-even/phases.svg: keys after every phase, and what a halo is for.

    python3 reference/04-odd-even/phases.py

It writes only whole numbers and plain text, so it writes the same bytes everywhere. The picture
shows what the script has computed. The script refuses to draw keys that end unsorted or a tile
that ends wrong.
"""

from pathlib import Path

PICTURE = Path(__file__).resolve().parents[2] / "labs" / "04-odd-even" / "phases.svg"

KEYS = (6, 5, 4, 3, 2, 1, 0)  # in reverse: no phase can be spared
TILE = range(4, 8)  # the keys that one block keeps
HALO = 3  # the additional keys that it loads on each side
SEEN = 11  # places drawn in a row

CELL, ROW = 44, 46  # pixels from key to key, from phase to phase
LEFT, TOP = 128, 76
INK, FAINT, SWAP, KEPT, WRONG = "#1f2933", "#b8c0c8", "#b4540a", "#0b6e99", "#e6e9ec"
FONT = "font-family='Helvetica, Arial, sans-serif'"


def text(x: int, y: int, words: str, colour: str = INK, size: int = 13, anchor: str = "middle",
         weight: str = "normal") -> str:  # fmt: skip
    """One line of text whose baseline is at y."""
    return (f"<text x='{x}' y='{y}' fill='{colour}' font-size='{size}' text-anchor='{anchor}' "
            f"font-weight='{weight}' {FONT}>{words}</text>")  # fmt: skip


def line(x1: int, y1: int, x2: int, y2: int, colour: str, width: int = 2) -> str:
    """A straight line."""
    return (f"<line x1='{x1}' y1='{y1}' x2='{x2}' y2='{y2}' stroke='{colour}' "
            f"stroke-width='{width}'/>")  # fmt: skip


def box(x: int, y: int, fill: str, edge: str) -> str:
    """A key's place, centred at (x, y)."""
    return (f"<rect x='{x - 17}' y='{y - 14}' width='34' height='28' rx='4' fill='{fill}' "
            f"stroke='{edge}' stroke-width='2'/>")  # fmt: skip


def phase(keys: list[int], parity: int) -> tuple[list[int], set[int]]:
    """The keys after one phase, and the first index of every pair that changed places."""
    after, swapped = list(keys), set()
    for i in range(parity, len(keys) - 1, 2):
        if keys[i + 1] < keys[i]:
            after[i], after[i + 1] = keys[i + 1], keys[i]
            swapped.add(i)
    return after, swapped


def sorting(top: int) -> list[str]:
    """All phases of KEYS from y = top on. Raises ValueError if they do not sort."""
    keys = list(KEYS)
    marks = keys_in_a_row(top, keys)
    for number in range(len(KEYS)):
        y = top + ROW * number
        marks.append(text(16, y + 28, f"{'odd' if number % 2 else 'even'} phase {number}",
                          anchor="start"))  # fmt: skip
        after, swapped = phase(keys, number % 2)
        for i in range(number % 2, len(keys) - 1, 2):
            left, right = LEFT + CELL * i, LEFT + CELL * (i + 1)
            pair = ((left, right), (right, left)) if i in swapped else ((left,) * 2, (right,) * 2)
            colour = SWAP if i in swapped else INK
            marks += [line(x1, y + 15, x2, y + ROW - 15, colour) for x1, x2 in pair]
        paired = {i + side for i in range(number % 2, len(keys) - 1, 2) for side in (0, 1)}
        marks += [line(LEFT + CELL * i, y + 15, LEFT + CELL * i, y + ROW - 15, FAINT)
                  for i in range(len(keys)) if i not in paired]  # fmt: skip
        keys = after
        marks += keys_in_a_row(y + ROW, keys)
    if keys != sorted(KEYS):
        raise ValueError(f"this many phases do not sort: {keys}")
    return marks


def keys_in_a_row(y: int, keys: list[int]) -> list[str]:
    """The keys between two phases."""
    return [mark for i, key in enumerate(keys)
            for mark in (box(LEFT + CELL * i, y, "white", FAINT),
                         text(LEFT + CELL * i, y + 5, str(key)))]  # fmt: skip


def right_places(done: int) -> set[int]:
    """Which keys a block still knows after `done` phases: those no edge has reached."""
    first, last = TILE[0] - HALO, TILE[-1] + HALO
    known = set(range(first, last + 1))
    for number in range(done):
        alone = {i for i in known if (i + 1 if i % 2 == number % 2 else i - 1) not in known}
        known -= alone
    return known


def halo(top: int) -> list[str]:
    """What a block knows from phase to phase. Raises ValueError if its tile becomes wrong."""
    marks = []
    for done in range(HALO + 1):
        y = top + ROW * done
        words = "loaded" if done == 0 else f"after phase {done - 1}"
        marks.append(text(16, y + 5, words, anchor="start"))
        known = right_places(done)
        for i in range(TILE[0] - HALO, TILE[-1] + HALO + 1):
            edge = KEPT if i in TILE else INK
            marks.append(box(LEFT + CELL * i, y, "white" if i in known else WRONG,
                             edge if i in known else FAINT))  # fmt: skip
            marks.append(text(LEFT + CELL * i, y + 5, "" if i in known else "?", FAINT))
        if not known >= set(TILE):
            raise ValueError(f"the halo is too small for {done} phases: {sorted(known)}")
    return marks


def picture() -> str:
    """The whole SVG."""
    second = TOP + ROW * len(KEYS) + 76
    end = second + 20 + ROW * HALO
    width, height = LEFT + CELL * SEEN + 16, end + 72
    legend = [
        (end + 38, "Blue: the tile that the block keeps. Grey: wrong, for lack of a neighbour."),
        (end + 56, f"After {HALO} phases the halo is used up: write back, then load again."),
    ]  # fmt: skip
    return "\n".join([
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}'>",
        "<title>Odd-even transposition sort of seven keys, and the halo of a tile</title>",
        f"<rect width='{width}' height='{height}' fill='white'/>",
        text(16, 26, f"{len(KEYS)} keys in reverse, {len(KEYS)} phases", size=15, anchor="start",
             weight="bold"),
        text(16, 46, "Every pair is one thread. Orange: it changes places. Grey: no partner.",
             anchor="start"),
        *sorting(TOP),
        text(16, second - 14, f"Many phases in one launch: a tile of {len(TILE)} keys with a halo "
             f"of {HALO}", size=15, anchor="start", weight="bold"),
        *halo(second + 20),
        *(text(16, y, words, anchor="start") for y, words in legend),
        "</svg>", "",
    ])  # fmt: skip


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
