"""Slips of counting that the stage's own lines show: elements where bytes are counted, a counter
that is not set to 0 for the next element, a loop that counts one thing again and again, a shuffle
from the own lane."""

import re
from collections.abc import Mapping
from typing import Any

from ..base.verdict import CRASHED, NOT_ATTEMPTED, RACE, WRONG_ANSWER, WROTE_OUTSIDE
from . import barriers, block_index, launch_size

OF_BYTES = re.compile(
    r"\b(cudaMalloc|cudaMemcpy|cudaMemset)(?:Async)?\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)"
)
SIZE = {"cudaMalloc": 1, "cudaMemcpy": 2, "cudaMemset": 2}  # which argument it is
ELEMENTS = re.compile(r"(\w+)(?:\s*[-+]\s*\d+)?")
NAME = re.compile(r"\w+")
POINTER = re.compile(r"(?:\(void\*\*\))?\s*&?\s*(\w+)")
WORD = r"\b(?:float|double|int|unsigned|long|size_t)\b"
BYTE = r"\b(?:char|bool|u?int8_t|byte)\b"
BYTE_BY_BYTE = re.compile(r"\bfor *\([^;]*;\s*(?P<k>\w+) *< *(?P<width>\w+) *;")
ZEROED = re.compile(r"^\s*(?:int|unsigned|auto)\s+(\w+)\s*(?:=\s*0u?|\{\s*0?\s*\})\s*;")

# A loop of one statement that adds up and reads an element: "for (int j = 0; j < n; ++j) r += a[j]"
SUM_LOOP = re.compile(
    r"\bfor\s*\(\s*(?:int|unsigned|auto|(?:std::)?size_t)\s+(?P<index>\w+)\s*="
    r"[^;]{0,200};[^;]{0,200};[^;()]{0,200}\)"  # bounded, so that no text takes minutes
    r"\s*\{?(?P<body>[^;{}<]{0,200}\b\w+(?:\[\w+\])?\s*[-+|&]?=[^;{}]{0,400}\w\[[^;{}]{0,400});"
)


