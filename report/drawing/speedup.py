"""The figure of a result: speedup over the baseline against problem size, one line per stage.

If the machine's ceilings were measured, a second panel shows the share that each stage reaches.
Equal results give equal bytes: fixed seeds, fixed fonts, no dates.
"""

import io
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.base.files import write_atomically
from grader.timing.roofline import Reached, reached
from grader.timing.statistics import Speedup, speedup

STYLE = Checkout.here().root / "report" / "warpwise.mplstyle"
LOG_RANGE = 10.0  # a wider range of speedups is drawn on a logarithmic axis
SHARES_INCHES = 1.8  # the height that the panel of shares adds to the figure
TICKS = 12  # more ticks than this crowd the axis


FORMATS = {".svg": {"Date": None}, ".png": {"Software": None},
           ".pdf": {"CreationDate": None, "Producer": None, "Creator": None}}  # fmt: skip


def draw(result: dict[str, Any], folder: Path) -> list[Path]:
    """Write speedup.svg and speedup.png. Raises UsageError if nothing was measured."""
    return draw_to(result, [folder / "speedup.svg", folder / "speedup.png"])


def draw_to(result: dict[str, Any], paths: Sequence[Path]) -> list[Path]:
    """Write the figure to files; their suffixes, of FORMATS, say what they become. Raises
    UsageError if nothing was measured."""
    measured = [m for m in result["measured"] if m["points"]]
    # A figure has one baseline. Measurements against another one, for example of a lab's
    # preparation, are only in result.json.
    baselines = Counter(m["baseline"] for m in measured)
    measured = [m for m in measured if m["baseline"] == max(baselines, key=baselines.__getitem__)]
    result = {**result, "measured": measured}
    lines = [(m["stage"], _speedups(m)) for m in measured]
    if not lines:
        raise UsageError(f"{result['lab']}: nothing was measured, so there is no figure to draw.")
    with plt.style.context(["default", str(STYLE)]):
        figure = _figure(result, lines)
        for path in paths:
            _save(figure, path, FORMATS[path.suffix.lower()])
        plt.close(figure)
    return list(paths)


def _speedups(measured: dict[str, Any]) -> list[Speedup]:
    points = sorted(measured["points"], key=lambda point: point["n"])
    return [speedup(p["n"], p["seconds"], p["baseline_seconds"]) for p in points]


def _save(figure: Figure, path: Path, metadata: dict[str, None]) -> Path:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=path.suffix[1:].lower(), metadata=metadata)
    write_atomically(path, buffer.getvalue())
    return path


def _figure(result: dict[str, Any], lines: Sequence[tuple[str, list[Speedup]]]) -> Figure:
    shares = shares_of(result)
    figure, axes, lower = _panels(bool(shares))
    for index, (stage, points) in enumerate(lines):
        _line(axes, index, stage, points)
    axes.axhline(1.0, **REFERENCE_LINE)
    sizes = sorted({point.n for _, points in lines for point in points})
    _scale_sizes(axes, sizes)
    _scale_speedups(axes, [point for _, points in lines for point in points])
    first = result["measured"][0]
    if lower:
        draw_shares(lower, [stage for stage, _ in lines], shares)
    (lower or axes).set_xlabel(f"n ({first['unit']})")
    axes.set_ylabel(f"speedup over\n{first['baseline']}")
    axes.set_title(_title(result, first["clock"], bool(shares)), loc="left")
    # Outside the axes a label cannot cover a point.
    figure.legend(loc="outside right upper", title="stage", alignment="left")
    name_line(axes, "1× (baseline)")
    return figure


def _panels(with_shares: bool) -> tuple[Figure, Axes, Axes | None]:
    """The axes of the speedups and, below them with the same sizes, those of the shares."""
    if not with_shares:
        figure, axes = plt.subplots()
        return figure, axes, None
    width, height = plt.rcParams["figure.figsize"]
    size, ratios = (width, height + SHARES_INCHES), (height, SHARES_INCHES)
    figure, (axes, lower) = plt.subplots(2, sharex=True, figsize=size, height_ratios=ratios)
    return figure, axes, lower


def _line(axes: Axes, index: int, stage: str, points: Sequence[Speedup]) -> None:
    middle = [point.median for point in points]
    axes.errorbar(
        [point.n for point in points],
        middle,
        yerr=[
            [point.median - point.low for point in points],
            [point.high - point.median for point in points],
        ],
        **look(index),
        elinewidth=0.8,
        label=stage,
        zorder=3,
    )


