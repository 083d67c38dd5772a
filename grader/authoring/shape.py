"""The part of `./lab dev check` that runs no kernels: whether the parts of a lab agree."""

import re
from dataclasses import dataclass
from pathlib import Path

from ..base.checkout import Checkout
from ..base.errors import UsageError
from ..base.verdict import PASSED, VERDICTS
from ..judging.judge_report import BadReport
from ..lab_file import manifest, marks
from ..lab_file.exemplars import exemplar
from ..lab_file.manifest import Lab, Stage
from ..lab_file.rules import RECORD
from ..timing import speed

EXPECT = re.compile(r"// expect( on cpu)?: ([a-z0-9-]+): ([a-z ]+?)(?::(?: (.+))?)?")
TEST_TAG = re.compile(r"TEST_CASE\w*\([^;{]*?\"((?:\[[^\]\"]+\])+)\"", re.DOTALL)
ENTRY_POINTS = re.compile(r"^WARPWISE_ENTRY_POINTS\(([^)]*)\)", re.MULTILINE)


class CheckFailed(Exception):
    """A check's finding: the file, and what is wrong."""


class CheckSkipped(Exception):
    """A check that this machine or backend cannot decide, with the reason."""


def check_shape(checkout: Checkout, lab: Lab) -> None:
    """labs/ is cut from reference/; manifest, marks, tests and contract name the same stages."""
    _check_names(lab)
    solved = checkout.reference / lab.name / lab.source
    where = f"reference/{lab.name}/{lab.source}"
    if not solved.is_file():
        raise CheckFailed(f"{where}: is missing")
    try:
        text = solved.read_text(encoding="utf-8")
        regions = marks.parse(text, where, lab.stage_names)
        skeleton = marks.cut(text, where, lab.stage_names)
    except UsageError as error:
        raise CheckFailed(str(error)) from error
    if any(s.speed and s.speed.form == RECORD for s in lab.stages):
        read(exemplar(checkout, lab, RECORD), f"reference/{lab.name}/{RECORD}/{lab.source}")
    if missing := [n for n in lab.stage_names if n not in {r.name for r in regions}]:
        raise CheckFailed(f"{where}: has no region for stage {', '.join(missing)}")
    mine = checkout.labs / lab.name / lab.source
    if not mine.is_file() or mine.read_text(encoding="utf-8") != skeleton:
        raise CheckFailed(f"labs/{lab.name}/{lab.source}: is not cut({where}); run ./lab cut")
    _check_tags(checkout, lab)
    _check_contract(checkout, lab)
    if not list((checkout.reference / lab.name / "wrong").glob("*.cu")):
        raise CheckFailed(f"reference/{lab.name}/wrong: contains no wrong solution")


def _check_names(lab: Lab) -> None:
    """CMake, which reads no TOML, finds source and contract by the folder's name."""
    base = lab.name[3:].replace("-", "_")
    for key, name, due in (
        ("source", lab.source, f"{base}.cu"),
        ("contract", lab.contract, f"{base}.hpp"),
    ):
        if name != due:
            raise CheckFailed(f"labs/{lab.name}/lab.toml: {key}: must be {due}, as the folder says")


def read(path: Path, shown: str) -> str:
    if not path.is_file():
        raise CheckFailed(f"{shown}: is missing")
    return path.read_text(encoding="utf-8")


def _check_tags(checkout: Checkout, lab: Lab) -> None:
    shown = f"labs/{lab.name}/test.cpp"
    text = read(checkout.labs / lab.name / "test.cpp", shown)
    tags = {tag for group in TEST_TAG.findall(text) for tag in re.findall(r"\[([^\]]+)\]", group)}
    for name in lab.stage_names:
        if name not in tags:
            raise CheckFailed(f"{shown}: no test case has the tag [{name}]")
    for tag in sorted(tags - set(lab.stage_names)):
        raise CheckFailed(f"{shown}: the tag [{tag}] is not a stage of lab.toml")


def _check_contract(checkout: Checkout, lab: Lab) -> None:
    shown = f"labs/{lab.name}/{lab.contract}"
    text = read(checkout.labs / lab.name / lab.contract, shown)
    listed = ENTRY_POINTS.search(text)
    if not listed:
        raise CheckFailed(f"{shown}: has no line WARPWISE_ENTRY_POINTS(...)")
    entries = [name.strip() for name in listed[1].split(",")]
    for stage in lab.stages:
        if stage.identifier not in entries:
            raise CheckFailed(f"{shown}: stage {stage.name} has no entry point {stage.identifier}")
    for entry in entries:
        if not re.search(rf"^[\w:<>*& ]+\b{re.escape(entry)}\(", text, re.MULTILINE):
            raise CheckFailed(f"{shown}: the entry point {entry} is not declared")


def check_benches(checkout: Checkout, lab: Lab, backend: str) -> None:
    """Every bench times a stage and states its work; a larger n is never less work."""
    shown = f"labs/{lab.name}/bench.cpp"
    try:
        benches = speed.benches(checkout.judge(backend, lab.name))
    except BadReport as error:
        raise CheckFailed(f"{shown}: {error}") from error
    for bench in benches:
        stage = bench["stage"]
        if stage not in lab.stage_names:
            raise CheckFailed(f"{shown}: {stage} is not a stage of lab.toml")
        if any("work" not in point for point in bench["points"]):
            raise CheckFailed(
                f"{shown}: stage {stage} does not say how much work a call requires; give its "
                "BenchRegistration a WorkModel (grader/clock/work.hpp)"
            )
        amounts = [(p["work"]["bytes"], p["work"]["operations"]) for p in bench["points"]]
        if amounts != sorted(amounts) or len({p["work"]["operation"] for p in bench["points"]}) > 1:
            raise CheckFailed(f"{shown}: stage {stage} requires less work at a larger n")


@dataclass(frozen=True)
class Expectation:
    """What a wrong file's first line promises; `text` is part of the message."""

    stage: Stage
    verdict: str
    text: str
    cpu_only: bool


def expectation(lab: Lab, path: Path, shown: str) -> Expectation:
    """Read a wrong file's first line. Raises CheckFailed if its promise is malformed."""
    lines = path.read_text(encoding="utf-8").split("\n")
    match = EXPECT.fullmatch(lines[0].rstrip())
    if not match or match[3] not in VERDICTS or match[2] not in lab.stage_names:
        raise CheckFailed(
            f"{shown}:1: must read '// expect: STAGE: VERDICT', with a stage of lab.toml; words of "
            "the message may follow after ': '"
        )
    if match[3] == PASSED:
        raise CheckFailed(f"{shown}:1: a wrong solution cannot be expected to pass")
    stage = manifest.find_stage(lab, match[2])
    return Expectation(stage, match[3], match[4] or "", match[1] is not None)
