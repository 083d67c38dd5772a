"""From a download to submitted/: each student's files as they arrived, with the course's record.

Nothing is written before everything is known: who each part belongs to, and which lab. What cannot
be placed is kept in unplaced/, with the reason. The same download again adds nothing.
"""

import contextlib
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import reduce
from operator import or_
from pathlib import Path

from ..base.errors import InfrastructureError, UsageError
from ..base.files import to_json, write_atomically
from ..base.lists import is_test_student
from ..base.scratch import scratch_folder
from ..base.text import line, named
from ..intake.submission import take_in
from ..lab_file.manifest import Lab
from .course import Course
from .downloads import CLASSROOM, Part, parts
from .hand_ins import TIME, HandIn, Record, folder_of, hand_ins, write_time
from .known import content, is_there, lab_of_folders
from .roster import Finder, Student
from .times import NO_TIMES, SHEETS, read_times
from .unpacking import unpacked

UNKNOWN = "nobody on the roster has this name"
NAMELESS = "the download does not say whose it is"
OF_ONE_ASSIGNMENT = ("Gradescope", "Moodle", "Canvas")  # what these hand out is


@dataclass(frozen=True)
class Placed:
    """A part of a download, its student and its lab; or why they are not known. With a lab and a
    reason a person should look at it: the files do not say this lab, or cannot be graded."""

    part: Part
    student: Student | None
    lab: Lab | None
    reason: str = ""


@dataclass
class Report:
    """What an import did."""

    added: list[Record] = field(default_factory=list)
    known: int = 0  # were there already
    unplaced: list[tuple[str, str]] = field(default_factory=list)
    assumed: list[tuple[str, str, str]] = field(default_factory=list)  # student, lab, reason
    strays: list[tuple[str, str, str]] = field(default_factory=list)  # student, lab, the others'
    left_out: int = 0  # of Canvas's test student
    timed: int = 0  # of those, whose time was not known before
    without_time: list[Record] = field(default_factory=list)
    unread: tuple[str, ...] = ()  # times in a sheet that nobody could read

    @property
    def to_come(self) -> list[Record]:
        """Handed in at a time that is still to come: a clock or a time zone is wrong."""
        return [one for one in self.added if one.handed_in and one.handed_in > one.imported]


def import_all(
    course: Course, downloads: Sequence[Path], only: Lab | None, keep_unknown: bool
) -> Report:
    """Place every part of the downloads. Raises UsageError, before anything is written, if a part
    belongs to nobody on the roster, unless `keep_unknown` puts it into unplaced/."""
    if not course.students:
        raise UsageError("the roster is empty; ./lab class roster FILE reads it first.")
    zone = course.settings.zone
    sheets = [path for path in downloads if path.suffix.lower() in SHEETS]
    times = reduce(or_, (read_times(path, zone) for path in sheets), NO_TIMES)
    if len(sheets) == len(downloads):
        raise UsageError(f"{named([line(str(path)) for path in sheets])}: this has times, but no "
                         "hand-ins. Import it together with the download that it is of, also if "
                         "that was imported before.")  # fmt: skip
    names = [one.lab.name for one in course.settings.labs]
    finder = Finder(course.students)
    with scratch_folder("import", course.folder) as scratch:
        placed: list[Placed] = []
        strays: list[tuple[str, str, str]] = []
        left_out = 0
        for path in downloads:
            if path not in sheets:
                found = parts(unpacked(path, scratch), names, zone, times,
                              lambda name: finder.find(name) is not None)  # fmt: skip
                kept = [part for part in found if not _is_test_student(finder, part)]
                left_out += len(found) - len(kept)
                of_this = _as_the_rest(_place(course, finder, kept, only, scratch))
                placed += of_this
                strays += _strays(of_this)
        unknown = [one for one in placed if one.student is None and one.part.names]
        if unknown and not keep_unknown:
            raise UsageError(_unknown(finder, unknown))
        report = _write(course, placed)
        report.left_out, report.strays = left_out, strays
        report.unread = times.unread
        return report


