"""Slips of stages in which a thread exchanges two elements: pairs that overlap, keys that get lost,
values that stay behind, an order of bits."""

import re
from collections.abc import Mapping
from typing import Any

from ..base.verdict import PASSED, RACE, WRONG_ANSWER
from . import barriers, block_index
from .barriers import ELEMENT, STORE

# "global memory keys[1] (20 bytes): kernel flip, block (0,0,0): thread ... writes at a.cu:74; ..."
SHARED_ELEMENT = re.compile(
    r": global memory (?P<element>(?P<name>\w+)\[\d+\]) \(.*?\): kernel (?P<kernel>\w+)\b.*?"
    r"thread (?P<one>\([\d,]+\)) (?:reads|writes) at (?P<file>[\w.-]+):(?P<first>\d+); .*?"
    r"thread (?P<other>\([\d,]+\)) (?:reads|writes) at (?P=file):(?P<second>\d+); "
)
WAITS = re.compile(r"\b__sync\w+\s*\(|\bsync\s*\(|\bwhile\b|\bdo\b")
LOST = re.compile(r"wrong set of values: [-+.\w]+ occurs \S+(?: times)? in the input and "
                  r"(?:\d+ times|not at all|once) in the output")  # fmt: skip
TWICE = re.compile(r"wrong set of values: (?P<key>\S+) occurs once in the input and 2 times in the")
NANS = re.compile(r"\bnan\b|\bNaN\b")
LENGTH = re.compile(r"[\w:]+\([^()]*, (\d+)\)")
FEW = 64  # keys
MINIMUM = re.compile(r"\b(f?(?:min|max)f?)\s*\(")
# What loses no key by itself, and what may lose one elsewhere.
ELSEWHERE = re.compile(rf"{MINIMUM.pattern}|cudaMalloc|cudaMemcpy|Buffer<")
NAN_LOST = re.compile(r"wrong set of values: (?:inf|3\.4\d*e\+38) occurs \S+(?: times)? in the "
                      r"input and \d+ times in the output; .*expected nan")  # fmt: skip
LARGEST = re.compile(r"\b(?:INFINITY|FLT_MAX|HUGE_VALF?|CUDART_INF_F)\b|\b__builtin_inff?\(\)|"
                     r"0[xX]7[fF]800000|\b3\.40?2?\d*[eE]\+?38[fF]?|"
                     r"<float>::(?:max|infinity)\b")  # fmt: skip
PAIR = re.compile(r"wrong set of values: .*: got (?P<key>[^\s:]+):[^\s:]+, expected (?P=key):")
ROW = re.compile(r"^  (?:got|expected) +(.*)$", re.MULTILINE)
ORDER = re.compile(r"not in order: (\S+) at index \d+ comes before (\S+); ")
BITS = re.compile(r"__float_as_u?int|\bu?int(?:32_t)?\s*\*\s*[)>]|\bunsigned\s*\*\s*[)>]|bit_cast")


