"""Rows of a table side by side, or each on lines of its own where they do not fit."""

import shutil
from collections.abc import Iterable, Sequence

from .columns import padded, width
from .console import paint

PAGE = 100  # columns of what is no terminal


def aligned(rows: Iterable[Sequence[str]], most: int | None = None) -> list[str]:
    """Columns side by side: the first aligned left, the others right, the head dimmed.

    If that is wider than `most` columns (those of the terminal), each row is stacked instead.
    """
    rows = [list(row) for row in rows]
    columns = max(map(len, rows))
    rows = [row + [""] * (columns - len(row)) for row in rows]
    widths = [max(width(row[column]) for row in rows) for column in range(columns)]
    most = most or shutil.get_terminal_size((PAGE, 24)).columns
    if sum(widths) + 2 * len(widths) > most:
        return _stacked(rows[0], rows[1:], most)
    lines = []
    for row in rows:
        cells = [padded(row[0], widths[0])]
        cells += [padded(cell, room, right=True)
                  for cell, room in zip(row[1:], widths[1:], strict=True)]  # fmt: skip
        lines.append("  " + "  ".join(cells).rstrip())
    return [paint(lines[0], "dim"), *lines[1:]]


def _stacked(head: Sequence[str], rows: Iterable[Sequence[str]], most: int) -> list[str]:
    """`global`, and below it `n 256: time 282 us, ...`, broken between two values."""
    lines: list[str] = []
    for first, *cells in rows:
        if first.strip():
            lines.append(f"  {paint(first.strip(), 'bold')}")
        said = [f"{name} {cell}" for name, cell in zip(head[1:], cells, strict=True) if cell]
        now = ""
        for number, part in enumerate(said):
            begin = "    " if number == 0 else "      "
            longer = f"{now} {part}" if now else begin + part
            longer += "" if number == len(said) - 1 else ","
            if now and width(longer) > most:
                lines.append(now)
                longer = "      " + part + ("" if number == len(said) - 1 else ",")
            now = longer
        lines += [now] if now else []
    return lines
