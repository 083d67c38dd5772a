"""The zip that a system hands out for a whole class, unpacked.

What is in it is hostile: names and sizes are checked, and nothing but regular files comes out.
"""

import lzma
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ..base.errors import InfrastructureError, UsageError
from ..base.text import line
from ..intake.container import ENCRYPTED, FILE, is_visible, kind_of, other_kind
from ..intake.unpacking import unpack

MOST_ENTRIES = 200_000
MOST_BYTES = 4 << 30
MOST_OF_ONE = 64 << 20
NAME_BYTES = 200
DAMAGED = (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError, RuntimeError,
           zlib.error, lzma.LZMAError)  # fmt: skip


def unpacked(path: Path, scratch: Path) -> Path:
    """The folder at `path`, or what the zip there holds, in a folder in `scratch`. UsageError."""
    if path.is_dir():
        return path
    if not path.exists():
        raise UsageError(f"{path}: there is no such file or folder.")
    if not path.is_file() or path.suffix.lower() != ".zip":
        raise UsageError(f"{path}: is neither a folder nor a zip; name the download as it came.")
    if kind := other_kind(_head(path)):
        raise UsageError(f"{path}: is {kind} that was named .zip; download it again, or unpack it "
                         "and name the folder.")  # fmt: skip
    target = scratch / f"download-{len(list(scratch.iterdir()))}"
    target.mkdir()
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            _unpack(archive, file, target, path)
    except DAMAGED as error:
        raise UsageError(f"{path}: the zip is damaged: {line(str(error)).rstrip('.')}; "
                         "download it again.") from error  # fmt: skip
    except OSError as error:  # such as a full disk
        raise InfrastructureError(f"{scratch.parent}: {error.strerror} while {path.name} was "
                                  "unpacked there; free some space and import again.") from error
    return target


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(64)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}.") from error


def _unpack(archive: zipfile.ZipFile, file: BinaryIO, target: Path, path: Path) -> None:
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES or sum(e.file_size for e in entries) > MOST_BYTES:
        raise UsageError(f"{path}: is too large for a class's download "
                         f"({MOST_ENTRIES} files, {MOST_BYTES >> 30} GiB).")  # fmt: skip
    for entry in entries:
        inside = PurePosixPath(entry.filename.replace("\\", "/"))
        kind = kind_of(entry.external_attr >> 16) if entry.external_attr >> 28 else FILE
        if entry.is_dir() or kind != FILE or not _is_harmless(inside) or not is_visible(inside):
            continue
        if entry.flag_bits & ENCRYPTED:
            raise UsageError(f"{path}: the zip is encrypted; unpack it and name the folder.")
        place = target / inside
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(unpack(archive, file, entry, MOST_OF_ONE))


def _is_harmless(inside: PurePosixPath) -> bool:
    parts = inside.parts
    return (bool(parts) and not inside.is_absolute() and ".." not in parts and ":" not in parts[0]
            and "\0" not in str(inside)
            and all(len(part.encode()) <= NAME_BYTES for part in parts))  # fmt: skip
