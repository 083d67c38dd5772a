"""One mark on its way out, what is written while it is not final, and cells that stay text."""

import re
from dataclasses import dataclass, field

from ..base.text import counted, verb

NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)")
DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "|", "%")
EXCUSED = "EX"


@dataclass(frozen=True)
class Grade:
    """`points` is None where nothing is known; `open_points` are neither earned nor lost yet.

    `ids` are what systems call the student, as roster.csv has them.
    """

    student: str
    lab: str
    points: float | None
    possible: float
    open_points: float = 0
    is_excused: bool = False
    is_missing: bool = False
    name: str = ""
    email: str = ""
    section: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    feedback: str = ""


@dataclass(frozen=True)
class Policy:
    """What is written for a mark with open points (`blank` or `earned`), and for a student who has
    handed in nothing (`blank` or `zero`). An unknown mark is always blank, never zero."""

    open_points: str = "blank"
    missing: str = "blank"

    def points(self, grade: Grade) -> float | None:
        """The number to write; None: no number."""
        if grade.is_excused:
            return None
        if grade.is_missing and grade.points is None:
            return 0.0 if self.missing == "zero" else None
        if grade.open_points and self.open_points == "blank":
            return None
        return grade.points

    def why_blank(self, grade: Grade) -> str:
        """Why there is no number; "" if there is one."""
        if grade.is_excused or self.points(grade) is not None:
            return ""
        if grade.is_missing:
            return "nothing was handed in"
        if grade.points is None:
            return "not graded yet"
        count = grade.open_points
        return f"{counted(count, 'point')} {verb(count, 'wait')} for a person"


def number(value: float) -> str:
    """At most two decimals, and a point whatever the locale says."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text_cell(text: str) -> str:
    """`text` as a spreadsheet shows it, instead of running it as a formula.

    Students choose names and messages. A number stays a number, and a lone hyphen nothing.
    """
    if text.strip() == "-":
        return text
    if text.lstrip(" ").startswith(DANGEROUS) and not NUMBER.fullmatch(text.strip()):
        return "'" + text
    return text
