"""Where a class stands: for each lab, how many are graded, refused, waiting, missing, to review."""

from collections.abc import Sequence
from typing import Any

from ..base.rows import aligned
from ..base.text import line, named, verb
from .book import EXCUSED, GRADED, MISSING, REFUSED, WAITING, Entry, is_known, waiting
from .course import Course
from .tasks import said_of_edited

STATES = (GRADED, REFUSED, WAITING, MISSING, EXCUSED)


def standing(course: Course, entries: Sequence[Entry]) -> dict[str, Any]:
    """The numbers, lab by lab, and everything that a person must look at."""
    labs = []
    for one in course.settings.labs:
        mine = [entry for entry in entries if entry.lab.name == one.lab.name]
        known = [entry.mark.points or 0.0 for entry in mine if is_known(entry)]
        labs.append({
            "lab": one.lab.name,
            **{state: sum(entry.state == state for entry in mine) for state in STATES},
            "late": sum(any(line.kind == "late" for line in entry.mark.lines) for entry in mine
                        if entry.state != EXCUSED),
            "review": sum(bool(waiting(entry)) for entry in mine),
            "mean": round(sum(known) / len(known), 2) if known else None,
            "possible": max((entry.mark.possible for entry in mine if is_known(entry)), default=0),
        })  # fmt: skip
    reviews = [
        {"student": entry.student.id, "lab": entry.lab.name, **review}
        for entry in entries for review in waiting(entry)
    ]  # fmt: skip
    return {"labs": labs, "reviews": reviews}


def remarks(course: Course, entries: Sequence[Entry]) -> list[str]:
    """What whoever reads or exports marks must know: attempts that may be better than the one that
    counts now, hand-ins of people who are not on the roster any more, results that were edited."""
    ids = {student.id for student in course.students}
    found = sorted(course.submitted.iterdir()) if course.submitted.is_dir() else []
    gone = [path.name for path in found if path.is_dir() and path.name not in ids
            and any(path.glob("*/*"))]  # fmt: skip
    text = [f"not on the roster: {named([line(name) for name in gone])}. What they handed in stays "
            "in submitted/, and is neither graded nor exported. If you changed an id in "
            "roster.csv, change it back: hand-ins and decisions have the old one."]  # fmt: skip
    return [*_ungraded(entries), *(text if gone else []), *said_of_edited(course)]


def _ungraded(entries: Sequence[Entry]) -> list[str]:
    found = [f"{entry.student.id} {entry.lab.name}" for entry in entries if entry.ungraded]
    return [f"a further attempt is not graded yet, and may be the best: {named(found)}. "
            "Next: ./lab class grade"] if found else []  # fmt: skip


def next_step(entries: Sequence[Entry]) -> str:
    """What an instructor does now, in a line."""
    states = {entry.state for entry in entries}
    if not entries:
        return "Nobody is on the roster. Next: ./lab class roster FILE"
    if states <= {MISSING, EXCUSED}:
        return "Nobody has handed in yet. Next: ./lab class import DOWNLOAD"
    if WAITING in states:
        return "Next: ./lab class grade"
    return "" if any(waiting(entry) for entry in entries) else "Next: ./lab class export FORMAT"


def table(standing: dict[str, Any]) -> list[str]:
    """The same as text."""
    rows = [["lab", *STATES, "late", "review", "mean"]]
    for lab in standing["labs"]:
        mean = "-" if lab["mean"] is None else f"{lab['mean']:g} of {lab['possible']:g}"
        counts = [str(lab[key]) for key in (*STATES, "late", "review")]
        rows.append([lab["lab"], *counts, mean])
    text = aligned(rows)
    count = sum(lab["review"] for lab in standing["labs"])
    if count:
        text.append(f"{count} {verb(count, 'wait')} for a person: ./lab class status --review")
    return text
