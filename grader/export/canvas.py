"""Canvas: the gradebook that the instructor exported, with one assignment's column filled.

Source: gradebook_importer.rb of canvas-lms. A row is found by Canvas's ID, the SIS user id or the
SIS login id. `EX` excuses, an empty cell changes nothing. Other assignments' columns are left out,
so an old sheet cannot bring back old grades.
"""

import re
from collections.abc import Iterable

from ..base.errors import UsageError
from ..base.lists import ROUNDED, is_test_student
from .grade import EXCUSED, Grade, Policy, number
from .sheet import Filled, Matcher, Sheet, number_in

LAST_NAME = "lastname"  # a teacher may have names in two columns
INFO = ("student", "lastname", "firstname", "id", "sis user id", "sis login id", "integration id",
        "root account", "section")  # fmt: skip
IDS = {"id": "canvas_id", "sis user id": "sis_user_id", "sis login id": "sis_login_id"}
TITLE = re.compile(r"(?P<title>.*) \((?P<id>\d+)\)")
POSSIBLE = "points possible"


def fill(
    text: str, grades: Iterable[Grade], wanted: str, policy: Policy, where: str = "the sheet"
) -> Filled:
    """The sheet for Canvas's import. `wanted` is the assignment's title, its number, or both.

    Raises UsageError if this is no export of Canvas, or has no such assignment: Canvas would make a
    new one.
    """
    sheet = Sheet.read(text, where)
    titles = [" ".join(cell.split()).casefold() for cell in sheet.rows[0]]
    if not ("student" in titles[0] or titles[0] == LAST_NAME) or "id" not in titles:
        raise UsageError(f"{where}: is not a gradebook that Canvas exported (Student, ID, ...).")
    column = _assignment(sheet, wanted, where)
    matcher = Matcher(grades, where)
    strangers: list[str] = []
    blank: list[tuple[str, str]] = []
    notes: list[str] = []
    for row in sheet.rows[1:]:
        ids = {IDS[title]: cell for title, cell in zip(titles, row, strict=False) if title in IDS}
        if not ids.get("canvas_id", "").strip():
            notes += _possible(row, column, matcher.grades)
            continue
        if ROUNDED.fullmatch(ids["canvas_id"].strip()):
            raise UsageError(f"{where}: the ID {ids['canvas_id'].strip()} of {_name(row, titles)} "
                             "was rounded by a spreadsheet; give the sheet as Canvas exported "
                             "it.")  # fmt: skip
        grade = matcher.find(ids)
        if grade is None:
            name = _name(row, titles)
            strangers += [] if is_test_student(name, ids.get("sis_user_id", "")) else [name]
            row[column] = ""
            continue
        points = policy.points(grade)
        row[column] = EXCUSED if grade.is_excused else "" if points is None else number(points)
        if why := policy.why_blank(grade):
            blank.append((grade.student, why))
    kept = [n for n, title in enumerate(titles) if title in INFO] + [column]
    sheet.rows = [[row[n] for n in kept] for row in sheet.rows]
    return Filled(sheet.text(), matcher.unseen, tuple(strangers), tuple(blank), tuple(notes))


def _name(row: list[str], titles: list[str]) -> str:
    return ", ".join(row[:2]) if titles[0] == LAST_NAME else row[0]


def _assignment(sheet: Sheet, wanted: str, where: str) -> int:
    named = {n: match for n, cell in enumerate(sheet.rows[0])
             if (match := TITLE.fullmatch(cell.strip()))}  # fmt: skip
    text = wanted.strip().casefold()
    same = [n for n, match in named.items()
            if text in (match[0].casefold(), match["title"].casefold(), match["id"])]  # fmt: skip
    like = [n for n, match in named.items() if text in match[0].casefold()]
    found = same or like
    if len(found) == 1:
        return found[0]
    names = "; ".join(match[0] for match in named.values()) or "none"
    what = "several assignments" if found else "no assignment"
    raise UsageError(f"{where}: {what} called '{wanted}'; name one with --column: {names}.")


def _possible(row: list[str], column: int, grades: list[Grade]) -> list[str]:
    """A note if Canvas's maximum is another one than the course's. Such rows stay as they are."""
    said = number_in(row[column])
    most = max((grade.possible for grade in grades), default=0)
    if row[0].strip().casefold() == POSSIBLE and said is not None and said != most:
        return [f"Canvas says {said:g} points possible, the course {most:g}; `weight` in "
                "course.toml makes them the same."]  # fmt: skip
    return []