def overlapping(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a race in global memory, in a kernel that exchanges two elements and in which
    nobody waits."""
    race = SHARED_ELEMENT.search(stage["message"].partition("\n")[0])
    if stage["verdict"] != RACE or not race or race["file"] != file:
        return ()
    body = block_index.kernels(source).get(race["kernel"], "")
    lines = [line.partition("//")[0] for line in source.split("\n")]
    is_repeated = any(barriers.loop_around(lines, int(race[at]), int(race[at]))
                      for at in ("first", "second"))  # fmt: skip
    if race["name"] not in _exchanged(body) or WAITS.search(body) or is_repeated:
        return ()
    return (f"Threads {race['one']} and {race['other']} both have {race['element']} in their pair. "
            "In one launch each element belongs to one pair, and each pair to one thread: compute "
            "by hand which two indices each of them gets.",)  # fmt: skip


def lost(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of keys that are gone, in a stage that does nothing but exchange."""
    first = stage["message"].partition("\n")[0]
    if stage["verdict"] != WRONG_ANSWER or not LOST.search(first) or NANS.search(first):
        return ()
    code = block_index.code_that_runs(stage, file, source)
    if not _changed_in_place(code):
        return ()
    twice = TWICE.search(first)
    if twice and _length(first) == 2 and _exchanges_in_a_row(code):
        return (f"Of the two keys {twice['key']} is there twice, and the other one is gone: an "
                "exchange writes the same key to both places. Keep both of them in variables "
                "before the first store.",)  # fmt: skip
    if ELSEWHERE.search(code) or WAITS.search(code):
        return ()
    if place := _only_store(code):
        return (f"Of the two places of an exchange only {place} is written: its key is gone, and "
                "the key of the other place is there twice. Both are written, each with what the "
                "other one held before.",)  # fmt: skip
    return ("An exchange loses one of its two keys: both places are written, each with what the "
            "other one held before. Keep one of them in a variable first.",)  # fmt: skip


def nan_lost(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a NaN that is gone, where the largest number is there too often instead."""
    first = stage["message"].partition("\n")[0]
    if stage["verdict"] != WRONG_ANSWER or not NAN_LOST.search(first):
        return ()
    code = block_index.code_that_runs(stage, file, source)
    padded, smaller = LARGEST.search(code), MINIMUM.search(code)
    if padded and not smaller:
        return (f"{padded[0]} in place of keys that do not exist comes before a NaN, so the NaN is "
                "cut off instead. What fills up must come after every key.",)  # fmt: skip
    if smaller and not padded:
        return (f"Of a NaN and a number {smaller[1]}() gives the number, so the NaN is lost.",)
    return ()


def _exchanged(code: str) -> set[str]:
    """The arrays that are stored to at two different indices."""
    places: dict[str, set[str]] = {}
    for name, index in STORE.findall(code):
        places.setdefault(name, set()).add(index.strip())
    return {name for name, indices in places.items() if len(indices) > 1}


def _exchanges_in_a_row(code: str) -> bool:
    """Whether two stores to one array follow each other, to two different places."""
    stores = [STORE.findall(line) for line in code.split("\n") if line.strip()]
    return any(len({index.strip() for name, index in one + next_one if name == array}) > 1
               for one, next_one in zip([[], *stores], [*stores, []], strict=True)
               for array, _ in one + next_one)  # fmt: skip


def _only_store(code: str) -> str:
    """The only element that the code stores to; "" if there are more."""
    stores = STORE.findall(code)
    return "{}[{}]".format(*stores[0]) if len(stores) == 1 else ""


def _changed_in_place(code: str) -> bool:
    """Whether an array is stored to that is used at two different indices."""
    places: dict[str, set[str]] = {}
    for name, index in ELEMENT.findall(code):
        places.setdefault(name, set()).add(index.strip())
    return any(len(places.get(name, ())) > 1 for name, _ in STORE.findall(code))


def left_behind(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of pairs of key and value of which the keys alone are right."""
    message = stage["message"]
    first = message.partition("\n")[0]
    if stage["verdict"] != WRONG_ANSWER or not PAIR.search(first) or _length(first) == 1:
        return ()  # one key goes nowhere: its value was changed
    rows = [[pair.partition(":")[0] for pair in row.split()] for row in ROW.findall(message)]
    if rows and rows[0] != rows[-1]:
        return ()
    return ("The keys are right, but values are not with their keys: a value goes wherever its key "
            "goes, in every load, exchange and store, and no bit of it changes.",)  # fmt: skip


def order_of_bits(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of an order that is wrong where a key is negative, if the stage compares bits and
    another test of its order passed."""
    first = stage["message"].partition("\n")[0]
    found = ORDER.search(first)
    code = block_index.of_stage(source, file, stage["name"])
    if stage["verdict"] != WRONG_ANSWER or not found or not BITS.search(code):
        return ()
    is_right = any(one["verdict"] == PASSED and " sorts " in one["name"] for one in stage["cases"])
    if not is_right or not 0 < _length(first) <= FEW:
        return ()
    before, after = map(str, found.groups())
    if NANS.search(before + after) or ":" in after or not after.startswith("-"):
        return ()
    return ("A negative float has its highest bit set, and the further it is below 0, the larger "
            "are its bits as a number. So negative keys need another rule than positive ones.",)


def _length(first: str) -> int:
    """The last number of the call; 0 if there is none."""
    call = LENGTH.match(first)
    return int(call[1]) if call else 0
