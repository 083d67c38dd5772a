"""Names of curves, beside their ends: no name covers another one, a curve or an interval.

Curves that end at the right edge have their names in the margin, in the order of the ends. A curve
that ends earlier has its name near its last point, where nothing is covered. If there is no such
place, its name is in the margin, too. A name that is far from its curve has a thin line to it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .lines import Panel, dodged, shown

SIZE = 6.5  # of the font
BESIDE = 5.0  # points between a point and its name
NEAR = 6.5  # points: a name that is moved farther has a thin line to its point
FAR_ABOVE = 10.0  # points, where a name is above or below its point
CLEAR = 1.5  # points between a name, or its thin line, and what they must not touch
COVERED = 1000.0  # the cost of covering a bit of a curve or another name

Place = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle in points."""

    left: float
    bottom: float
    width: float
    height: float

    def wider(self, by: float) -> "Box":
        return Box(self.left - by, self.bottom - by, self.width + 2 * by, self.height + 2 * by)

    def overlaps(self, other: "Box") -> bool:
        return (self.left < other.left + other.width and other.left < self.left + self.width
                and self.bottom < other.bottom + other.height
                and other.bottom < self.bottom + self.height)  # fmt: skip

    def holds(self, place: Place) -> bool:
        return (0 <= place[0] - self.left <= self.width
                and 0 <= place[1] - self.bottom <= self.height)  # fmt: skip


def label_lines(figure: Figure, axes: Axes, panel: Panel) -> None:
    """Name every curve. Call this when all axes have their places and limits."""
    figure.canvas.draw()  # fixes the layout, so that points have their final places
    scale = 72.0 / figure.dpi
    area = Box(axes.bbox.x0 * scale, axes.bbox.y0 * scale,
               axes.bbox.width * scale, axes.bbox.height * scale)  # fmt: skip
    curves = [_on_paper(axes, places, [one.middle for one in line.values], scale)
              for line, places in zip(shown(panel), dodged(panel), strict=True)]  # fmt: skip
    last = max(line.values[-1].n for line in shown(panel))
    named = [(line.label, line.look.colour, curve, line.values[-1].n == last)
             for line, curve in zip(shown(panel), curves, strict=True) if curve]  # fmt: skip
    if panel.at_one:
        level = axes.transData.transform((1.0, 1.0))[1] * scale
        across = [(area.left, level), (area.left + area.width, level)]
        named.append((panel.at_one, "0.35", across, True))
    dots = [dot for _, _, curve, _ in named for dot in _dots(curve)]
    for line, places in zip(shown(panel), dodged(panel), strict=True):
        for one, x in zip(line.values, places, strict=True):
            dots += _dots(_on_paper(axes, [x, x], [one.low, one.high], scale))
    write = _Writer(figure, axes, area, dots)
    write.in_margin([one[:3] for one in named if one[3]])
    write.inside([one[:3] for one in named if not one[3]])


Named = tuple[str, str, list[Place]]  # name, colour, and the curve on paper
Candidate = tuple[float, Place, Place]  # cost, place of a name, and where its thin line begins


class _Writer:
    """Writes names into one panel, and knows what they must not cover."""

    def __init__(self, figure: Figure, axes: Axes, area: Box, dots: list[Place]) -> None:
        self.axes, self.area, self.dots = axes, area, dots
        self.renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
        self.scale = 72.0 / figure.dpi
        self.taken: list[Box] = []

    def in_margin(self, named: Sequence[Named]) -> None:
        ordered = sorted(named, key=lambda one: (one[2][-1][1], one[0]))
        heights = spread([curve[-1][1] for *_, curve in ordered],
                         [self._size(text)[1] for text, *_ in ordered])  # fmt: skip
        left = self.area.left + self.area.width + BESIDE
        for (text, colour, curve), height in zip(ordered, heights, strict=True):
            self._write(text, colour, (left, height), curve[-1])

    def inside(self, named: Sequence[Named]) -> None:
        for text, colour, curve in sorted(named, key=lambda one: (-one[2][-1][1], one[0])):
            size = self._size(text)
            best = math.inf
            for cost, place, start in sorted([*_candidates(curve, size[0]),
                                              *self._beside(curve[-1])]):  # fmt: skip
                if cost >= best:
                    break
                box = _box(place, size)
                whole = cost + self._covered(box)
                whole += self._crossed(start, box) if whole < best else 0.0
                if whole < best:
                    best, chosen = whole, (place, start)
            self._write(text, colour, *chosen)

    def _beside(self, end: Place) -> Iterator[Candidate]:
        """Places in the margin, far from the curve's end: always free, unless names fill it."""
        for up in range(0, int(self.area.height), 3):
            place = (self.area.left + self.area.width + BESIDE, self.area.bottom + up)
            yield 12.0 + 0.35 * math.dist(place, end), place, end

    def _crossed(self, start: Place, box: Box) -> float:
        """What the thin line from a curve to a name far from it costs."""
        if not _is_far(start, box):
            return 0.0
        line = [dot for dot in _dots([start, _tip(start, box)]) if math.dist(dot, start) > BESIDE]
        curves = sum(math.dist(dot, other) < CLEAR for dot in line for other in self.dots)
        return curves + COVERED * sum(one.wider(CLEAR).holds(dot) for dot in line
                                      for one in self.taken)  # fmt: skip

    def _covered(self, box: Box) -> float:
        outside = not (self.area.bottom <= box.bottom
                       and box.bottom + box.height <= self.area.bottom + self.area.height
                       and self.area.left <= box.left)  # fmt: skip
        names = sum(box.overlaps(other) for other in self.taken)
        return COVERED * (names + outside + sum(map(box.wider(CLEAR).holds, self.dots)))

    def _size(self, text: str) -> Place:
        """Width and height of a name, in points."""
        made = self.axes.text(0, 0, text, fontsize=SIZE)
        extent = made.get_window_extent(self.renderer)
        made.remove()
        return extent.width * self.scale, extent.height * self.scale

    def _write(self, text: str, colour: str, place: Place, start: Place) -> None:
        """`place` is the middle of the name's left side, `start` where its thin line begins."""
        box = _box(place, self._size(text))
        self.taken.append(box)
        far = _is_far(start, box)
        if far:
            self.dots += _dots([start, _tip(start, box)])
        thin = {"arrowstyle": "-", "color": colour, "linewidth": 0.4, "shrinkA": 0, "shrinkB": 2,
                "relpos": (0.0 if place[0] > start[0] else 1.0, 0.5)}  # fmt: skip
        self.axes.annotate(
            text, start, xycoords="figure points", textcoords="offset points", color=colour,
            xytext=(place[0] - start[0], place[1] - start[1]), fontsize=SIZE, va="center",
            annotation_clip=False, zorder=4, arrowprops=thin if far else None,
        )  # fmt: skip


