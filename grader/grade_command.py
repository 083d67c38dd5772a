"""`./lab grade`: from what was handed in to result.json and figures."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from . import console, figures, machine, manifest, sandbox
from .checkout import Checkout
from .errors import INFRASTRUCTURE, InfrastructureError, UsageError
from .files import make_folder
from .grade import grade
from .order import Order, Seed
from .outcome import Outcome, exit_code
from .report_table import table
from .result import Result
from .submission import Submission, take_in
from .workers import build_for_grading


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Grade every PATH; one that cannot be taken in is reported and does not stop the others."""
    labs = manifest.discover(checkout)
    only = manifest.find(labs, arguments.lab) if arguments.lab else None
    seed = Seed.from_environment(arguments.seed)
    backend = machine.choose_backend(arguments.backend)
    taken, refused = _take_all_in(arguments.paths, labs, only)
    box = sandbox.for_others(arguments.trust)  # a wrong path is said first
    results: list[Result] = []
    text: list[str] = []
    unwritten = 0
    out = None
    if taken:
        build_for_grading(checkout, backend)
    for path, submissions in taken:
        out = _folder(checkout, arguments.out, path, submissions, len(arguments.paths))
        make_folder(out)  # before the work, not behind it
        for submission in submissions:
            result = grade_one(checkout, submission, backend, seed, box)
            results.append(result)
            text.append(table(result.document()))
            unwritten += not keep(result, out / submission.lab.name)
    document = {"results": [result.document() for result in results], "refused": refused}
    text += [f"not graded: {reason}" for reason in refused]
    where = out.parent if out and len(taken) > 1 else out
    text.append(f"Results and figures: {checkout.shown(where)}" if where else "Nothing was graded.")
    code = INFRASTRUCTURE if unwritten else exit_code(results, len(refused))
    return Outcome(code, document, "\n".join(text))


def grade_one(
    checkout: Checkout, submission: Submission, backend: str, seed: Seed, box: sandbox.Sandbox
) -> Result:
    """Grade one submission of one lab."""
    lab = submission.lab
    order = Order(lab, submission.name, submission.source, backend, seed, lab.stages, box)
    return grade(checkout, order)


def keep(result: Result, folder: Path) -> bool:
    """Leave result.json and the figure in `folder`; a full disk must not cost the table as well."""
    try:
        result.write(folder)
        figures.draw_if_possible(result.document(), folder)
    except InfrastructureError as error:
        console.note(f"lab: {error}")
        return False
    return True


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
    """Where one submission's results go; several submissions get a folder each below --out."""
    if not out:
        return checkout.out / submissions[0].name
    return Path(out).absolute() / submissions[0].name if paths > 1 else Path(out).absolute()
