"""`./lab demo`: grades a reference and a half-solved sample on the backend that is there."""

import argparse
import time

from ..base import console, durations
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, INFRASTRUCTURE, UsageError
from ..base.outcome import Outcome
from ..compiling import stamp
from ..compiling.build import build
from ..grading.grade import grade
from ..grading.order import Order, Seed
from ..grading.result import Result, exit_code, keep
from ..grading.result_table import BACKENDS, points, table
from ..judging.workers import CHECKED, build_for_grading
from ..lab_file import manifest, marks
from ..lab_file.manifest import Lab
from ..machine import hardware
from ..sandbox import bubblewrap
from .parser import Commands, with_references

SAMPLES = ("reference", "sample")
TASK = "demo"


def add(commands: Commands) -> None:
    made = commands.add("demo", run, "grade a reference and a half-solved sample; two figures",
                        before=with_references("the demo grades the references"))  # fmt: skip
    made.description = (
        "Grade the reference of the first lab and a sample in which half of its stages are solved, "
        "and draw the figures of both. Nothing of yours is read or changed."
    )
    made.add_argument("--all", action="store_true", help="of every lab: some minutes")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """What must pass is the reference. Verdicts are told as they come, the tables at the end."""
    checkout.require_place()
    labs = manifest.discover(checkout)
    labs = labs if arguments.all else labs[:1]
    backend = hardware.choose_backend(arguments.backend)
    key = f"{TASK} {backend} {len(labs)} labs"
    ready = all(stamp.is_current(checkout, each, "grading") for each in {backend, CHECKED})
    console.note(_announcement(labs, backend, ready, durations.expected(checkout, key)))
    started = time.monotonic()
    _prepare(checkout, backend, labs, ready)
    results: dict[str, list[Result]] = {name: [] for name in SAMPLES}
    complete = True
    for lab in labs:
        for name in SAMPLES:
            result, kept = _graded(checkout, lab, name, backend, Seed(arguments.seed))
            results[name].append(result)
            complete &= kept
            console.note(_told(checkout, result, name, time.monotonic() - started))
    if ready:
        durations.remember(checkout, key, time.monotonic() - started)
    return _outcome(checkout, results["reference"], results["sample"], complete)


def _announcement(labs: list[Lab], backend: str, ready: bool, seconds: float) -> str:
    """What will be done, and how long that takes, as far as this machine knows."""
    what = labs[0].name if len(labs) == 1 else f"each of {len(labs)} labs"
    text = (f"lab: the demo grades the reference of {what} and a half-solved sample of it on the "
            f"{BACKENDS[backend]}, and draws their speedup figures.\n")  # fmt: skip
    if ready and seconds:
        return f"{text}lab: it took {seconds:.0f} s the last time."
    text += "lab: it takes about a minute" if len(labs) == 1 else "lab: it takes some minutes"
    return f"{text}." if ready else f"{text}; half of that is for building, once."


def _prepare(checkout: Checkout, backend: str, labs: list[Lab], ready: bool) -> None:
    """Build what the chosen labs need, and no more."""
    if ready:
        return
    if len(labs) > 1:
        return build_for_grading(checkout, backend)
    for each in dict.fromkeys((backend, CHECKED)):
        build(checkout, each, f"{labs[0].name}.grading")


def _graded(
    checkout: Checkout, lab: Lab, name: str, backend: str, seed: Seed
) -> tuple[Result, bool]:
    """The result, and whether its file and figure could be written."""
    path = checkout.reference / lab.name / lab.source
    if not path.is_file():
        raise UsageError(f"reference/{lab.name}/{lab.source} is missing.")
    text = path.read_text(encoding="utf-8")
    source = (text if name == "reference" else sample(lab, text)).encode()
    order = Order(lab, f"{TASK}-{name}", source, backend, seed, lab.stages,
                  bubblewrap.for_own_file())  # fmt: skip
    result = grade(checkout, order)
    return result, keep(result, checkout.out / order.name / lab.name)


def sample(lab: Lab, reference: str) -> str:
    """A half-solved submission: the first half of the stages, the rest as in the skeleton."""
    solved = lab.stage_names[: len(lab.stages) // 2]
    return marks.cut(reference, lab.source, lab.stage_names, solved)


def _told(checkout: Checkout, result: Result, name: str, seconds: float) -> str:
    """A verdict as soon as it is there: `01-rank-sort reference: passed, ... after 20 s`."""
    figures = sorted((checkout.out / f"{TASK}-{name}" / result.lab).glob("*.svg"))
    figure = f"; figure: {checkout.shown(figures[0])}" if figures else ""
    earned = points(result.document()["points"])
    return f"{result.lab} {name}: {result.verdict}, {earned}, after {seconds:.0f} s{figure}"


def _outcome(
    checkout: Checkout, references: list[Result], samples: list[Result], complete: bool
) -> Outcome:
    documents = [result.document() for result in (*references, *samples)]
    text = [table(document) for document in documents]
    text += ["", *map(_line, references, samples)]
    places = [checkout.shown(checkout.out / f"{TASK}-{name}") for name in SAMPLES]
    text.append(f"Results and figures: {' and '.join(places)}")
    code = exit_code(references)
    if code == ALL_PASSED and exit_code(samples) not in (0, 1):
        code = exit_code(samples)
    document = {"results": documents, "refused": []}
    return Outcome(code if complete else INFRASTRUCTURE, document, "\n".join(text))


def _line(reference: Result, half: Result) -> str:
    name = f"{reference.lab}:"
    return f"{name:<18}reference {points(reference.document()['points'])}; sample " + points(
        half.document()["points"]
    )
