"""`./lab report [LAB|PATH]`: a page with figures, verdicts, counters and questions to answer."""

import argparse
from pathlib import Path

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, UsageError
from ..base.files import sha256, write_atomically
from ..base.outcome import Outcome
from ..grading.result import FILE_NAME
from ..intake.submission import BYTE_ORDER_MARK
from ..lab_file import manifest
from ..lab_file.manifest import Lab
from .parser import Commands

PAGE = "report.html"


def add(commands: Commands) -> None:
    made = commands.add("report", run, "a page to fill in and print: figures, verdicts, questions")
    made.description = (
        "Write report.html beside a result of ./lab check: one file with the figures, the ladder, "
        "verdicts, counters and the handout's questions, to be filled in and printed."
    )
    made.add_argument("what", nargs="?", metavar="LAB|PATH",
                      help="only this lab's; or a result.json (default: every lab that "
                      "./lab check has judged)")  # fmt: skip


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Write the page beside each result. Raises UsageError if there is none."""
    labs = manifest.discover(checkout)
    pages = [_write(checkout, labs, path) for path in _results(checkout, labs, arguments.what)]
    shown = [checkout.shown(page) for page in pages]
    it = "it" if len(shown) == 1 else "them"
    text = "\n".join([*shown, f"Open {it} in a browser: answer the questions there, and print."])
    return Outcome(ALL_PASSED, {"pages": shown}, text)


def _results(checkout: Checkout, labs: list[Lab], what: str | None) -> list[Path]:
    """The results that `what` names: of ./lab check, or the file at a path."""
    if what is not None and Path(what).is_file():
        return [Path(what)]
    chosen = labs if what is None else [manifest.find(labs, what)]
    found = [checkout.out / "check" / lab.name / FILE_NAME for lab in chosen]
    if existing := [path for path in found if path.is_file()]:
        return existing
    target = f" {chosen[0].name}" if what else ""
    raise UsageError(f"there is nothing to report yet; run ./lab check{target} first.")


def _write(checkout: Checkout, labs: list[Lab], path: Path) -> Path:
    # These need packages, which bootstrap installs first.
    from ..grading.read_result import read_result
    from ..pages import lab_report
    from ..pages.questions import questions

    result = read_result(path)
    asked = questions(checkout.labs / result["lab"] / "README.md")
    lab = next((lab for lab in labs if lab.name == result["lab"]), None)
    is_own = lab is not None and path.is_relative_to(checkout.out / "check")
    stale = is_own and _changed(checkout, lab, result["submission"]["sha256"])
    missing = len(lab.stages) - len(result["stages"]) if is_own else 0
    page = path.with_name(PAGE)
    write_atomically(page, lab_report.report(result, asked, is_stale=stale, missing=missing))
    return page


def _changed(checkout: Checkout, lab: Lab, checked: str) -> bool:
    """Whether the student's file is another one than the one that was checked."""
    file = checkout.labs / lab.name / lab.source
    return file.is_file() and sha256(file.read_bytes().removeprefix(BYTE_ORDER_MARK)) != checked
