"""`./lab check`: judge the student's own files with the public seed."""

import argparse
from pathlib import Path
from typing import Any

from report.drawing import result_figure

from ..base.checkout import OWN, Checkout
from ..base.errors import UsageError
from ..base.files import to_json, write_atomically
from ..base.outcome import Outcome
from ..compiling.worker import compile_submission
from ..grading import kept, progress
from ..grading.grade import grade
from ..grading.order import Order, Seed
from ..grading.profile import PROFILE_HELP, profile
from ..grading.provenance import grader_info
from ..grading.result import FILE_NAME, exit_code_of
from ..intake.submission import read_source
from ..judging.workers import CHECKED, build_for_grading
from ..lab_file import manifest, target
from ..lab_file.manifest import Lab, Stage
from ..machine import hardware
from ..sandbox import bubblewrap
from ..study import elsewhere, versions, where
from ..study.told import Check, told
from .parser import Commands


def add(commands: Commands) -> None:
    check = commands.add("check", run, "judge your file in labs/ with the public seed")
    check.add_argument("target", nargs="?", metavar="LAB[.STAGE]", help="or the path of its file")
    check.add_argument("--again", action="store_true", help="judge again, even if nothing changed")
    check.add_argument("--profile", action="store_true", help=PROFILE_HELP)
    check.add_argument("--on", metavar="HOST", help="HOST or HOST:FOLDER by ssh; or slurm")
    check.add_argument("--file", metavar="FILE", help="instead of yours; nothing is remembered")
    check.add_argument("--guest", action="store_true", help=argparse.SUPPRESS)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Judge the files in labs/ with the public seed and remember the verdicts.

    A single whole lab is also timed, for its figure. One stage, or all labs together, are not.
    """
    if arguments.guest:
        raise SystemExit(elsewhere.serve(_words(arguments), *elsewhere.standard_streams()))
    checkout.require_place()
    targets = _targets(checkout, arguments.target)
    if arguments.file and len(targets) != 1:
        raise UsageError("--file: name the lab whose file it is: ./lab check LAB --file FILE")
    if arguments.on is not None:
        return _on(checkout, arguments, targets)
    backend = hardware.choose_backend(arguments.backend)
    sources = [_source(checkout, lab, arguments.file) for lab, _ in targets]
    build_for_grading(checkout, backend)
    documents: list[dict[str, Any]] = []
    for (lab, stage), source in zip(targets, sources, strict=True):
        stages = (stage,) if stage else lab.stages
        timed = len(targets) == 1 and stage is None
        order = Order(lab, OWN, source, backend, Seed(arguments.seed), stages,
                      bubblewrap.for_own_file(), timed)  # fmt: skip
        place = kept.place(checkout, order)
        known = None if arguments.again else kept.recall(place)
        documents.append(known or grade(checkout, order).document())
        if known is None:
            kept.keep(place, documents[-1])
        if not arguments.file:
            _remember(checkout, lab, source, documents[-1], timed, known is not None)
    profiles = [profile(document) for document in documents if arguments.profile]
    checks = [_told(checkout, lab, document, source, backend, arguments.file or "")
              for (lab, _), document, source in zip(targets, documents, sources, strict=True)]
    beside = {"found": {check.lab.name: check.found for check in checks},
              "warnings": {check.lab.name: check.warnings for check in checks}}  # fmt: skip
    text = _text(checkout, checks, profiles, not arguments.file)
    text += _figure(checkout, targets[0][0]) if timed and not arguments.file else ""
    return Outcome(exit_code_of(documents), {"results": documents, "refused": [], **beside}, text)


def _figure(checkout: Checkout, lab: Lab) -> str:
    """Where the figure of a whole lab is, and what to do with it; "" if none was drawn."""
    drawn = checkout.out / "check" / lab.name / "speedup.svg"
    return (f"\nFigure: {checkout.shown(drawn)}; a page with questions: ./lab report {lab.name}"
            if drawn.is_file() else "")  # fmt: skip


def _on(
    checkout: Checkout, arguments: argparse.Namespace, targets: list[tuple[Lab, Stage | None]]
) -> Outcome:
    """The same on another machine: it judges, this one remembers and shows."""
    checks: list[Check] = []
    for lab, stage in targets:
        source = _source(checkout, lab, arguments.file)
        arguments.target = f"{lab.name}.{stage.name}" if stage else lab.name
        document = elsewhere.ask(checkout, arguments.on, _words(arguments), source, lab.stage_names)
        if not arguments.file:
            _remember(checkout, lab, source, document, stage is None, False)
        checks.append(Check(checkout, lab, document, source.decode("utf-8", "replace"),
                            instead=arguments.file or ""))  # fmt: skip
    documents = [check.document for check in checks]
    text = _text(checkout, checks, [_judged_on(checkout, arguments.on, checks)], not arguments.file)
    return Outcome(exit_code_of(documents), {"results": documents, "refused": []}, text)


def _judged_on(checkout: Checkout, place: str, checks: list[Check]) -> str:
    """Where, and whether by the same kit: another one may have other tests."""
    same = all(check.document["grader"]["sha256"] == grader_info(checkout, check.lab).sha256
               for check in checks)  # fmt: skip
    return f"Judged on {place}" + ("." if same else ", by another kit than the one here.")


def _words(arguments: argparse.Namespace) -> list[str]:
    """The options that mean the same on another machine."""
    words = [arguments.target or "", "--seed", str(arguments.seed)]
    words += ["--backend", arguments.backend] if arguments.backend else []
    return [*words, *(["--again"] if arguments.again else [])]


def _remember(
    checkout: Checkout, lab: Lab, source: bytes, document: dict[str, Any], timed: bool, known: bool
) -> None:
    """Write the result and its figure, keep a version, and keep the verdicts."""
    folder = checkout.out / "check" / lab.name
    write_atomically(folder / FILE_NAME, to_json(document))
    if timed and not (known and list(folder.glob("*.svg"))):
        result_figure.draw_if_possible(document, folder)
    versions.before_remembering(checkout, lab, source, document)
    progress.remember(checkout, document)


def _text(checkout: Checkout, checks: list[Check], more: list[str], remembered: bool) -> str:
    where = [f"Results: {checkout.shown(checkout.out / 'check')}"] if remembered else []
    return "\n".join([*map(told, checks), *more, *where])


def _source(checkout: Checkout, lab: Lab, given: str | None) -> bytes:
    if given:
        return read_source(Path(given))
    return versions.read_own(checkout, lab)


def _targets(checkout: Checkout, text: str | None) -> list[tuple[Lab, Stage | None]]:
    """What is named; otherwise the lab whose folder this is; otherwise all labs."""
    labs = manifest.discover(checkout)
    if text:
        return [target.named(checkout, labs, text)]
    if here := target.here(checkout, labs):
        return [(here, None)]
    return [(lab, None) for lab in labs]


def _told(
    checkout: Checkout, lab: Lab, document: dict[str, Any], source: bytes, backend: str,
    instead: str,
) -> Check:  # fmt: skip
    """The result with what the compiler said about a file that compiles; it is compiled already."""
    box, mode = bubblewrap.for_own_file(), "run" if backend == CHECKED else "check"
    called = where.stages_of(lab, document)
    said = compile_submission(checkout, lab, source, CHECKED, mode, box, called).said
    found = where.places(checkout, lab, source, document, box) if backend == CHECKED else {}
    text = source.decode("utf-8", "replace")
    return Check(checkout, lab, document, text, said, instead, found)
