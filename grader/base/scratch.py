"""Temporary folders that are removed, if need be by the next start: SIGKILL leaves nothing behind.

A folder is locked by its owner. The kernel unlocks it when the owner ends, however that happens.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from .errors import InfrastructureError

MARK = "warpwise-run"  # every name begins with it, and nothing else does
MEMORY = Path("/dev/shm")  # its files are in memory: no disk writes a journal of them
FRESH = ".fresh-"  # a folder has this in front of its name until it is locked


@contextlib.contextmanager
def scratch_folder(kind: str = "", parent: Path | None = None) -> Iterator[Path]:
    """A folder with a name like warpwise-run.KIND.x7, in `parent` or where temporary files belong.

    The block may rename or remove it.
    """
    place = parent or place_of_temporary_files()
    name = f"{MARK}.{kind}." if kind else f"{MARK}."
    fresh = Path(tempfile.mkdtemp(prefix=FRESH + name, dir=place))
    lock = os.open(fresh, os.O_RDONLY | os.O_DIRECTORY)
    folder = place / fresh.name.removeprefix(FRESH)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        fresh.rename(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def place_of_temporary_files() -> Path:
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError as error:  # not in the current folder either
        raise InfrastructureError(
            "temporary files can be written nowhere; set TMPDIR to a folder of yours, for example: "
            "export TMPDIR=~/tmp") from error  # fmt: skip


def place_in_memory(needed: int) -> Path | None:
    """Where a folder is in memory and has `needed` bytes; None if there is no such place."""
    return MEMORY if has_room(MEMORY, needed) else None


def has_room(folder: Path, needed: int) -> bool:
    """Whether this user may write to `folder`, and it has `needed` bytes."""
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize >= needed


def remove_abandoned(places: Iterable[Path] = ()) -> None:
    """Remove the folders of owners that have ended, in `places`, in memory, and where temporary
    files belong.

    Those of other users and what is not a folder stay.
    """
    for place in (place_of_temporary_files(), MEMORY, *places):
        with contextlib.suppress(OSError):  # it cannot be read
            for folder in place.glob(f"{MARK}.*"):
                with contextlib.suppress(OSError):  # gone, in use, or not ours
                    _remove_if_abandoned(folder)


def _remove_if_abandoned(folder: Path) -> None:
    if folder.lstat().st_uid != os.geteuid():
        return
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
