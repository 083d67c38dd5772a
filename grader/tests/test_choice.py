"""Which tests run: of a kind, the first one and those about a changed file; the others in CI."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.tests import choice, inputs

pytestmark = [pytest.mark.unit, pytest.mark.reads()]


def item(*marks: pytest.MarkDecorator) -> SimpleNamespace:
    return SimpleNamespace(
        nodeid="grader/tests/test_x.py::test_y", iter_markers=lambda _: [m.mark for m in marks]
    )


def test_the_first_of_a_kind_is_none_of_the_others() -> None:
    assert [*choice.others_of_a_kind("abaac")] == [False, False, True, True, False]


@pytest.mark.parametrize(("differs", "needed"), [
    ({"labs/README.md"}, False),
    ({"grader/tests/cpu/order.cu"}, True),
    ({"grader/tests/cpu/order.cuh"}, False),
    ({"grader/tests/test_x.py"}, False),  # the mark names what the test is about
])  # fmt: skip
def test_an_exhaustive_test_runs_if_its_file_changed(differs: set[str], needed: bool) -> None:
    mark = choice.exhaustive(choice.inputs.ROOT / "grader" / "tests" / "cpu" / "order.cu")
    assert choice._needed(item(mark), differs) is needed
    assert choice._needed(item(), differs)


@pytest.mark.parametrize(("differs", "needed"), [
    ({"grader/tests/test_x.py"}, True), ({"grader/tests/test_z.py"}, False),
    ({"grader/cpu/runtime/threads/warp.cpp"}, False),
])  # fmt: skip
def test_a_mark_without_files_means_the_tests_own(differs: set[str], needed: bool) -> None:
    assert choice._needed(item(pytest.mark.exhaustive()), differs) is needed


def test_a_folder_stands_for_what_is_in_it() -> None:
    mark = choice.exhaustive(choice.inputs.ROOT / "grader" / "cpu")
    assert choice._needed(item(mark), {"grader/cpu/runtime/threads/warp.cpp"})
    assert not choice._needed(item(mark), {"grader/cpu2/x.cpp"})


def test_only_what_passed_with_the_same_inputs_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(choice, "_digest", lambda node: asked.append(node) or "today's")
    kept = {"a::same": "today's", "a::changed": "of yesterday"}
    nodes = ("a::same", "a::changed", "a::new")
    assert [choice._is_kept(kept, node) for node in nodes] == [True, False, False]
    assert asked == ["a::same", "a::changed"]  # to read the inputs of a new one takes time


def test_how_long_a_test_took_is_kept_and_apart_if_it_is_rare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    daily, rare = tmp_path / "daily.json", tmp_path / "rare.json"
    monkeypatch.setattr(choice.nearest, "TOOK", daily)
    monkeypatch.setattr(choice.nearest, "RARE_TOOK", rare)
    for node, marks, seconds in (("a", {}, 1.0), ("b", {"exhaustive": 1}, 90.0), ("c", {}, 3.0)):
        watch = choice.Stopwatch()  # of a run with one test
        for part in (0.5, seconds):  # setup and call
            watch.pytest_runtest_logreport(
                SimpleNamespace(nodeid=node, keywords=marks, duration=part)
            )
        watch.pytest_sessionfinish()
    assert choice.nearest.read(daily) == {"a": 1.5, "c": 3.5}
    assert choice.nearest.read(rare) == {"b": 90.5}


@pytest.mark.longer
def test_a_test_depends_on_the_commands_that_it_names() -> None:
    """cli.py imports commands by name, which no import statement shows."""
    of_messages = choice.inputs.inputs("grader/tests/test_messages.py")
    assert {"grader/commands/why.py", "grader/study/why.py"} <= of_messages
    of_marks = choice.inputs.inputs("grader/tests/test_class_commands.py")
    assert {"grader/commands/course/decide.py", "grader/course/marks.py"} <= of_marks
    assert "grader/commands/watch.py" not in of_marks
    assert "grader/commands/why.py" not in choice.inputs.inputs("grader/tests/test_rewrite.py")


def test_the_first_values_of_a_parameter_stand_for_the_others() -> None:
    cpu = choice.inputs.ROOT / "grader" / "cpu"
    first, *others = choice.first_of(1, ["a", ("b", 2), "c"], cpu)
    assert first == "a" and [other.values for other in others] == [("b", 2), ("c",)]
    marks = [choice._needed(item(*other.marks), {"grader/cpu/x.cpp"}) for other in others]
    assert marks == [True, True]
    assert not choice._needed(item(*others[0].marks), {"grader/judge/x.cpp"})


def test_a_place_that_is_gone_has_no_mark() -> None:
    with pytest.raises(FileNotFoundError):
        choice.exhaustive(choice.inputs.ROOT / "grader" / "harness")


@pytest.mark.longer
def test_what_a_file_reads_is_in_plain_words() -> None:
    """`./lab test --changed` takes it from the text, without running the file."""
    files = sorted(Path(__file__).parent.glob("test_*.py"))
    assert files
    for file in files:
        inputs.declared(f"grader/tests/{file.name}")  # raises ValueError for what is computed


def test_the_files_that_a_mark_names_exist() -> None:
    """A renamed folder would silently take its tests out of every maintainer's loop."""
    texts = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py")
             if path != Path(__file__)]  # fmt: skip
    marks = re.findall(r"mark\.exhaustive\(([^)]+)\)", "".join(texts))
    named = {name for mark in marks for name in ast.literal_eval(f"({mark},)")}
    assert len(named) > 5
    assert [name for name in named if not (choice.inputs.ROOT / name).exists()] == []


def test_no_name_of_a_test_shows_bytes(request: pytest.FixtureRequest) -> None:
    """A zip file has the time in it. Each process of pytest-xdist made its own, and sometimes a
    second had passed between."""
    for item in request.session.items:
        values = item.callspec.params.values() if hasattr(item, "callspec") else ()
        for value in values:
            shown = repr(value)[2:-1] if isinstance(value, bytes) else ""
            assert len(shown) < 8 or shown not in item.nodeid
