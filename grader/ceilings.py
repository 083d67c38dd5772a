"""What this GPU can do at most, measured by the harness's own program; see harness/ceilings.hpp."""

import json
import math
from dataclasses import dataclass, fields
from functools import cache

from . import process
from .checkout import Checkout
from .errors import LabError
from .timing_locks import gpu_to_oneself

CEILING_SECONDS = 60.0
NO_GPU = "time on the CPU backend is not GPU time"


@dataclass(frozen=True)
class Ceilings:
    """Rates per second and times in seconds, each the best of a few runs on this GPU.

    A copy counts bytes read and written, beyond the L2 cache and within it. A compare is an integer
    subtraction whose sign is added up; an exchange is a minimum and a maximum; a gather reads 4
    bytes from a random place.
    """

    copied_bytes_per_second: float
    cached_bytes_per_second: float
    compares_per_second: float
    exchanges_per_second: float
    l2_gathers_per_second: float
    memory_gathers_per_second: float
    launch_seconds: float
    barrier_seconds: float


class NotMeasured(LabError):
    """Why there are no ceilings here."""


@cache
def measure_ceilings(checkout: Checkout, backend: str) -> Ceilings:
    """Measure once per process, in half a second. Raises NotMeasured, for the CPU always."""
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
    """The program's report, if every number in it is a positive one. Raises NotMeasured."""
    try:
        report = json.loads(text)
        numbers = {field.name: float(report[field.name]) for field in fields(Ceilings)}
    except (ValueError, TypeError, KeyError) as error:
        raise NotMeasured(f"the measurement's report cannot be read: {error}") from error
    if not all(math.isfinite(number) and number > 0 for number in numbers.values()):
        raise NotMeasured("the measurement's report holds a number that is none")
    return Ceilings(**numbers)
