"""Slips that the compiler's words do not name: a merge that is not done, a loop that ends with a ;
before its body, a value where an address is wanted."""

import re

from . import smart

BEGINS, ENDS = (re.compile(rf"^[ \t]*{sign}{{7}}(?= |$)", re.MULTILINE) for sign in "<>")
UNDONE = ("a merge of git that is not done: keep one of the two versions, and delete the lines "
          "with <<<<<<<, ======= and >>>>>>>")  # fmt: skip
UNKNOWN = re.compile("^‘([A-Za-z_]\\w*)’ was not declared in this scope")
NO_ADDRESS = re.compile(
    r"(?:invalid conversion from|cannot convert) ‘[\w ]+’ to ‘(?:const )?void\*’"
)
NAME = re.compile(r"([A-Za-z_]\w*)\s*[,)]")  # as an argument, and alone
LONGEST_LINE = 2000  # characters; patterns may take minutes on more
FAR = 30  # lines from a loop to the end of what was meant as its body


def merge(text: str) -> int:
    """The line (from 1) where git's two versions begin; 0 if there are none."""
    code = smart.plain(text)
    begin = BEGINS.search(code)
    return code.count("\n", 0, begin.start()) + 1 if begin and ENDS.search(code) else 0


def advice(said: str, code: str, text: str, line: int) -> str:
    """What an error means: g++ `said` it of `code`, which begins in this line; "" if not known."""
    if (found := UNKNOWN.search(said)) and (loop := _ended_loop(found[1], text, line)):
        return (f"Line {loop} ends with a ; and that is the whole loop: its {found[1]} is gone "
                "after it. Delete that ;")  # fmt: skip
    if NO_ADDRESS.search(said) and (name := NAME.match(code)):
        return f"An address is wanted here: &{name[1]}"
    return ""


def _ended_loop(name: str, text: str, line: int) -> int:
    """The line of the nearest `for (int NAME ...);` above; 0 if there is none."""
    lines = smart.plain(text).split("\n")
    last = r"(?:[^()]|\([^()]*\))*"  # with a call in it, at most
    loop = re.compile(rf"\bfor\s*\([^;]*\b{name}\b[^;]*;[^;]*;{last}\)\s*;\s*{{?\s*$")
    above = range(line, max(0, line - FAR), -1)
    return next((number for number in above if len(lines[number - 1]) <= LONGEST_LINE
                 and loop.search(lines[number - 1])), 0)  # fmt: skip
