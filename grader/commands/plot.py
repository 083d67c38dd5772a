"""`./lab plot [LAB|PATH] [--out PATH]`: draws again, as SVG, PNG and PDF, from result.json."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from report.drawing.result_figure import load_result

from ..base.checkout import Checkout
from ..base.console import progress
from ..base.errors import ALL_PASSED, UsageError
from ..base.files import make_folder, require_place_for_file
from ..base.outcome import Outcome
from ..base.text import line
from ..grading.result import FILE_NAME
from ..lab_file import manifest
from .parser import Commands

SUFFIXES = (".svg", ".png", ".pdf")


def add(commands: Commands) -> None:
    made = commands.add("plot", run, "draw the figures again from result.json")
    made.add_argument("what", nargs="?", metavar="LAB|PATH",
                      help="only this lab's; or a result.json, or a folder with some")  # fmt: skip
    made.add_argument("--out", metavar="PATH",
                      help="a .svg, .png or .pdf file for one result; or a folder, which gets "
                      "all three (default: beside each result)")  # fmt: skip


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Draw the figure beside each result that measured something. Raises UsageError if none did."""
    found = _results(checkout, arguments.what)
    if len(found) > 1 and arguments.what and _is_a_figure(arguments.out):
        # Of a lab's results one is of the student's own file.
        found = [path for path in found if path.parent.parent == checkout.out / "check"] or found
    places = _places(found, arguments.out)
    with progress("drawing"):
        drawn = [checkout.shown(figure) for path in found for figure in _draw(path, places)]
    lab = "LAB" if Path(arguments.what or ".").exists() else arguments.what
    if not drawn and found:
        raise UsageError(f"there is nothing to draw: nothing was measured in "
                         f"{_names(checkout, found)}. ./lab check {lab}, without a stage, measures "
                         "what passes.")  # fmt: skip
    if not drawn:
        raise UsageError(f"there is nothing to draw yet; run ./lab check {lab} first.")
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
            names = ", ".join(lab.name for lab in manifest.discover(checkout))
            raise UsageError(f"{what}: there is no such file, folder or lab; the labs are: "
                             f"{names}.") from error  # fmt: skip
        found = sorted(path.rglob(FILE_NAME))
        if not found:
            raise UsageError(f"{what}: this folder holds no {FILE_NAME}.") from error
        return found
    return sorted(checkout.out.glob(f"*/{lab.name}/{FILE_NAME}"))


Places = Callable[[Path, dict[str, Any]], list[Path]]  # of a result at a path: its figures


def _places(found: list[Path], out: str | None) -> Places:
    """Where figures go: beside their result, into a folder, or into one file. Raises UsageError."""
    if out is None:
        return lambda path, _: [path.with_name(f"speedup{suffix}") for suffix in SUFFIXES]
    target = Path(out)
    if _is_a_figure(out):
        if len(found) != 1:
            raise UsageError(f"--out {out}: is one file, but there are {len(found)} results; name "
                             "one result.json or one lab, or let --out be a folder.")  # fmt: skip
        require_place_for_file(target)
        return lambda *_: [target]
    if target.suffix and not target.is_dir():
        raise UsageError(f"--out {out}: a figure's file ends with {', '.join(SUFFIXES)}.")
    make_folder(target)
    return lambda _, result: [_within(target, result, suffix) for suffix in SUFFIXES]


def _is_a_figure(out: str | None) -> bool:
    return out is not None and Path(out).suffix.lower() in SUFFIXES


def _within(folder: Path, result: dict[str, Any], suffix: str) -> Path:
    """Of several results of a lab, each submission has a figure of its own."""
    name = Path(line(f"{result['lab']}-{result['submission']['name']}")).name
    return folder / f"{name}{suffix}"


def _draw(path: Path, places: Places) -> list[Path]:
    """The figures of one result; what lacks a key is a file that ./lab grade did not write."""
    result = load_result(path)
    try:
        from report.drawing.speedup import draw_to  # needs matplotlib, which bootstrap installs

        return draw_to(result, places(path, result)) if result["measured"] else []
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise UsageError(f"{path}: is not a whole result; check or grade again.") from error


def _names(checkout: Checkout, paths: list[Path]) -> str:
    return checkout.shown(paths[0]) if len(paths) == 1 else f"{len(paths)} results"
