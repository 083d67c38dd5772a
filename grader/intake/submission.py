"""Taking in what was handed in: a .cu file, a folder or a zip. All of it is hostile input."""

import os
import stat
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..base.errors import UsageError
from ..lab_file.manifest import Lab

SOURCE_BYTES = 1 << 20  # a kernel file is a few KiB; more is a mistake or an attack
ZIP_BYTES = 10 << 20  # unpacked
ENTRIES = 1000  # files in a zip or folder
IGNORED = ("__MACOSX",)


@dataclass(frozen=True)
class Submission:
    """One lab's file, as it was handed in; `name` is the submission's, not the file's."""

    name: str
    lab: Lab
    source: bytes


def take_in(path: Path, labs: Sequence[Lab], only: Lab | None = None) -> list[Submission]:
    """The labs that `path` holds a file for, matched by each manifest's `source` name.

    A single .cu file of any name is taken as `only`'s. Raises UsageError with one sentence.
    """
    name = path.resolve().name.removesuffix(".zip").removesuffix(".cu") or "submission"
    if path.is_dir():
        found = _from_folder(path, labs, only)
    elif not path.is_file():
        raise UsageError(f"{path}: there is no such file or folder.")
    elif path.suffix == ".zip":
        found = _from_zip(path, labs, only)
    elif path.suffix == ".cu":
        found = [(_lab_of(path, labs, only), read_source(path))]
    else:
        raise UsageError(f"{path}: hand in a .cu file, a folder or a .zip.")
    return [Submission(name, lab, source) for lab, source in found]


def read_source(path: Path) -> bytes:
    """The content of a source file, checked as `check_source` does."""
    try:
        with path.open("rb") as file:
            data = file.read(SOURCE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}.") from error
    return check_source(data, str(path))


def check_source(data: bytes, where: str) -> bytes:
    """`data` unchanged if it is text of a sensible size. Raises UsageError."""
    if not data.strip():
        raise UsageError(f"{where}: the file is empty.")
    if len(data) > SOURCE_BYTES:
        raise UsageError(f"{where}: the file is larger than 1 MiB; hand in source code only.")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{where}: the file is not UTF-8 text (byte {error.start + 1}); save it as UTF-8."
        ) from error
    if b"\0" in data:
        raise UsageError(f"{where}: the file holds a NUL byte; hand in source code only.")
    return data


def _lab_of(path: Path, labs: Sequence[Lab], only: Lab | None) -> Lab:
    if only:
        return only
    for lab in labs:
        if lab.source == path.name:
            return lab
    names = ", ".join(lab.source for lab in labs)
    raise UsageError(f"{path}: no lab hands in a file of this name ({names}); add --lab LAB.")


def _match(
    files: Sequence[PurePosixPath], labs: Sequence[Lab], only: Lab | None, where: Path
) -> list[tuple[Lab, PurePosixPath]]:
    """For each lab its file: the one nearest to the top; two equally near are an error."""
    matches: list[tuple[Lab, PurePosixPath]] = []
    for lab in [only] if only else labs:
        candidates = [file for file in files if file.name == lab.source]
        nearest = min((len(file.parts) for file in candidates), default=0)
        best = sorted(file for file in candidates if len(file.parts) == nearest)
        if len(best) > 1:
            names = ", ".join(map(str, best))
            raise UsageError(f"{where}: which {lab.source} is meant? There are: {names}.")
        matches += [(lab, file) for file in best]
    if not matches:
        names = ", ".join(lab.source for lab in ([only] if only else labs))
        raise UsageError(f"{where}: holds none of the files that are handed in ({names}).")
    return matches


def _visible(file: PurePosixPath) -> bool:
    return not any(part.startswith(".") or part in IGNORED for part in file.parts)


def _from_folder(
    folder: Path, labs: Sequence[Lab], only: Lab | None
) -> list[tuple[Lab, bytes]]:
    files: list[PurePosixPath] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if _visible(PurePosixPath(name)))
        inside = Path(place).relative_to(folder)
        # A link could show a file of the grader's machine as if it had been handed in.
        files += [PurePosixPath(inside / n) for n in names if not (Path(place) / n).is_symlink()]
    matches = _match([file for file in files if _visible(file)], labs, only, folder)
    return [(lab, read_source(folder / file)) for lab, file in matches]


def _from_zip(path: Path, labs: Sequence[Lab], only: Lab | None) -> list[tuple[Lab, bytes]]:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = {PurePosixPath(e.filename): e for e in _entries(path, archive)}
            matches = _match([f for f in entries if _visible(f)], labs, only, path)
            return [(lab, _unpack(path, archive, entries[file])) for lab, file in matches]
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
        raise UsageError(f"{path}: the zip file is damaged: {error}.") from error


def _entries(path: Path, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files of the archive, after every entry was found harmless."""
    entries = archive.infolist()
    if len(entries) > ENTRIES:
        raise UsageError(f"{path}: the zip holds more than {ENTRIES} entries.")
    if sum(entry.file_size for entry in entries) > ZIP_BYTES:
        raise UsageError(f"{path}: the zip unpacks to more than {ZIP_BYTES >> 20} MiB.")
    for entry in entries:
        name = entry.filename.replace("\\", "/")
        if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
            raise UsageError(f"{path}: the zip names a file outside itself: {entry.filename}")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise UsageError(f"{path}: the zip holds a symbolic link: {entry.filename}")
        if entry.flag_bits & 0x1:
            raise UsageError(f"{path}: the zip is encrypted; hand it in without a password.")
    return [entry for entry in entries if not entry.is_dir()]


def _unpack(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The entry's content; the size in its header is a claim, so reading stops at the limit."""
    with archive.open(entry) as file:
        return check_source(file.read(SOURCE_BYTES + 1), f"{path}: {entry.filename}")
