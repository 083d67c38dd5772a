"""`./lab release DIR`: writes what students receive, and with --check proves that it works."""

import argparse
from pathlib import Path

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, SOME_FAILED, UsageError
from ..base.outcome import Outcome
from ..base.text import counted
from ..course.course import Course
from ..judging.workers import build_for_grading
from ..lab_file import manifest
from ..release.prove import Proof, prove
from ..release.write import Plan, Written, require_place, write
from .parser import Commands, with_references

DESCRIPTION = (
    "Write what students receive into DIR: the kit without solutions, wrong files, exploits, "
    "secrets and history. It has the reference's counts, so that points for memory "
    "accesses work there, and on a machine with a GPU the references as programs, for speed."
)


def add(commands: Commands) -> None:
    made = commands.add("release", run, "write what students receive",
                        before=with_references("a release is made from references"))  # fmt: skip
    made.description = DESCRIPTION
    made.add_argument("folder", metavar="DIR", help="a new folder outside of this checkout")
    made.add_argument("--course", metavar="COURSE",
                      help="labs and hints as the course.toml of this folder says")  # fmt: skip
    made.add_argument("--labs", metavar="LAB,LAB,...", help="only these labs (default: all)")
    made.add_argument("--hints", type=hints, metavar="N", default=None,
                      help="at most N hints for each stage; 0 for none (default: all)")  # fmt: skip
    made.add_argument("--check", action="store_true",
                      help="grade its skeletons and, laid over a copy of it, the references: "
                      "takes minutes")  # fmt: skip


def hints(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


hints.__name__ = "number of hints"


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Write DIR; exit code 1 if --check finds that it does not work. Raises UsageError."""
    plan = _plan(checkout, arguments)
    target = Path(arguments.folder)
    require_place(checkout, target)
    build_for_grading(checkout, "cpu")  # the references are counted there
    written = write(checkout, plan, target)
    proofs = prove(checkout, plan, target) if arguments.check else []
    document = {
        "folder": str(target), "labs": [lab.name for lab in plan.labs], "course": plan.course,
        "hints": plan.hints, "files": written.files, "counts": written.counts,
        "yardsticks": list(written.yardsticks),
        "proofs": [{"what": p.what, "holds": p.holds, "message": p.message} for p in proofs],
    }  # fmt: skip
    holds = all(proof.holds for proof in proofs)
    return Outcome(ALL_PASSED if holds else SOME_FAILED, document,
                   _text(target, plan, written, proofs))  # fmt: skip


def _plan(checkout: Checkout, arguments: argparse.Namespace) -> Plan:
    chosen = known = manifest.discover(checkout)
    if arguments.labs is not None:
        names = [name.strip() for name in arguments.labs.split(",")]
        wanted = {manifest.find(known, name).name for name in names}
        chosen = [lab for lab in known if lab.name in wanted]
    if not chosen:
        raise UsageError("--labs names no lab.")
    if arguments.course is None:
        return Plan(tuple(chosen), hints=arguments.hints)
    said = Course.find(checkout, arguments.course).settings
    taken = {one.lab.name for one in said.labs}
    if arguments.labs is not None and (strange := wanted - taken):
        raise UsageError(f"--labs: {', '.join(sorted(strange))} is not in the course.")
    hints = said.hints if arguments.hints is None else arguments.hints
    counting = {one.lab.name: [stage.name for stage in one.stages] for one in said.labs}
    labs = tuple(lab for lab in chosen if lab.name in taken)
    return Plan(labs, said.title, hints, counting=counting)


def _text(target: Path, plan: Plan, written: Written, proofs: list[Proof]) -> str:
    shown = "all hints"
    if plan.hints is not None:
        shown = f"at most {plan.hints} hint{'s' * (plan.hints != 1)} for each stage"
    races = ", ".join(written.yardsticks)
    lines = [
        f"{target}: {counted(written.files, 'file')}",
        f"  labs: {', '.join(lab.name for lab in plan.labs)}; {shown}",
        f"  recorded from the references: {counted(written.counts, 'count')}",
        f"  speed is compared with programs made for this GPU: {races}" if races else
        "  no program to compare speed with: it is made where there is a GPU",
    ]  # fmt: skip
    for proof in proofs:
        lines.append(f"{'PASS' if proof.holds else 'FAIL'}  {proof.what}")
        lines += [f"        {part}" for part in proof.message.splitlines()]
    return "\n".join(lines)
