"""Where a submission's calls stand, and which go through pointers: the compiler's list of calls."""

import re
from pathlib import Path

LARGEST_LIST = 64 << 20  # bytes
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)" label: "([^"]*)" \}')


class Places:
    """Where calls stand, from the compiler's -fcallgraph-info, and which go through pointers."""

    def __init__(self, path: Path, source: str) -> None:
        self._lines: dict[tuple[str, str], str] = {}
        self.assembly = ""  # FILE:LINE of the first, on the CPU backend
        self.through_pointers: set[str] = set()  # functions that call others so
        if not path.is_file() or path.stat().st_size > LARGEST_LIST:
            return
        for line in path.read_text(errors="replace").splitlines():
            if line.startswith("assembly: "):
                self.assembly = line.partition('"')[2].rstrip('"')
            if not (match := _EDGE.fullmatch(line)):
                continue
            caller, callee = (title.rpartition(":")[2] for title in match.groups()[:2])
            if callee == "__indirect_call":
                self.through_pointers.add(caller)
            file, _, rest = match[3].rpartition("/")[2].partition(":")
            number = rest.partition(":")[0]
            if file == source and number.isdecimal():
                self._lines.setdefault((caller, callee), f"{source}:{number}")

    def of(self, path: tuple[str, ...], symbol: str) -> str:
        """The submission's line that leads there, nearest to what is forbidden; "" if unknown."""
        chain = (*path, symbol)
        for caller, callee in zip(chain[-2::-1], chain[:0:-1], strict=True):
            if place := self._lines.get((caller, callee)):
                return place
        return ""
