"""A small class on the real CPU backend: killed five times, it ends as if nobody disturbed it."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.lab_file import manifest
from grader.sandbox import bubblewrap
from grader.tests.make_class import make

pytestmark = pytest.mark.reads(
    "judging", "grader/grading", "grader/course", "grader/export", "labs", "reference"
)
LAB = "02-in-place"
STUDENTS = 8
OF_TIME = ("started", "finished", "seconds", "profile")  # keys whose values no two runs share


def lab(folder: Path, *words: str) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "WARPWISE_COURSE": str(folder)}
    command = [str(Checkout.here().root / "lab"), "class", *words]
    return subprocess.Popen(command, env=environment, stdout=sys.stderr, stderr=sys.stderr)


def make_course(folder: Path, made: Path) -> None:
    assert lab(folder, "new", str(folder)).wait() == 0
    text = (folder / "course.toml").read_text()
    head, *labs = text.split("[[lab]]")
    [kept] = [part for part in labs if LAB in part]
    (folder / "course.toml").write_text(f"{head}[[lab]]{kept}")
    assert lab(folder, "roster", str(made / "canvas.csv")).wait() == 0
    assert lab(folder, "import", str(made / f"{LAB}.zip")).wait() == 0


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in OF_TIME}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def results(folder: Path) -> dict[str, Any]:
    return {path.parent.name: without_times(json.loads(path.read_text()))
            for path in (folder / "results").glob("*/result.json")}  # fmt: skip


def sheet(folder: Path, made: Path) -> bytes:
    words = ("export", "canvas", str(made / "canvas.csv"), "--lab", LAB)
    assert lab(folder, *words).wait() == 0
    return (folder / "exports" / f"canvas-{LAB}.csv").read_bytes()


@pytest.mark.skipif(not bubblewrap.find(), reason=bubblewrap.find().text)
def test_a_class_that_was_killed_five_times_has_the_same_marks(tmp_path: Path) -> None:
    labs = [one for one in manifest.discover(Checkout.here()) if one.name == LAB]
    made = tmp_path / "made"
    made.mkdir()
    make(made, labs, STUDENTS, unique=False)
    disturbed, quiet = tmp_path / "disturbed", tmp_path / "quiet"
    for folder in (disturbed, quiet):
        make_course(folder, made)
    assert lab(quiet, "grade").wait() == 0
    chance = random.Random(5)
    for _ in range(5):
        process = lab(disturbed, "grade", "--backend", "cpu")
        time.sleep(chance.uniform(1, 10))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
    assert lab(disturbed, "grade").wait() == 0
    assert results(disturbed) == results(quiet) and len(results(quiet)) >= 4
    assert sheet(disturbed, made) == sheet(quiet, made)
    verdicts = {document["verdict"] for document in results(quiet).values()}
    assert verdicts >= {"passed", "failed", "refused"}
