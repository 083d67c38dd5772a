"""Draws a family's figures from its measurements alone: FAMILY-NAME.svg and .png."""

import io
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.base.files import write_atomically

from . import searches, sorts
from .lines import COLOURS, LABEL_SIZE, Panel, draw_panel, label_lines, where
from .measurements import REFERENCE, Document, measured

STYLE = Checkout.here().root / "report" / "warpwise.mplstyle"
WIDTH, HEIGHT = 8.2, 3.6
MARGIN = 0.55  # the part of a panel's width for the names at the lines' ends


def draw(document: Document, folder: Path) -> list[Path]:
    """Write every figure of the document's family. Raises UsageError if nothing was measured."""
    if not measured(document):
        raise UsageError(f"{document['family']}: nothing was measured, so nothing can be drawn.")
    specification = searches if document["family"] == "sssp" else sorts
    drawn: list[Path] = []
    plain = {"figure.constrained_layout.use": False}  # it ignores the names in the margin
    with plt.style.context(["default", str(STYLE), plain]):
        for name, figure in specification.figures(document).items():
            made = _figure(document, **figure)
            stem = f"{document['family']}-{name}"
            drawn.append(_save(made, folder / f"{stem}.svg", {"Date": None}))
            drawn.append(_save(made, folder / f"{stem}.png", {"Software": None}))
            plt.close(made)
    return drawn


def _figure(
    document: Document, panels: list[Panel], y_label: str, unit: str, title: str,
    factor: bool = False, share: bool = True,
) -> Any:  # fmt: skip
    figure, all_axes = plt.subplots(
        1, len(panels), sharey=share, squeeze=False, figsize=(WIDTH, HEIGHT)
    )
    foot = [*(note for panel in panels for note in panel.notes), where(document)]
    bottom = 0.175 + 0.035 * len(foot)
    figure.subplots_adjust(left=0.075, right=0.855, top=0.84, bottom=bottom, wspace=MARGIN)
    for axes, panel in zip(all_axes[0], panels, strict=True):
        first = axes is all_axes[0][0]
        draw_panel(axes, panel, y_label if first else "", unit, factor)
        axes.tick_params(labelleft=True)
    for axes, panel in zip(all_axes[0], panels, strict=True):
        label_lines(figure, axes, panel)
    if document.get("source", REFERENCE) != REFERENCE:
        title += f" ({document['source']})"
    figure.suptitle(title, x=0.01, y=0.985, ha="left", fontsize=9)
    figure.text(
        0.01, 0.015, "\n".join(foot), va="bottom", fontsize=LABEL_SIZE, color=COLOURS["grey"]
    )
    return figure


def _save(figure: Any, path: Path, metadata: dict[str, None]) -> Path:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=path.suffix[1:], metadata=metadata)
    write_atomically(path, buffer.getvalue())
    return path
