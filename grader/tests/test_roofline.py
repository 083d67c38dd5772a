"""A time below what a stage's work takes is nobody's mark, and a person's to look at."""

from typing import Any

import pytest

from grader.grading import times
from grader.tests.fakes import CEILINGS
from grader.timing.ceilings import Ceilings
from grader.timing.roofline import too_fast

pytestmark = [pytest.mark.reads(), pytest.mark.unit]

COMPARES = {"bytes": 8e3, "operations": 16e9, "operation": "compares"}  # 1 ms, or 0.5 by pairs
EXCHANGES = {"bytes": 8e3, "operations": 8e9, "operation": "exchanges"}  # 1 ms
ARCS = {"bytes": 8e3, "operations": 160e9, "operation": "arcs"}  # 1 s, if all were relaxed
BYTES = {"bytes": 8e3, "operations": 0, "operation": ""}


@pytest.mark.parametrize(
    ("work", "seconds", "words"),
    [
        (COMPARES, 0.49e-3, "8e+09 compares"),
        (COMPARES, 0.51e-3, ""),
        (EXCHANGES, 0.99e-3, "take 1e+03 us"),
        (EXCHANGES, 1.01e-3, ""),
        (ARCS, 1e-3, ""),
        (BYTES, 1.1e-9, ""),
        (BYTES, 0.9e-9, "8e+03 bytes, to be read and written once, take 0.001 us"),
    ],
)
def test_a_time_below_the_floor_is_said_to_be_none(
    work: dict[str, Any], seconds: float, words: str
) -> None:
    said = too_fast(work, seconds, CEILINGS)
    assert words in said if words else said == ""


@pytest.mark.parametrize(("seconds", "odd"), [(1e-6, True), (1e-3, False), (None, False)])
def test_the_comparison_is_held_against_the_floor(seconds: float | None, odd: bool) -> None:
    comparison = {"measured": {"seconds": seconds}, "work": COMPARES}
    ceilings = Ceilings(**CEILINGS)
    assert bool(times._too_fast(comparison, ceilings)) == odd
    assert times._too_fast({**comparison, "work": None}, ceilings) == []
