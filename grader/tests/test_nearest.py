"""`./lab test --changed`: the nearest tests of a change, as many as there is time for."""

import json
from pathlib import Path

import pytest

from grader.tests import nearest

pytestmark = [pytest.mark.unit, pytest.mark.reads()]

POINTS = frozenset({"grader/grading/points.py"})
OF_POINTS, OF_MESSAGES = "grader/tests/test_points.py", "grader/tests/test_messages.py"


@pytest.mark.longer
def test_a_tests_own_file_is_nearest_and_then_what_it_imports() -> None:
    assert nearest.distance(OF_POINTS, frozenset({OF_POINTS})) == 0
    near, far = (nearest.distance(file, POINTS) for file in (OF_POINTS, OF_MESSAGES))
    assert near == 1 and far is not None and far > near
    assert nearest.distance(OF_POINTS, frozenset({"grader/cpu/runtime/threads/warp.cpp"})) is None


@pytest.mark.longer
def test_what_is_read_by_name_is_near_and_a_set_of_folders_is_far() -> None:
    """test_manners reads the judge's code as part of a set; a page's own test names the page."""
    judge = frozenset({"grader/judge/time_limit.hpp"})
    assert nearest.distance("grader/tests/test_infrastructure.py", judge) in (2, 3)
    assert nearest.distance("grader/tests/test_pages.py", frozenset({"README.md"})) == 1


@pytest.fixture
def by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """`near.py` is one step away, `far.py` three."""
    monkeypatch.setattr(nearest, "distance", lambda file, _: {"near.py": 1, "far.py": 3}.get(file))


@pytest.mark.usefixtures("by_name")
@pytest.mark.parametrize(("seconds", "chosen"), [
    (100.0, {"near.py::a", "near.py::b", "far.py::c"}),
    (12.0, {"near.py::a", "near.py::b"}),
    (3.0, {"near.py::a", "far.py::c"}),  # what is too long is passed over
    (0.0, {"near.py::a"}),
])  # fmt: skip
def test_the_nearest_tests_that_fit(seconds: float, chosen: set[str]) -> None:
    took = {"near.py::a": 1.0, "near.py::b": 10.0, "far.py::c": 2.0}
    assert nearest.nearest([*took], POINTS, took, seconds) == chosen


@pytest.mark.usefixtures("by_name")
def test_a_test_that_never_ran_costs_half_a_second() -> None:
    assert len(nearest.nearest([f"near.py::{i}" for i in range(9)], POINTS, {}, 2.0)) == 4


@pytest.mark.longer
def test_files_are_the_nearest_that_fit() -> None:
    took = {f"{OF_POINTS}::a": 1.0, f"{OF_POINTS}::b": 2.0}
    assert OF_POINTS in nearest.files(POINTS, took, 100.0)
    first = nearest.files(POINTS, took, 2.0)
    assert first and OF_POINTS not in first and len(first) < 9


@pytest.mark.parametrize("text", ["", "[]", "{", json.dumps(3)])
def test_a_damaged_list_is_no_list(tmp_path: Path, text: str) -> None:
    file = tmp_path / "took.json"
    file.write_text(text, encoding="utf-8")
    assert nearest.read(file) == {}
    assert nearest.read(tmp_path / "missing.json") == {}
