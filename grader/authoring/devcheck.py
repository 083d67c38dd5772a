"""`./lab dev check`: what must be true of every lab before a student sees it.

Each check is a named function, so that pytest can run each one as a separate test.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..base.checkout import Checkout
from ..base.verdict import (
    CRASHED,
    NOT_ATTEMPTED,
    PASSED,
    RACE,
    REJECTED,
    TIMED_OUT,
    TOO_SLOW,
    WROTE_OUTSIDE,
    Run,
)
from ..grading.counting import count_stage
from ..grading.points import CounterPoints
from ..judging.full_judge import Judged, judge_fully
from ..judging.judge import CHECK_LARGEST, check_once, run_once
from ..judging.workers import make_bench, make_checked
from ..lab_file import manifest, marks
from ..lab_file.exemplars import GOOD, SHARES, exemplar, fits
from ..lab_file.manifest import Lab, Stage
from ..lab_file.rules import RECORD
from ..machine import hardware
from ..sandbox import bubblewrap
from .exemplars import compare, rewarded, wrong_share
from .shape import (
    CheckFailed,
    CheckSkipped,
    Expectation,
    check_benches,
    check_shape,
    expectation,
    read,
)

PUBLIC_SEED = 1
OTHER_FORMS = ("plain", RECORD)  # the good one is the reference
# What CUDA does not define ends on a GPU as one of these; which one depends on the GPU.
UNDEFINED = {CRASHED, TIMED_OUT, WROTE_OUTSIDE}


@dataclass(frozen=True)
class Check:
    """One check; `run` returns notes or nothing, or raises CheckFailed or CheckSkipped."""

    name: str
    run: Callable[[], tuple[str, ...] | None] = field(compare=False)
    needs_build: bool = True
    program: Path = Path()  # what is judged, other than the skeleton or the reference


def all_checks(checkout: Checkout, backend: str, only: str | None = None) -> list[Check]:
    """Every check of every lab (or of `only`), in order. Finding no lab is an error."""
    labs = manifest.discover(checkout)
    chosen = [manifest.find(labs, only)] if only else labs
    return [check for lab in chosen for check in lab_checks(checkout, lab, backend)]


def lab_checks(checkout: Checkout, lab: Lab, backend: str) -> list[Check]:
    """The checks of one lab: shape, benches, skeleton, each reference stage, the other exemplars'
    stages with points for speed or counters, each wrong file."""
    solved = checkout.reference / lab.name / lab.source
    checks = [Check(f"{lab.name}: shape", lambda: check_shape(checkout, lab), False)]
    checks.append(Check(f"{lab.name}: benches", lambda: check_benches(checkout, lab, backend)))
    checks.append(Check(f"{lab.name}: skeleton", lambda: _skeleton(checkout, lab, backend)))
    for stage in lab.stages:
        checks.append(
            Check(
                f"{lab.name}: reference {stage.name}",
                lambda stage=stage: _reference(checkout, lab, backend, solved, stage),
            )
        )
    for form in OTHER_FORMS:
        path = exemplar(checkout, lab, form)
        for stage in rewarded(lab) if path.is_file() else ():
            checks.append(
                Check(
                    f"{lab.name}: {form} {stage.name}",
                    lambda stage=stage, form=form: _exemplar(checkout, lab, backend, form, stage),
                    program=path,
                )
            )
    for path in sorted((checkout.reference / lab.name / "wrong").glob("*.cu")):
        checks.append(
            Check(
                f"{lab.name}: wrong/{path.name}",
                lambda path=path: _wrong(checkout, lab, backend, path),
                program=path,
            )
        )
    return checks


def _judge(
    checkout: Checkout, lab: Lab, backend: str, source: bytes, stages: tuple[Stage, ...],
    shown: str, check: bool = True, called: Sequence[Stage] = (),
) -> list[Judged]:  # fmt: skip
    """The verdict on each of `stages`; `called` as make_bench() has it. Raises CheckFailed if the
    source does not compile."""
    box = bubblewrap.find()
    bench, message = make_bench(checkout, lab, source, backend, PUBLIC_SEED, box, check,
                                called=called)  # fmt: skip
    if bench is None or (check and bench.checked is None):
        raise CheckFailed(f"{shown}: does not compile:\n{message}")
    return [judge_fully(checkout, lab, stage, source, bench) for stage in stages]


def _counters(
    checkout: Checkout, lab: Lab, source: bytes, stage: Stage, called: Sequence[Stage] = ()
) -> tuple[CounterPoints, ...]:
    return count_stage(checkout, lab, source, stage, PUBLIC_SEED, bubblewrap.find(), called)


def _skeleton(checkout: Checkout, lab: Lab, backend: str) -> None:
    """Every stage of the skeleton is `not attempted`.

    The skeleton is cut from the reference; the file in labs/ may already be half solved.
    """
    shown = f"labs/{lab.name}/{lab.source}"
    solved = read(checkout.reference / lab.name / lab.source, f"reference/{lab.name}/{lab.source}")
    skeleton = marks.cut(solved, lab.source, lab.stage_names).encode()
    # No stage is attempted, so the checker has nothing to watch.
    runs = _judge(checkout, lab, backend, skeleton, lab.stages, shown, check=False)
    for stage, run in zip(lab.stages, (judged.run for judged in runs), strict=True):
        if run.verdict != NOT_ATTEMPTED:
            raise CheckFailed(
                f"{shown}: the skeleton's stage {stage.name} is '{run.verdict}', "
                f"should be '{NOT_ATTEMPTED}': {run.message}"
            )


def _reference(
    checkout: Checkout, lab: Lab, backend: str, path: Path, stage: Stage
) -> tuple[str, ...]:
    """The stage passes with all points for counters; every race that is not optional occurs.

    Returns the races that occurred, with their lines.
    """
    shown = f"reference/{lab.name}/{lab.source}"
    [judged] = _judge(checkout, lab, backend, read(path, shown).encode(), (stage,), shown)
    run = judged.run
    if run.verdict != PASSED:
        raise CheckFailed(f"{shown}: stage {stage.name} is '{run.verdict}': {run.message}")
    for counter in _counters(checkout, lab, read(path, shown).encode(), stage):
        if counter.verdict != PASSED:
            raise CheckFailed(
                f"{shown}: stage {stage.name} loses points for {counter.counter}: "
                f"{counter.reason}"
            )
    _require_share_of_speed(checkout, lab, backend, GOOD, stage)
    seen = {race.number for race in run.races}
    for number, race in enumerate(stage.races):
        if number not in seen and not race.optional:
            raise CheckFailed(
                f"labs/{lab.name}/lab.toml: stage {stage.name} expects a race between {race}, "
                "but the reference has none"
            )
    return tuple(f"{stage.races[race.number]}: {race.lines}" for race in run.races)


def _exemplar(checkout: Checkout, lab: Lab, backend: str, form: str, stage: Stage) -> None:
    """The stage passes with the share of its points that its form must get; on a GPU timed, too."""
    path = exemplar(checkout, lab, form)
    shown, source = f"reference/{lab.name}/{form}/{lab.source}", path.read_bytes()
    [judged] = _judge(checkout, lab, backend, source, (stage,), shown)
    if judged.run.verdict != PASSED:
        raise CheckFailed(
            f"{shown}: stage {stage.name} is '{judged.run.verdict}': {judged.run.message}"
        )
    for counter in _counters(checkout, lab, source, stage):
        part = (counter.earned or 0) / counter.possible
        if counter.earned is None or not fits(form, part):
            least, most = SHARES[form]
            raise CheckFailed(
                f"{shown}: stage {stage.name} gets {part:.0%} of the points for "
                f"{counter.counter}, must get {least:.0%} to {most:.0%}: {counter.reason}"
            )
    if form != RECORD:
        _require_share_of_speed(checkout, lab, backend, form, stage)


def _require_share_of_speed(
    checkout: Checkout, lab: Lab, backend: str, form: str, stage: Stage
) -> None:
    """Time the form beside the record; only a GPU can, and only a stage with points for speed."""
    if backend != "gpu" or not stage.speed or stage.speed.against != RECORD:
        return
    ratio = compare(checkout, lab, stage, form)["ratio"]
    if fault := wrong_share(lab, stage, form, ratio or math.inf):
        raise CheckFailed(fault)


def _wrong(checkout: Checkout, lab: Lab, backend: str, path: Path) -> None:
    shown = f"reference/{lab.name}/wrong/{path.name}"
    expected = expectation(lab, path, shown)
    if expected.cpu_only and backend == "gpu":
        raise CheckSkipped("only the cpu backend can tell")
    source = path.read_bytes()
    if backend == "cpu" and _shows_at_once(checkout, lab, source, expected):
        return
    stages = (expected.stage,)
    [judged] = _judge(checkout, lab, backend, source, stages, shown, called=stages)
    run = judged.run
    if expected.verdict == REJECTED and run.verdict == PASSED and judged.notes:
        raise CheckSkipped(judged.notes[0])
    if run.verdict == PASSED and expected.verdict == TOO_SLOW:
        run = _worst_counter(_counters(checkout, lab, source, expected.stage, stages), run)
    same = backend == "gpu" and {run.verdict, expected.verdict} <= UNDEFINED
    if run.verdict != expected.verdict and not same:
        raise CheckFailed(
            f"{shown}: is '{run.verdict}', should be '{expected.verdict}': {run.message}"
        )
    if expected.text not in run.message:
        raise CheckFailed(f"{shown}: the message lacks '{expected.text}': {run.message}")


def _shows_at_once(checkout: Checkout, lab: Lab, source: bytes, expected: Expectation) -> bool:
    """Whether one run at small sizes gives the expected verdict; most mistakes show there.

    If a mistake shows only at a larger size, in another order or in the instructions, the file is
    judged in full.
    """
    box, stage = bubblewrap.find(), expected.stage
    if expected.verdict == RACE:
        bench, _ = make_checked(checkout, lab, source, PUBLIC_SEED, box, called=(stage,))
        run = check_once(bench, stage.name) if bench else None
    else:
        bench, _ = make_bench(checkout, lab, source, "cpu", PUBLIC_SEED, box, check=False,
                              called=(stage,))  # fmt: skip
        small = ("--largest", str(CHECK_LARGEST))
        run = run_once(bench, stage.name, "forward", extra=small) if bench else None
    if run and run.verdict == PASSED and expected.verdict == TOO_SLOW:
        run = _worst_counter(_counters(checkout, lab, source, stage, (stage,)), run)
    return run is not None and run.verdict == expected.verdict and expected.text in run.message


def _worst_counter(counters: tuple[CounterPoints, ...], run: Run) -> Run:
    """`too slow`, with the counter's message, if a counter earns nothing; any machine can count."""
    for counter in counters:
        if counter.verdict == TOO_SLOW and counter.earned == 0:
            message = f"{counter.counter}: {counter.reason}\n{counter.advice}"
            return replace(run, verdict=TOO_SLOW, message=message)
    return run


def backends() -> dict[str, str]:
    """Each backend with the reason why it cannot run here; "" if it can."""
    gpu = "" if hardware.find_gpu() else "no NVIDIA GPU"
    return {"cpu": "", "gpu": gpu or ("" if hardware.find_nvcc() else "no nvcc")}
