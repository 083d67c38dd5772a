"""`./lab class export`: marks for Canvas, Moodle, Gradescope, a spreadsheet or JUnit's readers."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...base import lists
from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED, UsageError
from ...base.files import sha256, to_json, write_atomically
from ...base.outcome import Outcome
from ...base.text import line, named
from ...course.book import EXCUSED, MISSING, Entry, as_it_counts, book, waiting
from ...course.course import Course
from ...course.hand_ins import HandIn, write_time
from ...course.marks import Mark
from ...course.status import remarks
from ...export import canvas, gradescope, junit, moodle, table
from ...export.grade import Grade, Policy
from ...export.sheet import Filled
from ..parser import Commands, course_flag

SHEETS = ("canvas", "moodle")
MOST_IDS = 40  # in a line; a JSON document has them all
COLUMNS = ("student", "name", "email", "section", "lab", "state", "attempt", "handed_in", "due",
           "verdict", "points", "possible", "late_penalty", "open_points", "needs_review",
           "decided", "task", "sha256")  # fmt: skip

NOBODY = ("Nobody in the sheet has an id or an address that is on the roster: read a list of the "
          "same system with ./lab class roster, then export again.")  # fmt: skip
Written = tuple[Path, Filled | None]


def add(commands: Commands) -> None:
    made = commands.add("export", run, "marks for another system")
    made.add_argument("format", choices=tuple(FORMATS), metavar="FORMAT", help=", ".join(FORMATS))
    made.add_argument("sheet", nargs="?", metavar="SHEET",
                      help="canvas: the exported gradebook; moodle: the grading worksheet")
    made.add_argument("--lab", help="needed by canvas, moodle and gradescope")
    made.add_argument("--column", metavar="TITLE",
                      help="canvas: the assignment (default: the lab's title); moodle: Grade")
    made.add_argument("--out", metavar="FILE", help="default: in exports/ of the course")
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Write the file, and say whose mark is not in it and why. Raises UsageError."""
    course = Course.find(checkout, arguments.course)
    kind = arguments.format
    if kind in SHEETS and not arguments.sheet:
        raise UsageError(f"name the sheet that you downloaded: ./lab class export {kind} SHEET.")
    if kind not in ("csv", "junit", "json") and not arguments.lab:
        raise UsageError(f"--lab LAB: which lab's marks go to {kind}?")
    labs = [course.settings.lab(arguments.lab).lab.name] if arguments.lab else []
    entries = book(course, [], labs)
    if not entries:
        raise UsageError("the roster is empty; ./lab class roster FILE reads it first.")
    path, filled = FORMATS[kind](course, entries, arguments)
    remarked = remarks(course, entries)
    document: dict[str, Any] = {"file": str(path), "remarks": remarked}
    text = [f"{checkout.shown(path)}: written."]
    if filled:
        document |= {"not_in_sheet": filled.not_in_sheet, "not_in_course": filled.not_in_course,
                     "blank": dict(filled.blank), "notes": filled.notes}  # fmt: skip
        text += _said(filled)
        if filled.not_in_course and len(filled.not_in_sheet) == len(entries):
            text.append(NOBODY)
    return Outcome(ALL_PASSED, document, "\n".join([*text, *remarked]))


def _said(filled: Filled) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for student, why in filled.blank:
        reasons.setdefault(why, []).append(student)
    text = [f"no grade: {why}: {named(who, most=MOST_IDS)}" for why, who in reasons.items()]
    lists = {"not in the sheet": filled.not_in_sheet,
             "in the sheet, but not on the roster": tuple(map(line, filled.not_in_course))}
    text += [f"{what}: {'; '.join(names)}" for what, names in lists.items() if names]
    return text + [f"note: {note}" for note in filled.notes]


def _grade(entry: Entry) -> Grade:
    student, mark = entry.student, entry.mark
    return Grade(
        student.id, entry.lab.name, mark.points, mark.possible, mark.open_points,
        entry.state == EXCUSED, entry.state == MISSING, student.name, student.email,
        student.section, student.ids,
        "; ".join(line(one.text).rstrip(".") for one in mark.lines),
    )  # fmt: skip


def _policy(course: Course) -> Policy:
    return Policy(course.settings.open_points, course.settings.missing)


def _out(course: Course, arguments: argparse.Namespace, suffix: str) -> Path:
    lab = f"-{course.settings.lab(arguments.lab).lab.name}" if arguments.lab else ""
    name = "marks" if suffix == f".{arguments.format}" else arguments.format
    default = course.folder / "exports" / f"{name}{lab}{suffix}"
    return Path(arguments.out) if arguments.out else default


def _canvas(course: Course, entries: Sequence[Entry], arguments: argparse.Namespace) -> Written:
    sheet = Path(arguments.sheet)
    wanted = arguments.column or entries[0].lab.title
    filled = canvas.fill(lists.read(sheet), [_grade(entry) for entry in entries], wanted,
                         _policy(course), str(sheet))  # fmt: skip
    return _written(_out(course, arguments, ".csv"), filled.text), filled


