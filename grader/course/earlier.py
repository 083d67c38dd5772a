"""What does not count in a mark, but explains it: other attempts, results from before it was graded
again, and what accepting newer results would change."""

from collections.abc import Iterable
from dataclasses import dataclass

from . import ledger, marks
from .book import Entry, Maker, basis_of
from .course import Course
from .hand_ins import hand_ins
from .ledger import Decision
from .marks import Mark
from .tasks import Results, Stored


@dataclass(frozen=True)
class Change:
    """What entry.later would change in a mark, if somebody accepted it.

    `after` is the entry as it would be then: with "best" another attempt may count in it.
    """

    entry: Entry
    after: Entry

    @property
    def said(self) -> str:
        """The mark before and after; "" if it stays as it is."""
        before, after = _shown(self.entry.mark), _shown(self.after.mark)
        return f"{before} -> {after} of {self.after.mark.possible:g}" if before != after else ""


def _shown(mark: Mark) -> str:
    points = "none" if mark.points is None else f"{mark.points:g}"
    return points + (f" ({mark.open_points:g} open)" if mark.open_points else "")


def changes(course: Course, entries: Iterable[Entry]) -> list[Change]:
    """What the last results would change where a source was graded again and nobody accepted it."""
    again = [entry for entry in entries if entry.later]
    if not again:  # as nearly always: all results need not be read once more
        return []
    results, decided = Results(course), ledger.read(course.decisions)
    return [
        Change(one, Maker(course, results, decided, one.student, one.course_lab, True).entry())
        for one in again
    ]


def other_attempts(course: Course, entry: Entry) -> list[Entry]:
    """What the mark would be if another attempt counted, for each of them."""
    if not entry.others:
        return []
    maker = Maker(course, Results(course), ledger.read(course.decisions), entry.student,
                  entry.course_lab)  # fmt: skip
    attempts = hand_ins(course, entry.student.id, entry.lab)
    return [maker.of(one, attempts, entry.decisions, entry.due) for one in entry.others]


def counted_before(course: Course, entry: Entry) -> list[tuple[Stored, Mark]]:
    """The results of the same source that are older than the one that counts, with their marks."""
    if entry.stored is None or entry.hand_in is None:
        return []
    hand_in, number = entry.hand_in, entry.stored.number
    return [
        (one, marks.mark(course.settings, basis_of(entry.course_lab, one.document, hand_in,
                                                   entry.decisions, entry.due)))
        for one in entry.history if one.number < number
    ]  # fmt: skip


def accepted(course: Course, entry: Entry) -> Decision | None:
    """Who let the result count that counts now, and why."""
    if entry.stored is None or not entry.history:
        return None
    found = [one for one in ledger.read(course.decisions)
             if one.kind == "accept" and one.about["task"] == entry.stored.task]  # fmt: skip
    return found[-1] if found else None
