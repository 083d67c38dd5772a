"""A disk that fills up under a class: one sentence, exit code 3, and the next call goes on.

The n-th file that is written in the course is the first one that does not fit any more.
"""

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.base import files
from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.course import index, tasks, worker
from grader.course.course import Course
from grader.tests import fake_class
from grader.tests.test_class_grading import course as course
from grader.tests.test_class_grading import grade, hand_in, marks, results, roster

pytestmark = pytest.mark.reads("grader/grading", "grader/course")

Captured = pytest.CaptureFixture[str]
SAID = os.strerror(errno.ENOSPC)


class Disk:
    """Takes `room` more files; then everything that writes one fails as on a full disk."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room: float = float("inf")
        monkeypatch.setattr(files, "_write_and_rename", self.full(files._write_and_rename))
        monkeypatch.setattr(shutil, "copyfile", self.full(shutil.copyfile))

    def full(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def write(*given: Any, **more: Any) -> Any:
            self.room -= 1
            if self.room < 0:
                raise OSError(errno.ENOSPC, SAID)
            return real(*given, **more)

        return write


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch, course: Path) -> Iterator[Disk]:
    made = Disk(monkeypatch)
    yield made
    made.room = float("inf")


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and path.suffix == ".cu"}  # fmt: skip


def download(folder: Path) -> Path:
    place = folder.parent / "all"
    for name in ("ann", "bob", "cid"):
        (place / name).mkdir(parents=True)
        (place / name / "demo.cu").write_text(f"// {name}")
    return place


@pytest.mark.parametrize("room", range(11))  # 3 files to look at, 3 copies, 3 records
def test_an_import_goes_on_where_the_disk_was_full(
    checkout: Checkout, course: Path, disk: Disk, room: int, capsys: Captured
) -> None:
    roster(course, "ann", "bob", "cid")
    words = ["class", "import", "--course", str(course), str(download(course))]
    disk.room = room
    capsys.readouterr()
    code = main(words, checkout)
    said = capsys.readouterr().err
    assert (code, said.count("\n"), SAID in said) == ((3, 1, True) if room < 9 else (0, 0, False))
    assert not list(course.rglob("warpwise-run*"))
    records = len(list((course / "submitted").rglob("1.json")))
    state = "Nothing was" if room < 3 else f"{records} of 3 hand-ins are"
    assert bool(re.search(f"{state} (imported|in). Import again", said)) == (room < 9)
    disk.room = float("inf")
    assert main(words, checkout) == 0
    whole = {f"{name}/01-demo/1/demo.cu": f"// {name}".encode() for name in ("ann", "bob", "cid")}
    assert tree(course / "submitted") == whole


COMMANDS = {
    "roster": ["roster", "{sheet}"], "export": ["export", "csv"], "report": ["report"],
    "seed": ["seed", "new"], "grade": ["grade", "--backend", "cpu"],
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_lost_and_the_same_call_works_later(
    checkout: Checkout, course: Path, disk: Disk, command: str, capsys: Captured
) -> None:
    roster(course, "ann")
    hand_in(course, "ann", "// good")
    sheet = course.parent / "sheet.csv"
    sheet.write_text("student,name,email\nbob,Bob,bob@x.edu\n")
    words = [word.format(sheet=sheet) for word in COMMANDS[command]]
    before = {path: path.read_bytes() for path in course.rglob("*") if path.suffix == ".csv"}
    disk.room = 0
    capsys.readouterr()
    call = ["class", words[0], *words[1:], "--course", str(course)]
    assert main(call, checkout) == 3
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and SAID in said[0] and str(course) in said[0], said
    assert {path: path.read_bytes() for path in before} == before
    disk.room = float("inf")
    assert main(call, checkout) == 0


def test_a_result_that_does_not_fit_is_no_result_and_names_its_place(
    checkout: Checkout, course: Path, disk: Disk
) -> None:
    roster(course, "ann")
    of = Course.load(checkout, course)
    for room in (0, 1):  # the result, then its seal
        disk.room = room
        with pytest.raises(worker.InfrastructureError, match="cannot write a result in .*results:"):
            tasks.store(of, "t", lambda f: files.write_atomically(f / "result.json", "{}"))
        assert results(course) == {} and not list(of.results.iterdir())
    disk.room = 2
    tasks.store(of, "t", lambda f: files.write_atomically(f / "result.json", "{}"))
    assert len(results(course)) == 1


def test_an_index_that_does_not_fit_hides_no_mark(
    checkout: Checkout, course: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    roster(course, "ann")
    hand_in(course, "ann", "// good")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, SAID)

    with monkeypatch.context() as patch:
        patch.setattr(index, "_insert", full)
        assert grade(checkout, course) == 0
        said = capsys.readouterr()
        assert "20 of 20" in said.out and "./lab class index makes it later" in said.err
        assert main(["class", "index", "--course", str(course)], checkout) == 3  # it is all of it
    assert marks(checkout, course) == {"ann": ("graded", 20)}
    assert grade(checkout, course) == 0 and len(fake_class.calls(checkout)) == 1


@pytest.mark.parametrize("words", [
    ("grade",), ("decide", "s1", "01", "--points", "1", "--because", "x"),
    ("excuse", "s1", "01", "--because", "x"),
])  # fmt: skip
def test_a_course_that_cannot_be_written_to_is_the_machines_fault(
    checkout: Checkout, course: Path, words: tuple[str, ...], capsys: Captured
) -> None:
    roster(course, "s1")
    lock = course / (".grade.lock" if words[0] == "grade" else ".write.lock")
    lock.unlink(missing_ok=True)
    lock.mkdir()
    command = ["class", *words, "--course", str(course)]
    assert main(command, checkout) == 3
    said = capsys.readouterr().err
    assert said == f"lab: {course}: cannot be written to: {os.strerror(errno.EISDIR)}.\n"
    lock.rmdir()
    assert main(command, checkout) != 3
