"""Recording what every wrong file of a lab looks like when it fails: labs/NN-name/mistakes.json.

study/causes.py compares a student's failure with these records. A record keeps nothing of the file
but its hash, by which a file that has not changed is not judged again.
"""

from collections.abc import Callable
from pathlib import Path

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import LabError
from ..base.files import sha256, to_json, write_atomically
from ..base.verdict import DID_NOT_COMPILE, PASSED, Run
from ..judging.judge import check_once, judge_stage
from ..judging.workers import make_bench, make_checked
from ..lab_file.manifest import Lab
from ..sandbox import bubblewrap
from ..study.causes import FILE, SILENT, Mistake, read, told
from .shape import CheckFailed, expectation

PUBLIC_SEED = 1
SCHEMA = 1


def record(checkout: Checkout, lab: Lab, report: Callable[[str], None]) -> tuple[int, list[str]]:
    """Bring the lab's file up to date. Returns how many mistakes it holds, and the wrong files that
    left no trace: they pass, or the machine was at fault."""
    target = checkout.labs / lab.name / FILE
    known = {one.file: one for one in read(target)}
    kept: list[Mistake] = []
    silent: list[str] = []
    for path in sorted((checkout.reference / lab.name / "wrong").glob("*.cu")):
        report(path.name)
        found = known.get(sha256(path.read_bytes())) or _recorded(checkout, lab, path)
        if found is None:
            silent.append(path.name)
            continue
        kept.append(found)
        _write(target, [*kept, *(one for one in known.values() if one not in kept)])
    _write(target, kept)  # without those whose files are gone
    return len(kept), silent


def _write(target: Path, mistakes: list[Mistake]) -> None:
    document = {"schema": SCHEMA, "mistakes": [one.document() for one in mistakes]}
    write_atomically(target, to_json(document))


def _recorded(checkout: Checkout, lab: Lab, path: Path) -> Mistake | None:
    source = path.read_bytes()
    try:
        stage = expectation(lab, path, path.name).stage
        run = _judged(checkout, lab, source, stage.name)
    except (LabError, CheckFailed) as error:
        console.note(f"lab: {path.name}: {error}")
        return None
    if run.verdict in SILENT:
        return None
    return Mistake(stage.name, run.verdict, run.case, told(run.verdict, run.message),
                   cause(source.decode()), sha256(source))  # fmt: skip


def _judged(checkout: Checkout, lab: Lab, source: bytes, stage: str) -> Run:
    """The verdict as `check` gives it, as far as it is compared: its first sentence.

    Nearly all mistakes show in the run under the checker, which needs one compilation.
    """
    box = bubblewrap.for_own_file()
    checked, message = make_checked(checkout, lab, source, PUBLIC_SEED, box)
    if checked is None:
        return Run("", DID_NOT_COMPILE, message)
    run = check_once(checked, stage)
    if run.verdict != PASSED:
        return run
    bench, message = make_bench(checkout, lab, source, "cpu", PUBLIC_SEED, box)
    return judge_stage(bench, stage)[0] if bench else Run("", DID_NOT_COMPILE, message)


def cause(text: str) -> str:
    """What a wrong file does, in its own words: the comment after its first line."""
    words: list[str] = []
    for line in text.splitlines()[1:]:
        if not line.startswith("// "):
            break
        words.append(line.removeprefix("// ").strip())
    return " ".join(words)
