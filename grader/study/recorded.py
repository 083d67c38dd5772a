"""What the good form of a stage asks of memory: the numbers that ./lab why compares with."""

from dataclasses import dataclass

from ..base.checkout import Checkout
from ..base.errors import UsageError
from ..base.verdict import PASSED
from ..grading.counting import count, counted_program
from ..judging.judge_report import BadReport
from ..lab_file.counters import Kernels
from ..lab_file.manifest import Lab, Stage
from ..sandbox import bubblewrap


@dataclass(frozen=True)
class Numbers:
    """The counters of one call, and whose they are."""

    name: str
    kernels: Kernels


def good_form(checkout: Checkout, lab: Lab, stage: Stage, n: int, seed: int) -> Numbers:
    """The reference's counters on the same input. Raises UsageError if it is not in this copy."""
    reference = checkout.reference / lab.name / lab.source
    if not reference.is_file():
        raise UsageError(
            f"the good form of {lab.name}.{stage.name} is not in this copy of the kit; "
            f"./lab bench {lab.name}.{stage.name} --explain shows your own counters."
        )
    box = bubblewrap.for_own_file()
    program = counted_program(checkout, lab, reference.read_bytes(), seed, box)
    counted = count(program, stage.name, n)
    if counted.verdict != PASSED:
        raise BadReport(f"the reference is '{counted.verdict}': {counted.message}")
    return Numbers("good form", counted.kernels)
