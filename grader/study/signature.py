"""A function that is not there with the contract's parameters: what is asked, and what there is."""

import re
from dataclasses import dataclass

from ..lab_file.manifest import Lab


@dataclass(frozen=True)
class Head:
    """`int f(int n)`, which begins in this line, from 1."""

    line: int
    text: str


def told(name: str, lab: Lab, contract: str, source: str) -> list[str]:
    """The contract's declaration, and below it the definition in the student's own file."""
    asked = _heads(name, contract, ";")
    there = _heads(name, source, "{")
    if not asked:
        return []
    rows = [f"{lab.contract}:{asked[0].line}", f"{lab.source}:{there[0].line if there else ''}"]
    wide = max(map(len, rows)) + 2
    lines = [f"  {rows[0]:<{wide}}{asked[0].text}"]
    if not there:
        return [*lines, f"  {lab.source} defines no function {name}"]
    lines.append(f"  {rows[1]:<{wide}}{there[0].text}")
    is_alike = _plain(asked[0].text) in map(_plain, (one.text for one in there))
    return [*lines, *(["They are alike: is yours in another namespace?"] * is_alike)]


def _heads(name: str, text: str, end: str) -> list[Head]:
    code = re.sub(r"//[^\n]*", "", text)
    head = rf"[A-Za-z_][\w:<>*& \t]*?\b{name}\s*\([^(){{}};]*\)"
    pattern = rf"^[ \t]*(?P<head>{head})\s*{re.escape(end)}"
    return [Head(code.count("\n", 0, one.start("head")) + 1, " ".join(one["head"].split()))
            for one in re.finditer(pattern, code, re.MULTILINE)]  # fmt: skip


def _plain(head: str) -> str:
    """Without the names of parameters and blanks."""
    types = re.sub(r"\b\w+\s*(?=[,)])", "", head)
    return re.sub(r"\s", "", types)
