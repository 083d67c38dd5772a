"""Locks that every user of this machine shares; one that its holder dies with is free again."""

import fcntl
import os
import stat
from pathlib import Path

from ..base.errors import InfrastructureError
from ..base.scratch import place_of_temporary_files


def lock_path(kind: str, name: str) -> Path:
    """The lock file of a `gpu` or a `processor`, shared by every user of this machine."""
    name = "".join(c if c.isalnum() else "-" for c in name)
    return place_of_temporary_files() / f"warpwise-{kind}-{name}.lock"


def open_lock(path: Path, what: str) -> int:
    """Locking needs only read access, so all users can lock the file that the first one creates."""
    try:
        descriptor = _open_or_create(path)
    except OSError as error:
        why = f"{path}: cannot be opened to lock {what}: {error}."
        raise InfrastructureError(why) from error
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise InfrastructureError(f"{path}: is no file, so {what} cannot be locked with it; remove it: "
                              f"rm -r {path}")  # fmt: skip


def _open_or_create(path: Path) -> int:
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK  # a pipe would wait for a writer
    try:
        return os.open(path, flags)  # no O_CREAT: in /tmp it fails for another user's file
    except FileNotFoundError:
        pass
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:  # another process was faster
        return os.open(path, flags)
    os.fchmod(descriptor, 0o644)  # independent of the umask
    return descriptor


def taken_at_once(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