def _tip(start: Place, box: Box) -> Place:
    """Where the thin line from there meets a name: in the middle of its nearer side."""
    return (box.left if box.left > start[0] else box.left + box.width, box.bottom + box.height / 2)


def _is_far(start: Place, box: Box) -> bool:
    """Whether a name needs a line to its curve."""
    aside = max(box.left - start[0], start[0] - box.left - box.width, 0.0)
    up = abs(box.bottom + box.height / 2 - start[1])
    return math.hypot(max(aside - BESIDE, 0.0), up) > (NEAR if aside else FAR_ABOVE)


def _box(place: Place, size: Place) -> Box:
    return Box(place[0], place[1] - size[1] / 2, *size)


def _on_paper(axes: Axes, xs: Sequence[float], ys: Sequence[float], scale: float) -> list[Place]:
    """A curve's points in points; those that are not numbers are left out."""
    known = [(x, y) for x, y in zip(xs, ys, strict=True) if not math.isnan(y)]
    return [tuple(axes.transData.transform(place) * scale) for place in known]


def _dots(curve: Sequence[Place]) -> Iterator[Place]:
    """Places along a curve, two points apart."""
    yield from curve[:1]
    for a, b in zip(curve, curve[1:], strict=False):
        steps = max(1, int(math.dist(a, b) / 2))
        for i in range(1, steps + 1):
            yield (a[0] + (b[0] - a[0]) * i / steps, a[1] + (b[1] - a[1]) * i / steps)


def _candidates(curve: Sequence[Place], width: float) -> Iterator[Candidate]:
    """To the right of the last point, to its left, and above and below the last few points."""
    end = x, y = curve[-1]
    for aside in range(0, 60, 3):
        for up in (aside, -aside):
            yield 0.35 * aside, (x + BESIDE, y + up), end
    for aside in range(0, 24, 3):
        for up in (aside, -aside):
            yield 2.0 + 0.35 * aside, (x - BESIDE - width, y + up), end
    for back, (x, y) in enumerate(reversed(curve[-5:])):
        for up in (7.0, -7.0, 9.0, -9.0):
            yield 2.0 + 2.0 * back + 0.2 * abs(up), (x - width / 2, y + up), (x, y)
            yield 2.0 + 2.0 * back + 0.2 * abs(up), (x - width, y + up), (x, y)


def spread(wanted: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Ascending middles of names of these heights, moved apart so that none covers the next one;
    each group stays centred on its wanted places."""
    groups: list[list[int]] = []
    for i in range(len(wanted)):
        groups.append([i])
        while len(groups) > 1:
            below, above = (_middles(group, wanted, heights) for group in groups[-2:])
            apart = (heights[groups[-2][-1]] + heights[groups[-1][0]]) / 2
            if above[0] - below[-1] >= apart:
                break
            groups[-2:] = [groups[-2] + groups[-1]]
    return [place for group in groups for place in _middles(group, wanted, heights)]


def _middles(group: list[int], wanted: Sequence[float], heights: Sequence[float]) -> list[float]:
    """The middles of a group's names, one directly above another."""
    places = [0.0]
    for a, b in zip(group, group[1:], strict=False):
        places.append(places[-1] + (heights[a] + heights[b]) / 2)
    shift = sum(wanted[i] for i in group) / len(group) - sum(places) / len(places)
    return [place + shift for place in places]
