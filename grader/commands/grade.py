"""`./lab grade`: turns submissions into result.json and figures."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import INFRASTRUCTURE, Refusal, UsageError
from ..base.files import make_folder
from ..base.outcome import Outcome
from ..base.text import line
from ..course.downloads import of_a_class
from ..grading.grade import grade
from ..grading.order import SECRET_SEED, Order, Seed
from ..grading.profile import PROFILE_HELP, profile
from ..grading.result import Result, exit_code, keep
from ..grading.result_table import table
from ..intake.submission import Submission, name_of, take_in
from ..judging.workers import build_for_grading
from ..lab_file import manifest
from ..machine import hardware
from ..sandbox import bubblewrap
from .parser import Commands

Row = dict[str, str]  # of what is refused: path, code, reason
SEVERAL = ("ambiguous", "zip-nested", "too-many-files")  # as a class's files would be refused
MISTYPED = ("missing", "unknown-name", "unknown-type")  # of the only PATH: a slip of the user's


def add(commands: Commands) -> None:
    made = commands.add("grade", run, "grade submissions")
    made.description = (
        "Grade submissions. With the public seed everybody can know the inputs. For hidden ones "
        f"put a whole number that nobody guesses into the environment as {SECRET_SEED}; no result "
        "has it. In a course, ./lab class seed new makes one and ./lab class grade uses it."
    )
    made.add_argument("paths", nargs="+", metavar="PATH", help="a .cu file, a folder or a zip")
    made.add_argument("--lab", help="the lab of a file with another name")
    made.add_argument("--out", metavar="DIR", help="default: report/out/<submission>")
    made.add_argument("--figures", action="store_true",
                      help="time every stage for a speedup figure, too; takes longer")  # fmt: skip
    made.add_argument("--profile", action="store_true", help=PROFILE_HELP)
    made.add_argument("--trust", action="store_true",
                      help="without a sandbox: submissions run with your own rights")  # fmt: skip


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Grade every PATH. What is refused is reported and does not stop the others."""
    labs = manifest.discover(checkout)
    only = manifest.find(labs, arguments.lab) if arguments.lab else None
    seed = Seed.from_environment(arguments.seed)
    backend = hardware.choose_backend(arguments.backend)
    taken, refused = _take_all_in(arguments.paths, labs, only)
    for row in refused if arguments.json else ():  # otherwise below the results
        console.note(f"lab: {row['reason']}")
    results: list[Result] = []
    text: list[str] = []
    unwritten = 0
    out = None
    if taken:  # after the paths, so that wrong ones come first
        box = bubblewrap.for_others(arguments.trust)
        folders = [_folder(checkout, arguments.out, part, len(arguments.paths)) for part in taken]
        for folder in folders:
            make_folder(folder)  # fails before the work, not after it
        build_for_grading(checkout, backend)
    for out, submissions in zip(folders if taken else (), taken, strict=True):
        for submission in submissions:
            order = Order(submission.lab, submission.name, submission.source, backend, seed,
                          submission.lab.stages, box, notes=submission.notes,
                          figures=arguments.figures)  # fmt: skip
            result = grade(checkout, order)
            results.append(result)
            text.append(table(result.document()))
            text += [profile(result.document())] if arguments.profile else []
            unwritten += not keep(result, out / submission.lab.name)
    document = {"results": [result.document() for result in results], "refused": refused}
    text += [f"not graded: {row['reason']} [{row['code']}]" for row in refused]
    if any(row["code"] in SEVERAL for row in refused):
        text.append("If it is of a whole class, ./lab class import sorts it by students.")
    where = out.parent if out and len(taken) > 1 else out
    what = "Results and figures" if arguments.figures else "Results"
    text.append(f"{what}: {checkout.shown(where)}" if where else "Nothing was graded.")
    code = INFRASTRUCTURE if unwritten else exit_code(results, len(refused))
    return Outcome(code, document, "\n".join(text))


def _take_all_in(
    paths: Sequence[str], labs: Sequence[manifest.Lab], only: manifest.Lab | None
) -> tuple[list[list[Submission]], list[Row]]:
    """The submissions of each PATH that has any, and a row for everything that is refused."""
    taken: list[list[Submission]] = []
    refused: list[Row] = []
    for path, name in ((path, name_of(Path(path))) for path in paths):
        if system := of_a_class(Path(path)):
            raise UsageError(f"{line(path)}: is what {system} hands out for a whole class; "
                             "./lab class import sorts it by students (TEACHING.md).")  # fmt: skip
        same = sum(name_of(Path(other)) == name for other in paths)
        if same > 1:  # the results of one would replace the other's
            reason = f"{line(path)}: {same} inputs have the name {name}; rename all but one."
            refused.append(_row(path, Refusal("name-twice", reason)))
            continue
        found = take_in(Path(path), labs, only)
        if len(paths) == 1 and found.refused and found.refused[0].code in MISTYPED:
            raise UsageError(str(found.refused[0]))
        refused += [_row(path, refusal) for refusal in found.refused]
        if found.submissions:
            taken.append(found.submissions)
    return taken, refused


def _row(path: str, refusal: Refusal) -> Row:
    return {"path": line(path), "code": refusal.code, "reason": str(refusal)}


def _folder(checkout: Checkout, out: str | None, part: list[Submission], paths: int) -> Path:
    """Where one submission's results go; with several PATHs each gets a folder in --out."""
    if not out:
        return checkout.out / part[0].name
    return Path(out).absolute() / part[0].name if paths > 1 else Path(out).absolute()
