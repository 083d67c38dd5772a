"""Line charts as SVG inside a page: its colours are the page's, so they fit light and dark."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from ..base.text import escaped

WIDTH, HEIGHT = 720, 330
LEFT, RIGHT, TOP, BOTTOM = 52, 118, 22, 40
LABEL_GAP = 15  # pixels between the middles of two labels
COLOURS = 8
MOST_TICKS = 9


@dataclass(frozen=True)
class Point:
    """A value at a size with its interval."""

    n: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Line:
    """One line of a chart, named at its right end. `faint`: only there to compare with."""

    label: str
    points: Sequence[Point]
    colour: int = 0
    faint: bool = False


def line_chart(lines: Sequence[Line], x_label: str, y_label: str, title: str) -> Markup:
    """Values over sizes, both logarithmic; a dashed line at 1. Empty if there is nothing."""
    points = [point for line in lines for point in line.points]
    if not points:
        return Markup("")
    scale = _Scale(points)
    parts = [_grid(scale), _axis_names(x_label, y_label)]
    parts += [_line(scale, line) for line in lines]
    parts += _labels(scale, lines)
    head = (f"<svg class='chart' viewBox='0 0 {WIDTH} {HEIGHT}' role='img' "
            f"aria-label='{_text(title)}'>")  # fmt: skip
    return Markup(head + "".join(parts) + "</svg>")


class _Scale:
    """From sizes and values to pixels."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.sizes = sorted({point.n for point in points})
        self._x0, self._x1 = _padded(math.log2(self.sizes[0]), math.log2(self.sizes[-1]), 0.5)
        values = [v for p in points for v in (p.low, p.high, p.value) if v > 0] or [1.0]
        low, high = math.log10(min(1.0, *values)), math.log10(max(1.0, *values))
        self._y0, self._y1 = _padded(low - 0.05, high + 0.05, 0.15)

    def x(self, n: float) -> float:
        part = (math.log2(n) - self._x0) / (self._x1 - self._x0)
        return LEFT + part * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        part = (math.log10(max(value, 1e-12)) - self._y0) / (self._y1 - self._y0)
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)

    def y_ticks(self) -> list[float]:
        """Powers of ten; where there are few, 2 and 5 times them as well."""
        span = self._y1 - self._y0
        steps = (1,) if span > 3 else (1, 3) if span > 2 else (1, 2, 5)
        powers = range(math.floor(self._y0), math.ceil(self._y1) + 1)
        ticks = [step * 10.0**power for power in powers for step in steps]
        return [t for t in ticks if self._y0 <= math.log10(t) <= self._y1]

    def x_ticks(self) -> list[int]:
        """The sizes, or evenly chosen ones of them."""
        every = math.ceil(len(self.sizes) / MOST_TICKS)
        return self.sizes[::-every][::-1]


def _padded(low: float, high: float, least: float) -> tuple[float, float]:
    return (low, high) if high - low >= least else (low - least, high + least)


def _grid(scale: _Scale) -> str:
    parts = []
    for value in scale.y_ticks():
        y = scale.y(value)
        parts.append(f"<path class='grid' d='M{LEFT} {y:.1f}H{WIDTH - RIGHT}'/>"
                     f"<text class='tick end' x='{LEFT - 7}' y='{y + 3.5:.1f}'>{value:g}×</text>")
    y = scale.y(1.0)
    parts.append(f"<path class='one' d='M{LEFT} {y:.1f}H{WIDTH - RIGHT}'/>")
    powers = all(n == 1 << (n.bit_length() - 1) for n in scale.sizes)
    for n in scale.x_ticks():
        x = scale.x(n)
        parts.append(f"<path class='grid' d='M{x:.1f} {HEIGHT - BOTTOM}v4'/>"
                     f"<text class='tick middle' x='{x:.1f}' y='{HEIGHT - BOTTOM + 17}'>"
                     f"{_size(n, powers)}</text>")  # fmt: skip
    return "".join(parts)


def _size(n: int, as_power: bool) -> str:
    """All ticks of an axis are powers of two, or none is."""
    exponent = f"<tspan dy='-.4em' font-size='75%'>{n.bit_length() - 1}</tspan>"
    return f"2{exponent}" if as_power else f"{n:,}"


def _axis_names(x_label: str, y_label: str) -> str:
    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    return (f"<text class='tick middle' x='{middle}' y='{HEIGHT - 5}'>{_text(x_label)}</text>"
            f"<text class='tick' x='0' y='9'>{_text(y_label)}</text>")  # fmt: skip


def _line(scale: _Scale, line: Line) -> str:
    points = sorted(line.points, key=lambda point: point.n)
    if not points:
        return ""
    places = [(scale.x(p.n), scale.y(p.value)) for p in points]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    dashes = " dashed" if line.colour >= COLOURS else ""
    parts = [f"<g class='{_colour(line)}{dashes}'><path class='line' d='{path}'/>"]
    for point, (x, y) in zip(points, places, strict=True):
        low, high = scale.y(point.low), scale.y(point.high)
        if low - high > 1:
            parts.append(f"<path class='bar' d='M{x:.1f} {low:.1f}V{high:.1f}'/>")
        parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='2.6'>"
                     f"<title>{_text(line.label)}, n = {point.n:,}: {point.value:.3g}×"
                     "</title></circle>")  # fmt: skip
    return "".join(parts) + "</g>"


def _colour(line: Line) -> str:
    return "faint" if line.faint else f"c{line.colour % COLOURS}"


def _labels(scale: _Scale, lines: Sequence[Line]) -> list[str]:
    """Names at the lines' ends, moved apart where they would cover each other."""
    ends = [(max(line.points, key=lambda p: p.n), line) for line in lines if line.points]
    ends.sort(key=lambda end: scale.y(end[0].value))
    heights = _apart([scale.y(point.value) for point, _ in ends])
    labels = []
    for (point, line), y in zip(ends, heights, strict=True):
        labels.append(f"<text class='name {_colour(line)}' x='{scale.x(point.n) + 9:.1f}' "
                      f"y='{y + 4:.1f}'>{_text(line.label)}</text>")  # fmt: skip
    return labels


def _apart(heights: Sequence[float]) -> list[float]:
    """Heights in order, moved so that neighbours are LABEL_GAP apart and none is below the axes."""
    places: list[float] = []
    for height in heights:
        places.append(max(height, places[-1] + LABEL_GAP) if places else height)
    lowest = HEIGHT - BOTTOM
    for number in range(len(places) - 1, -1, -1):
        places[number] = min(places[number], lowest)
        lowest = places[number] - LABEL_GAP
    return places


def _text(text: str) -> str:
    return str(escape(escaped(text)))
