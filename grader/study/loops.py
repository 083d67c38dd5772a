"""Loops of the stage's own code that end at a wrong place, or nowhere."""

import re
from collections.abc import Mapping
from typing import Any

from ..base.verdict import TIMED_OUT
from . import block_index, slips

WHILE = re.compile(r"\bwhile\s*\(\s*(?P<test>[^(){};]+?)\s*\)\s*(?P<begin>\{)?")
FOR = re.compile(r"\bfor\s*\((?P<first>[^;(){}]*);\s*(?P<test>[^;(){}]+?)\s*;(?P<step>[^;(){}]*)\)"
                 r"\s*(?P<begin>\{)?")  # fmt: skip
BUILT_IN = re.compile(r"\b(?:blockDim|gridDim|threadIdx|blockIdx)\.[xyz]\b")  # never change
OF_MEMORY = re.compile(r"[\[\]*.]|->")  # others may change it
ALWAYS = re.compile(r"true|[1-9]\d*")
LEAVES = re.compile(r"\b(?:break|return|goto|throw)\b")
NAME = re.compile(r"\b[A-Za-z_]\w*\b")
CONSTANT = re.compile(r"k[A-Z]\w*$|[A-Z][A-Z0-9_]*$|true$|false$")
UNSIGNED = re.compile(r"\b(?:unsigned|u?size_t|uint\w*)\b")
DOWN_TO_0 = re.compile(r"(\w+)\s*>=\s*0u?$")
TO_THE_SIZE = re.compile(r"\bfor\s*\([^;]*;(?P<test>\s*(?P<index>\w+)\s*<=\s*(?P<size>\w+)\s*);")
LOOP_IS_NEAR = 4  # lines before the access


def unending(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a call that did not return: a loop whose condition nothing in it changes."""
    if stage["verdict"] != TIMED_OUT or " was still running (" not in stage["message"]:
        return ()
    code = block_index.numbered_code(stage, file, source)
    text, numbers = "\n".join(code.values()), list(code)
    for pattern in (WHILE, FOR):
        for loop in pattern.finditer(text):
            if said := _never_ends(loop, text):
                line = numbers[text.count("\n", 0, loop.start())]
                return (f"The loop of line {line} never ends: {said}.",)
    return ()


def _never_ends(loop: re.Match[str], text: str) -> str:
    """Why it does not end; "" if it may."""
    parts = loop.groupdict()
    first, step = parts.get("first") or "", parts.get("step") or ""
    test, body = BUILT_IN.sub("1", parts["test"]), f"{step};{_body(text, loop)}"
    if LEAVES.search(body) or OF_MEMORY.search(test) or _ends_a_do(loop, text):
        return ""
    if ALWAYS.fullmatch(test):
        return "nothing leaves it"
    if (down := DOWN_TO_0.search(test)) and UNSIGNED.search(first):
        return f"{down[1]} is unsigned, and {test} is always true"
    names = [name for name in NAME.findall(test) if not CONSTANT.match(name)]
    if not names or any(_changes(name, body) or _is_shared(name, text) for name in names):
        return ""
    return f"nothing in it changes {' or '.join(dict.fromkeys(names))}"


def _ends_a_do(loop: re.Match[str], text: str) -> bool:
    is_short = text[loop.end() :].lstrip().startswith(";") and not loop["begin"]
    return is_short and bool(re.search(r"\bdo\b", text[: loop.start()]))


def _is_shared(name: str, text: str) -> bool:
    """Whether others may change it: another thread, or whoever has its address."""
    return bool(re.search(rf"(?:__shared__|__device__|volatile)[^;{{}}]*\b{name}\b|"
                          rf"(?<!&)&\s*{name}\b", text))  # fmt: skip


def _body(text: str, loop: re.Match[str]) -> str:
    """What is repeated: up to the brace that closes it, or one statement."""
    if not loop["begin"]:
        return text[loop.end() : text.find(";", loop.end()) + 1]
    depth = 1
    for at in range(loop.end(), len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if not depth:
            return text[loop.end() : at]
    return text[loop.end() :]


def _changes(name: str, body: str) -> bool:
    """Whether the variable may get another value; what adds 0 gives none."""
    rest = re.sub(rf"\b{name}\s*[-+]=\s*0\b(?![.\w])", "", body)
    return bool(re.search(rf"(?:\+\+|--)\s*{name}\b|"
                          rf"\b{name}\s*(?:\+\+|--|[-+*/%&|^]?=(?!=)|<<=|>>=)", rest))  # fmt: skip


def one_too_far(stage: Mapping[str, Any], found: str, source: str) -> tuple[str, ...]:
    """The cause of a read of the place after the last one, in a loop that goes on to it."""
    past = slips.PAST_THE_LAST.search(f"{found}\n{stage['message']}")
    if not past or int(past["at"]) * int(past["width"]) != int(past["bytes"]):
        return ()
    place = slips.PLACE_AFTER.match(past.string, past.end())
    lines = [line.partition("//")[0] for line in source.split("\n")[: int(place["line"])]] if (
        place) else []  # fmt: skip
    for number in range(len(lines), max(len(lines) - LOOP_IS_NEAR, 0), -1):
        loop = TO_THE_SIZE.search(lines[number - 1])
        if loop and re.search(rf"\b{past['name']}\[{loop['index']}\]", lines[-1]):
            return (f"The loop in line {number} goes on while {loop['test'].strip()}: once too "
                    f"often. The last of {loop['size']} elements is {past['name']}"
                    f"[{loop['size']} - 1], so it is <, not <=.",)  # fmt: skip
    return ()
