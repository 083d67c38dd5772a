"""The book: one entry for each student and lab, from hand-ins, results and decisions.

Everything that shows or exports marks reads the book; it is made anew each time and stored nowhere.
"""

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from ..grading.derived import Document, complete, note
from ..grading.result import overall_of
from . import ledger, marks
from .course import Course
from .hand_ins import HandIn, hand_ins, read_time, write_time
from .ledger import Decision
from .marks import Basis, Mark
from .roster import Student
from .settings import CourseLab, Settings
from .tasks import Results, Stored

MISSING, WAITING, GRADED, REFUSED, EXCUSED = "missing", "waiting", "graded", "refused", "excused"
INFRASTRUCTURE = "infrastructure error"
ASK = {"stage": None, "code": "late-unknown", "text": "the LMS marks it late without a time: "
       "import its list of times, extend, decide, or set unknown_days in course.toml"}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One student and one lab. `hand_in` is the attempt that counts, `others` are the other ones.

    `document` is the result in schema 2, with the student, the attempt and the decisions in it.
    `history` are results of this source that do not count, `later` those that would if somebody
    accepted them: the last one of each source that was graded again, with "best" of all attempts.
    """

    student: Student
    course_lab: CourseLab
    state: str
    hand_in: HandIn | None
    others: tuple[HandIn, ...]
    stored: Stored | None
    document: dict[str, Any] | None
    history: tuple[Stored, ...]
    decisions: tuple[Decision, ...]  # all about this student and lab
    due: datetime | None
    mark: Mark
    ungraded: int = 0  # other attempts that may turn out to be better
    later: tuple[Stored, ...] = ()

    @property
    def lab(self) -> Any:
        return self.course_lab.lab

    @property
    def folder(self) -> Path | None:
        return self.stored.folder if self.stored else None


def book(
    course: Course, students: Sequence[str] = (), labs: Sequence[str] = ()
) -> list[Entry]:
    """The entries of all students and labs, or of those that are named by their ids."""
    results = Results(course)
    decided = ledger.read(course.decisions)
    return [
        Maker(course, results, decided, student, one).entry()
        for student in course.students if not students or student.id in students
        for one in course.settings.labs if not labs or one.lab.name in labs
    ]  # fmt: skip


def waiting(entry: Any) -> list[dict[str, Any]]:
    """What a person must look at before this mark is final: everything that shows, lists, counts
    or exports it asks here. Nothing where no points are open, or where the lab does not count."""
    if entry.state == EXCUSED or not entry.mark.is_open:
        return []
    document = entry.document or {}
    decided = {decision["stage"] for decision in document.get("decisions", ())}
    return [one for one in document.get("needs_review", ()) if one["stage"] not in decided]


def is_known(entry: Any) -> bool:
    """Whether a mark says something of the class: it counts, and not all of it is still open."""
    mark = entry.mark
    is_all_open = mark.is_open and mark.open_points >= mark.possible
    return entry.state != EXCUSED and mark.points is not None and not is_all_open


def counting(stored: Iterable[Stored], decisions: Iterable[Decision]) -> Stored | None:
    """Of several results of one source the one that counts: the last that somebody accepted, else
    the first that is no infrastructure error, else the last."""
    found = list(stored)
    by_task = {one.task: one for one in found}
    accepted = [d.about["task"] for d in decisions if d.kind == "accept"]
    for task in reversed(accepted):
        if task in by_task:
            return by_task[task]
    return next(iter([*_whole(found), *reversed(found)]), None)


def _whole(stored: Iterable[Stored]) -> list[Stored]:
    return [one for one in stored if one.document["verdict"] != INFRASTRUCTURE]


@dataclass
class Maker:
    """The steps from one student's files to one entry."""

    course: Course
    results: Results
    decided: list[Decision]
    student: Student
    lab: CourseLab
    is_newest: bool = False  # as if somebody had accepted the last result of each source

    def entry(self) -> Entry:
        attempts = hand_ins(self.course, self.student.id, self.lab.lab)
        mine = tuple(d for d in self.decided if d.is_about(self.student.id, self.lab.lab.name))
        due = _due(self.lab, mine, self.course.settings.zone)
        made = [self.of(hand_in, attempts, mine, due) for hand_in in attempts]
        if not made:
            without = [d for d in mine if d.kind == "decide" and d.about["source"] is None]
            decision = marks.last_decision(without, None)
            mark = marks.without_hand_in(self.course.settings, self.lab, decision)
            state = EXCUSED if _is_excused(mine) else MISSING
            return Entry(self.student, self.lab, state, None, (), None, None, (), mine, due, mark)
        if self.course.settings.attempt == "best":
            best = max(made, key=_rank)
            ungraded = sum(one.state == WAITING for one in made if one is not best)
            later = {one.task: one for entry in made for one in entry.later}
            return replace(best, ungraded=ungraded, later=tuple(later.values()))
        return _last(made)

    def of(
        self, hand_in: HandIn, attempts: list[HandIn], mine: tuple[Decision, ...],
        due: datetime | None,
    ) -> Entry:  # fmt: skip
        """The entry as it is if this attempt counts."""
        found = self.results.of(hand_in)
        counts = counting(found, self.decided)
        later = [one for one in _whole(found)[-1:] if counts and one.number > counts.number]
        stored = later[0] if self.is_newest and later else counts
        document = stored and self._document(stored, hand_in)
        basis = basis_of(self.lab, document, hand_in, mine, due)
        if document and (decided := marks.decided(self.course.settings, basis)):
            document["decisions"] = decided
        if document and marks.asks_how_late(self.course.settings, basis):
            document["needs_review"].append(ASK)
        state = WAITING
        if document:
            state = REFUSED if document["verdict"] == "refused" else GRADED
        if _is_excused(mine):
            state = EXCUSED
        others = tuple(one for one in attempts if one.attempt != hand_in.attempt)
        history = tuple(one for one in found if one is not stored)
        return Entry(self.student, self.lab, state, hand_in, others, stored, document, history,
                     mine, due, marks.mark(self.course.settings, basis),
                     later=tuple(later))  # fmt: skip

    def _document(self, stored: Stored, hand_in: HandIn) -> dict[str, Any]:
        """The result as this student's: a result itself knows no student."""
        document = copy.deepcopy(stored.document)
        document["submission"] |= {
            "name": self.student.id, "student": self.student.id, "attempt": hand_in.attempt,
            "handed_in": write_time(hand_in.handed_in),
        }  # fmt: skip
        names = [stage["name"] for stage in document["stages"]]
        counting = [None, *(stage.name for stage in self.lab.stages)]
        document["needs_review"] = [r for r in document["needs_review"] if r["stage"] in counting]
        document["notes"] += [note(text, names) for text in hand_in.notes]
        return document


