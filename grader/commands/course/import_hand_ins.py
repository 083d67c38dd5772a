"""`./lab class import`: downloads of an LMS, sorted into the course's folder."""

import argparse
from pathlib import Path

from ...base import console
from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED, REFUSED, UsageError
from ...base.outcome import Outcome
from ...base.scratch import remove_abandoned
from ...base.text import counted, line, named
from ...course.course import Course, alone
from ...course.importing import NAMELESS, UNKNOWN, Report, import_all
from ..parser import Commands, course_flag


def add(commands: Commands) -> None:
    made = commands.add("import", run, "sort downloads into submitted/", setup="class import")
    made.add_argument("downloads", nargs="+", metavar="DOWNLOAD",
                      help="a zip or folder from Gradescope, Moodle or Canvas, nbgrader's tree, a "
                      "folder or zip with something for each student; with it what has the "
                      "times, Moodle's worksheet or Canvas's list of submissions")  # fmt: skip
    made.add_argument("--lab", help="all of it is this lab's, whatever the files are called")
    made.add_argument("--keep-unknown", action="store_true",
                      help="keep the files of people who are not on the roster in unplaced/")
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Raises UsageError before anything is written. Exit code 4 if something was not placed."""
    course = Course.find(checkout, arguments.course)
    only = course.settings.lab(arguments.lab).lab if arguments.lab else None
    paths = [Path(text) for text in arguments.downloads]
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: there is no such file or folder.")
    with alone(course):
        remove_abandoned((course.folder, course.unplaced,
                          *course.submitted.glob("*/*")))  # fmt: skip
        with console.progress("importing"):
            report = import_all(course, paths, only, arguments.keep_unknown)
    return Outcome(REFUSED if report.unplaced else ALL_PASSED, _document(report),
                   "\n".join(_text(checkout.shown(course.unplaced), report)))  # fmt: skip


def _document(report: Report) -> dict[str, object]:
    return {"added": [vars(record) for record in report.added], "known": report.known,
            "unplaced": [{"where": where, "reason": reason} for where, reason in report.unplaced],
            "assumed": [{"student": student, "lab": lab, "reason": reason}
                        for student, lab, reason in report.assumed],
            "strays": [{"student": student, "lab": lab, "most": most}
                       for student, lab, most in report.strays],
            "left_out": report.left_out, "timed": report.timed,
            "without_time": len(report.without_time),
            "unread_times": list(report.unread),
            "to_come": [vars(record) for record in report.to_come]}  # fmt: skip


def _text(unplaced: str, report: Report) -> list[str]:
    students = len({record.student for record in report.added})
    was = "was" if report.known == 1 else "were"
    lines = [f"{counted(len(report.added), 'hand-in')} of {counted(students, 'student')} imported"
             + (f", {report.known} {was} there already" if report.known else "") + "."]  # fmt: skip
    for student, lab, reason in sorted(report.assumed):
        lines.append(f"doubtful, but taken for {lab}: {student}: {reason}")
    for student, lab, most in report.strays:
        lines.append(f"another lab than most: {student}: the file is {lab}'s, and counts for it; "
                     f"the download is mostly of {most}. --lab LAB would take all of it for "
                     "one lab.")  # fmt: skip
    for where, reason in report.unplaced:
        lines.append(f"not placed: {where}: {reason}")
    lines += _of_unplaced(unplaced, report)
    if report.left_out:
        lines.append("What Canvas's test student handed in was left out.")
    if report.timed:
        lines.append(f"The time of {counted(report.timed, 'earlier hand-in')} is known now.")
    if report.unread:
        lines.append(f"{counted(len(report.unread), 'time')} in the sheet could not be read, such "
                     f"as '{line(report.unread[0])}': download the worksheet in English.")
    lines += _without_time(report)
    if later := report.to_come:
        lines.append(f"{counted(len(later), 'hand-in')} would be of a time that is still to come, "
                     f"such as {later[0].student}'s, {later[0].handed_in}. Look at the system's "
                     "clock and at time_zone in course.toml; ./lab class extend settles what was "
                     "not late.")  # fmt: skip
    if report.added:
        lines.append("Next: ./lab class grade")
    return lines


def _of_unplaced(unplaced: str, report: Report) -> list[str]:
    """Where it is, and what would place it: that depends on what was not known."""
    reasons = {reason for _, reason in report.unplaced}
    lines = [f"What was not placed is kept in {unplaced}."] if reasons else []
    if UNKNOWN in reasons:
        lines.append("Who takes the course and is not on the roster: add them with ./lab class "
                     "roster, and import again.")  # fmt: skip
    if NAMELESS in reasons:
        lines.append("What says not whose it is: put it into submitted/ by hand (TEACHING.md).")
    if reasons - {UNKNOWN, NAMELESS}:
        lines.append("If it is somebody's hand-in, import again and say --lab LAB.")
    return lines


def _without_time(report: Report) -> list[str]:
    """What is not known of when they were handed in, and what would tell."""
    count, late = len(report.without_time), sum(one.is_marked_late for one in report.without_time)
    sources = {record.source for record in report.without_time}
    lines = []
    if count > late:
        one = count - late == 1
        whose = named([one.student for one in report.without_time if not one.is_marked_late])
        lines.append(f"The time of {count - late} hand-in{'' if one else 's'} is not known, so "
                     f"{'it is' if one else 'they are'} not late: {whose}.")  # fmt: skip
    if late:
        lines.append(f"{late} {'is' if late == 1 else 'are'} marked late, without a time. What "
                     "is taken off, a person says, or unknown_days in course.toml.")  # fmt: skip
    lines += ["Moodle's times are in its grading worksheet: import both together, if "
              "you have not."] if "Moodle" in sources else []  # fmt: skip
    lines += ["Canvas's times are in its list of submissions: save it as a .json file, and import "
              "both together (TEACHING.md)."] if "Canvas" in sources else []  # fmt: skip
    return lines
