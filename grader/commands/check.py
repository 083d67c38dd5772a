"""`./lab check`: judge the student's own files with the public seed."""

import argparse
from typing import Any

from report.drawing import result_figure

from ..base.checkout import Checkout
from ..base.errors import Refusal, UsageError
from ..base.outcome import Outcome
from ..compiling.worker import compile_submission
from ..grading import kept, progress
from ..grading.grade import grade
from ..grading.order import Order, Seed
from ..grading.profile import PROFILE_HELP, profile
from ..grading.result import Result, exit_code
from ..intake.submission import read_source
from ..judging.workers import CHECKED, build_for_grading
from ..lab_file import manifest, target
from ..lab_file.manifest import Lab, Stage
from ..machine import hardware
from ..sandbox import bubblewrap
from ..study import versions
from ..study.told import Check, told
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
    targets = _targets(checkout, arguments.target)
    backend = hardware.choose_backend(arguments.backend)
    sources = [_own(checkout, lab) for lab, _ in targets]
    build_for_grading(checkout, backend)
    results: list[Result] = []
    for (lab, stage), source in zip(targets, sources, strict=True):
        stages = (stage,) if stage else lab.stages
        seed = Seed(arguments.seed)
        timed = len(targets) == 1 and stage is None
        order = Order(lab, "labs", source, backend, seed, stages, bubblewrap.for_own_file(), timed)
        known = None if arguments.again else kept.recall(checkout, order)
        result = known or grade(checkout, order)
        folder = checkout.out / "check" / lab.name
        result.write(folder)
        if known is None:
            kept.keep(checkout, order, result)
        if timed and not (known and list(folder.glob("*.svg"))):
            result_figure.draw_if_possible(result.document(), folder)
        versions.before_remembering(checkout, lab, source, result)
        progress.remember(checkout, result)
        results.append(result)
    documents = [result.document() for result in results]
    where = f"Results: {checkout.shown(checkout.out / 'check')}"
    checks = [_told(checkout, lab, document, source, backend) for (lab, _), document, source
              in zip(targets, documents, sources, strict=True)]  # fmt: skip
    profiles = [profile(result) for result in results if arguments.profile]
    text = "\n".join([*map(told, checks), *profiles, where])
    return Outcome(exit_code(results), {"results": documents, "refused": []}, text)


def _own(checkout: Checkout, lab: Lab) -> bytes:
    path = versions.own_file(checkout, lab)
    try:
        return read_source(path)
    except Refusal as refusal:
        if refusal.code not in ("missing", "empty") and path.exists():
            raise
        what = "is empty" if path.exists() else "is not there"
        raise UsageError(f"{checkout.shown(path)} {what}; ./lab reset {lab.name} writes the "
                         "handout's text.") from refusal  # fmt: skip


def _targets(checkout: Checkout, text: str | None) -> list[tuple[Lab, Stage | None]]:
    """What is named; otherwise the lab whose folder this is; otherwise all labs."""
    labs = manifest.discover(checkout)
    if text:
        return [target.named(checkout, labs, text)]
    if here := target.here(checkout, labs):
        return [(here, None)]
    return [(lab, None) for lab in labs]


def _told(
    checkout: Checkout, lab: Lab, document: dict[str, Any], source: bytes, backend: str
) -> Check:
    """The result with what the compiler said about a file that compiles; it is compiled already."""
    box, mode = bubblewrap.for_own_file(), "run" if backend == CHECKED else "check"
    said = compile_submission(checkout, lab, source, CHECKED, mode, box).said
    return Check(checkout, lab, document, source.decode("utf-8", "replace"), said)
