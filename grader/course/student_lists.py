"""Lists of who takes a course, as Canvas, Moodle and Gradescope hand them out.

A list is recognised by its columns; of Moodle's also in other languages, by what its cells look
like. What a spreadsheet has spoiled is refused: an id that was rounded is another student's, too.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from ..base import lists
from ..base.errors import UsageError
from ..base.text import line
from .roster import IDS, Student, read_table, read_text, require_ids

PARTICIPANT = re.compile(r"[^\W\d_]{3}\D*(\d+)")  # Moodle's number; the word has its language
PERSON = re.compile(r"[^\d@]*[^\W\d_][^\d@]*")
TRANSLATED = "Moodle in another language"
NOT_STUDENTS = ("instructor", "ta", "reader", "teacher", "observer")
# Where each system's columns go. The first line whose columns are all there is taken.
FORMS: tuple[tuple[str, dict[str, str]], ...] = (
    ("roster.csv", {"student": "student", "name": "name", "email": "email"}),
    ("Canvas", {"student": "name", "id": "canvas_id", "section": "section"}),
    ("Canvas", {"lastname": "last", "firstname": "first", "id": "canvas_id", "section": "section"}),
    ("Gradescope", {"sid": "gradescope_id", "email": "email"}),
    ("Moodle", {"id number": "id_number", "email address": "email"}),
    ("Moodle", {"email address": "email"}),
)  # fmt: skip
ALSO = {
    "sis user id": "sis_user_id", "sis login id": "sis_login_id", "section": "section",
    "sections": "section", "groups": "section", "name": "name", "full name": "name",
    "username": "sis_login_id", "identifier": "moodle_id", "role": "role",
    "first name": "first", "last name": "last", **{key: key for key in IDS},
}  # fmt: skip


def read_list(path: Path) -> tuple[str, list[Student]]:
    """The system that made the list at `path`, and its students. Raises UsageError."""
    columns, rows = read_table(read_text(path), str(path))
    for system, wanted in FORMS:
        if set(wanted) <= set(columns):
            places = {**{c: p for c, p in ALSO.items() if c in columns}, **wanted}
            found = [s for row in rows if (s := _student(system, places, row))]
            _check(path, found)
            if not found:
                raise UsageError(f"{path}: names no student.")
            return system, found
    if places := _by_cells(columns, rows):
        found = [s for row in rows if (s := _student(TRANSLATED, places, row))]
        _check(path, found)
        return TRANSLATED, found
    raise UsageError(
        f"{path}: its columns are those of no list that is known (Canvas's grades, Moodle's grades "
        "or participants, Gradescope's roster, or one with student, name and email)."
    )


def _check(path: Path, students: Sequence[Student]) -> None:
    """Ids that can name folders, that are whole, and that are one person's each."""
    require_ids(path, students)
    first: dict[str, Student] = {}
    for one in students:
        spoiled = next((text for text in one.ids.values() if lists.ROUNDED.fullmatch(text)), "")
        if spoiled:
            raise UsageError(f"{path}: the id {spoiled} of {line(one.name or one.id)} was rounded "
                             "by a spreadsheet; take the list as it was downloaded.")  # fmt: skip
        for key in sorted(one.keys):
            other = first.setdefault(key, one)
            if _differ(one, other):
                raise UsageError(f"{path}: {line(other.name or other.id)} and "
                                 f"{line(one.name or one.id)} have the same {key}; correct the "
                                 "list, or download it again.")  # fmt: skip


def _differ(one: Student, other: Student) -> bool:
    """Whether two rows say different things of what is one person's."""
    return any(one.ids[key].casefold() != other.ids[key].casefold()
               for key in one.ids.keys() & other.ids.keys())


def _by_cells(columns: list[str], rows: list[dict[str, str]]) -> dict[str, str]:
    """Where the columns of Moodle go in a language that is not English. It has one order in all:
    `Participant 501` and a whole name, or two names; then somewhere the address."""
    first, second = columns[:2] if len(columns) > 2 else ("", "")
    email = next((one for one in columns[2:] if rows and all(
        lists.ADDRESS.fullmatch(row.get(one, "")) for row in rows)), "")  # fmt: skip
    begin = [(row.get(first, ""), row.get(second, "")) for row in rows]
    if not email or not all(PERSON.fullmatch(name) for _, name in begin):
        return {}
    if all(PARTICIPANT.fullmatch(text) for text, _ in begin):
        return {first: "moodle_id", second: "name", email: "email"}
    are_names = all(PERSON.fullmatch(text) for text, _ in begin)
    return {first: "first", second: "last", email: "email"} if are_names else {}


def _student(system: str, places: dict[str, str], row: dict[str, str]) -> Student | None:
    """The student in a row; None for rows about somebody or something else."""
    found = {place: row.get(column, "") for column, place in places.items() if row.get(column)}
    if found.get("role", "student").casefold() in NOT_STUDENTS:
        return None
    name = found.get("name") or f"{found.get('first', '')} {found.get('last', '')}".strip()
    if system == "Canvas" and not found.get("canvas_id"):
        return None  # "Points Possible", "Manual Posting"
    if system == "Canvas" and lists.is_test_student(name, found.get("sis_user_id", "")):
        return None
    ids = {key: found[key] for key in IDS if found.get(key)}
    if number := PARTICIPANT.fullmatch(ids.get("moodle_id", "")):
        ids["moodle_id"] = f"Participant {number[1]}"
    email = found.get("email") or next((i for i in ids.values() if lists.ADDRESS.fullmatch(i)), "")
    if not (ids or email or found.get("student")):
        return None
    own = found.get("student") or _own_id(ids, email)
    return Student(own, name, email, found.get("section", ""), ids)


def _own_id(ids: dict[str, str], email: str) -> str:
    """A short name that people know, fit to name a folder."""
    known = ("sis_login_id", "id_number", "gradescope_id", "sis_user_id", "canvas_id")
    text = next((ids[key] for key in known if ids.get(key)), email.partition("@")[0])
    return safe_id(text.partition("@")[0] or text)


def safe_id(text: str) -> str:
    made = re.sub(r"[^A-Za-z0-9._+-]+", "-", text).strip("-._+")[:64]
    return made or "student"
