"""Structs that a call in a kernel returns directly to memory: g++ announces no such write.

by_value.py has most of these calls inlined. What is left are functions that call themselves, and
those that are called through a pointer. g++'s listing of the program shows them with their lines.
"""

from __future__ import annotations

import re

LISTING = "-fdump-tree-optimized-asmname-lineno={}"
UNSEEN = (
    "a function that is called through a pointer, or that calls itself, returns a struct directly "
    "to memory, which the checker does not see: assign it to a local variable first"
)
_FUNCTION = re.compile(r"^;; Function .*? \(([\w.$]+), funcdef_no=", re.M)
_PLACE = re.compile(r"\[([^\[\]\n]*):(\d+):\d+")
_RETURNED = re.compile(r"^(?P<line>.*?) = .*\[return slot optimization\]", re.M)
# A local variable has its plain name. Nothing is cut off first: a #line may name files as it likes.
_TO_MEMORY = re.compile(r"\*|\bMEM\b|\b_Z")
_NAME = re.compile(r"\b_Z[\w.$]+")
_RUNS_KERNEL = "_ZN11cuda_on_cpu11run_threadsI"


def find_unseen(listing: str) -> str:
    """FILE:LINE of the first such call in the code of kernels; "" if there is none."""
    bodies = _bodies(listing)
    waiting = [name for name in bodies if name.startswith(_RUNS_KERNEL)]
    reached = set(waiting)
    for name in waiting:  # grows while it is read
        for call in _RETURNED.finditer(bodies[name]):
            if _TO_MEMORY.search(call["line"]):
                found = _PLACE.search(call["line"])
                return f"{found[1].rpartition('/')[2]}:{found[2]}" if found else "an unknown line"
        new = bodies.keys() & set(_NAME.findall(bodies[name])) - reached
        reached |= new
        waiting += sorted(new)
    return ""


def _bodies(listing: str) -> dict[str, str]:
    """What each function consists of, by its name in the object file."""
    starts = [*_FUNCTION.finditer(listing)]
    ends = [one.start() for one in starts[1:]] + [len(listing)]
    return {one[1]: listing[one.end() : end] for one, end in zip(starts, ends, strict=True)}
