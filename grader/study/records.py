"""Which clause of the rule for records is broken, where a message shows two records or one.

The rule is that of the contract of lab 04: order 0 last, then the higher level, then the larger
value.
"""

import re
from collections.abc import Mapping
from typing import Any

from ..base.verdict import RACE, WRONG_ANSWER, WROTE_OUTSIDE
from . import block_index

PARTS = ("order", "level", "value")
RECORD = r"(-?\d+)/(-?\d+)/(-?[\w.+-]+)"
BEFORE = re.compile(rf"not in order: ({RECORD}) at index \d+ comes before ({RECORD}); ")
CALL = re.compile(r"[\w:]+\([^()]*, (\d+)\)")
FEW = 64  # records
MISSING = re.compile(rf"wrong set of values: ({RECORD}) occurs once in the input and not at all in")
GOT = re.compile(r"^  got +(.*)$", re.MULTILINE)
NOT_COUNTED = re.compile(r": counted (-?\d+) live records?, .*; before the call \*live was \1$")
TIE = re.compile(rf": equal keys changed places; first wrong at index \d+: got {RECORD}, expected ")
MISCOUNTED = re.compile(r": counted -?\d+ live records?, there are ")
COUNTED = re.compile(r": counted (\d+) live records?, there are (\d+)")
BLOCKS = range(32, 1025, 32)  # threads
# "payload + (size_t)d * dimensions + i" and "records.payload[i * records.dimensions + d]"
OF_DIMENSIONS = re.compile(
    r"\*\s*(?:static_cast<[^<>]*>\s*\(|\([a-z_:]+\)\s*)?(?:\w+(?:\.|->))?dimensions\b"
    r"|\bdimensions\s*\*"
)
LIVE = "A record is live if its order is not 0, however large it is."
PAYLOAD = "the payload did not move with its record: coordinate "
MOVES = ("Coordinate d of record i is payload[d * n + i]. If records i and i + 1 change places, so "
         "do payload[d * n + i] and the element after it, for every d.")  # fmt: skip
OF_DEAD = ("Of two records of order 0 neither belongs before the other, whatever their levels and "
           "values are: they do not change places.")  # fmt: skip
OF_LIVE = ("Two live records of equal level and equal value keep their order: they do not change "
           "places, and their orders do not count.")  # fmt: skip


def cause(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of a wrong answer of records; none if it shows none of their rules."""
    message = stage["message"]
    first = message.partition("\n")[0]
    if stage["verdict"] != WRONG_ANSWER:
        return ()
    if found := MISSING.search(first):
        got = GOT.search(message)
        return _left_behind(found[1], got[1].split() if got else [])
    if tie := TIE.search(first):
        return (OF_LIVE if int(tie[1]) else OF_DEAD,)
    if NOT_COUNTED.search(first):
        return ("*live is what it was before the call: nothing has set it. It becomes the number "
                "of live records for every n, also for 0.",)  # fmt: skip
    return _added_by_each(first)


def _added_by_each(first: str) -> tuple[str, ...]:
    if not (found := COUNTED.search(first)):
        return ()
    counted, due = map(int, found.groups())
    if not due or counted % due or counted // due not in BLOCKS:
        return ()
    return (f"{counted} is {counted // due} times {due}: so many threads each add what they have "
            "counted together. Let one of them add it, or each its own record.",)  # fmt: skip


def interleaved(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a payload that is wrong, if its places are computed from the dimensions."""
    first = stage["message"].partition("\n")[0]
    seen = PAYLOAD in stage["message"] or re.search(r"\bpayload\[", first)
    if stage["verdict"] not in (WRONG_ANSWER, WROTE_OUTSIDE, RACE) or not seen:
        return ()
    for number, line in block_index.numbered_code(stage, file, source).items():
        if "payload" in line and OF_DIMENSIONS.search(line) and "malloc" not in line.lower():
            return (f"Line {number} multiplies by the number of dimensions. {MOVES}",)
    return ()


def rule(stage: Mapping[str, Any]) -> str:
    """Why one of two records belongs before the other; "" of a large input, because the rule was
    right for small ones. It is a fact; the cause may be another."""
    first = stage["message"].partition("\n")[0]
    call, found = CALL.match(first), BEFORE.search(first)
    if stage["verdict"] != WRONG_ANSWER or not call or int(call[1]) > FEW:
        return ""
    if found:
        return _clause(found[1], found[5])
    return MOVES if PAYLOAD in first else LIVE if MISCOUNTED.search(first) else ""


def _clause(first: str, second: str) -> str:
    numbers = _numbers(first), _numbers(second)
    if {len(numbers[0]), len(numbers[1])} != {3}:
        return ""
    (order, level, value), (other_order, other_level, other_value) = numbers
    if order == 0 and other_order != 0:
        why = "it is live, and a record of order 0 comes after all that are"
    elif order == 0 or other_order == 0:
        return ""
    elif other_level > level:
        why = f"both are live, and its level {other_level:.0f} is higher than {level:.0f}"
    elif other_level == level and other_value > value:
        why = "both are live, their levels are equal, and its value is larger"
    else:
        return ""
    also = "" if order in (0, other_order) else ". How large their orders are does not count"
    return f"{second} belongs before {first}: {why}{also}."


def _left_behind(missing: str, got: list[str]) -> tuple[str, ...]:
    """The part that did not move: a record in the output has the others of the missing one."""
    wanted = missing.split("/")
    alike = [record.split("/") for record in got if record != missing and record.count("/") == 2]
    apart = {part for number, part in enumerate(PARTS) for one in alike
             if [*one[:number], *one[number + 1 :]] == [*wanted[:number], *wanted[number + 1 :]]}
    if len(apart) != 1:
        return ()
    [part] = apart
    return (f"A record's {part} does not move with its other parts, or changes on its way: order, "
            "level, value and payload change places together, each as it is.",)  # fmt: skip


def _numbers(record: str) -> tuple[float, ...]:
    """None of what is no record, "unwritten" for example."""
    try:
        return tuple(float(part.partition("(")[0]) for part in record.split("/"))  # nan(0x7fc00000)
    except ValueError:
        return ()
