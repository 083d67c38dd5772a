"""What Tab shows: labs, stages, students and folders, each where it can be typed, and no more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.commands.completion import folders
from grader.tests import choice
from grader.tests.fakes import LAB

pytest.importorskip("argcomplete")

pytestmark = pytest.mark.reads("grader/tests/lab_on_fakes.py")  # whole commands: no unit tests

DRIVER = Path(__file__).parent / "lab_on_fakes.py"


@pytest.fixture
def place(checkout: Checkout) -> Path:
    """A folder with courses, a file and a hidden folder."""
    folder = checkout.root.parent / "place"
    for name in ("cs101", "cs 102"):
        assert main(["class", "new", str(folder / name), "--backend", "cpu"], checkout) == 0
    (folder / "cs101" / "roster.csv").write_text("student,name\nann,Ann\nanton,Anton\nbob,Bob\n")
    settings = folder / "cs101" / "course.toml"  # where one stage counts
    settings.write_text(settings.read_text().replace("# stages =", "stages ="))
    (folder / "cs.txt").touch()
    (folder / ".cache").mkdir()
    return folder


def shown(checkout: Checkout, place: Path, line: str, **env: str) -> list[str]:
    """As bash asks: the line so far in the environment, the answer on descriptor 8."""
    answer = checkout.root.parent / "answer"
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
             "COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9"}  # fmt: skip
    command = f'exec 8>"{answer}" && exec "$0" "$1" "$2" >/dev/null 8>&8'
    subprocess.run(
        ["/bin/bash", "-c", command, sys.executable, str(DRIVER), str(checkout.root)],
        env={**os.environ, **asked, **env}, cwd=place, check=True, timeout=60,
    )  # fmt: skip
    return answer.read_text().split("\n")


STAGES = [f"{LAB}.global", f"{LAB}.strided"]


@pytest.mark.parametrize(("line", "expected"), choice.first_of(3, [
    ("lab che", ["check"]),
    ("lab class gr", ["grade"]),
    ("lab run --mode c", ["check", "count"]),
    ("lab check 0", [LAB]),
    (f"lab check {LAB}.", STAGES),
    (f"lab hint {LAB}.st", STAGES[1:]),
    ("lab check 01.", ["01.global", "01.strided"]),
    ("lab why 1.st", ["1.strided"]),
    ("lab check 2.", [""]),
    ("lab class decide --course cs101 ann 01.", ["01.global"]),
    (f"lab submit {LAB}.", [""]),  # a whole lab is handed in
    ("lab grade x --lab 0", [LAB]),
    ("lab class grade --lab 0", [LAB]),
    ("lab class export csv --lab 0", [LAB]),
    (f"lab class decide --course cs101 ann {LAB}.", STAGES[:1]),
    ("lab class explain --course cs101 an", ["ann", "anton"]),
    ("lab class grade --course cs101 --student b", ["bob"]),
    ("lab class explain --course none an", [""]),
    ("lab class status --course cs", [r"cs\ 102/", "cs101/"]),
    ("lab class status --course ../place/cs1", ["../place/cs101/"]),
    ("lab release cs1", ["cs101/"]),
    ("lab check 9", [""]),
], Checkout.here().root / "grader" / "commands"))  # fmt: skip
def test_what_can_be_typed_is_shown(
    checkout: Checkout, place: Path, line: str, expected: list[str]
) -> None:
    assert shown(checkout, place, line) == expected


def test_students_are_those_of_the_course_that_is_set(checkout: Checkout, place: Path) -> None:
    line = "lab class explain a"
    assert shown(checkout, place, line, WARPWISE_COURSE="cs101") == ["ann", "anton"]
    assert shown(checkout, place / "cs101", line) == ["ann", "anton"]
    assert shown(checkout, place, line) == [""]


def test_folders_only_and_hidden_ones_when_asked(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    assert folders("") == ["cs 102/", "cs101/"]
    assert folders(".c") == [".cache/"]
    assert folders(f"{place}/cs1") == [f"{place}/cs101/"]
    assert folders("none/") == [] and folders("cs.txt/") == []


def test_fish_asks_the_kit_itself_and_no_lab_of_the_path(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    """For `./lab`, too, fish takes what is said of `lab`."""
    assert main(["completion", "fish"], checkout) == 0
    said = capsys.readouterr().out
    asked = [line.split()[0] for line in said.splitlines() if " 8>&1" in line]
    assert asked and set(asked) == {str(checkout.root / "lab")}
    assert "complete --command lab " in said
