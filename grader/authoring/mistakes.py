"""Recording what every wrong file of a lab looks like when it fails: labs/NN-name/mistakes.json.

study/causes.py compares a student's failure with these records. A record keeps nothing of the file
but its hash, by which a file that has not changed is not judged again.
"""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import LabError
from ..base.files import sha256, to_json, write_atomically
from ..base.verdict import (
    DID_NOT_COMPILE,
    NOT_ATTEMPTED,
    TIMED_OUT,
    TOO_SLOW,
    Run,
    settles,
    with_check,
)
from ..judging.full_judge import judge_fully
from ..judging.judge import ORDERS, check_once, run_once
from ..judging.workers import make_bench
from ..lab_file.manifest import Lab
from ..sandbox import bubblewrap
from ..study.causes import FILE, SCHEMA, SILENT, Mistake, read, seen
from .shape import EXPECT, CheckFailed, Expectation, expectation

PUBLIC_SEED = 1
# A whole other algorithm is nobody's slip: what it looks like says nothing about a student's file.
NO_SLIP = ("Another ",)


def record(
    checkout: Checkout, lab: Lab, report: Callable[[str], None], again: bool = False
) -> tuple[int, list[str]]:
    """Bring the lab's file up to date; with `again` also what is known already.

    Returns how many mistakes it holds, and the wrong files that left no trace and should have: they
    pass, or the machine was at fault.
    """
    target = checkout.labs / lab.name / FILE
    known = {} if again else {one.file: one for one in read(target)}
    kept: list[Mistake] = []
    silent: list[str] = []
    for path in sorted((checkout.reference / lab.name / "wrong").glob("*.cu")):
        report(path.name)
        if leaves_no_trace(path.read_text(encoding="utf-8")):
            continue
        found = known.get(sha256(path.read_bytes())) or _recorded(checkout, lab, path)
        if found is None:
            silent.append(path.name)
            continue
        kept.append(found)
        _write(target, [*kept, *(one for one in known.values() if one not in kept)])
    _write(target, kept)  # without those whose files are gone
    return len(kept), silent


def leaves_no_trace(text: str) -> bool:
    """Whether a wrong file is another algorithm, or says itself that it only loses points, or does
    nothing: `check` has no failure to recognise it by."""
    promise = EXPECT.fullmatch(text.partition("\n")[0].rstrip())
    return cause(text).startswith(NO_SLIP) or (
        promise is not None and promise[3] in (TOO_SLOW, NOT_ATTEMPTED)
    )


def _write(target: Path, mistakes: list[Mistake]) -> None:
    document = {"schema": SCHEMA, "mistakes": [one.document() for one in mistakes]}
    write_atomically(target, to_json(document))


def _recorded(checkout: Checkout, lab: Lab, path: Path) -> Mistake | None:
    source = path.read_bytes()
    try:
        expected = expectation(lab, path, path.name)
        run = _judged(checkout, lab, source, expected)
    except (LabError, CheckFailed) as error:
        console.note(f"lab: {path.name}: {error}")
        return None
    busy = run.verdict == TIMED_OUT != expected.verdict  # the machine's fault, not the file's
    if run.verdict in SILENT or busy:
        return None
    stage = {**asdict(run), "name": expected.stage.name}
    return seen(stage, cause(source.decode()), sha256(source), source.decode())


def _judged(checkout: Checkout, lab: Lab, source: bytes, expected: Expectation) -> Run:
    """The verdict and its messages, as `check` gives them.

    Nearly all mistakes show in the first order and under the checker: then that is enough.
    """
    stage, box = expected.stage, bubblewrap.for_own_file()
    bench, message = make_bench(checkout, lab, source, "cpu", PUBLIC_SEED, box)
    if bench is None or bench.checked is None:
        return Run("", DID_NOT_COMPILE, message)
    run = run_once(bench, stage.name, ORDERS["cpu"][0])
    if not settles(run):
        run = with_check(run, check_once(bench.checked, stage.name))
    if run.verdict == expected.verdict:
        return run
    return judge_fully(checkout, lab, stage, source, bench).run


def cause(text: str) -> str:
    """What a wrong file does, in its own words: the comment after its first line."""
    words: list[str] = []
    for line in text.splitlines()[1:]:
        if not line.startswith("// "):
            break
        words.append(line.removeprefix("// ").strip())
    return " ".join(words)
