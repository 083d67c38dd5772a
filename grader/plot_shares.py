"""The lower panel of a figure: which share of the machine's limit each stage reaches."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from .plot_lines import REFERENCE_LINE, look, name_line
from .roofline import Reached, reached

LIMIT = ("limit: one launch, all input and output at the speed of a copy, or all operations at "
         "their peak, whichever takes longest")  # fmt: skip


def shares_of(result: dict[str, Any]) -> dict[str, list[Reached]]:
    """Which share of the machine's limit each stage reaches, where both are known."""
    limits = result["machine"].get("ceilings")
    found: dict[str, list[Reached]] = {}
    for measured in result["measured"]:
        points = sorted(measured["points"], key=lambda point: point["n"])
        known = [share for point in points if (share := reached(point, limits))]
        if known:
            found[measured["stage"]] = known
    return found


def draw_shares(axes: Axes, stages: Sequence[str], shares: dict[str, list[Reached]]) -> None:
    """In each stage's colour and marker of the speedups above."""
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
