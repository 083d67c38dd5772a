"""`./lab class report`: the class page, one HTML file for the staff."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from ...base import console
from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED, UsageError
from ...base.files import require_place_for_file, write_private
from ...base.outcome import Outcome
from ...course.book import Entry, as_it_counts, book
from ...course.course import Course
from ...course.status import remarks
from ...intake.submission import Submission
from ...lab_file import recorded
from ...lab_file.manifest import Lab
from ..parser import Commands, course_flag

PAGE = "class.html"


def add(commands: Commands) -> None:
    made = commands.add("report", run, "the class page: who stands where, what to look at first",
                        setup="class report")  # fmt: skip
    made.description = (
        "Write one HTML file that loads nothing: who stands where, what a person must look at, "
        "how stages went, the commonest failures, hand-ins that are alike, a page for each student."
    )
    made.add_argument("--out", metavar="FILE", help=f"default: {PAGE} in the course's folder")
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    from ...pages.class_report import class_page  # needs packages, which bootstrap installs first

    course = Course.find(checkout, arguments.course)
    page = Path(arguments.out) if arguments.out else course.folder / PAGE
    require_place_for_file(page)
    if not course.students:
        raise UsageError("the roster has no students yet; ./lab class roster FILE adds them.")
    made = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with console.progress("class page") as line:
        line.update("reading results")
        entries = book(course)
        remarked = remarks(course, entries)
        entries = [as_it_counts(course.settings, entry) for entry in entries]
        line.update("comparing hand-ins")
        material = {one.lab.name: _material(checkout, one.lab) for one in course.settings.labs}
        text = class_page(course.settings.title, entries, material, _source, made, remarked,
                          course.settings.zone)  # fmt: skip
        write_private(page, text)
    said = [f"{page} (it holds students' data: only you may read it)", *remarked]
    return Outcome(ALL_PASSED, {"page": str(page), "remarks": remarked}, "\n".join(said))


def _material(checkout: Checkout, lab: Lab):  # type: ignore[no-untyped-def]
    """What is known of the lab, to be left out of comparisons, and its wrong files."""
    from ...pages.class_report import LabMaterial
    from ...pages.failures import wrong_files
    from ...pages.similarity import known_lines

    reference = checkout.reference / lab.name / lab.source
    solved = reference.read_text(encoding="utf-8") if reference.is_file() else ""
    known = known_lines(recorded.skeleton(checkout, lab) or "", solved)
    return LabMaterial(known, wrong_files(checkout, lab))


def _source(entry: Entry) -> str:
    """The file that counts, as text; nothing if it was refused."""
    content = entry.hand_in.content if entry.hand_in else None
    is_text = isinstance(content, Submission)
    return content.source.decode("utf-8", "replace") if is_text else ""
