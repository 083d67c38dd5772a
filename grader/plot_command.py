"""`./lab plot [LAB]`: draw again, from every result.json below report/out."""

import argparse

from . import manifest
from .checkout import Checkout
from .errors import ALL_PASSED, UsageError
from .figures import load_result
from .outcome import Outcome
from .plot import draw
from .result import FILE_NAME


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
        raise UsageError("there is nothing to draw yet; ./lab demo or ./lab grade measures.")
    return Outcome(ALL_PASSED, {"figures": drawn}, "\n".join(drawn))
