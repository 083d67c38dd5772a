"""Taking in what was handed in: a .cu file, a folder or a zip. All of it is hostile input.

What cannot be graded becomes a Refusal: a code that does not change, and one sentence. Small
mistakes of honest students are accepted, and a note in the result says so.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from ..base.errors import Refusal
from ..base.text import line, named
from ..lab_file.manifest import Lab
from .container import (
    FILE,
    FOLDER,
    ZIP_FILE_BYTES,
    Archive,
    Container,
    Folder,
    is_visible,
    kind_of,
    read_regular,
    unreadable,
)
from .naming import (
    ARCHIVES,
    SHOWN_AS_TEXT,
    Match,
    find_lone,
    find_matches,
    lab_of,
    of_another_lab,
    renamed,
)

ZIPS_DEEP = 3  # a zip that a system packs around a zip that holds the student's
SOURCE_BYTES = 1 << 20  # a kernel file is a few KiB; more is a mistake or an attack
NAME_BYTES = 180
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MARKS = {  # of what is not UTF-8; that of UTF-32 may begin with UTF-16's
    b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16",
}  # fmt: skip
OWN_FOLDERS = ("check", "figures")  # beside the submissions' results; they are not submissions


@dataclass(frozen=True)
class Submission:
    """One lab's file, as it was handed in; `name` is the submission's, not the file's.

    `name` is also the name of a folder: it is never empty, hidden, or a way up. `notes` say what
    was forgiven.
    """

    name: str
    lab: Lab
    source: bytes
    notes: tuple[str, ...] = ()
    doubt: tuple[str, ...] = ()  # one of the notes: the file looks like another lab's


@dataclass
class Taken:
    """What one PATH held: a submission for each lab, or why that lab's file cannot be graded."""

    submissions: list[Submission] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)


def take_in(
    path: Path, labs: Sequence[Lab], only: Lab | None = None, kit: Sequence[Lab] = ()
) -> Taken:  # fmt: skip
    """The labs that `path` holds a file for, matched by each manifest's `source` name.

    A single .cu file of any name is taken as `only`'s, also if it is the only one in a folder or
    zip, unless its name is another lab's. Of the `kit`'s labs (default: `labs`) it looks whose
    contract the file includes.
    """
    taken = Taken()
    try:
        name = name_of(path)
        container = _open(path)
        if container is None:
            lab, notes = lab_of(path, labs, only)
            source, more = _source(read_regular(path, SOURCE_BYTES + 1), line(str(path)))
            taken.submissions.append(Submission(name, lab, source, notes + more))
        else:
            _take_from(container, name, only, labs, taken)
    except Refusal as refusal:
        taken.refused.append(refusal)
    taken.submissions = [_doubted(one, kit or labs) for one in taken.submissions]
    return taken


def _doubted(one: Submission, known: Sequence[Lab]) -> Submission:
    doubt = of_another_lab(one.source, one.lab, known)
    return replace(one, notes=one.notes + doubt, doubt=doubt)


def read_source(path: Path) -> bytes:
    """The content of a source file, checked as what is handed in is. Raises Refusal."""
    return _source(read_regular(path, SOURCE_BYTES + 1), line(str(path)))[0]


def name_of(path: Path) -> str:
    """The submission's name: the file's or folder's, made fit to name a folder in any place."""
    name = os.path.basename(os.path.abspath(path))
    for suffix in (".zip", ".cu"):
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
    name = line(name).replace("/", "_")
    name = name.encode()[:NAME_BYTES].decode(errors="ignore").strip()
    if not name.strip(". "):
        return "submission"
    return f"_{name}" if name.startswith(".") or name in OWN_FOLDERS else name


