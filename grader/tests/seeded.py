"""The seeded bugs of check/*.cu: which cases a file has, and what must be said of each."""

from __future__ import annotations

import re
from pathlib import Path


def names(macro: str, path: Path) -> list[str]:
    """The names in `CASE(name)` or `STAGE(name)` of a file."""
    return re.findall(rf"^{macro}\((\w+)\)", path.read_text(), re.MULTILINE)


def marks(path: Path) -> dict[str, tuple[str, list[str]]]:
    """Case -> kind and places that a finding has to name, from comments `// BUG KIND CASE...`."""
    found: dict[str, tuple[str, list[str]]] = {}
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if mark := re.search(r"// BUG (\w+) ([\w ]+)$", line):
            for case in mark[2].split():
                _, places = found.setdefault(case, (mark[1], []))
                places.append(f"{path.name}:{number}")
    return found
