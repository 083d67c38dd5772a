"""The common parts of the families' figures: lines with a band, named at their ends.

Equal measurements give equal bytes: fixed fonts, no dates.
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from .measurements import Document, measured

# Okabe and Ito's colours by name, and a grey for lines that are only for comparison.
COLOURS = {
    "blue": "#0072B2", "orange": "#D55E00", "green": "#009E73", "pink": "#CC79A7",
    "yellow": "#B98200", "sky": "#56B4E9", "black": "#000000", "olive": "#8A8A2E",
    "grey": "#666666",
}  # fmt: skip
LABEL_SIZE = 6.5
LABEL_GAP = 8.0  # points between the middles of two labels
MARGIN = 6.0  # points between the axes and the labels


@dataclass(frozen=True)
class Value:
    """Several measurements at one size: their mean, least and largest."""

    n: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Line:
    """A method's values over n; `band` shades the range from the least to the largest value."""

    label: str
    values: Sequence[Value]
    colour: str  # of COLOURS
    marker: str = "o"
    style: str = "-"
    band: bool = True


@dataclass
class Panel:
    """One pair of axes."""

    title: str
    lines: list[Line]
    notes: list[str] = field(default_factory=list)  # lines at the foot of the figure
    linear: bool = False


def value(n: int, numbers: Iterable[float]) -> Value:
    """The mean, least and largest of `numbers`."""
    all_of_them = list(numbers)
    return Value(n, statistics.fmean(all_of_them), min(all_of_them), max(all_of_them))


def draw_panel(axes: Axes, panel: Panel, y_label: str, unit: str, factor: bool = False) -> None:
    """Draw the lines and axes of a panel; n is on a logarithmic axis."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("linear" if panel.linear else "log")
    lines = [line for line in panel.lines if line.values]
    for line in lines:
        xs, colour = [one.n for one in line.values], COLOURS[line.colour]
        axes.plot(xs, [one.mean for one in line.values], color=colour, marker=line.marker,
                  linestyle=line.style, markersize=3, zorder=3)  # fmt: skip
        if line.band and len(xs) > 1:
            axes.fill_between(xs, [one.low for one in line.values],
                              [one.high for one in line.values], color=colour, alpha=0.16,
                              linewidth=0, zorder=2)  # fmt: skip
    axes.set_title(panel.title, loc="left")
    axes.set_xlabel(unit)
    if y_label:
        axes.set_ylabel(y_label)
    sizes = sorted({one.n for line in lines for one in line.values})
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_formatter(NullFormatter())
    if panel.linear:
        axes.set_ylim(bottom=0)
    every = max(1, -(-len(sizes) // 6))
    axes.set_xticks(sizes[::-1][::every][::-1])
    axes.xaxis.set_major_formatter(FuncFormatter(_power))
    axes.yaxis.set_major_formatter(FuncFormatter(_times if factor else _rate))


def _power(n: float, _: int) -> str:
    exponent = round(n).bit_length() - 1
    return f"$2^{{{exponent}}}$"


def _rate(rate: float, _: int) -> str:
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= 0.999 * size:
            return f"{rate / size:g} {letter}"
    return f"{rate:g}"


def _times(ratio: float, _: int) -> str:
    return f"{ratio:g}×"


def label_lines(figure: Figure, axes: Axes, panel: Panel) -> None:
    """Names in the right margin, each with a thin line from the last point of its curve. Names that
    would cover each other are moved apart. Call this when all axes have their limits."""
    lines = [line for line in panel.lines if line.values]
    figure.canvas.draw()  # fixes the layout, so that points have their final places
    to_points = 72.0 / figure.dpi
    margin = axes.bbox.x1 * to_points + MARGIN
    places = []
    for line in lines:
        end = (line.values[-1].n, line.values[-1].mean)
        x, y = axes.transData.transform(end) * to_points
        places.append((y, line.label, x, end, line))
    places.sort(key=lambda place: place[:2])
    for target, (y, label, x, end, line) in zip(
        _spread([place[0] for place in places]), places, strict=True
    ):
        thin = {"arrowstyle": "-", "color": COLOURS[line.colour], "linewidth": 0.5, "shrinkA": 0,
                "shrinkB": 2}  # fmt: skip
        axes.annotate(label, end, xytext=(margin - x, target - y), textcoords="offset points",
                      fontsize=LABEL_SIZE, color=COLOURS[line.colour], va="center",
                      annotation_clip=False, zorder=4, arrowprops=thin)  # fmt: skip


def _spread(wanted: list[float]) -> list[float]:
    """Ascending places moved LABEL_GAP apart; each group stays centred on its wanted places."""
    groups: list[list[float]] = []  # [sum of wanted - own offset, count]
    for place in wanted:
        groups.append([place, 1.0])
        while len(groups) > 1 and _low(groups[-1]) - _high(groups[-2]) < LABEL_GAP:
            last = groups.pop()
            groups[-1] = [groups[-1][0] + last[0], groups[-1][1] + last[1]]
    spread: list[float] = []
    for total, count in groups:
        first = total / count - LABEL_GAP * (count - 1) / 2
        spread += [first + LABEL_GAP * i for i in range(int(count))]
    return spread


def _low(group: list[float]) -> float:
    return group[0] / group[1] - LABEL_GAP * (group[1] - 1) / 2


def _high(group: list[float]) -> float:
    return group[0] / group[1] + LABEL_GAP * (group[1] - 1) / 2


def where(document: Document) -> str:
    """The machine, as a figure's last line names it."""
    here = document["machine"]
    cpu = f"{here['cpu']}, {here['cores']} cores"
    if document["backend"] == "cpu":
        return f"time on the CPU backend, not GPU time; {cpu}"
    gpu = here["gpu"] or {"name": "GPU", "driver": "unknown"}
    clock = measured(document)[0]["measured"]["clock"] if measured(document) else "no clock"
    return f"{gpu['name']}, driver {gpu['driver']}, {clock}; CPU: {cpu}"
