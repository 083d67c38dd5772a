"""The class page: who stands where, what a person must look at, where a stage's points went."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Any, Protocol

from ..base.verdict import PASSED, WITHOUT_POINTS
from ..course.book import EXCUSED, is_known, waiting
from ..lab_file.manifest import Lab
from . import failures, similarity
from .failures import Failure, WrongFile
from .lab_report import mood, overview
from .packed import pack
from .page import part, render
from .similarity import Alike
from .strips import strips

MOST_PAIRS = 20
MOODS = ("good", "open", "bad", "idle", "none")
# What a person must look at, by how serious it is.
URGENCY = ("anomaly", "infrastructure", "rejected-forbidden", "rejected-technique", "rejected",
           "refused", "inconclusive")  # fmt: skip


class Entry(Protocol):
    """One student and one lab, as grader/course/book.py gives them."""

    student: Any  # id, name, email, section
    lab: Lab
    state: str
    hand_in: Any  # lab, attempt, handed_in; None if nothing was handed in
    document: dict[str, Any] | None
    mark: Any  # points, possible, lines of text and points, is_open
    history: Sequence[Any]


@dataclass(frozen=True)
class LabMaterial:
    """What belongs to a lab and not to a student: its skeleton, reference and wrong files."""

    known: frozenset[str] = frozenset()
    wrong: Sequence[WrongFile] = ()


@dataclass
class Standing:
    """A student's row, and the entries of each lab."""

    student: Any
    anchor: str
    entries: dict[str, Entry] = field(default_factory=dict)

    @property
    def points(self) -> float | None:
        """The sum; None if every lab is excused."""
        counting = [e.mark.points or 0 for e in self.entries.values() if e.state != EXCUSED]
        return round(sum(counting), 2) if counting else None


def class_page(
    course: str, entries: Sequence[Entry], material: Mapping[str, LabMaterial],
    source_of: Callable[[Entry], str], made: str, remarks: Sequence[str] = (),
    zone: tzinfo = UTC,
) -> str:  # fmt: skip
    """The page of a course. `source_of` gives the file that an entry's student handed in;
    `remarks` are about the course and not about one hand-in. Times are told as in `zone`."""
    labs = list({entry.lab.name: entry.lab for entry in entries}.values())
    standings = _standings(entries)
    anchors = {row.student.id: row.anchor for row in standings}
    names = _names([row.student for row in standings])
    sources = {(e.student.id, e.lab.name): source_of(e) for e in entries if e.document}
    return render(
        "class.html", "class.js",
        course=course, made=made, zone=zone, labs=labs, anchors=anchors, names=names,
        counts=_counts(entries),
        review=_review(entries), remarks=remarks,
        rows=[_row(row, labs) for row in standings],
        sections=sorted({row.student.section for row in standings if row.student.section}),
        panels=[_panel(lab, entries, material.get(lab.name, LabMaterial()), sources)
                for lab in labs],
        packed=pack({row.anchor: part("student.html", page=_student_page(row), course=course,
                                      zone=zone) for row in standings}),
    )  # fmt: skip


def _standings(entries: Sequence[Entry]) -> list[Standing]:
    rows: dict[str, Standing] = {}
    for entry in entries:
        row = rows.setdefault(entry.student.id, Standing(entry.student, f"s{len(rows) + 1}"))
        row.entries[entry.lab.name] = entry
    return list(rows.values())


def _names(students: Sequence[Any]) -> dict[str, str]:
    """What each id is shown as: the name, and with it the id where two have one name."""
    count = Counter(_spelled(student.name) for student in students)
    return {student.id: f"{student.name} ({student.id})" if count[_spelled(student.name)] > 1
            else student.name for student in students if student.name}  # fmt: skip


def _spelled(name: str) -> tuple[str, ...]:
    """`Ant, Ann` is `Ann Ant`."""
    return tuple(sorted(name.replace(",", " ").casefold().split()))


def _counts(entries: Sequence[Entry]) -> dict[str, int]:
    states = [EXCUSED, "missing", "waiting", "graded", "refused"]
    counts = {state: sum(entry.state == state for entry in entries) for state in states}
    return {"students": len({entry.student.id for entry in entries}), **counts}


# ---- what a person must look at -----------------------------------------------------------------


