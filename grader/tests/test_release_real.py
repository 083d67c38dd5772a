"""A real copy for students: it builds, its skeleton passes nothing, the reference everything."""

import json
import subprocess
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main

pytestmark = pytest.mark.reads("labs/kit", "labs/02-in-place", "reference/02-in-place", "judging",
                               "grader", "lab")  # fmt: skip
LAB = "02-in-place"


@pytest.mark.exhaustive("grader/release", "grader/commands/release.py")
def test_a_released_lab_grades_as_it_should(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its own ./lab, with the counts that stand for the reference."""
    target = tmp_path / "handout"
    words = ["release", str(target), "--labs", LAB, "--hints", "1", "--check", "--json"]
    code = main(words, Checkout.here())
    said = json.loads(capsys.readouterr().out)
    assert [proof["message"] for proof in said["proofs"]] == ["", ""]
    assert code == 0 and [proof["holds"] for proof in said["proofs"]] == [True, True]
    assert said["counts"] == 3 and said["labs"] == [LAB]
    listed = subprocess.run([target / "lab", "list"], capture_output=True, text=True, check=True)
    assert "0 of 4 stages" in listed.stdout
    hint = subprocess.run([target / "lab", "hint", f"{LAB}.1"], capture_output=True, text=True,
                          check=True)  # fmt: skip
    assert "Hint 1 of 1" in hint.stdout
