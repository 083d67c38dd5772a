"""`./lab bench`: the times of a lab's stages, measured as in grading, and their causes.

No marks are given. Every timed output is checked, so a stage that is wrong has no time.
"""

import argparse
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, INFRASTRUCTURE, SOME_FAILED, InfrastructureError, UsageError
from ..base.files import make_folder, require_place_for_file, to_json, write_atomically
from ..base.outcome import Outcome
from ..base.text import singular
from ..base.verdict import PASSED
from ..compiling.build import build
from ..grading import counting
from ..intake.submission import read_source, take_in
from ..judging.judge import Bench
from ..judging.judge_report import BadReport
from ..judging.workers import make_bench
from ..lab_file import manifest, marks, target
from ..lab_file.manifest import Lab, Stage
from ..machine import hardware
from ..sandbox import bubblewrap
from ..sandbox.bubblewrap import Sandbox
from ..study.told import is_untouched
from ..study.versions import read_own
from ..timing import kernel_profile, speed
from ..timing.bench_table import table
from ..timing.ceilings import Ceilings, NotMeasured, measure_ceilings
from ..timing.ladder import ladder
from ..timing.locks import while_timing
from .parser import Commands

COUNTED_N = 4096  # the counter takes a second for a few million accesses
LARGEST = 2**30  # the labs' kernels count in int
NOT_WRITTEN = "nothing is written between its marks yet"  # timing it finds a wrong answer
SIZE = re.compile(r"(?:(\d{1,10})|2\^(\d{1,2}))", re.ASCII)


def add(commands: Commands) -> None:
    bench = commands.add("bench", run, "time a lab's stages, without marks")
    bench.description = (
        "Time a lab's stages as in grading, but without marks. Every output is checked. Times your "
        "file in labs/, or the reference while your file is the skeleton. Exit code 1 if a stage "
        "has no time."
    )
    bench.add_argument("target", metavar="LAB[.STAGE]")
    bench.add_argument("--stage", metavar="STAGE", help="the same as LAB.STAGE")
    which = bench.add_mutually_exclusive_group()
    which.add_argument("--reference", action="store_true",
                       help="the reference instead of your file in labs/")  # fmt: skip
    which.add_argument("--source", metavar="FILE", help="a .cu file of any name")
    which.add_argument("--submission", metavar="PATH", help="a folder or a zip, as for grade")
    bench.add_argument("--trust", action="store_true", help="without a sandbox, as for grade")
    bench.add_argument("--sizes", metavar="N,N,...", help="replace the lab's sizes: 1000,2^20")
    bench.add_argument(
        "--explain",
        action="store_true",
        help="show what limits it: bandwidth, operations, launches, registers, ...",
    )
    bench.add_argument("--good", action="store_true",
                       help="also time the good form and the record, for comparison")  # fmt: skip
    bench.add_argument("--out", metavar="FILE", help="also write the JSON document to FILE")


# ---- what is timed ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chosen:
    """What is timed: its name and source, and the sandbox that it runs in."""

    name: str
    source: bytes
    box: Sandbox


def stages_of(checkout: Checkout, arguments: argparse.Namespace) -> tuple[Lab, tuple[Stage, ...]]:
    """The lab, and the requested stages."""
    lab, stage = target.named(checkout, manifest.discover(checkout), arguments.target)
    if arguments.stage:
        if stage and stage.name != arguments.stage:
            raise UsageError(f"which stage is meant: {stage.name} or {arguments.stage}?")
        stage = manifest.find_stage(lab, arguments.stage)
    return lab, (stage,) if stage else lab.stages


def read_sizes(text: str) -> tuple[int, ...]:
    """`1000,2^20`. Raises UsageError."""
    sizes = []
    for word in text.split(","):
        match = SIZE.fullmatch(word.strip())
        n = int(match[1]) if match and match[1] else 2 ** int(match[2]) if match else 0
        if not 1 <= n <= LARGEST:
            raise UsageError(
                f"--sizes: '{word}' is not a size from 1 to 2^30; "
                "give sizes in the form 1000,4096,2^20."
            )
        sizes.append(n)
    return tuple(sizes)


