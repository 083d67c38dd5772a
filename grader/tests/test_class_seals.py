"""A result that was edited does not count and is named; a clock turned back confuses nothing."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError, UsageError
from grader.commands.cli import main
from grader.course import seals, tasks
from grader.course.course import Course
from grader.course.seals import Seals
from grader.tests import choice, fake_class
from grader.tests.test_class_grading import course as course
from grader.tests.test_class_grading import grade, hand_in, marks, rewritten, roster

COURSE = choice.inputs.ROOT / "grader" / "course"

pytestmark = pytest.mark.reads("grader/grading", "grader/course")

Captured = pytest.CaptureFixture[str]
SAID = "is not as ./lab class grade wrote it"
READERS = (["status"], ["report"], ["export", "csv"], ["explain", "ann"])


@pytest.fixture
def graded(checkout: Checkout, course: Path) -> Path:
    """The result of ann, who has 8 of 20."""
    roster(course, "ann")
    hand_in(course, "ann", '// GRADE {"earned": 4}')
    fake_class.graded_once(course, lambda: grade(checkout, course))
    [path] = (course / "results").glob("*/result.json")
    return path


def generous(path: Path) -> None:
    document = json.loads(path.read_text())
    for stage in document["stages"]:
        stage["points"]["correct"]["earned"] = 10
    path.write_text(json.dumps(document))


def reformatted(path: Path) -> None:
    path.write_text(json.dumps(json.loads(path.read_text())))


def without_its_seal(path: Path) -> None:
    (path.parent / seals.FILE_NAME).unlink()


def with_a_broken_seal(path: Path) -> None:
    (path.parent / seals.FILE_NAME).write_text("[]")


def with_another_number(path: Path) -> None:
    seal = path.parent / seals.FILE_NAME
    seal.write_text(json.dumps(json.loads(seal.read_text()) | {"number": 9}))


def sealed_by_hand(path: Path) -> None:
    """With a key that is not the course's."""
    generous(path)
    Seals(b"guessed").write(path.parent, path.parent.name, 1)


EDITS = (generous, reformatted, without_its_seal, with_a_broken_seal, with_another_number,
         sealed_by_hand)  # fmt: skip


@pytest.mark.parametrize("edit", choice.first_of(3, EDITS, COURSE))
def test_an_edited_result_is_named_and_does_not_count(
    checkout: Checkout, course: Path, graded: Path, edit: Callable[[Path], None], capsys: Captured
) -> None:
    edit(graded)
    assert marks(checkout, course) == {"ann": ("waiting", None)}
    for words in READERS:
        capsys.readouterr()
        assert main(["class", *words, "--course", str(course)], checkout) == 0
        assert f"edited: results/{graded.parent.name}: {SAID}" in capsys.readouterr().out, words
    gradings = len(fake_class.calls(checkout))
    assert grade(checkout, course) == 0  # anew: the edited one is kept
    assert SAID in capsys.readouterr().err and len(fake_class.calls(checkout)) == gradings + 1
    assert marks(checkout, course) == {"ann": ("graded", 8)}
    assert [path.name for path in (course / "results").glob(".*.edited")]
    generous(graded)  # and once more: a second copy is kept beside the first
    assert grade(checkout, course) == 0
    assert len(list((course / "results").glob(".*.edited*"))) == 2


@pytest.mark.parametrize("count", [tasks.MANY - 1, tasks.MANY])
def test_another_key_is_told_once_and_puts_nothing_aside(
    checkout: Checkout, course: Path, capsys: Captured, count: int
) -> None:
    """Who takes a course over may have a copy without the key, or with another one."""
    names = [f"s{number}" for number in range(count)]
    roster(course, *names)
    for name in names:
        hand_in(course, name, f"// {name}")
    assert grade(checkout, course) == 0
    right = (course / "seal-key").read_text()
    (course / "seal-key").write_text("00" * 32)
    capsys.readouterr()
    assert main(["class", "status", "--course", str(course)], checkout) == 0
    said = capsys.readouterr().out
    is_told = count == tasks.MANY
    assert ("seal-key: is not the key with which" in said) == is_told
    assert said.count("edited: ") == (0 if is_told else count)
    assert grade(checkout, course) == (2 if is_told else 0)
    assert len(list((course / "results").glob(".*.edited"))) == (0 if is_told else count)
    if is_told:
        (course / "seal-key").write_text(right)
        assert marks(checkout, course) == dict.fromkeys(names, ("graded", 20))


@pytest.mark.parametrize("words", READERS)
def test_a_result_as_it_was_stored_counts_and_nothing_is_said(
    checkout: Checkout, course: Path, graded: Path, words: list[str], capsys: Captured
) -> None:
    moved = course.with_name("moved")
    course.rename(moved)  # a course that was copied or restored is the same course
    capsys.readouterr()
    assert main(["class", *words, "--course", str(moved)], checkout) == 0
    assert "edited" not in "".join(capsys.readouterr())
    assert marks(checkout, moved) == {"ann": ("graded", 8)}


