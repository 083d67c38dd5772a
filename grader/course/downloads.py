"""What systems hand out for a whole class: who each part of a download belongs to, and its time.

Recognised are Gradescope's export, Moodle's and Canvas's bulk downloads, nbgrader's tree, and any
folder or zip with a folder, a zip or a file for each student. unpacking.py unpacks a zip first.
"""

import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path, PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo

from ..base.errors import UsageError
from ..intake.container import is_visible
from .roster import read_text
from .times import Times
from .unpacking import MOST_ENTRIES

DEPTH = 4  # of folders around everything
GRADESCOPE = "submission_metadata.yml"
NBGRADER_TIME = "timestamp.txt"
MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?"
)
# `submission_filename` of canvas-lms, lib/content_zipper.rb; a name holds no _NUMBER_.
CANVAS = re.compile(
    r"(?P<name>.*?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<submission>\d+)_(?P<file>.+)"
)
RUBY_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?\s*(Z|UTC|[+-]\d\d:?\d\d)?"
)
CLASSROOM = "GitHub Classroom"
NO_VALUE = ("", "~", "null")  # of YAML
RUBBISH = ("thumbs.db", "desktop.ini", NBGRADER_TIME)


@dataclass(frozen=True)
class Part:
    """What one student handed in at one time: files with the names that they had.

    `names` are what the system calls the student, the surest first. `lab` is known in nbgrader's
    tree only.
    """

    names: tuple[str, ...]
    where: str
    files: tuple[tuple[Path, PurePosixPath], ...]
    handed_in: datetime | None
    source: str
    lab: str | None = None
    is_marked_late: bool = False


def of_a_class(path: Path) -> str:
    """The system whose download of a whole class this is, by the names in it; "" if it is none."""
    try:
        if path.is_dir():
            names = [one.name for one in _children(_top(path, lambda _: False))]
        elif not path.is_file():  # nobody waits for a pipe
            return ""
        else:
            with zipfile.ZipFile(path) as archive:
                names = [name.replace("\\", "/") for name in archive.namelist()[:MOST_ENTRIES]]
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return ""
    parts = {part for name in names for part in PurePosixPath(name).parts[:DEPTH]}
    if GRADESCOPE in parts:
        return "Gradescope"
    if any(MOODLE.fullmatch(part) for part in parts):
        return "Moodle"
    users = {match["user"] for part in parts if (match := CANVAS.fullmatch(part))}
    return "Canvas" if len(users) > 1 else ""


def parts(
    folder: Path, labs: Sequence[str], zone: tzinfo, times: Times,
    is_student: Callable[[str], bool],
) -> list[Part]:  # fmt: skip
    """What a download holds, student by student. Raises UsageError if that is nothing.

    A folder around everything is looked through, unless it is the only student's.
    """
    top = _top(folder, lambda place: is_student(place.name) or _is_alone(place, labs, is_student))
    if (top / GRADESCOPE).is_file():
        found = list(_gradescope(top))
    elif any(MOODLE.fullmatch(path.name) for path in _children(top)):
        found = list(_moodle(top, times))
    elif any(_is_nbgrader(path, labs) for path in _children(top) if path.is_dir()):
        found = list(_nbgrader(top, labs, zone))
    elif any(CANVAS.fullmatch(path.name) for path in _children(top) if path.is_file()):
        found = list(_canvas(top, times))
    else:
        alone = (top.name,) if top != folder and len(_children(top)) == 1 else ()
        found = [part for path in _children(top) for part in _of_folder(path, alone, times)]
    if not found:
        raise UsageError(f"{folder}: holds nothing that somebody handed in.")
    return found


def _of_folder(path: Path, alone: tuple[str, ...], times: Times) -> Iterator[Part]:
    """One part for a student's folder or file; for a clone of a group's one for each of them."""
    files, stem = _files(path), _stem(path)
    for names, time in times.clones.get(stem.casefold(), [((), None)]):
        source = CLASSROOM if names else "folder"
        yield Part((*names, stem, *alone), path.name, files, time, source)


def _is_alone(place: Path, labs: Sequence[str], is_student: Callable[[str], bool]) -> bool:
    """Whether this is the folder of nbgrader's only student, whom the roster need not know: in its
    folder of a lab is one file, which is neither called like a student nor another system's."""
    for lab in labs:
        files = _children(place / lab) if (place / lab).is_dir() else []
        if len(files) == 1 and files[0].is_file():
            name = files[0].name
            others = name == GRADESCOPE or MOODLE.fullmatch(name) or CANVAS.fullmatch(name)
            return not others and not is_student(_stem(files[0]))
    return False


def _top(folder: Path, is_student: Callable[[Path], bool]) -> Path:
    """The folder that holds the students' parts, below folders that hold nothing else."""
    for _ in range(DEPTH):
        inside = _children(folder)
        if len(inside) != 1 or not inside[0].is_dir() or not _children(inside[0]):
            break
        if MOODLE.fullmatch(inside[0].name) or is_student(inside[0]):
            break
        folder = inside[0]
    return folder


def _children(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir()
                  if is_visible(PurePosixPath(path.name)) and not path.is_symlink()
                  and path.name.lower() not in RUBBISH)  # fmt: skip


def _stem(path: Path) -> str:
    return path.stem if path.is_file() else path.name