def _scale_sizes(axes: Axes, sizes: Sequence[int]) -> None:
    axes.set_xscale("log", base=2)
    if len(sizes) == 1:
        axes.set_xlim(sizes[0] / 2, sizes[0] * 2)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: _size(round(n))))
    axes.set_xticks(_ticks(sizes))


def _ticks(sizes: Sequence[int]) -> list[int]:
    """The sizes without those too close to a larger one: 1000 would be printed over 1024."""
    span = math.log2(max(sizes) / min(sizes)) or 1.0
    kept: list[int] = []
    for n in reversed(sizes):
        if not kept or math.log2(kept[-1] / n) > span / TICKS:
            kept.append(n)
    return sorted(kept)


def _size(n: int) -> str:
    exponent = n.bit_length() - 1
    return f"$2^{{{exponent}}}$" if n >= 1024 and n == 1 << exponent else f"{n}"


def _scale_speedups(axes: Axes, points: Sequence[Speedup]) -> None:
    low, high = min(1.0, *(p.low for p in points)), max(1.0, *(p.high for p in points))
    if high / low > LOG_RANGE:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5) if high / low < 1e4 else (1,)))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_ylim(low / 1.3, high * 1.3)
    else:
        axes.yaxis.set_major_locator(MaxNLocator(6))
        axes.set_ylim(0, high * 1.1)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))


def _title(result: dict[str, Any], clock: str, limited: bool) -> str:
    machine = result["machine"]
    cpu = f"{machine['cpu']}, {machine['cores']} cores"
    if result["backend"] == "cpu":
        where = f"time on the CPU backend, not GPU time\n{cpu}"
    else:
        gpu = machine["gpu"] or {"name": "GPU", "driver": "unknown"}
        where = f"{gpu['name']}, driver {gpu['driver']}, clock: {clock}\nbaseline on {cpu}"
    submission = result["submission"]["name"].replace("$", r"\$")  # no formula begins there
    name = f"{result['lab']}, {result['title']} ({submission})"
    limit = "" if limited else "; limit not measured"
    return f"{name}\n{where}; bars: 95 % interval{limit}"


LIMIT = ("limit: one launch, all input and output at the speed of a copy, or all operations at "
         "their peak, whichever takes longest")  # fmt: skip


def shares_of(result: dict[str, Any]) -> dict[str, list[Reached]]:
    """The share of the machine's limit that each stage reaches, if both are known."""
    limits = result["machine"].get("ceilings")
    found: dict[str, list[Reached]] = {}
    for measured in result["measured"]:
        points = sorted(measured["points"], key=lambda point: point["n"])
        known = [share for point in points if (share := reached(point, limits))]
        if known:
            found[measured["stage"]] = known
    return found


def draw_shares(axes: Axes, stages: Sequence[str], shares: dict[str, list[Reached]]) -> None:
    """Draw the shares, with each stage's colour and marker from the speedups above."""
    for index, stage in enumerate(stages):
        points = shares.get(stage, [])
        axes.plot(
            [point.n for point in points],
            [point.share for point in points],
            **look(index),
            zorder=3,
        )
    axes.axhline(1.0, **REFERENCE_LINE)
    name_line(axes, "100 % (limit)")
    known = [point.share for points in shares.values() for point in points]
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(10))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
    axes.set_ylim(min(known) / 1.6, max(1.6, max(known) * 1.6))
    axes.set_ylabel("share of the\nmachine's limit")
    axes.set_title(LIMIT, loc="left", fontsize=6.5)


MARKERS = "osD^vPX*<>"
LINES = ("-", "--", "-.", ":")
COLOURS = 8  # in the style's cycle: a ninth line would repeat the first one's colour
# The line at 1: the baseline of a speedup, or a share of 100 %.
REFERENCE_LINE: dict[str, Any] = {
    "color": "0.35", "linestyle": (0, (4, 3)), "linewidth": 0.9, "zorder": 1,
}  # fmt: skip


def look(index: int) -> dict[str, Any]:
    """The marker and line style of line number `index`."""
    return {"marker": MARKERS[index % len(MARKERS)],
            "linestyle": LINES[index // COLOURS % len(LINES)]}  # fmt: skip


def name_line(axes: Axes, text: str) -> None:
    """Write `text` beside the end of the line at 1."""
    axes.annotate(
        text, (1.0, 1.0), xycoords=("axes fraction", "data"), xytext=(4, 0),
        textcoords="offset points", ha="left", va="center", fontsize=6.5, color="0.35",
        annotation_clip=False,
    )  # fmt: skip
