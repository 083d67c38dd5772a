"""Slips of numbers: what is in place of keys or paths that do not exist, and numbers where
their bits were meant."""

import math
import re
import struct
from collections.abc import Iterable, Mapping
from typing import Any

from ..base.text import counted
from ..base.verdict import WRONG_ANSWER, WROTE_OUTSIDE
from . import block_index
from .exchanges import ROW
from .launch_size import names_of_call, size
from .slips import MOST, WRONG_NUMBER

FINITE = r"[\d.]+(?:e[+-]?\d+)?"
PADDED = re.compile(rf"wrong set of values: .*: got (?P<got>-?{FINITE}|-?inf), expected ")
BEYOND = re.compile(r" wrote outside its buffer: (?P<name>\w+)\[(?P<place>\d+)\], "
                    r"but (?P=name) has (?P<count>\d+) elements?\b")  # fmt: skip
# "tile[k] = start + k < n ? in[start + k] : 0;"
FILLED_UP = re.compile(r"(?P<array>\w+)\[[^\]=]*\]\s*=[^=].*\?[^?:;]*:\s*"
                       r"(?P<filler>[\w.]+)\)*\s*;")  # fmt: skip
ZEROS = ("0", "0u", "0.0f", "0.f", "0.0")
FIRST_LARGE = 0x7F800000  # as an integer; infinity's bits, which come after those of most keys
SHOULD_BE_INF = re.compile(rf"\bdist\[\d+\] = (?P<got>{FINITE}), should be inf\b")
NEGATIVE = re.compile(rf"\bdist\[\d+\] = (?P<got>-(?:{FINITE}|inf)), should be ")
NUMBER = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?=[fFuUlL]{0,3}(?![\w.]))")
NAMED = {"FLT_MAX": 3.40282347e38, "DBL_MAX": 1.79769313e308, "INT_MAX": 2147483647.0,
         "INFINITY": math.inf, "HUGE_VALF": math.inf}  # fmt: skip
LARGEST_FLOAT = 3.4e38


def padded(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a number of the stage's own that is among the sorted keys, while those that
    come after it are cut off."""
    message = stage["message"]
    found = PADDED.search(message.partition("\n")[0])
    rows = [row.split() for row in ROW.findall(message)]
    if stage["verdict"] != WRONG_ANSWER or not found or len(rows) != 2:
        return ()
    got, due = rows
    filler = found["got"]
    wrong = next((at for at, pair in enumerate(zip(got, due, strict=False))
                  if pair[0] != pair[1]), 0)  # fmt: skip
    left = [key for key in got[wrong:] if key != filler]
    if not got or got[wrong] != filler or left != due[wrong : wrong + len(left)]:
        return ()
    if re.fullmatch(f"-?{FINITE}", due[wrong]) and float(due[wrong]) < float(filler) < math.inf:
        return ()  # what is lost comes before it
    if float(filler) not in _numbers(block_index.code_that_runs(stage, file, source)):
        return ()
    return (f"{filler} is there too often, and what comes after it is cut off. If it is in "
            "place of keys that do not exist: that must come after every key, or not be "
            "stored.",)  # fmt: skip


def padding_counted(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a place beyond all places, where a tile is filled up with a number that comes
    before keys: a key's rank was then larger by as many places as have no key."""
    beyond = BEYOND.search(stage["message"].partition("\n")[0])
    if stage["verdict"] != WROTE_OUTSIDE or not beyond:
        return ()
    place, count = int(beyond["place"]), int(beyond["count"])
    names = names_of_call(stage, file, source)
    code = block_index.numbered_code(stage, file, source)
    used = set(re.findall(r"\w+", "\n".join(code.values())))
    constants = {names[one][0] for one in used if len(names.get(one, ())) == 1}
    constants |= {int(number) for number in used if number.isdecimal()}
    # All places of a tile are counted, but at most those of the keys that come after this one.
    if not any(places - count <= place < places for places in constants):
        return ()
    for number, line in code.items():
        filler = FILLED_UP.search(line)
        if not filler or _is_private(filler["array"], code.values()):
            continue
        value = (0,) if filler["filler"] in ZEROS else size(filler["filler"], names)
        if value and value[0] < FIRST_LARGE:
            return (f"{beyond['name']}[{place}] is no place of {counted(count, 'key')}: more was "
                    f"counted. Line {number} puts {filler['filler']} where there is no key, and "
                    "each larger key counts that, too. What fills up must come after every key, "
                    "or not be counted.",)  # fmt: skip
    return ()


def _is_private(array: str, lines: Iterable[str]) -> bool:
    """Whether each thread has the array for itself."""
    declared = re.compile(rf"^\s*(?:const\s+)?(?:int|unsigned|float|double)\b[^;()]*\b{array}\[")
    return any(declared.search(line) for line in lines)


def no_infinity(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a number of the stage's own where no path leads."""
    found = SHOULD_BE_INF.search(stage["message"].partition("\n")[0])
    if stage["verdict"] != WRONG_ANSWER or not found:
        return ()
    code = block_index.code_that_runs(stage, file, source)
    if not any(f"{one:.9g}" == found["got"] for one in _numbers(code)):
        return ()
    return (f"{found['got']} is no infinity. A vertex to which no path leads has the distance "
            "INFINITY, and sums may be larger than any number that you choose.",)  # fmt: skip


def below_zero(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of a negative distance: it comes from where distances begin, or from a sum."""
    found = NEGATIVE.search(stage["message"].partition("\n")[0])
    if stage["verdict"] != WRONG_ANSWER or not found:
        return ()
    return (f"{found['got']} is less than 0, but no weight is, so no distance can be. Distances "
            "begin as INFINITY and fall: what begins too small never becomes right.",)  # fmt: skip


def number_for_bits(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of a float that has the bits of the right number as an integer, or the other way
    round."""
    found = WRONG_NUMBER.search(stage["message"].partition("\n")[0])
    if stage["verdict"] != WRONG_ANSWER or not found:
        return ()
    got, due = float(found["got"]), float(found["due"])
    if due and due < MOST and got == _float_of(int(due)):
        return (f"{found['got']} is the float with the bits of the integer {int(due)}: a number "
                "was converted where its bits were meant. (int)x converts, and __float_as_int(x) "
                "keeps the bits.",)  # fmt: skip
    if due and got > MOST and f"{got:.7g}" == f"{_bits_of(due):.7g}":
        return (f"{found['got']} is the integer with the bits of the float {found['due']}: bits "
                "were converted. __int_as_float(x) makes the float again.",)  # fmt: skip
    return ()


def _numbers(code: str) -> set[float]:
    """The numbers that are written in a text, and the largest floats if their names are."""
    written = {float(number) for number in NUMBER.findall(code)}
    return written | {value for name, value in NAMED.items() if re.search(rf"\b{name}\b", code)}


def _float_of(bits: int) -> float:
    """With the nine digits that a message has."""
    return float(f"{struct.unpack('<f', struct.pack('<I', bits))[0]:.9g}")


def _bits_of(number: float) -> int:
    return struct.unpack("<I", struct.pack("<f", number))[0] if number < LARGEST_FLOAT else 0