def as_it_counts(settings: Settings, entry: Entry) -> Entry:
    """Without stages and points that do not count in this course, for who looks at a class: a
    stage that passed beside a mark of 0 would be a riddle, and so would 45 points of 30."""
    one = entry.course_lab
    course_lab = replace(one, lab=replace(one.lab, stages=one.stages))
    document = entry.document
    if document and not document.get("refusal"):
        names = [stage.name for stage in one.stages]
        stages = [marks.counting_parts(settings, stage) for stage in document["stages"]
                  if stage["name"] in names]  # fmt: skip
        reviews = document["needs_review"]  # with what persons have decided
        document = complete({**document, "verdict": overall_of(stages), "stages": stages})
        document["needs_review"] = reviews
    return replace(entry, course_lab=course_lab, document=document)


def counting_attempts(course: Course, entry: Entry) -> list[HandIn]:
    """Those that the mark depends on: with "best" all of them."""
    if entry.hand_in is None:
        return []
    others = entry.others if course.settings.attempt == "best" else ()
    return sorted((entry.hand_in, *others), key=lambda one: one.attempt)


def _due(lab: CourseLab, decisions: Iterable[Decision], zone: tzinfo) -> datetime | None:
    """The student's own date, in the course's zone: the last extension, or the course's date."""
    extensions = [read_time(d.about["until"]) for d in decisions if d.kind == "extend"]
    due = extensions[-1] if extensions else lab.due
    return due and due.astimezone(zone)


def basis_of(
    lab: CourseLab, document: Document | None, hand_in: HandIn, decisions: tuple[Decision, ...],
    due: datetime | None,
) -> Basis:  # fmt: skip
    """What a mark would be made of if this attempt had this result."""
    in_force = tuple(one for one in decisions if one.about.get("source") == hand_in.sha256)
    return Basis(lab, document, in_force, hand_in.handed_in, due,
                 _is_late_by_unknown(hand_in, decisions))  # fmt: skip


def _is_late_by_unknown(hand_in: HandIn, decisions: Iterable[Decision]) -> bool:
    """An extension settles it, where only the LMS's word says that something is late."""
    return hand_in.is_late_by_unknown and not any(one.kind == "extend" for one in decisions)


def _is_excused(decisions: Iterable[Decision]) -> bool:
    said = [bool(d.about["excused"]) for d in decisions if d.kind == "excuse"]
    return bool(said) and said[-1]


def _last(made: list[Entry]) -> Entry:
    """The attempt that was handed in last. Downloads may be imported in another order, so the
    times decide where all of them are known."""
    times = [entry.hand_in.handed_in for entry in made if entry.hand_in and entry.hand_in.handed_in]
    if len(times) < len(made):
        return made[-1]
    latest = max(range(len(made)), key=lambda number: (times[number], number))
    return made[latest]


def _rank(entry: Entry) -> tuple[bool, float, int]:
    """The best attempt: known points first; of equals the later one."""
    assert entry.hand_in is not None
    known = entry.mark.points
    is_known = known is not None and entry.state != REFUSED
    return is_known, known or 0.0, entry.hand_in.attempt
