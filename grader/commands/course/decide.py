"""`./lab class decide`: a person gives a student's stage, or whole lab, its points."""

import argparse

from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED, UsageError
from ...base.outcome import Outcome
from ...base.text import line
from ...course import ledger, marks
from ...course.book import Entry, book
from ...course.course import Course, alone
from ...course.explain import explain
from ...course.marks import Basis
from ..parser import Commands, course_flag, points


def add(commands: Commands) -> None:
    made = commands.add("decide", run, "give points with a reason that is kept")
    made.add_argument("student", metavar="STUDENT", help="an id, an address or a whole name")
    made.add_argument("target", metavar="LAB[.STAGE]",
                      help="such as 02.fast; a lab alone is all of it")
    which = made.add_mutually_exclusive_group(required=True)
    which.add_argument("--points", type=points, metavar="N",
                       help="in the course's points, before a late penalty")
    which.add_argument("--as-graded", action="store_true", help="take a decision back")
    made.add_argument("--because", required=True, metavar="TEXT", help="the reason; it is kept")
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Append the decision and show how the mark comes about now. Raises UsageError."""
    course = Course.find(checkout, arguments.course)
    name, dot, stage = arguments.target.partition(".")
    if not name or (dot and not stage):  # never the whole lab by a slip
        raise UsageError(f"'{line(arguments.target)}': name a lab, such as 01, or a stage, such as "
                         "01.tiled.")  # fmt: skip
    lab = course.settings.lab(name).lab
    student = course.student(arguments.student)
    with alone(course):
        [entry] = book(course, [student.id], [lab.name])
        most = _worth(course, entry, stage)
        if arguments.points is not None:
            _require_at_most(most, arguments)
        about = {
            "student": student.id, "lab": lab.name, "stage": stage or None,
            "points": arguments.points, "of": most,
            "source": entry.hand_in and entry.hand_in.sha256,
            "attempt": entry.hand_in and entry.hand_in.attempt,
        }  # fmt: skip
        ledger.append(course.decisions, "decide", arguments.because, about)
        [entry] = book(course, [student.id], [lab.name])
    document = {"student": student.id, "lab": lab.name, "points": entry.mark.points,
                "possible": entry.mark.possible}  # fmt: skip
    return Outcome(ALL_PASSED, document, explain(course, entry))


def _worth(course: Course, entry: Entry, stage: str) -> float:
    """Of the stage, or of the lab. Raises UsageError if there is nothing to decide."""
    if entry.hand_in and entry.document is None:
        raise UsageError(f"{entry.student.id} {entry.lab.name}: is not graded yet; "
                         "./lab class grade first.")  # fmt: skip
    graded = [one["name"] for one in entry.document["stages"]] if entry.document else []
    names = [one.name for one in entry.course_lab.stages if one.name in graded]
    if stage and not names:
        raise UsageError(f"{stage}: no stage of {entry.lab.name} was graded here; decide about the "
                         f"whole lab: ./lab class decide {entry.student.id} {entry.lab.name} "
                         "--points N --because TEXT.")  # fmt: skip
    if stage and stage not in names:
        raise UsageError(f"{stage}: is no graded stage of {entry.lab.name} that counts in this "
                         f"course; those are: {', '.join(names)}.")  # fmt: skip
    basis = Basis(entry.course_lab, entry.document, (), None, None)
    return marks.worth(course.settings, basis, stage or None)


def _require_at_most(most: float, arguments: argparse.Namespace) -> None:
    if not most:
        raise UsageError(f"{arguments.target}: is worth no points in this course; there is "
                         "nothing to decide.")  # fmt: skip
    if arguments.points > most:
        raise UsageError(f"--points must be from 0 to {most:g}: that is what {arguments.target} "
                         "is worth in this course.")  # fmt: skip
