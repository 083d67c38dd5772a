"""How a line of a figure looks, the same in every panel."""

from typing import Any

from matplotlib.axes import Axes

MARKERS = "osD^vPX*<>"
LINES = ("-", "--", "-.", ":")
COLOURS = 8  # of the style's cycle: a ninth line would repeat the first's colour
# At 1: the baseline of a speedup, the whole of a share.
REFERENCE_LINE: dict[str, Any] = {
    "color": "0.35", "linestyle": (0, (4, 3)), "linewidth": 0.9, "zorder": 1,
}  # fmt: skip


def look(index: int) -> dict[str, Any]:
    """Marker and line style of the line that is drawn as number `index`."""
    return {"marker": MARKERS[index % len(MARKERS)],
            "linestyle": LINES[index // COLOURS % len(LINES)]}  # fmt: skip


def name_line(axes: Axes, text: str) -> None:
    """Write `text` beside the end of the line at 1."""
    axes.annotate(
        text, (1.0, 1.0), xycoords=("axes fraction", "data"), xytext=(4, 0),
        textcoords="offset points", ha="left", va="center", fontsize=6.5, color="0.35",
        annotation_clip=False,
    )  # fmt: skip
