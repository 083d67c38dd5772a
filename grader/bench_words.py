"""Times, rates, shares and tables as `./lab bench` prints them."""

import math
from collections.abc import Iterable, Sequence

from .console import paint


def aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns side by side; the first to the left, the others to the right, the head dimmed."""
    rows = [list(row) for row in rows]
    columns = max(map(len, rows))
    rows = [row + [""] * (columns - len(row)) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(columns)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  " + "  ".join(cells).rstrip())
    return [paint(lines[0], "dim"), *lines[1:]]


def duration(seconds: float) -> str:
    """`283 us`, to three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size * 0.9995:
            return f"{digits(seconds / size)} {unit}"
    return f"{digits(seconds * 1e9)} ns"


def rate(per_second: float) -> str:
    """`1.23 T`, to three digits."""
    for prefix, size in (("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if per_second >= size * 0.9995:
            return f"{digits(per_second / size)} {prefix}"
    return digits(per_second)


def percent(share: float) -> str:
    """`18 %`, to two digits."""
    value = share * 100
    if 0 < value < 0.00095:
        return "< 0.001 %"
    return f"{value:.0f} %" if value >= 9.95 else f"{value:.2g} %"


def digits(value: float) -> str:
    """Three significant digits, without an exponent."""
    if value == 0:
        return "0"
    if value < 0.9995:
        decimals = 2 - math.floor(math.log10(value))
        return f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:,.0f}"
