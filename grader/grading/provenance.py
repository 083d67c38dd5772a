"""What makes a result verifiable: the grader's hash, and notes on changes to the frame."""

from pathlib import Path

from .. import __version__
from ..base.checkout import Checkout
from ..base.errors import UsageError
from ..base.files import sha256_of_files
from ..lab_file import marks, recorded
from ..lab_file.manifest import Lab
from .result import GraderInfo

JUDGE_SOURCES = (".py", ".hpp", ".cpp", ".h", ".cu", ".cuh")


def grader_info(checkout: Checkout, lab: Lab) -> GraderInfo:
    """Version and hash of everything that judges this lab."""
    room = checkout.labs / lab.name
    sources = [path for path in room.iterdir() if path.is_file() and path.name != lab.source]
    for folder in (checkout.root / "grader", checkout.labs / "kit"):
        sources += [path for path in folder.rglob("*") if _judges(path)]
    return GraderInfo(__version__, sha256_of_files(sources, checkout.root))


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
        return [f"the stage marks are damaged: {error}"]
    return [] if line is None else [f"{lab.source}:{line}: differs outside the stages"]
