"""roster.csv: who takes the course, and what each system calls them. Ids are mapped once.

A student who is in several lists is one student, recognised by an id or an e-mail address that both
lists have. student_lists.py reads what other systems hand out.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..base import lists
from ..base.errors import UsageError
from ..base.files import write_atomically
from ..base.text import close_to, line

FILE_NAME = "roster.csv"
IDS = ("canvas_id", "sis_user_id", "sis_login_id", "moodle_id", "id_number", "gradescope_id")
ADDRESSES = ("email", "email address")  # columns of which a shifted row has something else
OWN_NUMBERS = ("canvas_id", "moodle_id", "email")
COLUMNS = ("student", "name", "email", "section", *IDS)
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")


@dataclass(frozen=True)
class Student:
    """`id` is the course's own and names folders; `ids` are the other systems' names for it."""

    id: str
    name: str = ""
    email: str = ""
    section: str = ""
    ids: dict[str, str] = field(default_factory=dict)

    @property
    def keys(self) -> frozenset[str]:
        """What identifies this student in every list. Canvas and Moodle number their users
        themselves; the other ids are the institution's, so they mean the same in each system."""
        found = {"email": self.email, **self.ids}
        return frozenset(f"{key if key in OWN_NUMBERS else 'id'} {value.casefold()}"
                         for key, value in found.items() if value)  # fmt: skip

    @property
    def words(self) -> frozenset[str]:
        """The ids and the address as they are written, lower case."""
        return frozenset(text.casefold() for text in (self.id, self.email, *self.ids.values()))


def read_table(text: str, where: str) -> tuple[list[str], list[dict[str, str]]]:
    """The columns, lower case, and the rows of a CSV."""
    rows = [row for row in lists.cells(text, where)[0] if any(cell.strip() for cell in row)]
    if not rows:
        raise UsageError(f"{where}: is empty.")
    columns = [" ".join(cell.split()).casefold() for cell in rows[0]]
    found = [dict(zip(columns, map(str.strip, row), strict=False)) for row in rows[1:]]
    for row, cells in zip(rows[1:], found, strict=True):
        for cell in (cells.get(column, "") for column in ADDRESSES):
            if cell and "@" not in cell:
                raise UsageError(f"{where}: line {row.line} has '{line(cell)}' where an e-mail "
                                 f"address belongs. {lists.IN_QUOTES}")  # fmt: skip
    return columns, found


def read_text(path: Path) -> str:
    """A list that an LMS or a spreadsheet wrote. Raises UsageError."""
    return lists.read(path).removeprefix(lists.MARK)


def load(path: Path) -> list[Student]:
    """The course's own list. Raises UsageError; an empty list if there is none yet."""
    if not path.exists():
        return []
    columns, rows = read_table(read_text(path), str(path))
    if "student" not in columns:
        raise UsageError(f"{path}: has no column `student`; ./lab class roster FILE writes it.")
    students: list[Student] = []
    for row in rows:
        ids = {key: row[key] for key in IDS if row.get(key)}
        student = Student(row.get("student", ""), row.get("name", ""), row.get("email", ""),
                          row.get("section", ""), ids)  # fmt: skip
        students.append(student)
    require_ids(path, students)
    _check(path, students)
    return students


def require_ids(path: Path, students: Iterable[Student]) -> None:
    """An id names folders."""
    for student in students:
        if not ID.fullmatch(student.id):
            who = f" ({line(student.name)})" if student.name else ""
            raise UsageError(f"{path}: '{line(student.id)}'{who} cannot be a student's id: use "
                             "letters, digits and . _ - +.")  # fmt: skip


def _check(path: Path, students: list[Student]) -> None:
    owners: dict[str, str] = {}
    ids: set[str] = set()
    for student in students:
        if student.id in ids:
            raise UsageError(f"{path}: {student.id} is there twice; one of the rows must go.")
        ids.add(student.id)
        for key in (f"student {student.id.casefold()}", *student.keys):
            if key in owners:
                said = f"{owners[key]} and {student.id} are both '{line(key)}'"
                raise UsageError(f"{path}: {said}; one of them must go.")
            owners[key] = student.id


def merged(known: list[Student], more: Iterable[Student]) -> tuple[list[Student], int]:
    """`known` with what `more` adds, and how many are new. Raises UsageError if one of `more` is
    two of `known`."""
    result = list(known)
    added = 0
    for student in more:
        same = [index for index, other in enumerate(result) if _is_same(student, other)]
        if len(same) > 1:
            names = " and ".join(result[index].id for index in same)
            raise UsageError(f"{line(student.name or student.id)}: is both {names}; correct "
                             f"{FILE_NAME} first.")  # fmt: skip
        if same:
            result[same[0]] = _joined(result[same[0]], student)
        else:
            result.append(replace(student, id=_free(student.id, result)))
            added += 1
    return result, added


