"""Kept versions: a file that worked is never lost, and one stage can be taken from it."""

import shutil
import zipfile
from pathlib import Path

import pytest

from grader.base.checkout import ELSEWHERE, Checkout
from grader.base.errors import InfrastructureError, UsageError
from grader.commands.cli import main
from grader.compiling import stamp
from grader.grading.progress import recall
from grader.lab_file import manifest, recorded
from grader.study import versions
from grader.tests.fakes import LAB, plan

pytestmark = [pytest.mark.reads(), pytest.mark.unit]

WRONG = plan("global", "any", '{"verdict": "wrong answer"}')
MARKS = """// BEGIN STAGE 1 global: one (about 1 line)
{one}
// END STAGE 1
// BEGIN STAGE 2 strided: two (about 1 line)
{two}
// END STAGE 2
"""


@pytest.fixture(autouse=True)
def no_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.commands.submit.build", lambda *_: None)


def check(checkout: Checkout, text: str) -> Path:
    file = checkout.labs / LAB / "demo.cu"
    file.write_text(text)
    main(["check", "01", "--backend", "cpu"], checkout)
    return file


@pytest.mark.longer
def test_what_worked_before_a_check_that_fails_is_kept(checkout: Checkout) -> None:
    check(checkout, "// first that passes\n")
    check(checkout, "// better, passes too\n")
    file = check(checkout, WRONG)
    kept = versions.versions(checkout, LAB)
    assert [one.why for one in kept] == [
        "passed global, strided", "before a check that changed global",
    ]  # fmt: skip
    assert main(["restore", "01.global", "--version", "2"], checkout) == 2  # no marks in either
    assert main(["restore", "01", "--version", "2"], checkout) == 0
    assert file.read_text() == "// better, passes too\n"
    assert WRONG in [versions.content(checkout, LAB, one).decode()
                     for one in versions.versions(checkout, LAB)]  # fmt: skip