def choose(checkout: Checkout, lab: Lab, arguments: argparse.Namespace) -> Chosen:
    """The given file or submission; otherwise the student's file, unless it is untouched."""
    if arguments.source:
        source = read_source(Path(arguments.source))
        return Chosen(arguments.source, source, bubblewrap.for_others(arguments.trust))
    if arguments.submission:
        taken = take_in(Path(arguments.submission), [lab], lab)
        if taken.refused:
            raise taken.refused[0]
        source = taken.submissions[0].source
        return Chosen(arguments.submission, source, bubblewrap.for_others(arguments.trust))
    own = checkout.labs / lab.name / lab.source
    reference = checkout.reference / lab.name / lab.source
    if not reference.is_file():  # a copy of the kit for students does not contain it
        if arguments.reference:
            raise UsageError("--reference: this copy of the kit has no references.")
        return Chosen(checkout.shown(own), read_own(checkout, lab), bubblewrap.for_own_file())
    solved = reference.read_text(encoding="utf-8")
    skeleton = marks.cut(solved, str(reference), lab.stage_names).encode()
    is_needed = own.exists() and not arguments.reference
    mine = read_own(checkout, lab) if is_needed else skeleton
    if mine == skeleton:
        if not arguments.reference:
            console.note(f"{checkout.shown(own)} is still the skeleton: timing the reference.")
        return Chosen("the reference", solved.encode(), bubblewrap.for_own_file())
    return Chosen(checkout.shown(own), mine, bubblewrap.for_own_file())


def place_for(text: str | None) -> Path | None:
    """Where the document goes; checked before minutes are spent. Raises UsageError."""
    if text is None:
        return None
    path = Path(text)
    require_place_for_file(path)
    make_folder(path.parent)
    return path