def _is_test_student(finder: Finder, part: Part) -> bool:
    """What a teacher handed in as Canvas's "Test Student", unless somebody is called so."""
    return (part.source == "Canvas" and finder.find(*part.names) is None
            and any(map(is_test_student, part.names)))  # fmt: skip


def _unknown(finder: Finder, unknown: Sequence[Placed]) -> str:
    people, several = [], False
    for one in unknown:
        same = [student.id for student in finder.namesakes(*one.part.names)]
        who = f" ({' or '.join(same)}?)" if same else ""
        people.append(line(" = ".join(one.part.names) or one.part.where) + who)
        several = several or bool(same)
    said = (f"nothing was imported, because the roster does not say who {len(people)} of them "
            f"{'is' if len(people) == 1 else 'are'}: {named(people, '; ').rstrip('.')}. "
            "If they take the course, add them with ./lab class roster. If they have left it, "
            "--keep-unknown keeps their files in unplaced/.")  # fmt: skip
    return said + (" Moodle's grading worksheet tells namesakes apart: import both together."
                   if several else "")  # fmt: skip


def _place(
    course: Course, finder: Finder, found: Iterable[Part], only: Lab | None, scratch: Path
) -> list[Placed]:
    placed: list[Placed] = []
    for number, part in enumerate(found):
        student = finder.find(*part.names, *_inside_names(part))
        if student is None:
            reason = UNKNOWN if part.names else NAMELESS
            placed.append(Placed(part, None, None, reason))
        else:
            labs, reason = _labs(course, part, only, scratch / f"part-{number}")
            placed += [Placed(part, student, lab, reason) for lab in labs or [None]]
    return placed


def _inside_names(part: Part) -> list[str]:
    """`ann_rank_sort` and `rank_sort-ann` name ann, too, where a folder has a file for each."""
    if part.source not in ("folder", CLASSROOM) or not part.names:
        return []
    name = part.where if part.source == CLASSROOM else part.names[0]
    words = name.replace("-", "_").split("_")
    return [words[0], words[-1], "_".join(words[:2]), "_".join(words[-2:])]


def _labs(course: Course, part: Part, only: Lab | None, trial: Path) -> tuple[list[Lab], str]:
    """The labs that a part is for, and why a person should look at it, if at all."""
    if not part.files:
        return [], "there is no file in it"
    labs = [one.lab for one in course.settings.labs]
    if part.lab:
        only = next(lab for lab in labs if lab.name == part.lab)
    only = only or (labs[0] if len(labs) == 1 else None)
    try:
        _copy(part, trial)
    except OSError as error:
        raise InfrastructureError(f"{course.folder}: {error.strerror}; free some space. Nothing "
                                  "was imported. Import again.") from error  # fmt: skip
    kit = course.settings.kit
    taken = take_in(trial, kit if only else labs, only, kit)
    shutil.rmtree(trial, ignore_errors=True)
    if taken.submissions:
        doubts = [doubt for one in taken.submissions for doubt in one.doubt]
        return [submission.lab for submission in taken.submissions], "; ".join(doubts)
    refused = str(taken.refused[0]).removeprefix(f"{trial}: ")
    reason = refused.replace(f"{trial}/", "").replace(str(trial), "the hand-in")
    only = only or lab_of_folders([inside for _, inside in part.files], labs)
    return [only] if only else [], reason


def _as_the_rest(placed: Sequence[Placed]) -> list[Placed]:
    """An LMS's download is of one assignment: a file that does not say its lab, such as a broken
    zip, is of the lab that all others in it are of. Then it has a row, and a person looks at it."""
    labs = {one.lab.name: one.lab for one in placed if one.lab}
    if len(labs) != 1:
        return list(placed)
    [lab] = labs.values()
    return [replace(one, lab=lab) if one.student and one.part.files
            and one.part.source in OF_ONE_ASSIGNMENT else one for one in placed]  # fmt: skip