@pytest.mark.longer
def test_one_stage_comes_back_and_the_others_stay(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    check(checkout, MARKS.format(one="good();", two="old();"))
    file = check(checkout, MARKS.format(one=WRONG.strip(), two="new();"))
    capsys.readouterr()
    for said in ("stage global is version 1 again", "stage global was as in version 1 already"):
        assert main(["restore", "01.global"], checkout) == 0
        assert said in capsys.readouterr().out
        assert file.read_text() == MARKS.format(one="good();", two="new();")


def test_reset_works_in_a_copy_for_students(checkout: Checkout, lab: manifest.Lab) -> None:
    """A release has no references and no git; it has the skeletons."""
    handed_out = recorded.skeleton(checkout, lab)
    assert handed_out
    shutil.rmtree(checkout.reference)
    file = checkout.labs / LAB / "demo.cu"
    file.write_text("// mine")
    assert main(["reset", "01"], checkout) == 2 and file.read_text() == "// mine"
    kept = recorded.folder(checkout, lab) / lab.source
    kept.parent.mkdir(parents=True)
    kept.write_text(handed_out)
    assert main(["reset", "01"], checkout) == 0
    assert file.read_text() == handed_out


def test_a_stage_of_a_file_that_is_no_text_is_not_reset(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    file = checkout.labs / LAB / "demo.cu"
    file.write_bytes(b"// caf\xe9\n")
    assert main(["reset", "01.global"], checkout) == 2
    assert "is not UTF-8 text" in capsys.readouterr().err and file.read_bytes() == b"// caf\xe9\n"
    assert main(["reset", "01"], checkout) == 0


def test_reset_takes_one_stage_from_the_handout(checkout: Checkout) -> None:
    file = checkout.labs / LAB / "demo.cu"
    skeleton = file.read_text()
    edited = skeleton.replace("// TODO: your code", "mine();")
    file.write_text(edited.replace("(int) {}", "(int) {;}"))
    assert main(["reset", "01.strided"], checkout) == 0
    assert "// TODO: your code" in file.read_text() and "(int) {;}" in file.read_text()
    assert main(["reset", "01"], checkout) == 0
    assert file.read_text() == skeleton


def test_a_stage_that_was_reset_is_to_do_again(checkout: Checkout) -> None:
    check(checkout, MARKS.format(one="good();", two="new();"))
    assert {*recall(checkout, LAB)} == {"global", "strided"}
    assert main(["reset", "01.strided"], checkout) == 0
    assert {*recall(checkout, LAB)} == {"global"}
    assert main(["reset", "01"], checkout) == 0
    assert not recall(checkout, LAB)


def test_a_link_and_the_file_s_line_ends_stay(checkout: Checkout, tmp_path: Path) -> None:
    file, own = checkout.labs / LAB / "demo.cu", tmp_path / "mine.cu"
    own.write_text(MARKS.format(one="mine();", two="other();"))
    file.unlink()
    file.symlink_to(own)
    for command in ("reset", "restore"):
        words = ["--version", "1"] if command == "restore" else []
        own.write_bytes(own.read_bytes().replace(b"\n", b"\r\n"))
        assert main([command, "01.global", *words], checkout) == 0
        assert file.is_symlink()
        text = own.read_bytes()
        assert b"other();" in text and text.count(b"\n") == text.count(b"\r\n")
        assert (b"mine();" in text) == (command == "restore")
        own.write_bytes(text.replace(b"\r\n", b"\n"))


def test_a_version_that_somebody_changed_is_not_given_back(checkout: Checkout) -> None:
    check(checkout, "// fine\n")
    [one] = versions.versions(checkout, LAB)
    (versions.folder(checkout, LAB) / "0001.cu").write_text("// changed\n")
    with pytest.raises(UsageError, match="was changed"):
        versions.content(checkout, LAB, one)


@pytest.mark.longer
def test_a_note_is_kept_also_if_the_file_is_kept_already(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    check(checkout, "// passes\n")
    assert main(["save", "01", "--note", "before tiles"], checkout) == 0
    assert "version 1 of 01-demo: before tiles (passed global, strided)" in capsys.readouterr().out
    assert main(["save", "01", "--note", "before tiles"], checkout) == 0
    assert main(["save", "01"], checkout) == 0
    [kept] = versions.versions(checkout, LAB)
    assert kept.why == "before tiles (passed global, strided)"
    assert versions.content(checkout, LAB, kept) == b"// passes\n"


def test_many_versions_do_not_fill_the_disk_but_passing_ones_stay(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "MOST", 3)
    versions.keep(checkout, LAB, b"works", "w", {"global": "passed"})
    for number in range(6):
        versions.keep(checkout, LAB, f"{number}".encode(), "w", {})
    assert [one.number for one in versions.versions(checkout, LAB)] == [1, 6, 7]


def test_submit_packs_the_one_file_and_the_same_text_is_the_same_bytes(checkout: Checkout) -> None:
    file = checkout.labs / LAB / "demo.cu"
    (file.parent / "secrets.txt").write_text("not yours")
    packed = checkout.out / "submit" / f"{LAB}-ann.zip"
    assert main(["submit", "01", "--id", "ann"], checkout) == 0
    first = packed.read_bytes()
    with zipfile.ZipFile(packed) as archive:
        assert archive.namelist() == ["demo.cu"]
        assert archive.read("demo.cu") == file.read_bytes()
    assert main(["submit", "01", "--id", "ann"], checkout) == 0
    assert packed.read_bytes() == first


def test_submit_says_that_nothing_of_the_student_s_is_in_the_file(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reset", "01"], checkout) == 0
    for added, is_named in (("", True), ("// mine\n", False)):
        with (checkout.labs / LAB / "demo.cu").open("a") as file:
            file.write(added)
        capsys.readouterr()
        assert main(["submit", "01", "--id", "ann"], checkout) == 0
        assert ("demo.cu is as it was handed out" in capsys.readouterr().out) == is_named


def test_what_does_not_compile_is_not_packed(checkout: Checkout) -> None:
    (checkout.labs / LAB / "demo.cu").write_text("#error\n")
    assert main(["submit", "01", "--id", "ann"], checkout) == 1
    assert not (checkout.out / "submit").exists()


# ---- a build that is moved ----


def built(root: Path) -> Checkout:
    made = Checkout(root)
    stamp.keep(made, "cpu", "grading", stamp.reading(made))
    return made


def test_a_copied_folder_is_current_and_an_edited_copy_is_not(checkout: Checkout) -> None:
    assert stamp.is_current(built(checkout.root), "cpu", "grading")
    copy = Checkout(checkout.root.with_name("copy"))
    shutil.copytree(checkout.root, copy.root, copy_function=shutil.copyfile)
    assert stamp.is_current(copy, "cpu", "grading")
    (copy.labs / LAB / "demo.hpp").write_text("void other();\n")
    assert not stamp.is_current(copy, "cpu", "grading")


def test_what_is_made_may_be_elsewhere(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ELSEWHERE, str(tmp_path / "mine"))
    checkout.require_place()
    assert checkout.build("cpu") == tmp_path / "mine" / "build" / "cpu"
    monkeypatch.setenv(ELSEWHERE, "/proc/nothing")
    with pytest.raises(InfrastructureError, match=f"set {ELSEWHERE} to a folder"):
        checkout.require_place()
