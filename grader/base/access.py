"""A file or folder that this user may not use: which one it is, and the command that opens it."""

import errno
import os
import pwd
import shlex
from pathlib import Path


def is_denied(error: BaseException | None) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM)


def remedy(error: OSError) -> str:
    """What to do about a file that could not be written, as the start of `... or name another`."""
    is_read_only = error.errno == errno.EROFS
    return "make that file system writable" if is_read_only else "free some space"


def is_closed(folder: Path) -> bool:
    return not os.access(folder, os.R_OK | os.X_OK)


def denied(path: Path, why: str = "Permission denied") -> str:
    """One sentence; it names the folder if that is what is closed."""
    closed = _closed(path)
    shown = shlex.quote(str(closed))
    try:
        owner = closed.lstat().st_uid
    except OSError:
        owner = os.geteuid()
    if owner == os.geteuid():
        return f"{closed} is closed to you ({why}); open it with: chmod u+rwX {shown}"
    return (f"{closed} is closed to you ({why}): it belongs to {_name(owner)}; if that is your "
            f'doing, perhaps by sudo: sudo chown -R "$USER" {shown}')  # fmt: skip


def _closed(path: Path) -> Path:
    """The outermost folder that cannot be entered; else what is there of the path."""
    whole = path.absolute()
    for folder in reversed(whole.parents):
        if folder.is_dir() and not os.access(folder, os.X_OK):
            return folder
    return next((one for one in (whole, *whole.parents) if os.path.lexists(one)), whole)


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
