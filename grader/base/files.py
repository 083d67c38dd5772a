"""Files: written whole or not at all, and hashed."""

import contextlib
import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .access import denied, is_denied, remedy
from .errors import InfrastructureError, UsageError
from .text import json_escaped


def write_private(path: Path, data: str | bytes) -> None:
    """As `write_atomically`, but only the owner may read the file."""
    write_atomically(path, data, mode=0o600)


def write_atomically(path: Path, data: str | bytes, mode: int = 0o644) -> None:
    """Write `data` to a temporary file beside `path`, then rename it.

    A reader sees the old file or the new one, never half of one. Missing folders are made.
    Raises InfrastructureError if writing fails; the old file is then unchanged and the temporary
    file is removed. Raises UsageError if `path` exists but is not a regular file: a folder, or a
    device such as /dev/null.
    """
    require_place_for_file(path)
    try:
        _write_and_rename(path, data.encode() if isinstance(data, str) else data, mode)
    except OSError as error:
        why = f"{error.strerror or error}; {remedy(error)}"
        if is_denied(error):
            why = denied(path.parent)
        raise InfrastructureError(
            f"cannot write {path}: {why} or name another place. The old file, if there was one, "
            "is unchanged."
        ) from error


def require_place_for_file(path: Path) -> None:
    """Raises UsageError if `path` exists but is not a regular file, so it must not be replaced."""
    if path.exists() and not path.is_file():
        raise UsageError(
            f"{path}: is not a regular file and was left alone; name another place."
        )


def make_folder(path: Path) -> None:
    """Make a folder and its parents. Raises UsageError if it cannot be made or written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "it cannot be written to")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}; name another folder.") from error


def _write_and_rename(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def to_json(document: Any) -> str:
    """The kit's only JSON format: indented, UTF-8, with a final newline, no NaN.

    Characters that a terminal would act on are written as JSON escapes.
    """
    return json_escaped(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def sha256(data: bytes) -> str:
    """Hexadecimal SHA-256 of `data`."""
    return hashlib.sha256(data).hexdigest()


def sha256_of_files(paths: Iterable[Path], base: Path) -> str:
    """One hash of names (relative to `base`) and contents of files, independent of their order."""
    digest = hashlib.sha256()
    for name, path in named_files(paths, base):
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode(errors="surrogateescape") + content)
    return digest.hexdigest()


def named_files(paths: Iterable[Path], base: Path) -> list[tuple[str, Path]]:
    """Each path with its name, relative to `base` if it is inside; in order of the names, which is
    the same wherever `base` is."""
    folder = f"{base}{os.sep}"
    return sorted((str(path).removeprefix(folder), path) for path in set(paths))