def _strays(placed: Sequence[Placed]) -> list[tuple[str, str, str]]:
    """Who handed in another lab's file than most in an LMS's download of one assignment."""
    labs = [one.lab.name for one in placed if one.lab and one.part.source in OF_ONE_ASSIGNMENT]
    most = max(labs, key=labs.count, default="")
    return [(one.student.id, one.lab.name, most) for one in placed
            if one.student and one.lab and one.lab.name != most
            and labs.count(most) > len(labs) / 2]  # fmt: skip


def _copy(part: Part, target: Path) -> None:
    target.mkdir(parents=True)
    for source, inside in part.files:
        place = target / inside
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, place, follow_symlinks=False)


def _write(course: Course, placed: Sequence[Placed]) -> Report:
    report = Report()
    unplaced = [one for one in placed if one.student is None or one.lab is None]
    try:
        for one in placed:
            if one.student is not None and one.lab is not None:
                _add(course, one.part, one.student, one.lab, report)
                if one.reason:
                    report.assumed.append((one.student.id, one.lab.name, one.reason))
        if unplaced:
            _keep(course, unplaced, report)
    except (OSError, InfrastructureError) as error:
        why = (f"{course.submitted}: {error.strerror}; free some space."
               if isinstance(error, OSError) else str(error))  # fmt: skip
        count = f"{len(report.added) + report.known} of {len(placed) - len(unplaced)} hand-ins"
        raise InfrastructureError(f"{why} {count} are in. Import again for the others: nothing is "
                                  "imported twice.") from error  # fmt: skip
    return report


def _add(course: Course, part: Part, student: Student, lab: Lab, report: Report) -> None:
    """A further attempt, unless the same files of the same time are there.

    A later download may know the time of what is there: then that is written down. What is there
    and comes again without a time, as from clones, is no new attempt: it would be in time.
    """
    now = datetime.now(UTC).strftime(TIME)
    place = folder_of(course, student.id, lab.name)
    place.mkdir(parents=True, exist_ok=True)
    handed_in = write_time(part.handed_in)
    earlier = hand_ins(course, student.id, lab)
    with scratch_folder("attempt", place) as scratch:
        folder = scratch / "files"
        _copy(part, folder)
        same = content(folder)
        for one in earlier:
            if content(one.folder) == same:
                known = one.record
                if known is None:  # an import was ended between the files and their record
                    Record(student.id, lab.name, one.attempt, handed_in, now, part.source,
                           is_marked_late=part.is_marked_late).write(course)  # fmt: skip
                elif known.handed_in is None and handed_in:
                    replace(known, handed_in=handed_in).write(course)
                    report.timed += 1
                elif handed_in not in (None, known.handed_in):
                    continue
                report.known += 1
                return
        made = HandIn(student.id, lab, 0, folder, None, course.settings.kit)
        if handed_in is None and not part.is_marked_late and is_there(made, earlier):
            report.known += 1
            return
        attempt = max((one.attempt for one in earlier), default=0) + 1
        folder.rename(place / str(attempt))
        record = Record(student.id, lab.name, attempt, handed_in, now, part.source,
                        is_marked_late=part.is_marked_late)  # fmt: skip
        record.write(course)
    report.added.append(record)
    report.without_time += [record] if handed_in is None else []


def _keep(course: Course, unplaced: Sequence[Placed], report: Report) -> None:
    """Put what could not be placed into a folder of its own, with the reasons."""
    course.unplaced.mkdir(exist_ok=True)
    kept = {path.name for path in course.unplaced.iterdir()}
    reasons = []
    with scratch_folder("unplaced", course.unplaced) as scratch:
        folder = scratch / "files"
        folder.mkdir()
        for number, one in enumerate(unplaced, 1):
            with contextlib.suppress(OSError):
                _copy(one.part, folder / str(number))
            report.unplaced.append((one.part.where, one.reason))
            reasons.append({"folder": str(number), "where": line(one.part.where),
                            "names": [line(name) for name in one.part.names],
                            "reason": one.reason, "source": one.part.source})  # fmt: skip
        # Two people may have handed in the same file, so the sender's name counts, too.
        write_atomically(folder / "reasons.json", to_json({"unplaced": reasons}))
        name = content(folder)[:16]
        if name not in kept:
            os.rename(folder, course.unplaced / name)
