"""`./lab demo`: grades samples of every lab on the backend that this machine has."""

import argparse
from pathlib import Path

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, INFRASTRUCTURE, UsageError
from ..base.outcome import Outcome
from ..grading.grade import grade
from ..grading.order import Order, Seed
from ..grading.result import Result, exit_code, keep
from ..grading.result_table import points, table
from ..judging.workers import build_for_grading
from ..lab_file import manifest, marks
from ..machine import hardware
from ..sandbox import bubblewrap
from .parser import Commands


def add(commands: Commands) -> None:
    commands.add("demo", run, "grade the reference and a half-solved sample of every lab")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Grade the reference and a half-solved sample of every lab; the reference must pass."""
    if not checkout.reference.is_dir():
        raise UsageError("the demo grades the references, and this copy of the kit has none; "
                         "./lab next says where to begin.")  # fmt: skip
    labs = manifest.discover(checkout)
    backend = hardware.choose_backend(arguments.backend)
    seed = Seed(arguments.seed)
    console.note(f"lab: grading two samples of each of {len(labs)} labs takes some minutes, and "
                 "some more where the kit is built first.")  # fmt: skip
    build_for_grading(checkout, backend)
    references: list[Result] = []
    samples: list[Result] = []
    complete = True
    for lab in labs:
        path = checkout.reference / lab.name / lab.source
        if not path.is_file():
            raise UsageError(f"reference/{lab.name}/{lab.source} is missing.")
        for name, source, results in (
            ("demo-reference", path.read_bytes(), references),
            ("demo-sample", sample(lab, path), samples),
        ):
            folder = checkout.out / name / lab.name
            box = bubblewrap.for_own_file()
            order = Order(lab, name, source, backend, seed, lab.stages, box)
            results.append(grade(checkout, order))
            complete &= keep(results[-1], folder)
    documents = [result.document() for result in (*references, *samples)]
    text = [table(document) for document in documents]
    text += ["", *(_line(reference, half) for reference, half in zip(references, samples,
                                                                      strict=True))]  # fmt: skip
    text.append(
        f"Results and figures: {checkout.shown(checkout.out / 'demo-reference')} and "
        f"{checkout.shown(checkout.out / 'demo-sample')}"
    )
    code = exit_code(references)
    if code == ALL_PASSED and exit_code(samples) not in (0, 1):
        code = exit_code(samples)
    if not complete:
        code = INFRASTRUCTURE
    return Outcome(code, {"results": documents, "refused": []}, "\n".join(text))


def sample(lab: manifest.Lab, reference: Path) -> bytes:
    """A half-solved submission: the first half of the stages, the rest as in the skeleton."""
    keep = lab.stage_names[: len(lab.stages) // 2]
    text = reference.read_text(encoding="utf-8")
    return marks.cut(text, str(reference), lab.stage_names, keep).encode()


def _line(reference: Result, half: Result) -> str:
    name = f"{reference.lab}:"
    return f"{name:<18}reference {points(reference.document()['points'])}; sample " + points(
        half.document()["points"]
    )