def _moodle(course: Course, entries: Sequence[Entry], arguments: argparse.Namespace) -> Written:
    sheet = Path(arguments.sheet)
    filled = moodle.fill(lists.read(sheet), [_grade(entry) for entry in entries], _policy(course),
                         str(sheet), arguments.column or "Grade")  # fmt: skip
    return _written(_out(course, arguments, ".csv"), filled.text), filled


def _gradescope(course: Course, entries: Sequence[Entry], arguments: argparse.Namespace) -> Written:
    """The zip to upload as this assignment's autograder. Gradescope knows students by address."""
    found, nobody = [], []
    for entry in entries:
        if entry.document and entry.student.email:
            found += _found_by_gradescope(course, entry)
        elif entry.document:
            nobody.append(f"{entry.student.id} has no e-mail address in roster.csv, so Gradescope "
                          "cannot find this result.")  # fmt: skip
    path = _out(course, arguments, ".zip")
    write_atomically(path, gradescope.autograder(found))
    blank = [(entry.student.id, why) for entry in entries
             if (why := _policy(course).why_blank(_grade(entry)))]  # fmt: skip
    return path, Filled("", (), (), tuple(blank), tuple(nobody))


def _found_by_gradescope(course: Course, entry: Entry) -> list[tuple[str, dict[str, Any]]]:
    """What the zip has for each file that this student handed in, by the name it lies under."""
    assert entry.hand_in is not None
    document = as_it_counts(course.settings, entry).document
    assert document is not None
    made = gradescope.results(document, _grade(entry), _policy(course))
    other = gradescope.of_another(made, entry.hand_in.attempt)
    by_name = {name: other for one in entry.others for name in _names(entry, one)}
    return list((by_name | dict.fromkeys(_names(entry, entry.hand_in), made)).items())


def _names(entry: Entry, hand_in: HandIn) -> list[str]:
    """Under which a result lies: by the file that was graded. Of what was refused no file was, so
    it lies there by each of them."""
    email = entry.student.email
    if hand_in.refusal is None:
        return [gradescope.name_of(email, hand_in.sha256)]
    found = [path.read_bytes().removeprefix(lists.MARK.encode())
             for path in hand_in.folder.rglob("*") if path.is_file()]  # fmt: skip
    return sorted({gradescope.name_of(email, sha256(data)) for data in found})


def _junit(course: Course, entries: Sequence[Entry], arguments: argparse.Namespace) -> Written:
    found = [(entry.document, _grade(entry)) for entry in entries if entry.document]
    return _written(_out(course, arguments, ".xml"), junit.junit(found)), None


def _csv(course: Course, entries: Sequence[Entry], arguments: argparse.Namespace) -> Written:
    rows = [_row(course, entry) for entry in entries]
    return _written(_out(course, arguments, ".csv"), table.table(COLUMNS, rows)), None


def _json(course: Course, entries: Sequence[Entry], arguments: argparse.Namespace) -> Written:
    """Every mark, and every result as its student's, for other programs."""
    made = {"marks": [_mark(entry) for entry in entries],
            "results": [entry.document for entry in entries if entry.document]}  # fmt: skip
    return _written(_out(course, arguments, ".json"), to_json(made)), None


def _mark(entry: Entry) -> dict[str, object]:
    """With the lines that add up to it. An excused lab has no points: it does not count."""
    mark = Mark(None, 0) if entry.state == EXCUSED else entry.mark
    return {"student": entry.student.id, "lab": entry.lab.name, "state": entry.state,
            "points": mark.points, "possible": mark.possible or None,
            "open_points": mark.open_points, "lines": [vars(one) for one in mark.lines]}


def _row(course: Course, entry: Entry) -> list[object]:
    student, hand_in, mark = entry.student, entry.hand_in, entry.mark
    document = as_it_counts(course.settings, entry).document  # the verdict of stages that count
    points = _policy(course).points(_grade(entry))
    known = [points, mark.possible, mark.penalty if document else None, mark.open_points]
    return [
        student.id, student.name, student.email, student.section, entry.lab.name, entry.state,
        hand_in and hand_in.attempt, hand_in and write_time(hand_in.handed_in),
        write_time(entry.due), document and document["verdict"],
        *(known if entry.state != EXCUSED else [None] * len(known)),  # it does not count
        len(waiting(entry)), sum(one.kind == "decision" for one in mark.lines),
        entry.stored and entry.stored.task, hand_in and hand_in.sha256,
    ]  # fmt: skip


def _written(path: Path, text: str) -> Path:
    write_atomically(path, text)
    return path


FORMATS: dict[str, Callable[[Course, Sequence[Entry], argparse.Namespace], Written]] = {
    "canvas": _canvas, "moodle": _moodle, "gradescope": _gradescope, "junit": _junit, "csv": _csv,
    "json": _json,
}  # fmt: skip
