"""How the types of large structs are aligned, for count mode: a GPU copies a struct in pieces of
its type's alignment, and g++ announces an address and a size alone.

g++ lists every class with size and alignment, and what the functions consist of. Which class a copy
is of is not looked for: of several of one size the least aligned counts, so nothing is gained by a
class that is never used.
"""

from __future__ import annotations

import re
import tempfile

from .options import compiler
from .processes import run

LISTING = "-fdump-lang-class={}"
SECTION = "warpwise_alignments"  # in the object file: a size and an alignment, eight bytes each
_PIECE = 16  # a GPU moves no more by one access; g++ says enough of what is not larger
_WORD = 4  # an array that is copied as a whole has elements of any type
_RANGE = re.compile(r"__tsan_(?:read|write)_range \(.*, (\d+)\);")
_CLASS = re.compile(r"^Class (?!cuda_on_cpu::)(.*)\n   size=(\d+) align=(\d+)$", re.M)
_NAMED = re.compile(r"\b(?:struct|class|union) (\w+)")
_ARGUMENTS = re.compile(r"<.*>")
# CUDA's own of more than 16 bytes: where the headers are kept, g++ does not list their classes.
_OF_CUDA = {f"{kind}4" for kind in ("double", "long", "ulong", "longlong", "ulonglong")}
_SIZE_OF_CUDA, _ALIGNMENT_OF_CUDA = 32, 16


def add_alignments(object_file: str, classes: str, listing: str) -> None:
    """Puts what count mode needs into an object file, if a large struct is copied there."""
    sizes = {int(size) for size in _RANGE.findall(listing) if int(size) > _PIECE}
    if not sizes:
        return
    with tempfile.NamedTemporaryFile() as table:
        for size, alignment in alignments(sizes, classes, listing).items():
            table.write(size.to_bytes(8, "little") + alignment.to_bytes(8, "little"))
        table.flush()
        added = [f"--add-section={SECTION}={table.name}",
                 f"--set-section-flags={SECTION}=alloc,readonly,data"]  # fmt: skip
        objcopy = run([*compiler(), "-print-prog-name=objcopy"], capture=True).strip()
        run([objcopy, *added, object_file])


def alignments(sizes: set[int], classes: str, listing: str) -> dict[int, int]:
    """By the size of what is copied, at most 16."""
    named = set(_NAMED.findall(listing))
    of_size: dict[int, list[tuple[bool, int]]] = {size: [] for size in sorted(sizes)}
    for name, size, alignment in _CLASS.findall(classes):
        if int(size) in of_size:
            is_named = _short(name) in named or "<lambda" in name  # which has no name there
            of_size[int(size)].append((is_named, int(alignment)))
    if _SIZE_OF_CUDA in of_size and named & _OF_CUDA:
        of_size[_SIZE_OF_CUDA].append((True, _ALIGNMENT_OF_CUDA))
    return {size: _least(found) for size, found in of_size.items()}


def _short(name: str) -> str:
    return _ARGUMENTS.sub("", name).rpartition("::")[2]


def _least(found: list[tuple[bool, int]]) -> int:
    """Of the classes that the functions name, if there is any; headers have many others."""
    named = [alignment for is_named, alignment in found if is_named]
    return min(_PIECE, *(named or [alignment for _, alignment in found] or [_WORD]))
