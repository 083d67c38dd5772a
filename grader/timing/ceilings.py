"""This GPU's ceilings, measured by a program of the kit: trials/ceilings.hpp."""

import json
import math
from dataclasses import fields
from functools import cache

from ..base import process
from ..base.checkout import Checkout
from ..base.errors import LabError
from ..machine.hardware import Ceilings
from .locks import gpu_to_oneself

CEILING_SECONDS = 60.0
NO_GPU = "time on the CPU backend is not GPU time"


class NotMeasured(LabError):
    """There are no ceilings here; the text says why."""


@cache
def measure_ceilings(checkout: Checkout, backend: str) -> Ceilings:
    """Measure once per process; it takes half a second. Raises NotMeasured, always on the CPU."""
    if backend != "gpu":
        raise NotMeasured(NO_GPU)
    program = checkout.ceilings()
    if not program.is_file():
        raise NotMeasured(f"{checkout.shown(program)} was not built")
    with gpu_to_oneself():
        finished = process.run([program], limit=CEILING_SECONDS)
    if not finished.ok:
        raise NotMeasured(finished.last_line or f"exit status {finished.returncode}")
    return read(finished.output)


def read(text: str) -> Ceilings:
    """The program's report, if every value is a positive number. Raises NotMeasured."""
    try:
        report = json.loads(text)
        numbers = {field.name: float(report[field.name]) for field in fields(Ceilings)}
    except (ValueError, TypeError, KeyError) as error:
        raise NotMeasured(f"the measurement's report cannot be read: {error}") from error
    if not all(math.isfinite(number) and number > 0 for number in numbers.values()):
        raise NotMeasured("the measurement's report contains a value that is not a positive number")
    return Ceilings(**numbers)
