"""Moodle: the grading worksheet that the instructor downloaded, with grades and feedback filled in.

Source: assignfeedback_offline of Moodle. A row is found by its identifier or e-mail address. An
empty grade changes nothing. Columns with other titles are kept; in another language than English
the title of the grades' column must be given, and feedback is left out.
"""

import re
from collections.abc import Iterable

from ..base.errors import UsageError
from ..base.lists import ADDRESS, NUMBERED
from .grade import Grade, Policy, number
from .sheet import Filled, Matcher, Sheet, number_in

FEEDBACK = "feedback comments"
MOST = ("maximum grade", "max grade")


def fill(
    text: str, grades: Iterable[Grade], policy: Policy, where: str = "the worksheet",
    column: str = "Grade",
) -> Filled:  # fmt: skip
    """The worksheet for Moodle's import. Raises UsageError if a column is missing."""
    sheet = Sheet.read(text, where)
    target = sheet.column(column)
    identifier = sheet.column("identifier", NUMBERED)
    email = sheet.column("email address", ADDRESS)
    if target is None or (identifier is None and email is None):
        names = "; ".join(sheet.rows[0])
        raise UsageError(f"{where}: has no column '{column}', or none of Identifier and Email "
                         "address; in another language say with --column where the grades are: "
                         f"{names}.")  # fmt: skip
    feedback = sheet.column(FEEDBACK)
    matcher = Matcher(grades, where)
    _require_same_maximum(sheet, matcher.grades, where)
    strangers: list[str] = []
    blank: list[tuple[str, str]] = []
    notes: list[str] = []
    for row in sheet.rows[1:]:
        ids = {"moodle_id": _participant(row[identifier]) if identifier is not None else "",
               "email": row[email] if email is not None else ""}  # fmt: skip
        grade = matcher.find(ids)
        if grade is None:
            strangers.append(ids["email"] or ids["moodle_id"])
            row[target] = ""
            continue
        points = policy.points(grade)
        notes += _kept(grade, row[target])
        row[target] = "" if points is None else number(points)
        if feedback is not None and (points is not None or grade.is_excused):
            row[feedback] = "excused" if grade.is_excused else grade.feedback
        if why := policy.why_blank(grade):
            blank.append((grade.student, why))
    return Filled(sheet.text(), matcher.unseen, tuple(strangers), tuple(blank), tuple(notes))


def _participant(cell: str) -> str:
    """`Teilnehmer/in501` as roster.csv has it, whichever language that list was in."""
    number = re.search(r"\d+$", cell.strip())
    return f"Participant {number[0]}" if number else cell


def _kept(grade: Grade, cell: str) -> list[str]:
    """A note about an excused student whose earlier grade an empty cell would leave in place."""
    if not grade.is_excused or number_in(cell) is None:
        return []
    return [f"{grade.student} is excused, but has {cell.strip()} in Moodle, and an import cannot "
            "take it away: exclude that grade in Moodle's gradebook."]  # fmt: skip


def _require_same_maximum(sheet: Sheet, grades: list[Grade], where: str) -> None:
    """Moodle refuses a grade above its maximum, and 30 of 60 is not 30 of 100."""
    column = next((n for title in MOST if (n := sheet.column(title)) is not None), None)
    if column is None or not grades:
        return
    most = max(grade.possible for grade in grades)
    for row in sheet.rows[1:]:
        said = number_in(row[column])
        if said is not None and said != most:
            raise UsageError(f"{where}: Moodle's maximum grade is {said:g}, the course's {most:g}; "
                             f"say weight = {said:g} in course.toml, or change it in Moodle.")
