"""At which size a stage goes wrong, and which numbers of the file lie there: those of a block or of
a tile. These are facts; whatever is wrong may have another cause."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..base.verdict import RACE, WRONG_ANSWER
from . import block_index
from .causes import STILL_RIGHT
from .launch_size import CALL, LAUNCH, given_to, names_of_call, parameters, size, split

SMALLEST = 32  # a warp: smaller numbers lie anywhere
MOST = 3  # more numbers tell nothing


def told(stage: Mapping[str, Any], file: str, source: str, contract: str = "") -> str:
    """The largest size that is right and the one that is not, and what has a size between them; ""
    if nobody knows, or if the sizes are those of a warp or less."""
    lines = stage["message"].splitlines()
    rights = list(filter(None, map(STILL_RIGHT.fullmatch, lines)))
    calls = list(filter(None, map(CALL.match, lines)))  # the checker's may come first
    if stage["verdict"] not in (WRONG_ANSWER, RACE) or not calls or not rights:
        return ""
    call, right = calls[-1], rights[-1]
    pairs = [(at, *pair) for at, pair in enumerate(
        zip(right[1].split(", "), call[2].split(", "), strict=False)) if pair[0] != pair[1]]
    if len(pairs) != 1 or not all(one.isdecimal() for one in pairs[0][1:]):
        return ""
    [(at, *ends)] = pairs
    low, high = map(int, ends)
    if high <= SMALLEST:
        return ""
    found = dict.fromkeys(what for what, number in _numbers(stage, file, source, contract)
                          if number >= SMALLEST and low - 1 <= number < high)  # fmt: skip
    name = next(iter(parameters(call[1], source)[at : at + 1]), "n")
    said = f"{name} = {low} is right, {name} = {high} is wrong"
    return "; ".join([said, *(found if len(found) <= MOST else ())]) + "."


def _numbers(
    stage: Mapping[str, Any], file: str, source: str, contract: str
) -> Iterator[tuple[str, int]]:
    """What is said of constants and of blocks, each with its number."""
    names = names_of_call(stage, file, source, contract)
    code = source.split("\n")
    used = set(re.findall(r"\w+", block_index.of_stage(source, file, stage["name"])))
    for name, value in names.items():
        if name in used and name not in given_to(stage, source) and len(value) == 1:
            yield f"{name} is {value[0]}", value[0]
    blocks: dict[int, list[int]] = {}
    for at in block_index.lines_of_stage(source, file, stage["name"]):
        for _, shape in LAUNCH.findall(code[at - 1].partition("//")[0]):
            parts = split(shape)
            threads = size(parts[1], names) if len(parts) > 1 else ()
            if len(threads) == 1:
                blocks.setdefault(threads[0], []).append(at)
    for threads_of_block, lines in blocks.items():
        where = f"line{'s' * (len(lines) > 1)} {' and '.join(map(str, lines))}"
        yield f"blocks of {where} have {threads_of_block} threads", threads_of_block
