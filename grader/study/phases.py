"""What the number of launches tells of a sort by phases that fails, and what happens where tiles
meet."""

import re
from collections.abc import Mapping
from typing import Any

from ..base.verdict import WRONG_ANSWER
from . import block_index
from .launch_size import made, times
from .slips import WRITTEN_UNSET

CALL = re.compile(r"odd_even::(phases|early_exit|tiled)\(keys, (\d+)\)")
SAME_TWICE = re.compile(r"<<<[^;{}]*?>>>\(\s*(\w+), \1,")  # what is read, and what is written
UNSORTED = ": not in order: "
LOST = ": wrong set of values: "
ONE_WARP = 32  # keys: a launch sorts so few
TILES = range(100, 4200)  # keys: fewer are one tile, mostly; of more, many tiles would be right


def cause(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a wrong order where phases are missing, or of keys that get lost in tiles."""
    first = stage["message"].partition("\n")[0]
    call, launches = CALL.match(first), made(stage)
    if stage["verdict"] != WRONG_ANSWER or not call or launches is None:
        return ()
    name, n = call[1], int(call[2])
    if name == "phases" and UNSORTED in first and launches < n:
        return (f"{n} keys need {n} phases, a launch for each: the call made {launches}.",)
    code = block_index.of_stage(source, file, stage["name"])
    if name == "tiled" and (same := SAME_TWICE.search(code)):
        return (f"A launch reads {same[1]} and writes it: a block may read what a neighbour has "
                "stored already. It must write to another array.",)  # fmt: skip
    if name == "tiled" and LOST in first and n in TILES and WRITTEN_UNSET not in first:
        return ("Fewer keys are right, so it goes wrong where two tiles meet. Either they overlap "
                "too little: after h phases the h keys at each end of what a block has loaded may "
                "be wrong, and no block may store them. Or a tile begins at an odd index, so that "
                "its even phases are odd ones of the array.",)  # fmt: skip
    return ()


def fact(stage: Mapping[str, Any]) -> str:
    """What a sort by phases that is not complete must have done in its launches; "" of others."""
    first = stage["message"].partition("\n")[0]
    call, launches = CALL.match(first), made(stage)
    if stage["verdict"] != WRONG_ANSWER or not call or not launches or UNSORTED not in first:
        return ""
    name, n = call[1], int(call[2])
    if name == "early_exit" and launches < n:
        return (f"The call ended after {launches} of {n} phases, although the keys are not in "
                "order. It may end before only if an even and an odd phase in a row have changed "
                "nothing.")  # fmt: skip
    if name == "tiled" and n > ONE_WARP:
        return (f"The call made {times(launches)}. {n} keys need {n} phases, so each launch must "
                f"make {-(-n // launches)} or more, with as many keys loaded on each side of what "
                "it stores.")  # fmt: skip
    return ""
