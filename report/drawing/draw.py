"""Draws a grid of panels, and a family's figures from its measurements alone: SVG and PNG."""

import io
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.base.files import write_atomically

from . import searches, shapes, sorts
from .labels import SIZE, label_lines
from .lines import Panel, draw_panel, shown
from .measurements import REFERENCE, Document, measured

STYLE = Checkout.here().root / "report" / "warpwise.mplstyle"
# In inches. A panel's names are in the margin to its right.
WIDTH, HEIGHT = 2.75, 2.25
LEFT, MARGIN, ABOVE, BELOW, GAP = 0.72, 1.02, 0.5, 0.46, 0.3
TITLE = 0.16  # what a second line of the title takes
LINE = 0.115  # of the foot
FORMATS = {".svg": {"Date": None}, ".png": {"Software": None},
           ".pdf": {"CreationDate": None, "Producer": None, "Creator": None}}  # fmt: skip


@dataclass(frozen=True)
class Sheet:
    """A figure: panels in rows, a title above them, and lines of small print below."""

    title: str
    rows: Sequence[Sequence[Panel]]
    foot: Sequence[str]


def draw(document: Document, folder: Path) -> list[Path]:
    """Write every figure of the document's family. Raises UsageError if nothing was measured."""
    if not measured(document):
        raise UsageError(f"{document['family']}: nothing was measured, so nothing can be drawn.")
    specification = searches if document["family"] == "sssp" else sorts
    own = document.get("source", REFERENCE)
    drawn: list[Path] = []
    for name, (title, rows, foot) in specification.figures(document).items():
        told = title if own == REFERENCE else f"{title} ({own})"
        told += ": time on the CPU backend, not GPU time" * (document["backend"] == "cpu")
        paths = [folder / f"{name}{suffix}" for suffix in (".svg", ".png")]
        drawn += write(Sheet(told, rows, foot), paths)
    return drawn


def draw_shapes(documents: Mapping[str, Document], folder: Path) -> list[Path]:
    """Write the figure of a family's measurements in graphs of several shapes."""
    title, rows, foot = shapes.sheet(documents)
    on_cpu = any(document["backend"] == "cpu" for document in documents.values())
    title += ": time on the CPU backend, not GPU time" * on_cpu
    return write(Sheet(title, rows, foot),
                 [folder / f"sssp-shapes{suffix}" for suffix in (".svg", ".png")])  # fmt: skip


def write(sheet: Sheet, paths: Sequence[Path]) -> list[Path]:
    """Draw the sheet into files; their suffixes, of FORMATS, say what they become."""
    fixed = {"figure.constrained_layout.use": False}  # panels have their places in inches
    with plt.style.context(["default", str(STYLE), fixed]):
        figure = compose(sheet)
        for path in paths:
            buffer = io.BytesIO()
            kind = path.suffix.lower()
            figure.savefig(buffer, format=kind[1:], metadata=FORMATS[kind])
            write_atomically(path, buffer.getvalue())
        plt.close(figure)
    return list(paths)


def compose(sheet: Sheet) -> Figure:
    """The sheet as a figure of matplotlib."""
    columns = max(map(len, sheet.rows))
    width = columns * (LEFT + WIDTH + MARGIN)
    foot = [part for line in sheet.foot for part in _wrapped(line, width)]
    below = 0.14 + LINE * len(foot)
    above = ABOVE + TITLE * sheet.title.count("\n")
    height = above + below + len(sheet.rows) * (HEIGHT + BELOW) + (len(sheet.rows) - 1) * GAP
    figure = plt.figure(figsize=(width, height))
    made = []
    for i, row in enumerate(sheet.rows):
        bottom = below + BELOW + (len(sheet.rows) - 1 - i) * (HEIGHT + BELOW + GAP)
        for j, panel in enumerate(row):
            left = LEFT + j * (LEFT + WIDTH + MARGIN)
            place = (left / width, bottom / height, WIDTH / width, HEIGHT / height)
            if shown(panel):
                made.append((figure.add_axes(place), panel))
    for axes, panel in made:
        draw_panel(axes, panel)
    for axes, panel in made:
        label_lines(figure, axes, panel)
    figure.text(0.1 / width, 1 - 0.08 / height, sheet.title, va="top", fontsize=9)
    figure.text(0.1 / width, 0.07 / height, "\n".join(foot), va="bottom", fontsize=SIZE,
                color="0.35", linespacing=1.15)  # fmt: skip
    return figure


def _wrapped(line: str, width: float) -> list[str]:
    """The line in pieces that fit the figure; a character is about 0.0445 inches wide."""
    return textwrap.wrap(line, int((width - 0.2) / 0.0445))
