"""Whether an infrastructure error is this machine's: then it is no result and is not stored."""

import os
import shutil
from pathlib import Path

from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..base.scratch import place_of_temporary_files
from ..machine import hardware

LEAST_FREE = 256 << 20  # bytes


def trouble_here(course: Path, checkout: Checkout, backend: str) -> str:
    """What is wrong with this machine now, as a sentence; "" if nothing is known."""
    build = checkout.root / "build"
    try:
        temporary = place_of_temporary_files()
    except InfrastructureError as error:
        return str(error)
    for place in (course, build if build.is_dir() else checkout.root, temporary):
        try:
            free = shutil.disk_usage(place).free
        except OSError as error:
            return f"{place}: {error.strerror}."
        if free < LEAST_FREE:
            return f"{place}: only {free >> 20} MiB are free; free some space and call again."
    if backend == "gpu" and not _gpu_is_there():
        return "the GPU does not answer any more; see what nvidia-smi says, and call again."
    return ""


def _gpu_is_there() -> bool:
    """Whether the driver still reports the GPU that this process was given; the others do not
    count."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()
    found = [gpu.uuid for gpu in hardware.all_gpus()]
    return given in found if given.startswith("GPU-") else bool(found)
