"""A variable of the device: host code that takes it for its own, and a kernel that sets it to 0
while others raise it."""

import re
from collections.abc import Mapping
from typing import Any

from ..base.verdict import CRASHED, RACE

DEVICE = re.compile(
    r"^[^\n()/]*\b__device__\b[^\n()/;=]*?\b(\w+)\s*(?:\[[^\]\n]*\]\s*)?(?:[={][^\n;]*)?;", re.M
)
COPY = re.compile(r"\bcudaMem(?:cpy|set)(?:Async)?\s*\(")
DEREFERENCED = "host code dereferences device pointer"
WRITES = re.compile(r"thread \([\d,]+\) writes at ([\w.-]+):(\d+)")
STORE = re.compile(r"(?<![\w.])(\w+)(?:\[0\])?\s*=(?!=)\s*(\w+)\s*;")
ZERO = ("0", "0u", "false")


def on_the_host(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a crash in a line of host code that names a variable of the device."""
    message = stage["message"]  # the program's last words may be in another line
    place = re.search(rf"(?<![\w.]){re.escape(file)}:(\d+)", message)
    lines = source.split("\n")
    if stage["verdict"] != CRASHED or not place or int(place[1]) > len(lines):
        return ()
    line = lines[int(place[1]) - 1].partition("//")[0]
    if DEREFERENCED not in message and not COPY.search(line):
        return ()
    managed = [text for text in lines if "__managed__" in text]
    for name in DEVICE.findall(source):
        if re.search(rf"\b{name}\b", line) and not any(name in text for text in managed):
            return (f"{name} is a variable of the device, and host code has only its name. "
                    f"cudaMemcpyFromSymbol(&mine, {name}, sizeof(mine)) brings it to a variable of "
                    f"the host, cudaMemcpyToSymbol({name}, &mine, sizeof(mine)) sets it.",
            )  # fmt: skip
    return ()


def set_to_zero(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a race of two writes, of which one is a 0 and the other is not."""
    message, lines = stage["message"].partition("\n")[0], source.split("\n")
    places = [] if "shared memory" in message else WRITES.findall(message)
    if stage["verdict"] != RACE or len(places) != 2 or {where for where, _ in places} != {file}:
        return ()
    numbers = sorted({int(number) for _, number in places})
    if len(numbers) != 2 or numbers[1] > len(lines):
        return ()
    stores = [dict(STORE.findall(lines[number - 1].partition("//")[0])) for number in numbers]
    for name in stores[0].keys() & stores[1].keys():
        is_zero = [store[name] in ZERO for store in stores]
        if sum(is_zero) == 1:
            cleared = numbers[is_zero.index(True)]
            return (f"Line {cleared} sets {name} to 0 in the launch in which other threads raise "
                    "it: whoever comes last decides. It must be 0 before the launch begins.",
            )  # fmt: skip
    return ()