def same_in_every_turn(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a wrong count or sum in a loop whose statement does not use the loop's index."""
    if stage["verdict"] not in (WRONG_ANSWER, WROTE_OUTSIDE, RACE):
        return ()
    code = block_index.numbered_code(stage, file, source)
    text, numbers = "\n".join(code.values()), list(code)
    for loop in SUM_LOOP.finditer(text):
        if not re.search(rf"\b{loop['index']}\b", loop["body"]):
            line = numbers[text.count("\n", 0, loop.start())]
            return (f"The loop over {loop['index']} in line {line} does the same in every turn: "
                    f"nothing that it reads depends on {loop['index']}.",)  # fmt: skip
    return ()

SHUFFLE = re.compile(r"\b__shfl_sync\s*\([^,()]+,\s*[^,()]+,\s*(?P<lane>\w+)\s*[,)]")


def own_lane(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause where a lane reads from itself: the third argument is its own number."""
    if stage["verdict"] not in (WRONG_ANSWER, NOT_ATTEMPTED, WROTE_OUTSIDE, RACE):
        return ()
    code = block_index.numbered_code(stage, file, source)
    text = "\n".join(code.values())
    for number, line in code.items():
        if found := SHUFFLE.search(line):
            own = rf"\b{found['lane']}\s*=\s*threadIdx\.x\s*(?:%\s*\w+|&\s*31)\s*[;,]"
            if re.search(own, text):
                return (f"__shfl_sync in line {number} reads from {found['lane']}, the own lane: "
                        "each lane gets its own value back. The third argument is the lane to "
                        "read from.",)  # fmt: skip
    return ()


def bytes_as_elements(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause where a size in bytes is one of the call's numbers, and elements are no bytes."""
    if stage["verdict"] not in (WRONG_ANSWER, NOT_ATTEMPTED, WROTE_OUTSIDE, CRASHED, RACE):
        return ()
    given = launch_size.given_to(stage, source)
    lines = source.split("\n")
    numbers = launch_size.lines_of_call(stage, file, source)
    names = "\n".join([_head(stage, source), *(lines[number - 1] for number in numbers)])
    for number in numbers:
        for name, text in OF_BYTES.findall(lines[number - 1].partition("//")[0]):
            arguments = [one.strip() for one in launch_size.split(text)]
            size = ELEMENTS.fullmatch(" ".join(arguments[SIZE[name] : SIZE[name] + 1]))
            word = _word(arguments[: SIZE[name]], names) if size and size[1] in given else ""
            if size and word:
                return (f"{name} in line {number} counts bytes, and gets {size[0]}: for so many "
                        f"elements it is {_times(size[0])} * sizeof({word}).",)  # fmt: skip
    return ()


def _times(size: str) -> str:
    return size if NAME.fullmatch(size) else f"({size})"


def _head(stage: Mapping[str, Any], source: str) -> str:
    """The parameters of the called function."""
    call = launch_size.CALL.match(stage["message"])
    head = rf"^\w[\w:]* {call[1]}\(([^(){{}}]*)\)" if call else r"\Z"
    found = re.search(head, source, re.MULTILINE)
    return found[0] if found else ""


def _word(arguments: list[str], source: str) -> str:
    """The type of several bytes that an argument points to; "" if it may be of one byte."""
    names = "|".join(found[1] for one in arguments if (found := POINTER.fullmatch(one)))
    pointer = rf"\s*\*\s*(?:const\s+|__restrict__\s+)?(?:{names})\b"
    found = re.search(f"({WORD}){pointer}", source) if names else None
    return found[1] if found and not re.search(BYTE + pointer, source) else ""


def strings_as_bytes(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause where the number of a string is taken for the place of its first byte."""
    if (not stage["message"].startswith("rank_sort::fixed_strings(")
            or stage["verdict"] not in (WRONG_ANSWER, WROTE_OUTSIDE, CRASHED, RACE)):  # fmt: skip
        return ()
    code = block_index.numbered_code(stage, file, source)
    for number, text in code.items():
        loop = BYTE_BY_BYTE.search(f"{code.get(number - 1, '')} {text}")
        index = loop and re.search(rf"\w+\[([^\[\]]*\w[^\[\]]*\+ *{loop['k']})\] *=[^=]", text)
        if not loop or not index:
            continue
        named = "|".join(set(NAME.findall(index[1])) - {loop["k"]})
        comes = [one for one in code.values() if re.search(rf"\b(?:{named}) *=[^=]", one)]
        if not re.search(rf"\b{loop['width']}\b", " ".join([index[1], *comes])):
            return (f"A string has {loop['width']} bytes, so string r begins at byte r * "
                    f"{loop['width']}. Line {number} stores at [{index[1]}].",)  # fmt: skip
    return ()


def not_set_again(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause where a loop over elements counts for each, and goes on from the last count."""
    if stage["verdict"] not in (WRONG_ANSWER, WROTE_OUTSIDE, CRASHED, RACE):
        return ()
    lines = [line.partition("//")[0] for line in source.split("\n")]
    numbers = block_index.lines_that_run(source, file, stage["name"])
    for zeroed in numbers:
        found = ZEROED.match(lines[zeroed - 1])
        name = found[1] if found else ""
        stored = re.compile(rf"\[(?:[\w\s+-]*[+-]\s*)?{name}(?:\s*[+-][\w\s+-]*)?\]\s*=[^=]")
        for store in numbers if name else ():
            if store < zeroed or not stored.search(lines[store - 1]):
                continue
            loop = barriers.loop_around(lines, store, store)
            if loop and zeroed < loop[0] and _counts_anew(lines, loop, store, name):
                return (f"{name} is set to 0 in line {zeroed}, before the loop in line {loop[0]}: "
                        "each round of the loop goes on from the count of the one before. Set it "
                        "to 0 at the beginning of each round.",)  # fmt: skip
    return ()


def _counts_anew(lines: list[str], loop: tuple[int, int], store: int, name: str) -> bool:
    """Whether a loop within the loop counts before the store, and nothing sets the counter."""
    inside = "\n".join(lines[loop[0] - 1 : loop[1]])
    if re.search(rf"(?<![-+*/&|<>=!\w]){name}\s*=[^=]", inside):
        return False
    counted = re.compile(rf"\b{name}\s*\+=[^;]*[<>]|\+\+\s*{name}\b|\b{name}\s*\+\+")
    for number in range(loop[0] + 1, store):
        is_counted = counted.search(lines[number - 1])
        if is_counted and (re.search(r"\b(?:for|while)\b", lines[number - 1] + lines[number - 2])
                           or barriers.loop_around(lines, number, number) != loop):  # fmt: skip
            return True
    return False
