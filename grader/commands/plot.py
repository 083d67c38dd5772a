"""`./lab plot [LAB|PATH]`: draws again, from every result.json in report/out or at PATH."""

import argparse
from pathlib import Path
from typing import Any

from report.drawing.result_figure import load_result

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, UsageError
from ..base.outcome import Outcome
from ..grading.result import FILE_NAME
from ..lab_file import manifest
from .parser import Commands


def add(commands: Commands) -> None:
    made = commands.add("plot", run, "draw the figures again from result.json")
    made.add_argument("what", nargs="?", metavar="LAB|PATH",
                      help="only this lab's; or a result.json, or a folder with some")  # fmt: skip


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Draw the figure beside each result that measured something. Raises UsageError if none did."""
    drawn: list[str] = []
    found = _results(checkout, arguments.what)
    for path in found:
        result = load_result(path)
        drawn += [checkout.shown(figure) for figure in _draw(result, path)]
    if not drawn and found:
        raise UsageError(f"there is nothing to draw: nothing was measured in {_names(found)}.")
    if not drawn:
        raise UsageError("there is nothing to draw yet; run ./lab demo or ./lab grade first.")
    return Outcome(ALL_PASSED, {"figures": drawn}, "\n".join(drawn))


def _results(checkout: Checkout, what: str | None) -> list[Path]:
    """The results that `what` names: a lab's in report/out, or those at a path."""
    if what is None:
        return sorted(checkout.out.glob(f"*/*/{FILE_NAME}"))
    path = Path(what)
    if path.is_file():
        return [path]
    try:
        lab = manifest.find(manifest.discover(checkout), what)
    except UsageError as error:
        if not path.is_dir():
            raise UsageError(f"{what}: there is no such file, folder or lab. {error}") from error
        found = sorted(path.rglob(FILE_NAME))
        if not found:
            raise UsageError(f"{what}: this folder holds no {FILE_NAME}.") from error
        return found
    return sorted(checkout.out.glob(f"*/{lab.name}/{FILE_NAME}"))


def _draw(result: dict[str, Any], path: Path) -> list[Path]:
    """The figures of one result; what lacks a key is a file that ./lab grade did not write."""
    try:
        from report.drawing.speedup import draw  # needs matplotlib, which bootstrap installs first

        return draw(result, path.parent) if result["measured"] else []
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise UsageError(f"{path}: is not a whole result ({error!r}); grade again.") from error


def _names(paths: list[Path]) -> str:
    return str(paths[0]) if len(paths) == 1 else f"{len(paths)} results"
