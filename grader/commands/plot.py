"""`./lab plot [LAB]`: draws again, from every result.json in report/out."""

import argparse

from report.drawing.result_figure import load_result
from report.drawing.speedup import draw

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, UsageError
from ..base.outcome import Outcome
from ..grading.result import FILE_NAME
from ..lab_file import manifest
from .parser import Commands


def add(commands: Commands) -> None:
    made = commands.add("plot", run, "draw the figures again from result.json")
    made.add_argument("lab", nargs="?", metavar="LAB")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Draw the figure beside each result that measured something. Raises UsageError if none did."""
    name = "*"
    if arguments.lab:
        name = manifest.find(manifest.discover(checkout), arguments.lab).name
    drawn: list[str] = []
    for path in sorted(checkout.out.glob(f"*/{name}/{FILE_NAME}")):
        result = load_result(path)
        if result["measured"]:
            drawn += [checkout.shown(figure) for figure in draw(result, path.parent)]
    if not drawn:
        raise UsageError("there is nothing to draw yet; run ./lab demo or ./lab grade first.")
    return Outcome(ALL_PASSED, {"figures": drawn}, "\n".join(drawn))