def test_a_result_of_another_task_is_not_this_ones(
    checkout: Checkout, course: Path, graded: Path
) -> None:
    """Copying the folder of a good result over a bad one changes no mark."""
    roster(course, "ann", "bob")
    hand_in(course, "bob", "// good")
    assert grade(checkout, course) == 0
    [good] = (path for path in (course / "results").iterdir() if path != graded.parent)
    shutil.rmtree(graded.parent)
    shutil.copytree(good, graded.parent)
    assert marks(checkout, course) == {"ann": ("waiting", None), "bob": ("graded", 20)}


def test_the_key_is_the_owners_alone_and_no_part_of_a_sentence(
    checkout: Checkout, course: Path, graded: Path
) -> None:
    key = course / "seal-key"
    assert key.stat().st_mode & 0o777 == 0o600
    text = key.read_text().strip()
    results = list((course / "results").rglob("*.json"))
    assert results and all(text not in path.read_text() for path in results)
    key.write_text("no key")
    with pytest.raises(UsageError, match="seal-key: is damaged; put it back") as told:
        marks(checkout, course)
    assert "no key" not in str(told.value)


def test_results_of_an_earlier_kit_count_and_are_sealed_by_the_next_grading(
    checkout: Checkout, course: Path, graded: Path, capsys: Captured
) -> None:
    without_its_seal(graded)
    (course / "seal-key").unlink()
    assert marks(checkout, course) == {"ann": ("graded", 8)}
    capsys.readouterr()
    assert grade(checkout, course) == 0
    assert "1 result without a seal of this course" in capsys.readouterr().err
    assert marks(checkout, course) == {"ann": ("graded", 8)}
    generous(graded)
    assert marks(checkout, course) == {"ann": ("waiting", None)}


def test_a_key_that_is_gone_is_said(
    checkout: Checkout, course: Path, graded: Path, capsys: Captured
) -> None:
    (course / "seal-key").unlink()
    assert main(["class", "status", "--course", str(course)], checkout) == 0
    assert "seal-key is gone from the course" in capsys.readouterr().out
    assert marks(checkout, course) == {"ann": ("graded", 8)}


def test_a_key_that_cannot_be_written_leaves_everything_as_it_was(
    checkout: Checkout, course: Path, graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_its_seal(graded)
    (course / "seal-key").unlink()

    def full(*_: object) -> None:
        raise InfrastructureError("cannot write seal-key: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(seals, "write_private", full)
        assert grade(checkout, course) == 3
    assert not (course / "seal-key").exists()
    assert marks(checkout, course) == {"ann": ("graded", 8)}
    assert grade(checkout, course) == 0
    assert marks(checkout, course) == {"ann": ("graded", 8)}


def test_what_waits_for_its_times_is_sealed(checkout: Checkout, course: Path, graded: Path) -> None:
    of, document = Course.load(checkout, course), json.loads(graded.read_text())
    of.judged.mkdir(exist_ok=True)
    tasks.keep_judged(of, "a-task", document)
    assert tasks.judged(of, "a-task") == document
    assert tasks.judged(of, "another") is None
    waiting = of.judged / "a-task.json"
    (of.judged / "b-task.json").write_bytes(waiting.read_bytes())
    assert tasks.judged(of, "b-task") is None  # of another task
    waiting.write_text(waiting.read_text().replace('\\"earned\\": 4', '\\"earned\\": 9'))
    assert tasks.judged(of, "a-task") is None


def test_a_clock_turned_back_changes_no_mark(
    checkout: Checkout, course: Path, graded: Path, capsys: Captured
) -> None:
    """The second grading of a source says that it finished before the first one."""
    assert grade(checkout, course, "--again") == 0
    [second] = (course / "results").glob("*.2/result.json")
    document = json.loads(second.read_text())
    document |= {"started": "2020-01-01T00:00:00Z", "finished": "2020-01-01T00:00:01Z"}
    for stage in document["stages"]:
        stage["points"]["correct"]["earned"] = 10
    rewritten(course, second, document)
    assert marks(checkout, course) == {"ann": ("graded", 8)}  # nobody has accepted it
    capsys.readouterr()
    assert main(["class", "explain", "ann", "--course", str(course)], checkout) == 0
    assert "it would be 20" in capsys.readouterr().out
    assert main(["class", "accept", "--course", str(course), "--because", "a better kit"],
                checkout) == 0  # fmt: skip
    assert marks(checkout, course) == {"ann": ("graded", 20)}
