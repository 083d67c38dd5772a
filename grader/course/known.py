"""What was handed in before, and comes again in other folders: in a clone with all of the kit."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from ..base.checkout import Checkout
from ..base.files import sha256, sha256_of_files
from ..lab_file.manifest import Lab
from .hand_ins import HandIn


def content(folder: Path) -> str:
    """The hash of all files and their names."""
    return sha256_of_files(_files(folder), folder)


def is_there(made: HandIn, earlier: Sequence[HandIn]) -> bool:
    """Whether the file that would be graded has been handed in before; of what is refused, whether
    every file of it has."""
    if made.refusal is None:
        return any(one.sha256 == made.sha256 for one in earlier if one.refusal is None)
    mine = _own(made)
    return bool(mine) and any(mine <= _own(one) for one in earlier if one.refusal is not None)


def lab_of_folders(inside: Sequence[PurePosixPath], labs: Sequence[Lab]) -> Lab | None:
    """The only lab in whose folder files lie that are not the kit's."""
    own = [path for path in inside if not _is_of_the_kit(path, [lab.source for lab in labs])]
    found = [lab for lab in labs if any(lab.name in path.parts[:-1] for path in own)]
    return found[0] if len(found) == 1 else None


def _own(hand_in: HandIn) -> set[str]:
    """The hashes of the files that are not the kit's."""
    sources = [lab.source for lab in hand_in.kit] or [hand_in.lab.source]
    return {sha256(path.read_bytes()) for path in _files(hand_in.folder)
            if not _is_of_the_kit(path.relative_to(hand_in.folder), sources)}  # fmt: skip


def _is_of_the_kit(inside: PurePosixPath, sources: Sequence[str]) -> bool:
    """Whether the kit has a file of this name that nobody hands in."""
    return inside.name not in sources and (Checkout.here().root / inside).is_file()


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