# ---- the command --------------------------------------------------------------------------------


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Exit code 1 if a requested stage has no time, 3 if the bench was interrupted or the document
    could not be written."""
    lab, stages = stages_of(checkout, arguments)
    backend = hardware.choose_backend(arguments.backend)
    sizes = read_sizes(arguments.sizes) if arguments.sizes is not None else ()
    out = place_for(arguments.out)
    chosen = choose(checkout, lab, arguments)
    build(checkout, backend)
    bench, message = make_bench(
        checkout, lab, chosen.source, backend, arguments.seed, chosen.box, check=False
    )
    if bench is None:
        raise UsageError(f"{chosen.name} does not compile:\n{message}")
    limits, unmeasured = _ceilings(checkout, backend) if arguments.explain else (None, "")
    document: dict[str, Any] = {
        "lab": lab.name,
        "title": lab.title,
        "source": chosen.name,
        "backend": backend,
        "machine": {**asdict(hardware.describe()), "ceilings": limits and asdict(limits)},
        "ceilings_not_measured": unmeasured,
        "explained": arguments.explain,
        "stages": [],
        "exemplars": {},
    }
    whole = _measure_all(checkout, lab, stages, chosen, bench, sizes, document)
    if not document["stages"]:
        names = " or ".join(stage.name for stage in stages)
        raise UsageError(f"{lab.name} does not time {names}: bench.cpp has no bench for it.")
    if arguments.good and whole:
        whole = _time_exemplars(checkout, lab, stages, arguments, sizes, document)
    whole = _written(document, out) and whole
    timed = all(stage.get("points") for stage in document["stages"])
    code = INFRASTRUCTURE if not whole else ALL_PASSED if timed else SOME_FAILED
    rungs = ladder(document)
    return Outcome(code, document, "\n".join([table(document), *(["", *rungs] if rungs else [])]))


def _written(document: dict[str, Any], out: Path | None) -> bool:
    """A full disk costs the file, but not the table."""
    try:
        if out:
            write_atomically(out, to_json(document))
    except InfrastructureError as error:
        console.note(f"lab: {error}")
        return False
    return True


# ---- measuring ----------------------------------------------------------------------------------


def _measure_all(
    checkout: Checkout, lab: Lab, stages: tuple[Stage, ...], chosen: Chosen, bench: Bench,
    sizes: tuple[int, ...], document: dict[str, Any],
) -> bool:  # fmt: skip
    """Measure stage after stage into the document. False if interrupted after the first one."""
    with console.progress(f"{lab.name}: {chosen.name}") as line:
        try:
            for number, stage in enumerate(stages):
                line.update(f"timing {stage.name}{_time_left(line.seconds, number, len(stages))}")
                text = chosen.source.decode("utf-8", "replace")
                measured = ({"stage": stage.name, "not_timed": NOT_WRITTEN}
                            if is_untouched(checkout, lab, text, stage.name)
                            else _measure(bench, stage.name, sizes))  # fmt: skip
                if measured and measured.get("points") and document["explained"]:
                    line.update(f"explaining {stage.name}")
                    measured |= _explain(checkout, lab, chosen, bench, measured)
                document["stages"] += [measured] if measured else []
        except KeyboardInterrupt:
            if not document["stages"]:
                raise
            console.note("interrupted: the results of the finished stages follow.")
            return False
    return True


def _time_left(seconds: float, done: int, of: int) -> str:
    """What the stages so far have taken says what the others may take."""
    if not done:
        return f", 1 of {of}"
    return f", {done + 1} of {of}, about {seconds / done * (of - done):.0f} s left"


def _time_exemplars(
    checkout: Checkout, lab: Lab, stages: tuple[Stage, ...], arguments: argparse.Namespace,
    sizes: tuple[int, ...], document: dict[str, Any],
) -> bool:  # fmt: skip
    """The reference (the good form) and the record, as far as this copy of the kit has them."""
    folder = checkout.reference / lab.name
    for name, path in (("good", folder / lab.source), ("record", folder / "record" / lab.source)):
        if not path.is_file():
            continue
        chosen = Chosen(f"the {name} form", path.read_bytes(), bubblewrap.for_own_file())
        bench, message = make_bench(checkout, lab, chosen.source, document["backend"],
                                    arguments.seed, chosen.box, check=False)  # fmt: skip
        if bench is None:
            raise InfrastructureError(f"{checkout.shown(path)} does not compile:\n{message}")
        part = {"explained": False, "stages": []}
        if not _measure_all(checkout, lab, stages, chosen, bench, sizes, part):
            return False
        document["exemplars"][name] = part["stages"]
    return True


def _measure(bench: Bench, stage: str, sizes: tuple[int, ...]) -> dict[str, Any] | None:
    """The bench document of a stage, or why it has none; None if the lab has no bench for it."""
    with while_timing(bench.backend):
        try:
            measured = speed.measure(bench, stage, sizes)
        except BadReport as error:
            return {"stage": stage, "not_timed": singular(str(error))}
    if measured and not measured["points"]:
        return {"stage": stage, "not_timed": "the judge's timing report has no points"}
    return measured


def _ceilings(checkout: Checkout, backend: str) -> tuple[Ceilings | None, str]:
    try:
        return measure_ceilings(checkout, backend), ""
    except NotMeasured as error:
        return None, str(error)


def _explain(
    checkout: Checkout, lab: Lab, chosen: Chosen, bench: Bench, measured: dict[str, Any]
) -> dict[str, Any]:
    """The kernels of one call: at the largest size on a GPU; without a GPU, counted at a smaller
    size."""
    sizes = [point["n"] for point in measured["points"]]
    gpu = bench.backend == "gpu"
    n = max(sizes) if gpu else max((n for n in sizes if n <= COUNTED_N), default=min(sizes))
    look = _profiled if gpu else _counted
    try:
        kernels = look(checkout, lab, chosen, measured["stage"], n, bench.seed)
    except BadReport as error:
        return {"looked_at": {"n": n, "kernels": [], "not_measured": str(error)}}
    return {"looked_at": {"n": n, "kernels": kernels, "not_measured": ""}}


def _profiled(
    checkout: Checkout, lab: Lab, chosen: Chosen, stage: str, n: int, seed: int
) -> list[dict[str, Any]]:
    found = kernel_profile.profile(checkout, lab, chosen.source, stage, n, seed, chosen.box)
    return [asdict(kernel) for kernel in found]


def _counted(
    checkout: Checkout, lab: Lab, chosen: Chosen, stage: str, n: int, seed: int
) -> list[dict[str, Any]]:
    program = counting.counted_program(checkout, lab, chosen.source, seed, chosen.box)
    found = counting.count(program, stage, n)
    if found.verdict != PASSED:
        raise BadReport(singular(f"{found.verdict}: {found.message}"))
    return found.kernels
