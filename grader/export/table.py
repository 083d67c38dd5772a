"""Plain CSV: one row for each student and lab, for a spreadsheet or a script."""

import csv
import io
from collections.abc import Iterable, Sequence

from .grade import text_cell


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The rows as CSV. None is an empty cell; text that a spreadsheet would run is neutralised."""
    made = io.StringIO(newline="")
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[_cell(value) for value in row] for row in rows])
    return made.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:g}" if value == round(value, 6) else str(value)
    return text_cell(str(value).replace("\n", " "))
