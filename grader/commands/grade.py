"""`./lab grade`: turns submissions into result.json and figures."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import INFRASTRUCTURE, UsageError
from ..base.files import make_folder
from ..base.outcome import Outcome
from ..grading.grade import grade
from ..grading.order import Order, Seed
from ..grading.result import Result, exit_code, keep
from ..grading.result_table import table
from ..intake.submission import Submission, take_in
from ..judging.workers import build_for_grading
from ..lab_file import manifest
from ..machine import hardware
from ..sandbox import bubblewrap
from .parser import Commands


def add(commands: Commands) -> None:
    made = commands.add("grade", run, "grade submissions")
    made.add_argument("paths", nargs="+", metavar="PATH", help="a .cu file, a folder or a zip")
    made.add_argument("--lab", help="the lab of a file with another name")
    made.add_argument("--out", metavar="DIR", help="default: report/out/<submission>")
    made.add_argument("--trust", action="store_true",
                      help="without a sandbox: submissions run with your own rights")  # fmt: skip


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Grade every PATH. A PATH that is refused is reported and does not stop the others."""
    labs = manifest.discover(checkout)
    only = manifest.find(labs, arguments.lab) if arguments.lab else None
    seed = Seed.from_environment(arguments.seed)
    backend = hardware.choose_backend(arguments.backend)
    taken, refused = _take_all_in(arguments.paths, labs, only)
    box = bubblewrap.for_others(arguments.trust)  # after the paths, so that wrong ones come first
    results: list[Result] = []
    text: list[str] = []
    unwritten = 0
    out = None
    if taken:
        build_for_grading(checkout, backend)
    for path, submissions in taken:
        out = _folder(checkout, arguments.out, path, submissions, len(arguments.paths))
        make_folder(out)  # fails before the work, not after it
        for submission in submissions:
            lab = submission.lab
            order = Order(lab, submission.name, submission.source, backend, seed, lab.stages, box)
            result = grade(checkout, order)
            results.append(result)
            text.append(table(result.document()))
            unwritten += not keep(result, out / submission.lab.name)
    document = {"results": [result.document() for result in results], "refused": refused}
    text += [f"not graded: {reason}" for reason in refused]
    where = out.parent if out and len(taken) > 1 else out
    text.append(f"Results and figures: {checkout.shown(where)}" if where else "Nothing was graded.")
    code = INFRASTRUCTURE if unwritten else exit_code(results, len(refused))
    return Outcome(code, document, "\n".join(text))


def _take_all_in(
    paths: Sequence[str], labs: Sequence[manifest.Lab], only: manifest.Lab | None
) -> tuple[list[tuple[Path, list[Submission]]], list[str]]:
    taken: list[tuple[Path, list[Submission]]] = []
    refused: list[str] = []
    for path in map(Path, paths):
        try:
            taken.append((path, take_in(path, labs, only)))
        except UsageError as error:
            if len(paths) == 1:
                raise
            console.note(f"lab: {error}")
            refused.append(str(error))
    return taken, refused


def _folder(
    checkout: Checkout, out: str | None, path: Path, submissions: list[Submission], paths: int
) -> Path:
    """Where the results of one PATH go; with several PATHs each gets a folder in --out."""
    if not out:
        return checkout.out / submissions[0].name
    return Path(out).absolute() / submissions[0].name if paths > 1 else Path(out).absolute()
