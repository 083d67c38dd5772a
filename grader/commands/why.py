"""`./lab why LAB.STAGE`: why a kernel is slow, and one thing to try."""

import argparse
from pathlib import Path
from typing import Any

from ..base import console, durations
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, SOME_FAILED, InfrastructureError, UsageError
from ..base.outcome import Outcome
from ..base.text import singular
from ..base.verdict import NOT_ATTEMPTED, PASSED
from ..compiling.build import build
from ..grading.counting import BACKEND
from ..intake.submission import read_source
from ..judging.judge_report import BadReport
from ..lab_file import manifest, target
from ..lab_file.manifest import Lab, Stage
from ..machine import hardware
from ..sandbox import bubblewrap
from ..study import on_gpu, versions
from ..study.recorded import ask, good_form, known_form, size
from ..study.standing import place
from ..study.told import is_untouched
from ..study.why import advice, explained, findings
from .parser import Commands


def add(commands: Commands) -> None:
    why = commands.add("why", run, "why a stage is slow, and one thing to try")
    why.add_argument("target", metavar="LAB.STAGE")
    why.add_argument("--source", metavar="FILE", help="a .cu file instead of yours in labs/")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Exit code 1 if the stage's answers are wrong: then there is nothing to count."""
    lab, stage = target.named(checkout, manifest.discover(checkout), arguments.target)
    if stage is None:
        raise UsageError(f"name a stage too: ./lab why {lab.name}.{lab.stages[-1].name}")
    given = arguments.source
    source = read_source(Path(given)) if given else versions.read_own(checkout, lab)
    if is_untouched(checkout, lab, source.decode("utf-8", "replace"), stage.name):
        return _untouched(checkout, lab, stage)
    build(checkout, BACKEND)
    try:
        with durations.progress(checkout, f"counting {lab.name}.{stage.name}"):
            known = known_form(checkout, lab, stage)
            n = known.n if known else size(checkout, lab, stage)
            seed = known.seed if known else arguments.seed
            mine = ask(checkout, lab, stage, source, n, seed)
            if mine.verdict != PASSED:
                return _wrong(lab, stage, mine.verdict, mine.message)
            good = known or good_form(checkout, lab, stage, seed)
    except BadReport as error:
        raise InfrastructureError(f"{lab.name}.{stage.name}: {error}.") from error
    found = findings(mine.kernels, good.kernels)
    document = {"lab": lab.name, "stage": stage.name, "n": n, "verdict": PASSED,
                "mine": mine.kernels, "good": good.kernels,
                "findings": [one.part.name for one in found],
                "try": advice(stage, found, lab.name)}  # fmt: skip
    text = source.decode("utf-8", "replace")
    lines = explained(stage, mine.kernels, good.kernels, n, text, lab.name)
    try:
        if gpu := _on_gpu(checkout, lab, stage, source, arguments):
            own = on_gpu.advice(gpu)
            if not found:
                lines[-1] = f"Try: {own or on_gpu.NOTHING.format(f'{lab.name}.{stage.name}')}"
            elif own and gpu.launch_share > on_gpu.MUCH:
                lines[-1] = f"Try: {own}"
            lines = [*lines[:-1], *on_gpu.told(gpu), "", lines[-1]]
    except (BadReport, InfrastructureError) as error:  # the counters are worth showing without it
        lines[-1:] = [f"Not measured on the GPU: {error}", "", lines[-1]]
    return Outcome(ALL_PASSED, document, "\n".join(lines))


def _on_gpu(
    checkout: Checkout, lab: Lab, stage: Stage, source: bytes, arguments: argparse.Namespace
) -> on_gpu.OnGpu | None:  # fmt: skip
    """None without a GPU: the counters say enough."""
    if hardware.choose_backend(arguments.backend) != "gpu":
        return None
    build(checkout, "gpu")
    with console.progress(f"timing {lab.name}.{stage.name}"):
        box = bubblewrap.for_own_file()
        is_own = not arguments.source
        return on_gpu.measure(checkout, lab, stage, source, arguments.seed, box, is_own)


def _untouched(checkout: Checkout, lab: Lab, stage: Stage) -> Outcome:
    name, file = f"{lab.name}.{stage.name}", f"labs/{lab.name}/{lab.source}"
    text = (f"{name} is untouched: there is nothing of yours to count yet. Write it at "
            f"{place(checkout, file, stage.name)}; ./lab hint {name} helps.")  # fmt: skip
    return Outcome(SOME_FAILED, _nothing_counted(lab, stage, NOT_ATTEMPTED), text)


def _nothing_counted(lab: Lab, stage: Stage, verdict: str) -> dict[str, Any]:
    return {"lab": lab.name, "stage": stage.name, "n": None, "verdict": verdict, "mine": [],
            "good": [], "findings": [], "try": ""}  # fmt: skip


def _wrong(lab: Lab, stage: Stage, verdict: str, message: str) -> Outcome:
    first = singular(message.splitlines()[0]) if message else ""
    name = f"{lab.name}.{stage.name}"
    text = f"{name} is '{verdict}': {first}\n"
    text += f"Only right answers are counted. First: ./lab check {name}"
    return Outcome(SOME_FAILED, _nothing_counted(lab, stage, verdict), text)
