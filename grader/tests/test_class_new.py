"""./lab class new: a course wherever its folder is and whatever it is called."""

import os
import tomllib
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.course.course import Course

pytestmark = [pytest.mark.reads("grader/course"), pytest.mark.unit]

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def inside(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The checkout, where TEACHING.md's commands are typed."""
    monkeypatch.chdir(checkout.root)
    return checkout.root


def new(checkout: Checkout, folder: str) -> int:
    return main(["class", "new", folder, "--backend", "cpu"], checkout)


@pytest.mark.parametrize("folder", [
    "../cs101", "../teaching/2026/cs101", "../cs101/", "labs/../../cs101", "../cs 101", "../cs'101",
    '../cs"101', "../c\\s101", "../кс101", "../c\ns101",
])  # fmt: skip
def test_a_course_beside_the_checkout_is_made_and_found(
    checkout: Checkout, inside: Path, folder: str
) -> None:
    assert new(checkout, folder) == 0
    made = Course.load(checkout, Path(folder))
    assert made.settings.title and "\n" not in made.settings.title
    assert tomllib.loads((Path(folder) / "course.toml").read_text())["title"]
    assert main(["class", "status", "--course", folder], checkout) == 0


def test_the_next_command_can_be_typed_as_it_is_shown(
    checkout: Checkout, inside: Path, capsys: Captured
) -> None:
    assert new(checkout, "../cs 101") == 0
    assert "./lab class roster --course '../cs 101' FILE" in capsys.readouterr().out
    assert new(checkout, "../cs101") == 0
    assert "./lab class roster --course ../cs101 FILE" in capsys.readouterr().out


@pytest.mark.parametrize(
    "folder", ["cs101", "labs/../cs101", ".", "../checkout/cs101", "../link/x"]
)
def test_a_course_in_the_checkout_is_refused(
    checkout: Checkout, inside: Path, folder: str, capsys: Captured
) -> None:
    (inside.parent / "link").symlink_to(inside)
    before = sorted(inside.rglob("*"))
    assert new(checkout, folder) == 2
    said = capsys.readouterr().err
    assert "is in the checkout of the kit" in said and str(inside.parent / "cs101") in said
    assert sorted(inside.rglob("*")) == before


def test_what_names_no_folder_is_refused(
    checkout: Checkout, inside: Path, capsys: Captured
) -> None:
    assert new(checkout, " ") == 2
    assert "name the course's folder" in capsys.readouterr().err
    (inside.parent / "file").touch()
    assert new(checkout, "../file/cs101") == 2
    assert "name another folder" in capsys.readouterr().err
    assert os.listdir(inside.parent).count("cs101") == 0
