"""Slips of places: two keys at one, a list that gets too full, an index far beyond the end."""

import re
from collections.abc import Mapping
from typing import Any

from ..base.verdict import PASSED, RACE, WRONG_ANSWER
from .slips import TAKES_A_PLACE

BOTH_WRITE = re.compile(
    r"^(?:rank_sort|in_place)::(?!fast\().*; both write this element, and chance"
)
DISTINCT = re.compile(r" on (?:\d+ distinct keys\b|the (?:article's )?keys (?P<keys>[^:]+): )")
ONLY_KEY = re.compile(
    r" on (?:\d+ arrays of )?1 (?:distinct )?keys?\b.*: wrong set of values: (?P<key>[^\s:]+) "
    r"occurs once in the input and not at all in the output; .*: got (?P<got>[^\s,]+), "
    r"expected (?P=key)"
)
UNSET = "nan(0xffffffff)"  # what nobody has written; another cause
PAST = re.compile(
    r"(?<!shared )memory(?:,)? (?P<array>(?P<name>\w+)\[(?P<at>\d+)\]|buffer \d+) "
    r"\((?P<bytes>\d+) bytes?\)(?:, element (?P<element>\d+))?: .* (?P<does>reads|writes) "
    r"(?P<width>\d+) bytes? past its end at (?P<file>[\w.-]+):(?P<line>\d+)"
)
NEAR = 4  # lines from the atomicAdd that gives a place to the store


def same_rank(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of two threads that store to one place although all keys differ."""
    first, *others = stage["message"].splitlines() or [""]
    if stage["verdict"] != RACE or not BOTH_WRITE.search(first):
        return ()
    if not any(_all_differ(found) for line in others if (found := DISTINCT.search(line))):
        return ()
    return ("Two keys that differ get one place. A rank counts all smaller keys of the array: does "
            "each thread's loop go from 0 to n - 1, and does it compare with the thread's own "
            "key?",)  # fmt: skip


def _all_differ(found: re.Match[str]) -> bool:
    keys = (found["keys"] or "").split(", ")
    return len(set(keys)) == len(keys)


def only_key_lost(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause where something else came out in place of the only key."""
    found = ONLY_KEY.search(stage["message"].partition("\n")[0])
    if stage["verdict"] != WRONG_ANSWER or not found or UNSET in (found["key"], found["got"]):
        return ()
    return (f"The only key is {found['key']}, and {found['got']} came out. Either the key was "
            "changed on its way, or what fills up a tile or an array came before it: that must "
            "come after every key, by each comparison.",)  # fmt: skip


def list_overflows(
    stage: Mapping[str, Any], found: str, file: str, source: str
) -> tuple[str, ...]:  # fmt: skip
    """The cause of a store after the end of a list whose places come from an atomicAdd."""
    past = _past(stage, found)
    if not past or past["does"] != "writes" or past["file"] != file:
        return ()
    lines, at = source.split("\n"), int(past["line"])
    for number in range(at, max(at - NEAR, 0), -1):
        if TAKES_A_PLACE.search(lines[number - 1].partition("//")[0]):
            return (f"The place comes from the atomicAdd in line {number}: more is put into the "
                    "list than it has room for. Either something is put there twice, or the count "
                    "is not 0 at the beginning, or the list is too small.",)  # fmt: skip
    return ()


def beyond_the_end(stage: Mapping[str, Any], found: str) -> tuple[str, ...]:
    """The cause of an access to an element that is not even the next one after the last."""
    past = _past(stage, found)
    if not past or not past["name"]:
        return ()
    size, at = int(past["bytes"]) // int(past["width"]), int(past["at"])
    if at <= size:
        return ()
    of = "1 element" if size == 1 else f"{size} elements"
    return (f"{past['name']} has {of}, and line {past['line']} uses {past['array']}. Compare the "
            "index with the number of elements first: a block, a warp or a tile may be larger than "
            "what is left of the array.",)  # fmt: skip


def _past(stage: Mapping[str, Any], found: str) -> re.Match[str] | None:
    return PAST.search(f"{stage['message']}\n{found}") if stage["verdict"] != PASSED else None
