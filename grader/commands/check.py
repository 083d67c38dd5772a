"""`./lab check`: judge the student's own files with the public seed."""

import argparse

from report.drawing import result_figure

from ..base.checkout import Checkout
from ..base.outcome import Outcome
from ..grading import kept, progress
from ..grading.grade import grade
from ..grading.order import Order, Seed
from ..grading.profile import PROFILE_HELP, profile
from ..grading.result import Result, exit_code
from ..grading.result_table import table
from ..intake.submission import read_source
from ..judging.workers import build_for_grading
from ..lab_file import manifest
from ..lab_file.manifest import Lab, Stage
from ..machine import hardware
from ..sandbox import bubblewrap
from .parser import Commands


def add(commands: Commands) -> None:
    check = commands.add("check", run, "judge your file in labs/ with the public seed")
    check.add_argument("target", nargs="?", metavar="LAB[.STAGE]")
    check.add_argument("--profile", action="store_true", help=PROFILE_HELP)
    check.add_argument("--again", action="store_true",
                       help="judge it anew, even if nothing has changed")  # fmt: skip


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Judge the files in labs/ with the public seed and remember the verdicts.

    A single whole lab is also timed, for its figure. One stage, or all labs together, are not.
    """
    labs = manifest.discover(checkout)
    targets: list[tuple[Lab, Stage | None]] = [(lab, None) for lab in labs]
    if arguments.target:
        targets = [manifest.find_target(labs, arguments.target)]
    backend = hardware.choose_backend(arguments.backend)
    sources = [read_source(checkout.labs / lab.name / lab.source) for lab, _ in targets]
    build_for_grading(checkout, backend)
    results: list[Result] = []
    for (lab, stage), source in zip(targets, sources, strict=True):
        stages = (stage,) if stage else lab.stages
        seed = Seed(arguments.seed)
        timed = bool(arguments.target) and stage is None
        order = Order(lab, "labs", source, backend, seed, stages, bubblewrap.for_own_file(), timed)
        known = None if arguments.again else kept.recall(checkout, order)
        result = known or grade(checkout, order)
        folder = checkout.out / "check" / lab.name
        result.write(folder)
        if known is None:
            kept.keep(checkout, order, result)
        if timed and not (known and list(folder.glob("*.svg"))):
            result_figure.draw_if_possible(result.document(), folder)
        progress.remember(checkout, result)
        results.append(result)
    documents = [result.document() for result in results]
    where = f"Results: {checkout.shown(checkout.out / 'check')}"
    profiles = [profile(result) for result in results if arguments.profile]
    text = "\n".join([*map(table, documents), *profiles, where])
    return Outcome(exit_code(results), {"results": documents, "refused": []}, text)
