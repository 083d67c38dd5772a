"""The lines that students must not receive: those of the references' stages, wrong files, exploits.

A line counts without its comment and its spaces. One that the handout's own files hold as well, as
`if (n == 0) return;`, gives nothing away.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..base.checkout import Checkout
from ..lab_file import marks
from ..lab_file.manifest import Lab

SHORTEST = 12  # characters of a line that says something
COMMENT = re.compile(r"//.*")
SPACES = re.compile(r"\s+")


def bare(line: str) -> str:
    """A line without its comment and its spaces."""
    return SPACES.sub("", COMMENT.sub("", line))


def bare_lines(text: str) -> set[str]:
    """The lines of a text that say something."""
    return {line for line in map(bare, text.split("\n")) if len(line) >= SHORTEST}


def solution_lines(checkout: Checkout, labs: Sequence[Lab]) -> dict[str, str]:
    """Each line of the references' stages that no skeleton needs, and where it is from.

    Independent of `marks.cut`, which makes the skeletons.
    """
    found: dict[str, str] = {}
    given: set[str] = set()
    forms = [(lab, path) for lab in labs for path in _forms(checkout, lab)]
    for lab, path in forms:
        shown = path.relative_to(checkout.root).as_posix()
        text = path.read_text(encoding="utf-8")
        given |= bare_lines(marks.frame(text, shown))
        lines = text.split("\n")
        for region in marks.parse(text, shown, lab.stage_names):
            given |= bare_lines("\n".join(region.stub))
            for number in range(region.code, region.end):
                if len(line := bare(lines[number])) >= SHORTEST:
                    found.setdefault(line, f"{shown}:{number + 1}")
    return {line: where for line, where in found.items() if line not in given}


def _forms(checkout: Checkout, lab: Lab) -> list[Path]:
    """The reference, and the other forms of the solution that have a folder each."""
    room = checkout.reference / lab.name
    return [room / lab.source, *sorted(room.glob(f"*/{lab.source}"))]


def leaks(folder: Path, secret: dict[str, str], public: set[str]) -> list[str]:
    """`file: what it holds`, for each file below `folder` with a secret line that is not public."""
    found: list[str] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        text = path.read_bytes().decode("utf-8", "replace")
        for line in sorted(bare_lines(text) & secret.keys() - public):
            found.append(f"{path.relative_to(folder)}: has {secret[line]}")
    return found


def public_lines(checkout: Checkout, names: Iterable[str]) -> set[str]:
    """The lines of the files that are handed out as they are in the checkout."""
    lines: set[str] = set()
    for name in names:
        text = (checkout.root / name).read_text(encoding="utf-8", errors="replace")
        lines |= bare_lines(text)
    return lines