def _files(path: Path, name: str = "") -> tuple[tuple[Path, PurePosixPath], ...]:
    """The regular files at `path`, each with its name inside the hand-in."""
    if path.is_file():
        return ((path, PurePosixPath(name or path.name)),)
    return tuple((file, PurePosixPath(file.relative_to(path).as_posix()))
                 for file in sorted(path.rglob("*"))
                 if file.is_file() and not file.is_symlink()
                 and is_visible(PurePosixPath(file.relative_to(path).as_posix()))
                 and file.name.lower() not in RUBBISH)  # fmt: skip


def _gradescope(top: Path) -> Iterator[Part]:
    try:
        import yaml  # bootstrap installs it
    except ImportError as error:
        raise UsageError(f"{GRADESCOPE}: reading it needs Python's yaml; install it with: "
                         "sudo apt-get install python3-yaml.") from error  # fmt: skip
    try:
        # BaseLoader leaves all as text: the id 0012 is no number.
        said = yaml.load(read_text(top / GRADESCOPE), Loader=yaml.BaseLoader)
        records = dict(said.items())
    except (yaml.YAMLError, AttributeError, TypeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark else ""
        raise UsageError(f"{GRADESCOPE}: is not what Gradescope writes{where}; download it "
                         "again.") from error  # fmt: skip
    folders = {path.name: path for path in _children(top) if path.is_dir()}
    for name, record in records.items():
        if isinstance(record, dict) and isinstance(name, str):
            place = folders.pop(name, None)
            files = _files(place) if place else ()
            time = _gradescope_time(record.get(":created_at"))
            for names in _submitters(record):
                yield Part(names, name or "no folder", files, time, "Gradescope")
    for name, place in folders.items():  # what the list does not name
        yield Part((), name, _files(place), None, "Gradescope")


def _submitters(record: dict[str, Any]) -> list[tuple[str, ...]]:
    """What a group's members are called, each by id, address and name; one without names if the
    list does not say whose it is."""
    said = record.get(":submitters")
    people = [one for one in said if isinstance(one, dict)] if isinstance(said, list) else []
    texts = [[one.get(key) for key in (":sid", ":email", ":name")] for one in people]
    named = [tuple(text for text in one if isinstance(text, str) and text.strip() not in NO_VALUE)
             for one in texts]  # fmt: skip
    return list(dict.fromkeys(filter(None, named))) or [()]


def _gradescope_time(text: Any) -> datetime | None:
    """Such as `2026-11-20 14:30:00.123456000 -08:00`, as Ruby writes it."""
    if not isinstance(text, str) or not (found := RUBY_TIME.fullmatch(text.strip())):
        return None
    zone = "+00:00" if found[3] in (None, "Z", "UTC") else found[3]
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}")
    except ValueError:
        return None


def _moodle(top: Path, times: Times) -> Iterator[Part]:
    """One folder for each participant, or loose files with the participant in front."""
    loose: dict[str, list[tuple[Path, PurePosixPath]]] = {}
    names: dict[str, tuple[str, ...]] = {}
    for path in _children(top):
        if not (match := MOODLE.fullmatch(path.name)):
            yield Part((_stem(path),), path.name, _files(path), None, "Moodle")
            continue
        number = match["id"]
        email = times.rows.get(number, ("", None))[0]
        names[number] = tuple(filter(None, (email, f"Participant {number}", match["name"])))
        loose.setdefault(number, []).extend(_files(path, (match["file"] or "").lstrip("_")))
    for number, files in loose.items():
        time = times.rows.get(number, ("", None))[1]
        yield Part(names[number], f"participant {number}", tuple(files), time, "Moodle")


def _canvas(top: Path, times: Times) -> Iterator[Part]:
    found: dict[str, list[tuple[Path, PurePosixPath]]] = {}
    names: dict[str, tuple[str, ...]] = {}
    late: set[str] = set()
    for path in _children(top):
        if match := CANVAS.fullmatch(path.name):
            names[match["user"]] = (match["user"], match["name"])
            late |= {match["user"]} if match["late"] else set()
            found.setdefault(match["user"], []).extend(_files(path, match["file"]))
        else:
            yield Part((_stem(path),), path.name, _files(path), None, "Canvas")
    for user, files in found.items():
        yield Part(names[user], f"user {user}", tuple(files), times.users.get(user), "Canvas",
                   is_marked_late=user in late)  # fmt: skip


def _nbgrader(top: Path, labs: Sequence[str], zone: tzinfo) -> Iterator[Part]:
    for student in _children(top):
        inside = _children(student) if student.is_dir() else []
        for place in inside:
            time = _nbgrader_time(place / NBGRADER_TIME, zone)
            lab = place.name if place.name in labs else None  # the assignment's name is a choice
            yield Part((student.name,), f"{student.name}/{place.name}", _files(place), time,
                       "nbgrader", lab)  # fmt: skip


def _is_nbgrader(student: Path, labs: Sequence[str]) -> bool:
    """An assignment is a folder in the student's, called like a lab, or with the time in it."""
    return any((student / lab).is_dir() for lab in labs) or any(
        (one / NBGRADER_TIME).is_file() for one in _children(student))  # fmt: skip


def _nbgrader_time(path: Path, zone: tzinfo) -> datetime | None:
    try:
        text = path.read_text(encoding="utf-8").strip()
        stamp, _, name = text.rpartition(" ")
        if re.fullmatch(r"[A-Za-z_]+(/[A-Za-z_]+)*", name):
            text, zone = stamp, UTC if name == "UTC" else ZoneInfo(name)
        time = datetime.fromisoformat(text)
    except (OSError, ValueError, KeyError):
        return None
    return time if time.tzinfo else time.replace(tzinfo=zone)
