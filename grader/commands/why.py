"""`./lab why LAB.STAGE`: why a kernel is slow, and one thing to try."""

import argparse
from pathlib import Path

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, SOME_FAILED, InfrastructureError, UsageError
from ..base.outcome import Outcome
from ..base.verdict import PASSED
from ..compiling.build import build
from ..grading.counting import BACKEND, count, counted_program
from ..intake.submission import read_source
from ..judging.judge_report import BadReport
from ..lab_file import manifest, target
from ..lab_file.manifest import Lab, Stage
from ..machine import hardware
from ..sandbox import bubblewrap
from ..study import on_gpu
from ..study.recorded import good_form
from ..study.versions import own_file
from ..study.why import advice, explained, findings
from ..timing import speed
from .parser import Commands

COUNTED_N = 4096  # the counter takes a second for a few million accesses


def add(commands: Commands) -> None:
    why = commands.add("why", run, "why a stage is slow, and one thing to try")
    why.add_argument("target", metavar="LAB.STAGE")
    why.add_argument("--source", metavar="FILE", help="a .cu file instead of yours in labs/")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Exit code 1 if the stage's answers are wrong: then there is nothing to count."""
    lab, stage = target.named(checkout, manifest.discover(checkout), arguments.target)
    if stage is None:
        raise UsageError(f"name a stage too: ./lab why {lab.name}.{lab.stages[-1].name}")
    path = own_file(checkout, lab)
    source = read_source(Path(arguments.source) if arguments.source else path)
    build(checkout, BACKEND)
    try:
        n = _size(checkout, lab, stage)
        with console.progress(f"counting {lab.name}.{stage.name}"):
            box = bubblewrap.for_own_file()
            program = counted_program(checkout, lab, source, arguments.seed, box)
            mine = count(program, stage.name, n)
            if mine.verdict != PASSED:
                return _wrong(lab, stage, mine.verdict, mine.message)
            good = good_form(checkout, lab, stage, n, arguments.seed)
        gpu = _on_gpu(checkout, lab, stage, source, arguments, box)
    except BadReport as error:
        raise InfrastructureError(f"{lab.name}.{stage.name}: {error}.") from error
    found = findings(mine.kernels, good.kernels)
    document = {"lab": lab.name, "stage": stage.name, "n": n, "verdict": PASSED,
                "mine": mine.kernels, "good": good.kernels,
                "findings": [one.part.name for one in found],
                "try": advice(stage, found)}  # fmt: skip
    text = source.decode("utf-8", "replace")
    lines = explained(stage, mine.kernels, good.kernels, n, text)
    if gpu:
        own = on_gpu.advice(gpu)
        use = own and (not found or gpu.launch_share > on_gpu.MUCH)
        lines = [*lines[:-1], *on_gpu.told(gpu), "", f"Try: {own}" if use else lines[-1]]
    return Outcome(ALL_PASSED, document, "\n".join(lines))


def _on_gpu(
    checkout: Checkout, lab: Lab, stage: Stage, source: bytes, arguments: argparse.Namespace,
    box: bubblewrap.Sandbox,
) -> on_gpu.OnGpu | None:  # fmt: skip
    """None without a GPU: the counters say enough."""
    if hardware.choose_backend(arguments.backend) != "gpu":
        return None
    build(checkout, "gpu")
    with console.progress(f"timing {lab.name}.{stage.name}"):
        return on_gpu.measure(checkout, lab, stage, source, arguments.seed, box)


def _wrong(lab: Lab, stage: Stage, verdict: str, message: str) -> Outcome:
    first = message.splitlines()[0] if message else ""
    name = f"{lab.name}.{stage.name}"
    text = f"{name} is '{verdict}': {first}\n"
    text += f"Only right answers are counted. First: ./lab check {name}"
    document = {"lab": lab.name, "stage": stage.name, "n": None, "verdict": verdict, "mine": [],
                "good": [], "findings": [], "try": ""}  # fmt: skip
    return Outcome(SOME_FAILED, document, text)


def _size(checkout: Checkout, lab: Lab, stage: Stage) -> int:
    """The largest size of the stage's bench that the counter takes seconds for."""
    listed = speed.benches(checkout.judge(BACKEND, lab.name))
    sizes = [point["n"] for bench in listed if bench["stage"] == stage.name
             for point in bench["points"]]  # fmt: skip
    if not sizes:
        raise UsageError(f"{lab.name} does not time {stage.name}, so there is no input to count.")
    return max((n for n in sizes if n <= COUNTED_N), default=min(sizes))
