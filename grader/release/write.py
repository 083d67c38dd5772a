"""Writing the copy for students: into a folder beside the wanted one, renamed at the end."""

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import __version__
from ..base import console
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError, UsageError
from ..base.files import to_json, write_atomically
from ..base.scratch import scratch_folder
from ..judging.workers import compile_form
from ..lab_file import marks, recorded
from ..lab_file.manifest import Lab
from ..machine import hardware
from ..sandbox import bubblewrap
from . import hints, leaks, recording
from .contents import handed_out

STUDENT_README = Path(__file__).parent / "README.student.md"
LINK = re.compile(r"!?\[([^\]\n]*)\]\(([^)\s]+)\)")
ABOUT = "release/release.json"


@dataclass(frozen=True)
class Plan:
    """What is handed out: these labs, with at most so many hints a stage (None: all of them)."""

    labs: tuple[Lab, ...]
    course: str = ""
    hints: int | None = None
    seeds: tuple[int, ...] = recording.SEEDS
    counting: Mapping[str, Sequence[str]] = field(default_factory=dict)  # stages, if not all count


@dataclass(frozen=True)
class Written:
    """What was written: how many files, and for which labs there is a program to race on a GPU."""

    files: int
    counts: int
    yardsticks: tuple[str, ...]


def require_place(checkout: Checkout, target: Path) -> None:
    """Raises UsageError unless `target` is a new or empty folder outside of the checkout."""
    where = target.resolve()
    if where == checkout.root or where.is_relative_to(checkout.root):
        raise UsageError(f"{target}: is inside this checkout; name a folder outside of it.")
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"{target}: is not a folder; name a new one.")
    if target.is_dir() and any(target.iterdir()):
        raise UsageError(f"{target}: is not empty; name a new folder.")


def write(checkout: Checkout, plan: Plan, target: Path) -> Written:
    """Write the copy for students to `target`. Nothing is left of a copy that cannot be finished.

    Raises UsageError if a solution's line would be in it, InfrastructureError if writing fails.
    """
    require_place(checkout, target)
    try:
        target.absolute().parent.mkdir(parents=True, exist_ok=True)
        with (scratch_folder("release", target.absolute().parent) as fresh,
              console.progress("release") as line):  # fmt: skip
            written = _fill(checkout, plan, fresh, line.update)
            fresh.chmod(0o755)
            if target.is_dir():
                target.rmdir()
            fresh.rename(target.absolute())
    except OSError as error:
        raise InfrastructureError(f"{target}: {error.strerror or error}.") from error
    return written


def _fill(checkout: Checkout, plan: Plan, folder: Path, tell: Callable[[str], None]) -> Written:
    sources = {f"labs/{lab.name}/{lab.source}" for lab in plan.labs}
    names = [name for name in handed_out(checkout, plan.labs) if name not in sources]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(checkout.root / name, folder / name)  # with its mode: ./lab is a program
    counts, yardsticks = 0, []
    for number, lab in enumerate(plan.labs, 1):
        tell(f"{number} of {len(plan.labs)}, counting the reference of {lab.name}")
        known = _write_lab(checkout, plan, lab, folder)
        counts += len(known.counts)
        if _write_yardsticks(checkout, lab, folder):
            yardsticks.append(lab.name)
    write_atomically(folder / "README.md", _readme(plan))
    for page in folder.rglob("*.md"):
        write_atomically(page, _without_dead_links(page))
    about = {"schema": recorded.SCHEMA, "kit": __version__, "course": plan.course,
             "labs": [lab.name for lab in plan.labs], "hints": plan.hints}  # fmt: skip
    write_atomically(folder / ABOUT, to_json(about))
    tell("looking for lines of solutions")
    public = leaks.public_lines(checkout, names)
    found = leaks.leaks(folder, leaks.solution_lines(checkout, plan.labs), public)
    if found:
        raise UsageError("nothing was released, because it would give solutions away:\n"
                         + "\n".join(found))  # fmt: skip
    return Written(sum(path.is_file() for path in folder.rglob("*")), counts, tuple(yardsticks))


def _write_lab(checkout: Checkout, plan: Plan, lab: Lab, folder: Path) -> recorded.Recorded:
    """The skeleton, whatever the file in labs/ holds by now; the hints; what is recorded."""
    solved = checkout.reference / lab.name / lab.source
    if not solved.is_file():
        raise UsageError(f"reference/{lab.name}/{lab.source} is missing: this copy of the kit "
                         "cannot be released again.")  # fmt: skip
    skeleton = marks.cut(solved.read_text(encoding="utf-8"), str(solved), lab.stage_names)
    manifest = checkout.labs / lab.name / "lab.toml"
    cut = hints.kept(manifest.read_text(encoding="utf-8"), plan.hints, f"labs/{lab.name}/lab.toml")
    known = recording.record(checkout, lab, plan.seeds)
    there = recorded.folder(Checkout(folder), lab)
    write_atomically(folder / "labs" / lab.name / "lab.toml", cut)
    write_atomically(folder / "labs" / lab.name / lab.source, skeleton)
    write_atomically(there / lab.source, skeleton)
    write_atomically(there / recorded.FILE_NAME, known.text())
    return known


def _write_yardsticks(checkout: Checkout, lab: Lab, folder: Path) -> bool:
    """The programs that stages are raced against, if this machine has a GPU to compile them for."""
    forms = {stage.speed.form for stage in lab.stages if stage.speed}
    if not forms or not (hardware.find_gpu() and hardware.find_nvcc()):
        return False
    for form in forms:
        place = recorded.folder(Checkout(folder), lab) / f"{recorded.YARDSTICK}-{form}"
        shutil.copy(compile_form(checkout, lab, form, box=bubblewrap.find()), place)
        place.chmod(0o755)
    return True


def _without_dead_links(page: Path) -> str:
    """The page's text; a link to a file that is not handed out becomes its words, and a line that
    begins with one is left out: it is about that file."""

    def leads(link: re.Match[str]) -> bool:
        target = link[2].partition("#")[0]
        return not target or "://" in target or (page.parent / target).exists()

    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not (begin := LINK.match(line)) or leads(begin)]
    return LINK.sub(lambda link: link[0] if leads(link) else link[1], "".join(kept))


def _stages(lab: Lab, counting: Sequence[str]) -> str:
    """A course may leave some out: then it says which ones have points."""
    rest = [name for name in lab.stage_names if name not in counting]
    return ", ".join(counting) + (f"; without points here: {', '.join(rest)}" if rest else "")


def _readme(plan: Plan) -> str:
    rows: Sequence[str] = [
        f"| [{lab.name[:2]} {lab.title}](labs/{lab.name}/README.md) "
        f"| {_stages(lab, plan.counting.get(lab.name, lab.stage_names))} |" for lab in plan.labs
    ]  # fmt: skip
    text = STUDENT_README.read_text(encoding="utf-8")
    title = f"Warpwise: {plan.course}" if plan.course else "Warpwise"
    first = plan.labs[0]
    return (text.replace("@TITLE@", title).replace("@LABS@", "\n".join(rows))
            .replace("@LAB@", first.name).replace("@SOURCE@", first.source)
            .replace("@NUMBER@", first.name[:2]))  # fmt: skip
