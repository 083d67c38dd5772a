"""A CSV that a system handed out: read, one column filled, and written in the same dialect."""

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..base import lists
from ..base.errors import UsageError
from ..base.text import line
from .grade import Grade, text_cell


@dataclass
class Sheet:
    """Rows of cells. What nobody changes is written as it was, with its quotes; `mark`, `delimiter`
    and `end` too. A line `sep=;` is left out, because no LMS reads it."""

    rows: list[list[str]]
    delimiter: str
    end: str
    mark: str

    @classmethod
    def read(cls, text: str, where: str) -> "Sheet":
        """Raises UsageError if this is no CSV with rows."""
        found, delimiter = lists.cells(text, where)
        if len(found) < 2:
            raise UsageError(f"{where}: has no rows; download it again.")
        width = len(found[0])
        rows = [row + [""] * (width - len(row)) for row in found]
        end = re.search(r"\r?\n", text)  # the first: a cell may hold others
        mark = lists.MARK if text.startswith(lists.MARK) else ""
        return cls(rows, delimiter, end[0] if end else "\n", mark)

    def text(self) -> str:
        lines = [self.delimiter.join(map(self._written, row)) + self.end for row in self.rows]
        return self.mark + "".join(lines)

    def _written(self, cell: str) -> str:
        text = text_cell(cell)
        if text == cell and isinstance(cell, lists.Cell):
            return cell.written
        made = io.StringIO(newline="")
        csv.writer(made, delimiter=self.delimiter, lineterminator="").writerow([text])
        return made.getvalue() if text else ""

    def column(self, name: str, form: re.Pattern[str] | None = None) -> int | None:
        """The column with this title, whatever its case; otherwise the first whose cells all have
        this form; None if there is none."""
        titles = [" ".join(cell.split()).casefold() for cell in self.rows[0]]
        if name.casefold() in titles:
            return titles.index(name.casefold())
        return next((n for n in range(len(titles)) if form
                     and all(form.fullmatch(row[n].strip()) for row in self.rows[1:])), None)


def number_in(cell: str) -> float | None:
    """The number in a cell, with a point or a comma; None for words such as `(read only)`."""
    try:
        value = float(cell.strip().replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


@dataclass(frozen=True)
class Filled:
    """The new sheet; the students of the course that it does not name; rows that name nobody of
    the course; and whose cell stays empty, with the reason."""

    text: str
    not_in_sheet: tuple[str, ...]
    not_in_course: tuple[str, ...]
    blank: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()


class Matcher:
    """Finds a row's grade by the ids in it that a student of the course has. `where` is the sheet's
    name, for messages."""

    def __init__(self, grades: Iterable[Grade], where: str) -> None:
        self._where = where
        self._by: dict[tuple[str, str], Grade] = {}
        self.seen: set[str] = set()
        self.grades = list(grades)
        for grade in self.grades:
            for key, value in {**grade.ids, "email": grade.email}.items():
                if value:
                    self._by[key, value.casefold()] = grade

    def find(self, ids: Mapping[str, str]) -> Grade | None:
        """Raises UsageError if a row is two students', or a student's second one: one of them would
        get the other's grade."""
        found = {grade.student: grade for key, value in ids.items()
                 if (grade := self._by.get((key, value.strip().casefold())))}  # fmt: skip
        if len(found) > 1:
            row = ", ".join(line(value) for value in ids.values() if value.strip())
            raise UsageError(f"{self._where}: the row of {row} is {' and '.join(found)}, by roster."
                             "csv; correct the one that is wrong.")  # fmt: skip
        for student, grade in found.items():
            if student in self.seen:
                raise UsageError(f"{self._where}: two rows are {student}'s, by their ids; take out "
                                 "the one that is wrong.")  # fmt: skip
            self.seen.add(student)
            return grade
        return None

    @property
    def unseen(self) -> tuple[str, ...]:
        return tuple(grade.student for grade in self.grades if grade.student not in self.seen)
