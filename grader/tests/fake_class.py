"""A course without C++: a grading process whose grader only looks at the source.

    python -P -m grader.tests.fake_class '{"checkout": ..., "course": ...}'

A line `// GRADE {...}` in a submission says what it gets: `earned` (of 10, `null` for open),
`verdict`, `only` (the stage of this name gets it, others pass), `sleep` seconds (none if FAKE_HURRY
is set), `exit` (the process ends itself), `raise` (a defect), `unplug` (the GPU of this grading is
gone from then on, if it is the first one).
"""

import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from grader.base.checkout import Checkout
from grader.base.files import sha256, sha256_of_files
from grader.base.verdict import INFRASTRUCTURE, PASSED
from grader.course import worker
from grader.course.worker import Place, serve
from grader.grading.derived import Document
from grader.grading.order import Order
from grader.grading.points import CorrectPoints, StagePoints, Total
from grader.grading.result import (
    SCHEMA,
    GraderInfo,
    Result,
    SeedInfo,
    StageResult,
    SubmissionInfo,
    Toolchain,
    overall,
)
from grader.machine import hardware
from grader.machine.hardware import Gpu, Machine
from grader.sandbox import bubblewrap
from grader.timing.locks import gpu_to_oneself

PLAN = re.compile(r"// GRADE (\{.*\})")
COMMAND = (sys.executable, "-P", "-m", "grader.tests.fake_class")
TIME = "2026-11-22T12:00:00Z"  # always: two runs then give the same bytes
PASSES: dict[str, Any] = {"verdict": PASSED, "earned": 10}
CALLS = "calls.txt"  # beside the course: a line for each grading


def grade(checkout: Checkout, order: Order) -> Result:
    """What the source says that it gets, the same in every run."""
    plan = dict(PASSES)
    if found := PLAN.search(order.source.decode()):
        plan |= json.loads(found[1])
    with (checkout.root.parent / CALLS).open("a") as calls:
        calls.write(f"{order.name}\n")
    if "FAKE_HURRY" not in os.environ:
        time.sleep(plan.get("sleep", 0))
    if "exit" in plan:
        os._exit(plan["exit"])
    if "raise" in plan:
        raise RuntimeError(plan["raise"])
    if "unplug" in plan and not list(checkout.root.parent.glob("unplugged-*")):
        (checkout.root.parent / f"unplugged-{os.environ['CUDA_VISIBLE_DEVICES']}").touch()
    if order.backend == "gpu" and not hardware.all_gpus():
        plan |= {"verdict": INFRASTRUCTURE, "earned": None, "message": "no GPU"}
    stages = tuple(
        StageResult(stage.name, stage.title, said["verdict"], said.get("message", ""), "", None,
                    StagePoints(CorrectPoints(said["earned"], 10), None), (), {}, 1, 0.0)
        for stage in order.stages
        for said in [plan if plan.get("only") in (None, stage.name) else PASSES]
    )  # fmt: skip
    return Result(
        SCHEMA, order.lab.name, order.lab.title, SubmissionInfo(order.name, sha256(order.source)),
        GraderInfo("0", "0" * 64), Toolchain(None, None), order.backend,
        Machine("a CPU", 1, 1.0, None, "an OS"), order.sandbox.text,
        SeedInfo(order.seed.public, False), TIME, TIME, 0.0, overall(stages), Total(0, 0, 0),
        stages, (), (),
    )  # fmt: skip


def time_judged(checkout: Checkout, order: Order, document: Document) -> Document:
    """Says on which GPU it was, and that nobody else had it."""
    gpu = os.environ["CUDA_VISIBLE_DEVICES"]
    busy = checkout.root.parent / f"busy-{gpu}"
    with gpu_to_oneself(gpu):
        busy.touch(exist_ok=False)
        time.sleep(0.05)
        busy.unlink()
    with (checkout.root.parent / CALLS).open("a") as calls:
        calls.write(f"timed-on-{gpu}\n")
    return document


def plugged(checkout: Checkout, *uuids: str) -> list[Gpu]:
    """Those of these GPUs that no submission has unplugged."""
    return [Gpu("A GPU", "1", "9.0", uuid) for uuid in uuids
            if not (checkout.root.parent / f"unplugged-{uuid}").exists()]  # fmt: skip


def main() -> None:
    place = Place.read(sys.argv[1])
    worker.time_judged = time_judged  # type: ignore[assignment]
    bubblewrap.for_others = lambda trust: bubblewrap.Sandbox("none: a test")  # type: ignore
    given = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    hardware.all_gpus = lambda: plugged(place.checkout, given)  # type: ignore[assignment]
    serve(place, grade)


def graded_once(folder: Path, grade: Callable[[], int]) -> None:
    """Grade a course that a test only starts from. In one process the same hand-ins are graded
    once; later tests get a copy of that course."""
    files = [folder / "course.toml", folder / "roster.csv", *folder.glob("submitted/**/*.*")]
    kept = Path(_kept().name) / sha256_of_files(files, folder)
    if kept.exists():
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)
    else:
        assert grade() == 0
        shutil.copytree(folder, kept)


@cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    """Where graded courses are kept; it is removed when the process ends."""
    return tempfile.TemporaryDirectory()


def calls(checkout: Checkout) -> list[str]:
    """The tasks that were graded, in their order."""
    path: Path = checkout.root.parent / CALLS
    return path.read_text().split() if path.is_file() else []


if __name__ == "__main__":
    main()
