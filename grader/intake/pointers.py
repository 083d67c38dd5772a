"""What kernels call through pointers: what they could call, and what the checker saw them enter.

Which function a pointer leads to is not in any object file. So from the file alone each function
whose address is taken is suspect. The checker's build makes every call through a pointer by a
function of the checker (cpu/checker/pointer_calls.cpp), which knows where the call leads. Only what
a kernel entered there counts. It suffices to see the calls of the run under the checker: in other
runs a kernel could store to the host's memory by a plain assignment.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from ..lab_file.manifest import Lab
from .calls import CallGraph, entries_of, sentence
from .elf import FUNCTION, ObjectFile, read_object, read_program
from .places import Places
from .vocabulary import is_mathematics

OUTSIDE = (
    "a kernel calls, through a pointer, a function that is not in your file, which nvcc does not "
    "compile: call a `__device__` function of your own"
)
_BY_CHECKER = "__x86_indirect_thunk_"  # the compiler's names for what makes such a call
_FIRST_CODE = "warpwise_first_code"  # compiling/initialisers.ld
_PRINTS = ("printf", "vprintf", "puts", "putchar")


def suspected_by_stage(
    lab: Lab, files: Iterable[ObjectFile], entries: Iterable[str], places: Places
) -> dict[str, str]:
    """For each stage whose kernels could call a function of the host the sentence why."""
    graphs = [CallGraph(file) for file in files] if places.through_pointers else []
    found: dict[str, str] = {}
    for stage in lab.stages if graphs else ():
        of_stage = entries_of(lab, stage, entries)
        finds = (graph.find_through_pointers(of_stage, places.through_pointers) for graph in graphs)
        if find := next((find for find in finds if find), None):
            found[stage.name] = sentence(lab, find, places)
    return found


def objection_to_entered(
    lab: Lab, worker: Path, object_file: Path, entries: Sequence[str], entered: Sequence[str]
) -> str | None:
    """Why a stage with these entry points does not count whose kernels, under the checker, entered
    these functions through pointers; "" if it does. None if the checker does not see such calls.

    `entered` has places in the submission's code and names of other code's functions. Where the
    compiler knew where a pointer leads, the call is one to a name. Raises BadObject.
    """
    graph = CallGraph(read_object(object_file))
    if not graph.asks_for(_BY_CHECKER):
        return None
    nowhere = Places(Path("/dev/null"), lab.source)
    find = graph.find_in_kernels(entries)
    for place in entered:
        if find:
            break
        if not place.startswith("+"):
            if place in _PRINTS or is_mathematics(place):
                continue
            return f"{lab.source}: {OUTSIDE}"
        names = _names_at(worker, place)
        if not graph.knows(names):
            return f"{lab.source}: {OUTSIDE}"
        find = graph.find_in(names)
    return sentence(lab, find, nowhere) if find else ""


def _names_at(worker: Path, place: str) -> frozenset[str]:
    """The function of the submission that a place in its code is in, by all its names."""
    starts, names, first = _functions(worker)
    at = bisect_right(starts, first + int(place, 16)) - 1
    return names[at] if at >= 0 else frozenset()


@lru_cache(4)
def _functions(worker: Path) -> tuple[list[int], list[frozenset[str]], int]:
    """Where functions begin, in order; their names; and where the submission's code begins."""
    at: dict[int, set[str]] = {}
    first = 0
    for symbol in read_program(worker).symbols:
        if symbol.name == _FIRST_CODE:
            first = symbol.value
        elif symbol.kind == FUNCTION:
            at.setdefault(symbol.value, set()).add(symbol.name)
    starts = sorted(at)
    return starts, [frozenset(at[start]) for start in starts], first
