"""Panels: curves with intervals over n, with their names beside them.

Equal measurements give equal bytes: fixed fonts, no dates, no random number without a seed.
"""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from grader.timing.statistics import speedup

from .looks import Look

TICKS = 7  # more of them crowd a panel
DODGE = 0.05  # octaves between two curves' points of one size
STEPS = (1, 2, 2.5, 5, 10)  # between two ticks, times a power of ten: so 1 is a tick
FEW_DECADES = 1.5  # a smaller range has ticks at 2 and 5, too


@dataclass(frozen=True)
class Value:
    """Several measurements at one size: their middle, and the ends of its interval."""

    n: int
    middle: float
    low: float
    high: float


@dataclass(frozen=True)
class Line:
    """A curve. `bars` draws the intervals, and moves the points aside to keep them apart."""

    label: str
    values: Sequence[Value]
    look: Look
    bars: bool = True


@dataclass(frozen=True)
class Panel:
    """One pair of axes. `unit` is of the y axis: times, seconds, rate, share or count."""

    title: str
    lines: Sequence[Line]
    y_label: str
    unit: str
    x_label: str = ""
    linear: bool = False
    at_one: str = ""  # the name of the line at 1, if there is one
    notes: Sequence[str] = field(default=())  # lines at the foot of the figure


def middle(n: int, numbers: Iterable[float]) -> Value:
    """The median of `numbers` with its 95 % bootstrap interval."""
    found = speedup(n, [1.0], list(numbers))
    return Value(n, found.median, found.low, found.high)


def ratio(n: int, seconds: Sequence[float], baseline: Sequence[float]) -> Value:
    """The baseline's median over that of `seconds`, with its 95 % bootstrap interval."""
    found = speedup(n, seconds, baseline)
    return Value(n, found.median, found.low, found.high)


def spread(n: int, numbers: Iterable[float]) -> Value:
    """The mean of `numbers`, and the least and largest of them."""
    known = list(numbers)
    return Value(n, statistics.fmean(known), min(known), max(known))


def exact(n: int, number: float) -> Value:
    """A value without an interval."""
    return Value(n, number, number, number)


def shown(panel: Panel) -> list[Line]:
    """The lines that have values."""
    return [line for line in panel.lines if line.values]


def draw_panel(axes: Axes, panel: Panel) -> None:
    """Draw the curves and the axes of a panel; n is on a logarithmic axis."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("linear" if panel.linear else "log")
    if panel.at_one:
        axes.axhline(1.0, color="0.35", linestyle=(0, (4, 3)), linewidth=0.8, zorder=1)
    for line, places in zip(shown(panel), dodged(panel), strict=True):
        _curve(axes, line, places)
    axes.set_title(panel.title, loc="left")
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    _scale_sizes(axes, panel)
    _scale_values(axes, panel)


def dodged(panel: Panel) -> list[list[float]]:
    """Where each curve's points are on the x axis: curves with intervals stand side by side."""
    lines = shown(panel)
    with_bars = [i for i, line in enumerate(lines) if line.bars]
    places = []
    for i, line in enumerate(lines):
        aside = with_bars.index(i) - (len(with_bars) - 1) / 2 if line.bars else 0.0
        places.append([one.n * 2 ** (DODGE * aside) for one in line.values])
    return places


def _curve(axes: Axes, line: Line, places: Sequence[float]) -> None:
    heights = [one.middle for one in line.values]
    look = line.look
    axes.plot(places, heights, color=look.colour, marker=look.marker or None, markersize=3.2,
              linestyle=look.style, linewidth=1.1, zorder=3)  # fmt: skip
    if line.bars:
        ends = [[one.middle - one.low for one in line.values],
                [one.high - one.middle for one in line.values]]  # fmt: skip
        axes.errorbar(places, heights, yerr=ends, fmt="none", ecolor=look.colour,
                      elinewidth=0.7, capsize=1.4, capthick=0.7, zorder=3)  # fmt: skip


def _scale_sizes(axes: Axes, panel: Panel) -> None:
    sizes = sorted({one.n for line in shown(panel) for one in line.values})
    if not sizes:
        return
    axes.set_xlim(sizes[0] / 1.4, sizes[-1] * 1.4)
    axes.xaxis.set_minor_locator(NullLocator())
    as_powers = all(n & (n - 1) == 0 for n in sizes)
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda n, _: power(round(n)) if as_powers else f"{round(n):,}")
    )
    axes.set_xticks(_powers(sizes) if as_powers else _ticks(sizes))


def power(n: int) -> str:
    """A power of two, for matplotlib."""
    return f"$2^{{{n.bit_length() - 1}}}$"


def _powers(sizes: Sequence[int]) -> list[int]:
    """Powers of two from the least to the largest size, equally far apart; at most TICKS."""
    first, last = sizes[0].bit_length() - 1, sizes[-1].bit_length() - 1
    step = next(step for step in (1, 2, 4, 8, 16, 32) if (last - first) // step < TICKS)
    return [1 << e for e in range(first, last + 1) if e % step == 0]


def _ticks(sizes: Sequence[int]) -> list[int]:
    """The sizes, without those too close to a larger one; at most about TICKS."""
    span = math.log2(sizes[-1] / sizes[0]) or 1.0
    kept: list[int] = []
    for n in reversed(sizes):
        if not kept or math.log2(kept[-1] / n) >= span / TICKS * 0.99:
            kept.append(n)
    return sorted(kept)


def _scale_values(axes: Axes, panel: Panel) -> None:
    values = [one for line in shown(panel) for one in line.values if not math.isnan(one.middle)]
    low = min((one.low for one in values), default=1.0)
    high = max((one.high for one in values), default=1.0)
    if panel.at_one:
        low, high = min(low, 1.0), max(high, 1.0)
    if panel.linear:
        axes.set_ylim(low / 1.12 if panel.at_one else 0, high * 1.08)
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=STEPS))
    else:
        decades = math.log10(high / low)
        margin = 10 ** (0.06 * max(decades, 0.5))
        axes.set_ylim(low / margin, high * margin)
        axes.yaxis.set_major_locator(
            LogLocator(10, subs=(1, 2, 5) if decades < FEW_DECADES else (1,))
        )
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(FORMATS[panel.unit]))


def _prefixed(number: float, unit: str, prefixes: Sequence[tuple[float, str]]) -> str:
    for size, prefix in prefixes:
        if abs(number) >= 0.999 * size:
            return f"{number / size:g} {prefix}{unit}".rstrip()
    return f"{number:g} {unit}".rstrip()


def _seconds(seconds: float, _: int) -> str:
    parts = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
    return "0" if seconds == 0 else _prefixed(seconds, "s", parts)


def _rate(rate: float, _: int) -> str:
    return _prefixed(rate, "", ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")))


FORMATS = {
    "times": lambda ratio, _: f"{ratio:,.6g}×",
    "seconds": _seconds,
    "rate": _rate,
    "share": lambda share, _: f"{100 * share:g} %",
    "count": lambda count, _: f"{count:g}",
}
