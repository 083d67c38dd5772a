"""Commands that cannot work here say so in one sentence, at once: before anything is installed."""

import os
import zipfile
from pathlib import Path

import pytest

from grader.base import console
from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.course.downloads import of_a_class
from grader.machine import bootstrap
from grader.release import write
from grader.release.write import Plan
from grader.tests.fakes import LAB

pytestmark = [pytest.mark.reads("grader/commands", "grader/course"), pytest.mark.unit]

Captured = pytest.CaptureFixture[str]
OF_AUTHORS = (["demo"], ["demo", "--all"], ["dev", "check"], ["dev", "mistakes"], ["test"],
              ["dev", "exemplars", "--out", "x"], ["release", "x"], ["cut"])  # fmt: skip


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that something was installed for."""
    found: list[str] = []
    monkeypatch.setattr(bootstrap, "ensure", lambda _, command, __: found.append(command))
    return found


@pytest.mark.parametrize("words", OF_AUTHORS, ids=" ".join)
def test_a_students_copy_refuses_what_needs_references(
    checkout: Checkout, prepared: list[str], capsys: Captured, words: list[str]
) -> None:
    checkout.reference.rename(checkout.root.parent / "kept-elsewhere")
    assert main(words, checkout) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1 and "this copy of the kit has no" in said
    assert prepared == []
    (checkout.root.parent / "kept-elsewhere").rename(checkout.reference)
    if words == ["cut"]:  # with references it begins
        assert main([*words, "--check"], checkout) == 0 and prepared == ["cut"]


def test_the_help_of_such_a_command_is_still_shown(checkout: Checkout, capsys: Captured) -> None:
    checkout.reference.rename(checkout.root.parent / "kept-elsewhere")
    assert main(["demo", "--help"], checkout) == 0
    assert "and draw the figures of both" in " ".join(capsys.readouterr().out.split())


CLASSES = {
    "Gradescope": ("a_export/submission_metadata.yml", "a_export/submission_1/demo.cu"),
    "Moodle": ("Ada Lovelace_501_assignsubmission_file_/demo.cu",),
    "Canvas": ("lovelaceada_11_4001_demo.cu", "turingalan_LATE_12_4002_demo-1.cu"),
    "": ("demo.cu", "notes_1_2_demo.cu"),  # one student's own
}


@pytest.mark.parametrize("system", CLASSES)
@pytest.mark.parametrize("form", ["zip", "folder", "folder in a folder"])
def test_what_is_of_a_whole_class_is_not_graded_as_one_student_s(
    checkout: Checkout, tmp_path: Path, system: str, form: str, capsys: Captured
) -> None:
    path = tmp_path / ("all.zip" if form == "zip" else "all")
    if form == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name in CLASSES[system]:
                archive.writestr(name, "// x")
    else:
        place = path / "lab1" if form.endswith("a folder") else path
        for name in CLASSES[system]:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text("// x")
        (path / ".DS_Store").write_text("x")
    assert of_a_class(path) == system
    code = main(["grade", str(path), "--backend", "cpu"], checkout)
    said = capsys.readouterr().err
    assert (code == 2) is bool(system)
    assert ("./lab class import sorts it by students" in said) is bool(system)


def test_files_of_several_students_lead_to_class_import(
    checkout: Checkout, tmp_path: Path, capsys: Captured
) -> None:
    for student in ("ann", "bob"):
        (tmp_path / "all" / student).mkdir(parents=True)
        (tmp_path / "all" / student / "demo.cu").write_text("// x")
    assert main(["grade", str(tmp_path / "all"), "--backend", "cpu"], checkout) == 4
    assert "of a whole class, ./lab class import" in capsys.readouterr().out


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"Rar!"])
def test_what_cannot_be_looked_into_is_left_to_the_intake(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "all.zip").write_bytes(content)
    assert of_a_class(tmp_path / "all.zip") == "" and of_a_class(tmp_path / "none") == ""
    os.mkfifo(tmp_path / f"pipe{len(content)}.zip")
    assert of_a_class(tmp_path / f"pipe{len(content)}.zip") == ""


def test_a_release_says_what_it_does(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A progress line appears by itself after two seconds; here it is asked what it would say."""
    said: list[str] = []
    monkeypatch.setattr(console.Progress, "update", lambda _, detail: said.append(detail))
    monkeypatch.setattr(write, "handed_out", lambda *_: [])
    monkeypatch.setattr(write.recording, "record", lambda *_: pytest.fail(said[-1]))
    from grader.lab_file import manifest

    with pytest.raises(pytest.fail.Exception, match=f"1 of 1, counting the reference of {LAB}"):
        write.write(checkout, Plan(tuple(manifest.discover(checkout))), tmp_path / "copy")
