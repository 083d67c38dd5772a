"""`./lab release --check`: the copy grades as it should, by its own ./lab and nothing of ours.

Everything happens in a second copy, which is removed: no solution and no result lies in the first.
"""

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import console, process
from ..base.checkout import Checkout
from ..base.scratch import scratch_folder
from ..base.verdict import NOT_ATTEMPTED, PASSED
from .write import Plan

CHECK_SECONDS = 3600.0  # builds the copy's own parts, too


@dataclass(frozen=True)
class Proof:
    """One thing that must be true of the copy, whether it is, and what is wrong if not."""

    what: str
    holds: bool
    message: str = ""


def prove(checkout: Checkout, plan: Plan, target: Path) -> list[Proof]:
    """Grade the skeletons in a copy of `target`, then the references laid over them."""
    with scratch_folder("prove") as place:
        copy = place / "kit"
        shutil.copytree(target, copy)
        with console.progress("grading the skeletons there"):
            skeletons = _checked(copy)
        for lab in plan.labs:
            shutil.copy(checkout.reference / lab.name / lab.source,
                        copy / "labs" / lab.name / lab.source)  # fmt: skip
        with console.progress("grading the references there"):
            solved = _checked(copy)
    return [
        _proof("nothing passes in the skeletons", skeletons, _untouched),
        _proof("everything passes with the references laid over them", solved, _solved),
    ]


def _checked(copy: Path) -> dict[str, Any] | str:
    """What the copy's `./lab check` says of all labs, or its complaint."""
    command = [sys.executable, "-P", "-m", "grader", "check", "--backend", "cpu", "--json"]
    env = {"PYTHONPATH": str(copy), "WARPWISE_SECRET_SEED": "", "PATH": os.environ["PATH"]}
    with (copy.parent / "said.json").open("w+b") as said:
        finished = process.run(command, cwd=copy, limit=CHECK_SECONDS, env=env, stdout=said)
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    try:
        document = json.loads(text)
        return document if document["results"] else "it graded nothing"
    except (ValueError, KeyError, TypeError):
        return finished.last_line


def _proof(what: str, said: dict[str, Any] | str, fault: Any) -> Proof:
    if isinstance(said, str):
        return Proof(what, False, said)
    faults = [f"{result['lab']}.{stage['name']}: {found}"
              for result in said["results"] for stage in result["stages"]
              if (found := fault(stage))]  # fmt: skip
    return Proof(what, not faults, "\n".join(faults))


def _untouched(stage: dict[str, Any]) -> str:
    return "" if stage["verdict"] == NOT_ATTEMPTED else f"is '{stage['verdict']}'"


def _solved(stage: dict[str, Any]) -> str:
    if stage["verdict"] != PASSED:
        return f"is '{stage['verdict']}': {stage['message']}"
    open_or_lost = [part for part in stage["points"]["counters"] if part["verdict"] != PASSED]
    return "; ".join(f"{part['counter']}: {part['reason']}" for part in open_or_lost)