def _review(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The open questions, the most urgent first; as `class status --review` has them."""
    found = [{"student": entry.student, "lab": entry.lab.name, **item}
             for entry in entries for item in waiting(entry)]  # fmt: skip
    rank = {code: place for place, code in enumerate(URGENCY)}
    return sorted(found, key=lambda item: rank.get(item["code"], len(rank)))


# ---- who stands where ---------------------------------------------------------------------------


def _row(row: Standing, labs: Sequence[Lab]) -> dict[str, Any]:
    cells = []
    for lab in labs:
        entry = row.entries.get(lab.name)
        stages = entry.document["stages"] if entry and entry.document else ()
        cells.append({
            "state": entry.state if entry else "missing",
            "points": entry.mark.points if entry and entry.state != EXCUSED else None,
            "is_open": bool(entry and entry.mark.is_open and entry.state != EXCUSED),
            "stages": [{"name": s["name"], "verdict": s["verdict"], "mood": mood(s["verdict"])}
                       for s in stages],
        })  # fmt: skip
    return {"student": row.student, "anchor": row.anchor, "points": row.points, "cells": cells,
            "flags": sorted({cell["state"] for cell in cells} | _flags(row))}  # fmt: skip


def _flags(row: Standing) -> set[str]:
    """Words that the list can be filtered by, besides the states."""
    documents = [e.document for e in row.entries.values() if e.document and e.state != EXCUSED]
    flags = {"review"} if _review(list(row.entries.values())) else set()
    stages = [stage for document in documents for stage in document["stages"]]
    if any(s["verdict"] not in (PASSED, *WITHOUT_POINTS) for s in stages):
        flags.add("failing")
    return flags


# ---- a lab --------------------------------------------------------------------------------------


def _panel(
    lab: Lab, entries: Sequence[Entry], material: LabMaterial,
    sources: Mapping[tuple[str, str], str],
) -> dict[str, Any]:  # fmt: skip
    mine = [e for e in entries if e.lab.name == lab.name and e.state != EXCUSED]
    graded = [(entry.student.id, entry.document, sources[entry.student.id, lab.name])
              for entry in mine if entry.document]  # fmt: skip
    found: list[Failure] = failures.commonest(lab.name, graded, material.wrong)
    sources_here = {who: text for (who, name), text in sources.items() if name == lab.name}
    pairs: list[Alike] = similarity.alike(sources_here, material.known)
    documents = [document for _, document, _ in graded]
    return {
        "lab": lab,
        "graded": sum(entry.state != "refused" for entry in mine if entry.document),
        "all": len(mine),
        "possible": max((e.mark.possible for e in mine if e.document), default=0),
        "median": _median([e.mark.points for e in mine if is_known(e)]),
        "histogram": _histogram(mine),
        "stages": [_distribution(stage.name, stage.title, mine) for stage in lab.stages],
        "strips": strips(lab, documents),
        "failures": found,
        "pairs": pairs[:MOST_PAIRS],
        "more_pairs": max(0, len(pairs) - MOST_PAIRS),
    }


def _distribution(stage: str, title: str, entries: Sequence[Entry]) -> dict[str, Any]:
    """How many are where with a stage: passed, open, failed, not attempted, nothing to grade."""
    counts = dict.fromkeys(MOODS, 0)
    for entry in entries:
        stages = entry.document["stages"] if entry.document else ()
        verdict = next((s["verdict"] for s in stages if s["name"] == stage), None)
        counts[mood(verdict) if verdict else "none"] += 1
    return {"name": stage, "title": title, "counts": counts, "all": len(entries)}


def _histogram(entries: Sequence[Entry], bins: int = 20) -> list[int]:
    """How many have how many points, in parts of what is possible."""
    counts = [0] * bins
    for entry in entries:
        if is_known(entry) and entry.mark.possible:
            share = min(max(entry.mark.points / entry.mark.possible, 0), 1)
            counts[min(int(share * bins), bins - 1)] += 1
    return counts


def _median(values: Sequence[float]) -> float | None:
    ordered = sorted(values)
    middle = len(ordered) // 2
    if not ordered:
        return None
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


# ---- a student ----------------------------------------------------------------------------------


def _student_page(row: Standing) -> dict[str, Any]:
    labs = []
    for entry in row.entries.values():
        shown = overview(entry.document, True) if entry.document else None
        labs.append({"lab": entry.lab, "state": entry.state, "hand_in": entry.hand_in,
                     "mark": entry.mark, "shown": shown, "document": entry.document,
                     "history": entry.history})  # fmt: skip
    return {"student": row.student, "anchor": row.anchor, "labs": labs, "points": row.points}
