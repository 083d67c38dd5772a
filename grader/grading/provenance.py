"""What makes a result verifiable: the grader's hash and commit, the machine, the versions of the
compilers, and notes on changes to the frame."""

import re
from functools import cache
from pathlib import Path

from .. import __version__
from ..base import process
from ..base.checkout import Checkout
from ..base.errors import UsageError
from ..base.files import sha256_of_files
from ..lab_file import marks, recorded
from ..lab_file.manifest import Lab
from ..machine import hardware
from .result import GraderInfo, Toolchain

JUDGE_SOURCES = (".py", ".hpp", ".cpp", ".h", ".cu", ".cuh")
ASK_SECONDS = 30.0  # for git, and for a compiler's version


def grader_info(checkout: Checkout, lab: Lab) -> GraderInfo:
    """Version and hash of everything that judges this lab."""
    room = checkout.labs / lab.name
    sources = [path for path in room.iterdir() if path.is_file() and path.name != lab.source]
    for folder in (checkout.root / "grader", checkout.labs / "kit"):
        sources += [path for path in folder.rglob("*") if _judges(path)]
    return GraderInfo(__version__, sha256_of_files(sources, checkout.root), *_commit(checkout.root))


@cache
def this_machine() -> hardware.Machine:
    """Asked once: nvidia-smi takes its time."""
    return hardware.describe()


@cache
def _commit(root: Path) -> tuple[str | None, bool | None]:
    """The commit of the checkout, and whether tracked files differ from it; None without git."""
    if not (root / ".git").exists():
        return None, None
    said = process.run(["git", "rev-parse", "HEAD"], cwd=root, limit=ASK_SECONDS)
    changes = process.run(["git", "status", "--porcelain", "--untracked-files=no"], cwd=root,
                          limit=ASK_SECONDS)  # fmt: skip
    found = re.fullmatch(r"[0-9a-f]{40,64}", said.last_line)
    return (found[0], bool(changes.output.strip())) if found and changes.ok else (None, None)


@cache
def toolchain() -> Toolchain:
    """The versions of the compilers on this machine."""
    nvcc = hardware.find_nvcc()
    cuda = _version(r"\bV(\d+\.\d+\.\d+)", nvcc, "--version") if nvcc else None
    return Toolchain(_version(r"(\d+(?:\.\d+)*)", "g++", "-dumpfullversion"), cuda)


def _version(pattern: str, *command: str) -> str | None:
    said = process.run(command, limit=ASK_SECONDS)
    found = re.search(pattern, said.output)
    return found[1] if said.ok and found else None


def _judges(path: Path) -> bool:
    return path.suffix in JUDGE_SOURCES and not {"tests", "__pycache__"} & set(path.parts)


def frame_notes(checkout: Checkout, lab: Lab, source: bytes) -> list[str]:
    """Notes on edits outside the stages: allowed, but a grader may want to look at them."""
    try:
        theirs = recorded.skeleton(checkout, lab)
        if theirs is None:
            return []
        line = marks.first_difference(source.decode(), theirs, lab.source)
    except UsageError as error:
        return [f"the stage marks are damaged: {error}. That costs no points, but ./lab reset and "
                "./lab restore of one stage need them"]  # fmt: skip
    if line is None:
        return []
    return [f"{lab.source}:{line}: differs from the handout outside the stages, which is allowed"]
