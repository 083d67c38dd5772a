"""What is measured of the references before they are left out: counts, and a program to race."""

from collections.abc import Iterable, Iterator

from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..base.verdict import PASSED
from ..grading.counting import BACKEND, count, counted_program, drawn_size
from ..judging.judge_report import BadReport
from ..lab_file.counters import charged
from ..lab_file.manifest import Lab
from ..lab_file.recorded import Count, Form, Recorded
from ..sandbox import bubblewrap
from ..study.recorded import good_form
from ..timing import speed

SEEDS = (1, 2, 3)  # public ones; with another seed a student's file is counted with one of these


def record(checkout: Checkout, lab: Lab, seeds: Iterable[int] = SEEDS) -> Recorded:
    """Count the reference's calls: with each seed for points, with the first one for ./lab why.

    Raises InfrastructureError.
    """
    source = (checkout.reference / lab.name / lab.source).read_bytes()
    chosen = tuple(sorted(set(seeds)))
    counts: list[Count] = []
    try:
        for seed in chosen if any(stage.counters for stage in lab.stages) else ():
            counts += _counts(checkout, lab, source, seed)
        forms = tuple(_forms(checkout, lab, chosen[0]))
    except BadReport as error:
        raise InfrastructureError(f"reference/{lab.name}: cannot be counted: {error}") from error
    return Recorded(lab.name, chosen, tuple(counts), forms)


def _counts(checkout: Checkout, lab: Lab, source: bytes, seed: int) -> list[Count]:
    program = counted_program(checkout, lab, source, seed, bubblewrap.find())
    counts: list[Count] = []
    for stage in lab.stages:
        for rule in stage.counters:
            if rule.against is None:  # a fixed number needs no reference
                continue
            n = drawn_size(rule, stage.name, seed)
            counted = count(program, stage.name, n)
            if counted.verdict != PASSED:
                raise BadReport(f"{stage.name} is '{counted.verdict}': {counted.message}")
            value = charged(rule.counter, counted.kernels)
            counts.append(Count(stage.name, rule.counter, n, seed, value))
    return counts


def _forms(checkout: Checkout, lab: Lab, seed: int) -> Iterator[Form]:
    """What ./lab why compares with, of each stage that is timed."""
    listed = speed.benches(checkout.judge(BACKEND, lab.name))
    timed = {bench["stage"] for bench in listed if bench["points"]}
    for stage in lab.stages:
        if stage.name in timed:
            yield good_form(checkout, lab, stage, seed)
