"""./lab upgrade: a newer kit comes in, and no stage of a student is touched."""

import shutil
import subprocess
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.commands.cli import main
from grader.study import versions
from grader.study.upgrade import transplanted
from grader.tests.fakes import LAB

pytestmark = [pytest.mark.reads(), pytest.mark.unit]

Captured = pytest.CaptureFixture[str]
FILE = f"labs/{LAB}/demo.cu"


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@t", *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def student(checkout: Checkout) -> Checkout:
    """A clone of the fake checkout, in which stage global is solved."""
    git(checkout.root, "init", "-q", "-b", "main")
    (checkout.root / ".gitignore").write_text("build\nreport/out\n")
    git(checkout.root, "add", ".")
    git(checkout.root, "commit", "-qm", "kit")
    root = checkout.root.with_name("student")
    git(checkout.root.parent, "clone", "-q", str(checkout.root), str(root))
    file = root / FILE
    file.write_text(file.read_text().replace("void global(int) {}", "void global(int) { mine(); }"))
    return Checkout(root)


def new_kit(checkout: Checkout, frame: bool = False) -> None:
    (checkout.labs / LAB / "README.md").write_text("# A better handout\n")
    if frame:
        file = checkout.root / FILE
        file.write_text(file.read_text().replace("void strided(int n)", "void strided(int count)"))
    git(checkout.root, "commit", "-qam", "better")


def test_a_new_handout_comes_in_and_the_stage_stays(
    checkout: Checkout, student: Checkout, capsys: Captured
) -> None:
    assert main(["upgrade"], student) == 0
    assert "up to date" in capsys.readouterr().out
    new_kit(checkout)
    before = (student.root / FILE).read_text()
    assert main(["upgrade", "--check"], student) == 0
    assert "better" not in (student.labs / LAB / "README.md").read_text()
    assert main(["upgrade"], student) == 0
    assert f"labs/{LAB}/README.md" in capsys.readouterr().out
    assert "better" in (student.labs / LAB / "README.md").read_text()
    assert (student.root / FILE).read_text() == before


def test_of_many_files_those_of_the_labs_are_named(
    checkout: Checkout, student: Checkout, capsys: Captured
) -> None:
    for number in range(30):
        (checkout.root / f"a{number:02}.txt").write_text("new\n")
    git(checkout.root, "add", "-A")
    new_kit(checkout)
    assert main(["upgrade", "--check"], student) == 0
    said = capsys.readouterr().out
    assert f"labs/{LAB}/README.md" in said and "a29.txt" not in said and "and 11 more" in said


@pytest.mark.parametrize("committed", [False, True])
def test_a_new_frame_is_shown_and_gets_the_students_text(
    checkout: Checkout, student: Checkout, capsys: Captured, committed: bool
) -> None:
    if committed:
        git(student.root, "commit", "-qam", "my work")
    new_kit(checkout, frame=True)
    assert main(["upgrade"], student) == 0
    shown = capsys.readouterr().out
    assert "-void strided(int n) {" in shown and "+void strided(int count) {" in shown
    text = (student.root / FILE).read_text()
    assert "{ mine(); }" in text and "strided(int count)" in text
    assert [one.why for one in versions.versions(student, LAB)] == ["before an upgrade"]


def test_lines_outside_of_the_marks_stay_or_are_named(
    checkout: Checkout, student: Checkout, capsys: Captured
) -> None:
    file = student.root / FILE
    helper = "// my helper\n"
    file.write_text(helper + file.read_text())
    new_kit(checkout, frame=True)
    assert main(["upgrade"], student) == 0
    text = file.read_text()
    assert text.startswith(helper) and "{ mine(); }" in text and "strided(int count)" in text
    file.write_text(text.replace("strided(int count)", "strided(int mine)"))
    other = checkout.root / FILE
    other.write_text(other.read_text().replace("strided(int count)", "strided(int other)"))
    git(checkout.root, "commit", "-qam", "better still")
    mine = file.read_text()
    assert main(["upgrade"], student) == 2
    said = capsys.readouterr().err
    assert f"{FILE}:1: you have changed lines outside of the marks" in said
    assert file.read_text() == mine


def test_another_file_that_both_changed_is_not_overwritten(
    checkout: Checkout, student: Checkout, capsys: Captured
) -> None:
    new_kit(checkout)
    (student.labs / LAB / "README.md").write_text("my notes\n")
    assert main(["upgrade"], student) == 2
    assert "you have changed labs/01-demo/README.md" in capsys.readouterr().err
    assert (student.labs / LAB / "README.md").read_text() == "my notes\n"


def test_no_git_and_no_remote_are_one_sentence(
    checkout: Checkout, student: Checkout, capsys: Captured
) -> None:
    shutil.rmtree(checkout.root / ".git")
    before = (student.root / FILE).read_text()
    assert main(["upgrade"], student) == 3
    said = capsys.readouterr().err
    assert "git fetch did not work: fatal: " in said and said.count("\n") == 1
    subprocess.run(["git", "remote", "remove", "origin"], cwd=student.root, check=True)
    assert main(["upgrade"], student) == 2
    said = capsys.readouterr().err
    assert "no remote named origin" in said and "--from" in said and said.count("\n") == 1
    assert (student.root / FILE).read_text() == before


def test_a_stage_that_the_new_kit_lacks_is_not_dropped() -> None:
    region = "// BEGIN STAGE 1 a: x\nmine\n// END STAGE 1\n"
    assert transplanted(region.replace("mine", "todo"), region, "f.cu") == region
    with pytest.raises(UsageError, match="fewer regions"):
        transplanted("no marks\n", region, "f.cu")
