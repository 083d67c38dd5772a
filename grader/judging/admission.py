"""Whether a compiled submission counts, and which of its stages do not, by its names."""

from collections.abc import Mapping
from pathlib import Path

from ..base.checkout import Checkout
from ..compiling.worker import Compiled
from ..intake.calls import Places, forbidden_by_stage
from ..intake.elf import BadObject, read_object
from ..intake.names import refusal
from ..intake.surface import surface_of
from ..lab_file.manifest import LIBRARY_SORT, Lab
from . import technique

ONLY_OPTIMISED = (
    "the file compiles only when it is optimised, so nobody can see which functions a stage uses"
)


def refused(checkout: Checkout, lab: Lab, compiled: Compiled, backend: str, mode: str) -> str:
    """Why no stage of the file counts, in a sentence; "" if they do."""
    surface = surface_of(checkout, lab, backend, mode)
    if place := Places(compiled.calls, lab.source).assembly:
        return (
            f"{place}: assembly is not read by the checks that grade a kernel, nor are a "
            "processor's own instructions, or code that is hidden from sanitizers: write C++"
        )
    try:
        return refusal(read_object(compiled.object_file), surface)
    except BadObject as error:
        return str(error)
    except OSError as error:
        return f"the object file cannot be read: {error.strerror}"


def rejected_stages(
    checkout: Checkout, lab: Lab, compiled: Compiled, backend: str
) -> dict[str, str]:
    """For each stage that reaches what it forbids the sentence why."""
    entries = surface_of(checkout, lab, backend).entries
    try:
        files = [read_object(compiled.audit), read_object(compiled.object_file)]
        device = _device_calls(compiled.device_audit)
    except (BadObject, OSError):
        return {stage.name: ONLY_OPTIMISED for stage in lab.stages if LIBRARY_SORT in stage.forbids}
    places = Places(compiled.calls, lab.source)
    return forbidden_by_stage(lab, files, entries, places, device)


def _device_calls(listing: Path) -> Mapping[str, list[str]]:
    """Kernels, and the functions that each of them calls on the device. Raises BadObject."""
    text = listing.read_text(errors="replace") if listing.is_file() else ""
    if text == "FAILED\n":
        raise BadObject("there is no listing of the device's functions")
    functions = technique.parse(text)
    return {symbol: technique.reached_names(symbol, functions)
            for symbol, function in functions.items() if function.is_kernel}  # fmt: skip
