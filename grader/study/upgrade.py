"""A newer kit under a student's stages: handouts, tests and tools change, what they wrote stays."""

import difflib
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError, UsageError
from ..lab_file import marks
from ..lab_file.manifest import Lab
from . import versions

FETCH_SECONDS = 300.0
AUTHOR = ("-c", "user.name=lab upgrade", "-c", "user.email=lab@localhost")


@dataclass(frozen=True)
class Plan:
    """What an upgrade to the commit `new` changes.

    `files` are those of the kit; `moved` are the students' files that get a new frame, by path.
    """

    base: str
    new: str
    files: tuple[str, ...]
    moved: dict[str, str]

    def frame_diff(self, checkout: Checkout) -> list[str]:
        """How the frames change, as unified diffs."""
        lines: list[str] = []
        for path in self.moved:
            before, after = (marks.frame(show(checkout, commit, path), path).splitlines()
                             for commit in (self.base, self.new))  # fmt: skip
            lines += difflib.unified_diff(before, after, f"{path} (before)", f"{path} (now)",
                                          lineterm="", n=1)  # fmt: skip
        return lines


def plan(checkout: Checkout, labs: Sequence[Lab], source: str) -> Plan:
    """Fetch `source` ("origin main") and see what it changes. Raises LabError."""
    with console.progress(f"git fetch {source}"):
        git(checkout, "fetch", "--quiet", *source.split())
    new = git(checkout, "rev-parse", "FETCH_HEAD").strip()
    base = git(checkout, "merge-base", "HEAD", new).strip()
    files = tuple(git(checkout, "diff", "--name-only", base, new).split("\n")[:-1])
    own = {f"labs/{lab.name}/{lab.source}" for lab in labs}
    _refuse_other_edits(checkout, base, [name for name in files if name not in own])
    moved = {path: _in_new_frame(checkout, path, base, new) for path in sorted(own & set(files))}
    kept = tuple(name for name in files if name not in own)
    return Plan(base, new, kept, {path: text for path, text in moved.items() if text})


def _refuse_other_edits(checkout: Checkout, base: str, files: list[str]) -> None:
    edited = set(git(checkout, "diff", "--name-only", base).split("\n"))
    both = [name for name in files if name in edited]
    if both:
        raise UsageError(
            f"you have changed {both[0]}, which the new kit changes too; keep your copy elsewhere, "
            f"then: git checkout {both[0]}"
        )


def _in_new_frame(checkout: Checkout, path: str, base: str, new: str) -> str:
    """The student's file with the new frame; "" if the frame is the same or the file is gone."""
    file = checkout.root / path
    before, after = show(checkout, base, path), show(checkout, new, path)
    if not file.is_file() or not after or marks.frame(before, path) == marks.frame(after, path):
        return ""
    mine = file.read_text(encoding="utf-8")
    return transplanted(_with_own_lines(mine, before, after, path), mine, path)


def _with_own_lines(mine: str, before: str, after: str, path: str) -> str:
    """The new skeleton `after`, with what the student has changed outside of the marks. Raises
    UsageError if the new kit changes the same lines."""
    frames = [marks.frame(text, path) for text in (mine, before, after)]
    if frames[0] == frames[1]:
        return after
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("mine", "before", "after")]
        for file, text in zip(files, frames, strict=True):
            file.write_text(text, encoding="utf-8")
        merged = subprocess.run(["git", "merge-file", "-p", "-q", *map(str, files)],
                                capture_output=True, text=True)  # fmt: skip
    if merged.returncode != 0:
        line = marks.first_difference(mine, before, path)
        raise UsageError(
            f"{path}:{line}: you have changed lines outside of the marks, and the new kit changes "
            "them too. Move yours between the marks of a stage, or undo them; then call again."
        )
    return _filled(merged.stdout, after, path)[0]


def _filled(skeleton: str, given: str, where: str) -> tuple[str, list[str]]:
    """`skeleton` with what is between the marks of `given`, and the stages that found no place. A
    stage that `given` lacks stays as in the skeleton. Marks are compared by stage and order."""
    inside: dict[str, list[list[str]]] = {}
    lines = given.split("\n")
    for region in marks.parse(given, where):
        inside.setdefault(region.name, []).append(lines[region.begin + 1 : region.end])
    result = skeleton.split("\n")
    for region in reversed(marks.parse(skeleton, where)):
        own = inside.get(region.name, [])
        if own:
            result[region.begin + 1 : region.end] = own.pop()
    return "\n".join(result), [name for name, regions in inside.items() if regions]


def transplanted(skeleton: str, mine: str, where: str) -> str:
    """`skeleton` with what is between the marks of `mine`. Raises UsageError."""
    result, left = _filled(skeleton, mine, where)
    if left:
        raise UsageError(f"{where}: the new kit has fewer regions of stage {left[0]} than your "
                         "file; move your text by hand.")  # fmt: skip
    return result


def carry_out(checkout: Checkout, labs: Sequence[Lab], planned: Plan) -> None:
    """Merge the new kit. The students' files are kept as versions first, and put back after it."""
    files = {f"labs/{lab.name}/{lab.source}": lab for lab in labs}
    mine: dict[Path, str] = {}
    for path, lab in files.items():
        if (checkout.root / path).is_file():
            versions.keep_own(checkout, lab, "before an upgrade")
            mine[checkout.root / path] = (checkout.root / path).read_text(encoding="utf-8")
    try:
        known = [path for path in files if show(checkout, "HEAD", path)]
        git(checkout, "checkout", "HEAD", "--", *known)
        git(checkout, *AUTHOR, "merge", "--quiet", "--no-edit", "-X", "ours", planned.new)
    except InfrastructureError:
        subprocess.run(["git", "merge", "--abort"], cwd=checkout.root, capture_output=True)
        raise
    finally:
        for file, text in mine.items():
            file.write_text(text, encoding="utf-8")
    for path, text in planned.moved.items():
        (checkout.root / path).write_text(text, encoding="utf-8")


def show(checkout: Checkout, commit: str, path: str) -> str:
    """A file of a commit; "" if it has none."""
    done = subprocess.run(["git", "show", f"{commit}:{path}"], cwd=checkout.root,
                          capture_output=True, text=True)  # fmt: skip
    return done.stdout if done.returncode == 0 else ""


def git(checkout: Checkout, *words: str) -> str:
    """What git printed. Raises InfrastructureError with its first line that says what is wrong."""
    try:
        done = subprocess.run(["git", *words], cwd=checkout.root, capture_output=True, text=True,
                              timeout=FETCH_SECONDS, stdin=subprocess.DEVNULL)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfrastructureError(f"git {words[0]} did not work: {error}.") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        wrong = next((line for line in said if line.startswith(("fatal:", "error:"))), said[-1])
        if "not a git repository" in wrong:
            raise UsageError("this copy of the kit is no git clone, so there is nothing to fetch "
                             "from; take the new copy from your course, and your .cu files with "
                             "you.")  # fmt: skip
        if "'origin' does not appear to be a git repository" in wrong:
            raise UsageError("this copy has no remote named origin, so it is not known where a "
                             "newer kit is. Say where: ./lab upgrade --from \"URL BRANCH\".")
        raise InfrastructureError(f"git {words[0]} did not work: {wrong}")
    return done.stdout