def absent(known: Iterable[Student], named: list[Student]) -> list[Student]:
    """Those of `known` whom a list of their section does not name any more."""
    sections = {student.section for student in named}
    whole = not any(sections)  # a list without sections is of all
    return [one for one in known if (whole or not one.section or one.section in sections)
            and not any(_is_same(one, other) for other in named)]  # fmt: skip


def otherwise(known: Iterable[Student], named: list[Student]) -> list[tuple[Student, str]]:
    """Those of `known` who have another name, address or section in a list, with that one. Which is
    right a person knows: two systems may differ, and roster.csv may have been corrected."""
    found = []
    for one in known:
        for other in named:
            if not _is_same(one, other):
                continue
            if one.name and other.name and not _names(one) & _names(other):
                found.append((one, other.name))
            if one.email and other.email and one.email.casefold() != other.email.casefold():
                found.append((one, other.email))
            if one.section and other.section and one.section != other.section:
                found.append((one, f"in section {other.section}"))
    return found


def _is_same(one: Student, other: Student) -> bool:
    if one.keys & other.keys:
        return True
    if one.id.casefold() != other.id.casefold():
        return False
    return not (one.keys and other.keys) or _might_be_one(one, other)


def _might_be_one(one: Student, other: Student) -> bool:
    """One name, and no system that calls them differently."""
    both = {**one.ids, "email": one.email}, {**other.ids, "email": other.email}
    said_twice = any(both[0][key] and both[1].get(key) for key in both[0])
    return bool(_names(one) & _names(other)) and not said_twice


def namesakes(students: Iterable[Student], new: Iterable[Student]) -> list[list[str]]:
    """The ids of those who have one name, where one of them is new."""
    added = {student.id for student in new}
    by_name: dict[frozenset[str], list[str]] = {}
    for student in students:
        by_name.setdefault(_names(student), []).append(student.id)
    return [ids for names, ids in by_name.items() if names and len(ids) > 1 and added & set(ids)]


def _names(student: Student) -> frozenset[str]:
    """`Lovelace, Ada Maria` is `Ada Maria Lovelace`, whichever way a system writes it."""
    words = _words(student.name)
    rotated = {"".join(words[n:] + words[:n]) for n in range(len(words))}
    return frozenset({*rotated, "".join(reversed(words))} - {""})


def _words(name: str) -> list[str]:
    return name.replace(",", " ").casefold().split()


def _joined(known: Student, more: Student) -> Student:
    """What is known stays; what is new is added."""
    name, email = known.name or more.name, known.email or more.email
    section = known.section or more.section
    return replace(known, name=name, email=email, section=section, ids={**more.ids, **known.ids})


def _free(wanted: str, students: list[Student]) -> str:
    taken = {student.id.casefold() for student in students}
    names = (wanted, *(f"{wanted}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name.casefold() not in taken)


def save(path: Path, students: Iterable[Student]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for student in sorted(students, key=lambda student: student.id.casefold()):
        writer.writerow([student.id, student.name, student.email, student.section,
                         *(student.ids.get(key, "") for key in IDS)])  # fmt: skip
    write_atomically(path, text.getvalue())


class Finder:
    """Finds the student that a name in a download means: an id, an address, or a whole name."""

    def __init__(self, students: Iterable[Student]) -> None:
        self._students = tuple(students)
        self._by_word: dict[str, list[Student]] = {}
        self._by_name: dict[str, list[Student]] = {}
        for student in self._students:
            for index, keys in ((self._by_word, student.words), (self._by_name, _names(student))):
                for key in keys - {""}:
                    index.setdefault(key, []).append(student)

    def find(self, *names: str) -> Student | None:
        """The only student that one of the names means, the first name first; otherwise None."""
        return next((found[0] for found in self._meant(*names) if len(found) == 1), None)

    def namesakes(self, *names: str) -> list[Student]:
        """The students that a name means, if that is more than one."""
        return next((found for found in self._meant(*names) if len(found) > 1), [])

    def _meant(self, *names: str) -> Iterator[list[Student]]:
        """An id or an address before a name: `ada` is who has this id, whoever is called Ada."""
        for name in names:
            text = name.strip().casefold()
            squeezed = re.sub(r"[\s_,]+", "", text)
            for index in (self._by_word, self._by_name):
                yield from (index.get(key, []) for key in (text, squeezed) if key)

    def perhaps(self, name: str) -> list[Student]:
        """Whom somebody may mean who typed this: one word of a name, or nearly an id."""
        word = name.strip().casefold()
        if found := [one for one in self._students if word in _words(one.name)]:
            return found
        close = close_to(word, [*self._by_word, *self._by_name])
        return self._by_word.get(close) or self._by_name.get(close, [])
