"""Where a handed-in file lies: in a folder, in a zip, or by itself. All of it is hostile input.

A container lists what it holds and hands out the content of regular files up to a limit. Whatever
is wrong with it raises a Refusal, with a code that does not change and one sentence.
"""

import errno
import io
import os
import stat
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import TypeVar

from ..base.access import denied, is_denied
from ..base.errors import Refusal
from ..base.text import line
from .unpacking import unpack

ZIP_FILE_BYTES = 32 << 20  # the archive itself
ZIP_BYTES = 10 << 20  # unpacked
ZIP_ENTRIES = 1000
ENTRY, MANY = b"PK\1\2", 20  # in a zip's directory; zips inside may have some, too
FOLDER_ENTRIES = 100_000
FOLDER_DEPTH = 32
ENCRYPTED = 0x1 | 0x40 | 0x2000  # flags of an entry

# What is often named .zip, by its first bytes, and why it cannot be read.
OTHERS = {
    b"Rar!": "a RAR archive", b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive", b"\x1f\x8b": "a gzip file",
    b"BZh": "a bzip2 file", b"\xfd7zXZ": "an xz file", b"%PDF": "a PDF", b"\x7fELF": "a program",
    b"<!doctype": "a web page", b"<html": "a web page",
}  # fmt: skip

T = TypeVar("T")

FILE, FOLDER, LINK, SPECIAL = "file", "folder", "symbolic link", "device, pipe or socket"


def other_kind(head: bytes) -> str:
    """What a file that should be a zip is instead, by its beginning; "" if that is not known."""
    start = head.lstrip()[:16].lower()
    return next((kind for magic, kind in OTHERS.items()
                 if head.startswith(magic) or (magic[:1] == b"<" and start.startswith(magic))), "")


class Container(ABC):
    """`kinds` says of every path inside what it is; `where` is the name to show."""

    where: str
    kinds: dict[PurePosixPath, str]

    @abstractmethod
    def read(self, file: PurePosixPath, most: int) -> bytes:
        """The first `most` bytes of a regular file."""

    @property
    def files(self) -> list[PurePosixPath]:
        return [path for path, kind in self.kinds.items() if kind == FILE]


def kind_of(mode: int) -> str:
    if stat.S_ISREG(mode):
        return FILE
    if stat.S_ISDIR(mode):
        return FOLDER
    return LINK if stat.S_ISLNK(mode) else SPECIAL


