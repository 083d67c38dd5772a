"""Whether a compiled submission counts, and which of its stages do not, by its names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.checkout import Checkout
from ..compiling.worker import Compiled
from ..intake.calls import entries_of, forbidden_by_stage
from ..intake.elf import BadObject, read_object
from ..intake.names import refusal
from ..intake.places import Places
from ..intake.pointers import objection_to_entered, suspected_by_stage
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


def another_text(lab: Lab) -> str:
    """Why no stage of a file counts that tells by its preprocessor whether it is checked."""
    return (
        f"{lab.source} is another text where it is compiled for the checker, which so says nothing "
        "about it: write nothing that depends on how or where the file is compiled"
    )


def own_names(text: str) -> str:
    """Why no stage of a file counts that names what CUDA on the CPU has for itself; `text` is the
    compiler's word on it. Its headers, unlike its functions, tell how a file is compiled."""
    place = text.partition(" ")[2]
    if not place:
        return ""
    return (
        f"{place}: a name that begins with cuda_on_cpu is the CPU backend's own, and nvcc knows no "
        "such name: write CUDA, which runs on both"
    )


@dataclass(frozen=True)
class Objections:
    """By stage the sentence why it does not count: what it certainly reaches, and what a kernel may
    reach through a pointer, unless the checker sees that it does not."""

    certain: Mapping[str, str]
    suspected: Mapping[str, str]


def objections(checkout: Checkout, lab: Lab, compiled: Compiled, backend: str) -> Objections:
    """What the stages reach that they forbid."""
    entries = surface_of(checkout, lab, backend).entries
    try:
        files = [read_object(compiled.audit), read_object(compiled.object_file)]
        kernels = [read_object(path) for path in compiled.kernels]
        device = _device_calls(compiled.device_audit)
    except (BadObject, OSError):
        hidden = {stage.name: ONLY_OPTIMISED for stage in lab.stages
                  if LIBRARY_SORT in stage.forbids}  # fmt: skip
        return Objections(hidden, {})
    places = Places(compiled.calls, lab.source)
    return Objections(forbidden_by_stage(lab, files, entries, places, device, kernels),
                      suspected_by_stage(lab, files, entries, places))  # fmt: skip


def objection_to(
    checkout: Checkout, lab: Lab, compiled: Compiled, stage: str, entered: Sequence[str]
) -> str | None:
    """Why the stage does not count whose kernels entered these functions through pointers, as the
    checker saw; "" if it does, None if the checker cannot tell."""
    stages = {one.name: one for one in lab.stages}
    entries = entries_of(lab, stages[stage], surface_of(checkout, lab, "cpu").entries)
    try:
        return objection_to_entered(lab, compiled.worker or Path(), compiled.object_file, entries,
                                    entered)  # fmt: skip
    except (BadObject, OSError):
        return None


def _device_calls(listing: Path) -> Mapping[str, list[str]]:
    """Kernels, and the functions that each of them calls on the device. Raises BadObject."""
    text = listing.read_text(errors="replace") if listing.is_file() else ""
    if text == "FAILED\n":
        raise BadObject("there is no listing of the device's functions")
    functions = technique.parse(text)
    return {symbol: technique.reached_names(symbol, functions)
            for symbol, function in functions.items() if function.is_kernel}  # fmt: skip