def _open(path: Path) -> Container | None:
    """The folder or zip at `path`; None for a single file. Raises Refusal."""
    shown = line(str(path))
    try:
        kind = kind_of(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Refusal("missing", f"{shown}: there is no such file or folder.") from error
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if kind == FOLDER:
        return Folder(path)
    if kind != FILE:
        raise Refusal("not-a-file", f"{shown}: this is a {kind}, not a file.")
    suffix = PurePosixPath(path.name.lower().removesuffix(SHOWN_AS_TEXT)).suffix
    if suffix not in (".zip", ".cu"):
        raise Refusal("unknown-type", f"{shown}: hand in a .cu file, a folder or a .zip.")
    return Archive(read_regular(path, ZIP_FILE_BYTES + 1), shown) if suffix == ".zip" else None


def _take_from(
    container: Container, name: str, only: Lab | None, known: Sequence[Lab], taken: Taken
) -> None:
    """Add what `container` holds for `only`, or for all `known` labs; where it holds one zip
    instead, what that holds."""
    labs = [only] if only else known
    visible = [path for path in container.kinds if is_visible(path)]
    if not any(container.kinds[path] != FOLDER for path in visible):
        raise Refusal("empty", f"{container.where}: is empty.")
    before = len(taken.refused)
    notes: tuple[str, ...] = ()
    matches = _matches(container, only, known, taken.refused)
    for _ in range(ZIPS_DEEP):
        if matches or len(taken.refused) > before:
            break
        container, found = _inner(container, labs, known)
        notes += found
        matches = _matches(container, only, known, taken.refused)
    if not matches and len(taken.refused) == before:
        raise _nothing(container, labs, known)
    _add(container, name, matches, notes, taken)


def _matches(
    container: Container, only: Lab | None, known: Sequence[Lab], refused: list[Refusal]
) -> list[Match]:
    """The file of each lab, or the one source that may be `only`'s."""
    if only and (lone := find_lone(container, known)):
        return [(only, lone, renamed(str(lone), only))]
    return find_matches(container, [only] if only else known, refused)


def _add(
    container: Container, name: str, matches: Sequence[Match], notes: tuple[str, ...], taken: Taken
) -> None:
    for lab, file, more in matches:
        shown = f"{container.where}: {line(str(file))}"
        try:
            source, forgiven = _source(container.read(file, SOURCE_BYTES + 1), shown)
            taken.submissions.append(Submission(name, lab, source, notes + more + forgiven))
        except Refusal as refusal:
            taken.refused.append(refusal)


def _inner(
    container: Container, labs: Sequence[Lab], known: Sequence[Lab]
) -> tuple[Container, tuple[str, ...]]:
    """The only zip inside."""
    zips = [file for file in container.files
            if is_visible(file) and file.suffix.lower() == ".zip"]  # fmt: skip
    if not zips:
        raise _nothing(container, labs, known)
    if len(zips) > 1:
        raise Refusal(
            "zip-nested", f"{container.where}: holds {len(zips)} zips; hand in each by itself."
        )
    shown = f"{container.where}: {line(str(zips[0]))}"
    inner = Archive(container.read(zips[0], ZIP_FILE_BYTES + 1), shown)
    return inner, (f"the file was found in a zip inside: {line(str(zips[0]))}",)


def _nothing(container: Container, labs: Sequence[Lab], known: Sequence[Lab]) -> Refusal:
    names = ", ".join(lab.source for lab in labs)
    there = sorted(line(str(file)) for file in container.files if is_visible(file))
    said = f"{container.where}: holds none of the files that are handed in ({names})."
    others = [lab for lab in known if lab not in labs]
    explained = find_matches(container, others, [])
    for lab, file, _ in explained:
        said += f" {line(str(file))} has the name of {lab.name}'s file."
    packed = next((file for file in container.files if is_visible(file)
                   and file.suffix.lower() in ARCHIVES), None)  # fmt: skip
    if packed:
        said += f" {line(str(packed))} is not opened: only a .zip is."
    elif there and not explained:
        said += f" It has {named(there, most=3)}."
    return Refusal("nothing-to-grade", said)


def _source(data: bytes, where: str) -> tuple[bytes, tuple[str, ...]]:
    """Source text of a sensible size, and what was forgiven. Raises Refusal."""
    if len(data) > SOURCE_BYTES:
        raise Refusal(
            "too-large", f"{where}: the file is larger than 1 MiB; hand in source code only."
        )
    if kind := next((kind for mark, kind in MARKS.items() if data.startswith(mark)), ""):
        raise Refusal("not-utf-8", f"{where}: the file is {kind}, not UTF-8; save it as UTF-8.")
    text = data.removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        raise Refusal("empty", f"{where}: the file is empty.")
    if b"\0" in text:
        number = text.count(b"\n", 0, text.index(b"\0")) + 1
        raise Refusal(
            "nul-byte",
            f"{where}: the file holds a NUL byte in line {number}; hand in source code, as UTF-8.",
        )
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start + 1 + len(data) - len(text)
        number = text.count(b"\n", 0, error.start) + 1
        raise Refusal(
            "not-utf-8",
            f"{where}: the file is not UTF-8 text (line {number}, byte {at}); save it as UTF-8.",
        ) from error
    if text is not data and len(text) < len(data):
        return text, ("the file begins with a byte order mark, which was left out",)
    return text, ()
