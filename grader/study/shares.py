"""Slips in which blocks or warps do not have the parts that they are meant to have: every block the
first part, two warps the same one, or numbers of warps that overlap or leave something out."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..base.verdict import RACE, WRONG_ANSWER, WROTE_OUTSIDE
from . import block_index
from .exchanges import SHARED_ELEMENT, WAITS
from .launch_size import GOES_ON, LAUNCH, Size, names_of_call, size, split

WARP = 32
# "global memory a[0] (20 bytes): kernel k: block (0,0,0), thread (5,0,0) writes at a.cu:9; block"
BETWEEN_BLOCKS = re.compile(
    r": global memory (?P<element>\w+\[\d+\]) \(.*?\): kernel .*?: (?P<one>block [^;]*); "
    r"(?P<other>block [^;]*); blocks are not ordered within a launch$"
)
ACCESS = re.compile(
    r"block \((?P<block>\d+),0,0\), thread \((?P<thread>\d+),0,0\) \w+ at "
    r"(?P<file>[\w.-]+):(?P<line>\d+)(?: \(called from (?P=file):(?P<caller>\d+)\))?$"
)
OF_A_BLOCK = re.compile(r"blockIdx|grid_group|this_grid|thread_rank|group_index")
PARTS_OF_WARPS = re.compile(r"\bthreadIdx\.x\s*[/%]")
NO_LANE = re.compile(r"\b(?P<name>(?i:\w*lane\w*))\s*=\s*threadIdx\.x\s*[;,]")
# A number of a warp, or of another group of threads, in the grid.
GROUP_NUMBER = re.compile(
    r"(?<![*\w.])(?<!\* )blockIdx\.x(?:\s*\*\s*(?P<step>\w+|\([^()]*\)))?\s*\+\s*"
    r"threadIdx\.x\s*/\s*(?P<group>\w+)(?!\s*[*/%\w.(])"
)


def same_in_every_block(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a race between block 0 and the same thread of another block, if one of the two
    lines is in a function that asks for its block, and that of the other block is in none."""
    race = BETWEEN_BLOCKS.search(stage["message"].partition("\n")[0])
    if stage["verdict"] != RACE or not race:
        return ()
    found = [ACCESS.match(race[name]) for name in ("one", "other")]
    if not all(one and one["file"] == file for one in found):
        return ()
    first, other = sorted(filter(None, found), key=lambda one: int(one["block"]))
    if int(first["block"]) or not int(other["block"]) or first["thread"] != other["thread"]:
        return ()
    line = other["caller"] or other["line"]
    if not _asks_for_its_block(source, first) or _asks_for_its_block(source, other):
        return ()
    return (f"Thread {other['thread']} of block {other['block']} uses {race['element']}, which is "
            f"block 0's: the index in line {line} is the same in every block. What a block works "
            "on begins at blockIdx.x times what each block has.",)  # fmt: skip


def _asks_for_its_block(source: str, access: re.Match[str]) -> bool:
    """Whether the function of the access does, or the one that called it."""
    lines = filter(None, (access["line"], access["caller"]))
    return any(OF_A_BLOCK.search(block_index.function_around(source, int(line)))
               for line in lines)  # fmt: skip


def warps_overlap(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a race in global memory between two warps of a block whose kernel gives parts to
    warps, and in which nobody waits."""
    race = SHARED_ELEMENT.search(stage["message"].partition("\n")[0])
    if stage["verdict"] != RACE or not race or race["file"] != file:
        return ()
    one, other = (int(race[name].strip("()").split(",")[0]) for name in ("one", "other"))
    body = block_index.kernels(source).get(race["kernel"], "")
    if one // WARP == other // WARP or WAITS.search(body) or not PARTS_OF_WARPS.search(body):
        return ()
    return (f"Threads {one} and {other} are in different warps, but both have {race['element']}. "
            "What a warp works on depends on threadIdx.x / 32, the warp's number in the block; "
            "threadIdx.x % 32 is a thread's number in its warp.",)  # fmt: skip


def lane_of_the_block(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a failed stage that calls a thread's number in its block a lane, where a block
    has several warps."""
    if stage["verdict"] not in (WRONG_ANSWER, RACE, WROTE_OUTSIDE):
        return ()
    for kernel, threads in _launched(stage, file, source):
        body = block_index.kernels(source).get(kernel, "")
        if threads > WARP and (found := NO_LANE.search(body)) and PARTS_OF_WARPS.search(body):
            return (f"{found['name']} is threadIdx.x in {kernel}, whose blocks have {threads} "
                    "threads: from thread 32 on that is no lane. A thread's number in its warp is "
                    "threadIdx.x % 32.",)  # fmt: skip
    return ()


def groups_miscounted(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a failed stage in which the numbers of a block's warps do not follow those of
    the block before."""
    if stage["verdict"] not in (WRONG_ANSWER, RACE, WROTE_OUTSIDE):
        return ()
    names = names_of_call(stage, file, source)
    for kernel, threads in _launched(stage, file, source):
        body = block_index.kernels(source).get(kernel, "")
        for found in GROUP_NUMBER.finditer(body):
            group, step = (size(part or "1", names) for part in (found["group"], found["step"]))
            if len(group) != 1 or len(step) != 1 or group[0] < 2 or threads % group[0]:
                continue
            groups = threads // group[0]
            if step[0] == groups or (step[0] > groups and _has_more_rounds(body, groups, names)):
                continue
            what = "have the same numbers" if step[0] < groups else "leave numbers out"
            return (f"{found[0]} ({kernel}): a block of {threads} threads has {groups} groups of "
                    f"{group[0]}, but the next block's numbers begin {step[0]} further, so blocks "
                    f"{what}. It is blockIdx.x * {groups} + ...",)  # fmt: skip
    return ()


def _has_more_rounds(body: str, groups: int, names: Mapping[str, Size]) -> bool:
    """Whether a group may go on to another part, so many groups further."""
    further = [str(groups), *(name for name, value in names.items() if value == (groups,))]
    return bool(GOES_ON.search(body)) or any(re.search(rf"\b{one}\b", body) for one in further)


def _launched(stage: Mapping[str, Any], file: str, source: str) -> Iterator[tuple[str, int]]:
    """The kernels that the stage launches, with the threads of a block where they are known."""
    names = names_of_call(stage, file, source)
    for kernel, shape in LAUNCH.findall(block_index.of_stage(source, file, stage["name"])):
        parts = split(shape)
        threads = size(parts[1], names) if len(parts) > 1 else ()
        if len(threads) == 1:
            yield kernel, threads[0]
