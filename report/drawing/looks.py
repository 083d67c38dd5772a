"""How each curve looks. A stage has one colour and one marker, whatever figure it is in: they come
from its place among its lab's stages. Everything else has a look of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

# Okabe and Ito's colours, with two more: colour-blind readers can tell them apart, and each stage
# also has its own marker.
CYCLE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B98200", "#56B4E9", "#8A8A2E", "#8C510A")
MARKERS = "osD^vP<>"
STYLES = ("-", "--", "-.")  # the ninth stage of a lab repeats the first one's colour, dashed

# The stages of the labs with figures over many sizes, in their labs' order.
STAGES = {
    "01": ("global", "strided", "stable", "descending", "strings", "tiled"),
    "02": ("in-place", "registers", "batched", "fast"),
    "03": ("global", "any-length", "shared", "registers"),
    "04": ("phases", "early-exit", "records", "texture", "tiled", "merge-split"),
    "05": ("edges", "relax", "restrict", "atomic", "locality", "frontier", "delta"),
}


@dataclass(frozen=True)
class Look:
    """A curve's colour, marker and line style, as matplotlib names them."""

    colour: str
    marker: str = ""
    style: str = "-"


RECORD = Look("#5B2A86", "*")
RECORD_BEFORE = Look("#5B2A86", "*", "--")  # the record of a stage before the last one
LIBRARY = Look("#666666", "X", "--")
LIBRARY_TOO = Look("#666666", "d", ":")
PROCESSOR = Look("#000000", "v")
PROCESSORS = Look("#000000", "^", "--")
LIMIT = Look("#888888")
ARTICLE = Look("#1B9AAA", "h")  # article 004's order of the edges, which is no stage
ARTICLE_BOTH = Look("#7A4419", "p", "--")
SIZES = (Look("#B98200", "v"), Look("#009E73", "D"), Look("#D55E00", "s"), Look("#0072B2", "o"))


def of_stage(stage: str, stages: Sequence[str]) -> Look:
    """The look of one of a lab's stages, which are given in the lab's order."""
    place = stages.index(stage)
    turn, index = divmod(place, len(CYCLE))
    return Look(CYCLE[index], MARKERS[index], STYLES[turn % len(STYLES)])


def of(name: str) -> Look:
    """The look of `05 delta`: the number of a lab in STAGES, and one of its stages."""
    lab, _, stage = name.partition(" ")
    return of_stage(stage, STAGES[lab])