def read_regular(path: Path, most: int, follow: bool = True) -> bytes:
    """The first `most` bytes of a file that is regular when it is opened; nothing else is read.

    A pipe must not be waited for, and a device may never end.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    try:
        handle = os.open(path, flags if follow else flags | os.O_NOFOLLOW)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    try:
        if (kind := kind_of(os.fstat(handle).st_mode)) != FILE:
            raise Refusal("not-a-file", f"{line(str(path))}: this is a {kind}, not a file.")
        with open(handle, "rb", closefd=False) as file:
            return file.read(most)
    except OSError as error:
        raise unreadable(path, error) from error
    finally:
        os.close(handle)


def unreadable(path: Path, error: OSError | ValueError) -> Refusal:
    why = getattr(error, "strerror", None) or str(error)
    if is_denied(error):
        return Refusal("unreadable", denied(path, f"cannot be read: {why}"))
    code = "link" if getattr(error, "errno", 0) == errno.ELOOP else "unreadable"
    return Refusal(code, f"{line(str(path))}: cannot be read: {why}.")


class Folder(Container):
    """A folder on disk. Symbolic links are listed, and never followed."""

    def __init__(self, path: Path) -> None:
        self.where = line(str(path))
        self._path = path
        self.kinds = {}
        for inside, kind in self._walk():
            self.kinds[inside] = kind
            if len(self.kinds) > FOLDER_ENTRIES:
                raise Refusal(
                    "too-many-files", f"{self.where}: holds more than {FOLDER_ENTRIES} files."
                )

    def _walk(self) -> Iterator[tuple[PurePosixPath, str]]:
        waiting = [PurePosixPath()]
        while waiting:
            place = waiting.pop()
            for name, kind in self._entries(place):
                inside = place / name
                yield inside, kind
                if kind == FOLDER and len(inside.parts) < FOLDER_DEPTH and is_visible(inside):
                    waiting.append(inside)

    def _entries(self, place: PurePosixPath) -> list[tuple[str, str]]:
        """What lies in `place`; nothing where it may not be looked into."""
        try:
            with os.scandir(self._path / place) as entries:
                return sorted((e.name, kind_of(e.stat(follow_symlinks=False).st_mode))
                              for e in entries)  # fmt: skip
        except OSError as error:
            if place.parts:
                return []
            reason = f"{self.where}: cannot be read: {error.strerror}."
            raise Refusal("unreadable", reason) from error

    def read(self, file: PurePosixPath, most: int) -> bytes:
        return read_regular(self._path / file, most, follow=False)


class Archive(Container):
    """A zip, from its bytes. Every entry is found harmless before any of them is unpacked."""

    def __init__(self, content: bytes, where: str) -> None:
        self.where = where
        if len(content) > ZIP_FILE_BYTES:
            most = f"{ZIP_FILE_BYTES >> 20} MiB"
            raise Refusal("too-large", f"{where}: the zip is larger than {most}.")
        if kind := other_kind(content):
            raise Refusal("not-a-zip", f"{where}: is {kind} that was named .zip; pack the files as "
                          "a zip, or hand in the .cu file itself.")  # fmt: skip
        if content.count(ENTRY) > MANY * ZIP_ENTRIES:  # to read them all would take seconds
            raise self._too_many()
        self._file = io.BytesIO(content)
        self._zip = self._guarded(lambda: zipfile.ZipFile(self._file))
        self._entries: dict[PurePosixPath, zipfile.ZipInfo] = {}
        self.kinds = {}
        self._check_sizes()
        for entry in self._zip.infolist():
            self._admit(entry)

    def _check_sizes(self) -> None:
        entries = self._zip.infolist()
        if len(entries) > ZIP_ENTRIES:
            raise self._too_many()
        if sum(entry.file_size for entry in entries) > ZIP_BYTES:
            raise Refusal("too-large", f"{self.where}: the zip unpacks to more than "
                          f"{ZIP_BYTES >> 20} MiB.")  # fmt: skip

    def _too_many(self) -> Refusal:
        reason = f"{self.where}: the zip holds more than {ZIP_ENTRIES} entries."
        return Refusal("too-many-files", reason)

    def _admit(self, entry: zipfile.ZipInfo) -> None:
        name, shown = entry.filename.replace("\\", "/"), line(entry.filename)
        if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
            raise Refusal(
                "zip-outside", f"{self.where}: the zip names a file outside itself: {shown}"
            )
        kind = kind_of(entry.external_attr >> 16) if entry.external_attr >> 28 else FILE
        if kind == LINK:
            raise Refusal("zip-link", f"{self.where}: the zip holds a symbolic link: {shown}")
        if entry.flag_bits & ENCRYPTED:
            raise Refusal(
                "zip-encrypted",
                f"{self.where}: the zip is encrypted; hand it in without a password.",
            )
        path = PurePosixPath(name)
        if not path.parts:
            return
        if path in self._entries and not entry.is_dir():
            raise Refusal("ambiguous", f"{self.where}: the zip holds two files named {shown}.")
        self.kinds[path] = FOLDER if entry.is_dir() else kind
        if not entry.is_dir():
            self._entries[path] = entry

    def read(self, file: PurePosixPath, most: int) -> bytes:
        """The size in an entry's header is a claim, so reading stops at the limit."""
        entry = self._entries[file]
        return self._guarded(lambda: unpack(self._zip, self._file, entry, most))

    def _guarded(self, work: Callable[[], T]) -> T:
        """Python's zip module raises whatever a decoder raises, and ValueError for bad names."""
        try:
            return work()
        except Refusal:
            raise
        except UnicodeDecodeError as error:
            reason = "the zip holds names that are not UTF-8 though it says so; pack it again"
            raise Refusal("zip-names", f"{self.where}: {reason}.") from error
        except NotImplementedError as error:
            reason = f"the zip is packed in a way that is not understood ({error})"
            raise Refusal("zip-method", f"{self.where}: {reason}; use deflate.") from error
        except Exception as error:
            why = line(str(error) or type(error).__name__).rstrip(".")
            reason = f"{self.where}: the zip file is damaged: {why}."
            raise Refusal("zip-damaged", reason) from error


def is_visible(file: PurePosixPath) -> bool:
    """Not in a hidden folder, nor in what macOS adds to a zip."""
    return not any(part.startswith(".") or part == "__MACOSX" for part in file.parts)
