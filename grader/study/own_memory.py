"""Slips with memory that the stage itself allocates, or gives to a function of labs/kit."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..base.text import named
from . import block_index, launch_size
from .counts import OF_BYTES

KEPT = "keeps device memory that it has allocated"
ALLOCATED = re.compile(
    r"\b(?:cudaMalloc|cudaMallocAsync|cudaMallocPitch)\s*(?:<[^<>]*>)?\(\s*(?:\(\s*void\s*\*\*\s*\))?"
    r"\s*&\s*(\w+)"
)
FREED = re.compile(r"\bcudaFree(?:Async)?\s*\(\s*(\w+)")
RETURNS = re.compile(r"\breturn\b")
SIZE_OF = re.compile(r"\bsizeof\s*\(?\s*(\w+)\s*(?![\w\[.<:]|->)")
OTHER_SIZE = r"\b(?:float|int|unsigned|char|bool|Weight)\b"  # than an address has
ANY_TYPE = r"\b(?:float|double|int|unsigned|char|bool|long|size_t|auto|Weight|T)\b"
IN_THE_KIT = re.compile(r"failed: labs/kit/(?P<header>[\w-]+\.hpp):(?P<line>\d+): ")
# Where a class or a function of a header begins: its head has no blanks before it.
HEAD = re.compile(r"^(?:(?:class|struct)\s+(\w+)|"
                  r"(?!\s|template|//|#|\}|namespace)[\w:<>*&, ]*?\b(\w+)\s*\([^;\n]*$)",
                  re.MULTILINE)  # fmt: skip


def not_freed(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """Which memory a call keeps, if the stage's own lines show it."""
    if KEPT not in stage["message"].partition("\n")[0]:
        return ()
    code = block_index.numbered_code(stage, file, source)
    freed = {name: number for number, text in code.items() for name in FREED.findall(text)}
    taken = {name: number for number, text in code.items() for name in ALLOCATED.findall(text)}
    for name, number in taken.items():
        if name not in freed:
            return (f"{name} gets memory in line {number}, and nothing frees it: "
                    f"cudaFree({name}) before each return.",)  # fmt: skip
    for name, number in taken.items():
        between = (one for one in code if number < one < freed[name] and RETURNS.search(code[one]))
        if early := next(between, 0):
            return (f"{name} gets memory in line {number}. Line {early} may return before line "
                    f"{freed[name]} frees it.",)  # fmt: skip
    return ()


def size_of_a_pointer(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause where a copy, or setting memory, takes the size of an address for that of data."""
    for number, line in block_index.numbered_code(stage, file, source).items():
        for name, text in OF_BYTES.findall(line):
            size = "".join(launch_size.split(text)[2:3]) if name != "cudaMalloc" else ""
            of = SIZE_OF.search(size)
            if of and f"&{of[1]}" not in text and _is_pointer(of[1], source):
                return (f"sizeof({of[1]}) in line {number} is the size of an address, 8 bytes: "
                        f"{of[1]} is a pointer. The size of an element is sizeof(*{of[1]}).",)
    return ()


def _is_pointer(name: str, source: str) -> bool:
    """Whether it is one wherever it is declared, to elements of another size than an address."""
    code = "\n".join(line.partition("//")[0] for line in source.split("\n"))
    pointer = rf"{OTHER_SIZE}\s*(?:const\s*)?\*+\s*(?:const\s+|__restrict__\s+)*{name}\b"
    return bool(re.search(pointer, code)) and not re.search(rf"{ANY_TYPE}\s+{name}\b", code)


def in_the_kit(stage: Mapping[str, Any], source: str, kit: Path) -> tuple[str, ...]:
    """The student's line that called a function of labs/kit, where that one failed."""
    found = IN_THE_KIT.search(stage["message"].partition("\n")[0])
    if not found:
        return ()
    try:
        lines = (kit / found["header"]).read_text(encoding="utf-8").split("\n")
    except OSError:
        return ()
    heads = [one or other for one, other in HEAD.findall("\n".join(lines[: int(found["line"])]))]
    call = re.compile(rf"\b{heads[-1]}\s*(?:<[^<>]*>)?\s*(?:\w+\s*)?[({{]") if heads else None
    called = [str(number) for number, line in enumerate(source.split("\n"), 1)
              if call and call.search(line.partition("//")[0])]  # fmt: skip
    if not called:
        return ()
    where = f"line{'s' if len(called) > 1 else ''} {named(called, most=3)}"
    return (f"It is {heads[-1]} of labs/kit that failed; you use it in {where}. Is each buffer "
            f"that it gets as large as the comment above it in {found['header']} says? "
            "cudaMalloc counts bytes.",)  # fmt: skip
