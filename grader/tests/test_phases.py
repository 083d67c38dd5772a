"""What the launches of a sort by phases tell; and silence where they tell nothing."""

import pytest

from grader.study import phases
from grader.study.slips import WRITTEN_UNSET

pytestmark = [pytest.mark.reads("grader/study"), pytest.mark.unit]


def row(name: str, n: int, said: str, launches: int | None, verdict: str = "wrong answer") -> dict:
    message = f"odd_even::{name}(keys, {n}) on {n} keys: {said}; first wrong at index 0"
    message += "" if launches is None else f"\nthe call made {launches} launches"
    return {"name": name.replace("_", "-"), "verdict": verdict, "message": message}


ORDER = "not in order: 3 at index 1 comes before 1"
LOST = "wrong set of values: 3 occurs once in the input and not at all in the output"


@pytest.mark.parametrize(("name", "n", "said", "launches", "begins"), [
    ("phases", 3, ORDER, 1, "3 keys need 3 phases, a launch for each: the call made 1."),
    ("phases", 3, ORDER, 3, ""),
    ("phases", 3, LOST, 1, ""),
    ("phases", 3, ORDER, None, ""),  # a GPU does not count
    ("tiled", 511, LOST, 8, "Fewer keys are right, so it goes wrong where two tiles meet."),
    ("tiled", 511, f"{LOST}; {WRITTEN_UNSET}", 8, ""),  # too few blocks, or a wrong index
    ("tiled", 31, LOST, 1, ""),
    ("tiled", 9000, LOST, 99, ""),  # few tiles meet as they should
    ("tiled", 511, ORDER, 8, ""),
    ("early_exit", 3, ORDER, 2, ""),
])  # fmt: skip
def test_the_cause_of_phases(
    name: str, n: int, said: str, launches: int | None, begins: str
) -> None:
    found = phases.cause(row(name, n, said, launches), "a.cu", "")
    assert found[0].startswith(begins) if begins else not found
    assert not phases.cause(row(name, n, said, launches, "race"), "a.cu", "")


@pytest.mark.parametrize(("arguments", "is_same"), [
    ("(from, from, n)", True), ("(from, to, n)", False), ("(from, from_here, n)", False),
])  # fmt: skip
def test_one_array_that_is_read_and_written(arguments: str, is_same: bool) -> None:
    mark = "// BEGIN STAGE 1 tiled: x\n  sort<<<(n + 1) / 2, 256>>>{};\n// END STAGE 1\n"
    found = phases.cause(row("tiled", 127, ORDER, 2), "a.cu", mark.format(arguments))
    assert bool(found) is is_same and all("reads from and writes it: " in said for said in found)


@pytest.mark.parametrize(("name", "n", "said", "launches", "begins"), [
    ("early_exit", 4, ORDER, 2, "The call ended after 2 of 4 phases"),
    ("early_exit", 4, ORDER, 4, ""),
    ("tiled", 511, ORDER, 4, "The call made 4 launches. 511 keys need 511 phases, so each launch "
     "must make 128 or more"),
    ("tiled", 65, ORDER, 1, "The call made 1 launch. 65 keys need 65 phases"),
    ("tiled", 511, LOST, 4, ""),
    ("tiled", 2, ORDER, 1, ""),
    ("phases", 4, ORDER, 2, ""),
])  # fmt: skip
def test_the_facts_of_phases(name: str, n: int, said: str, launches: int, begins: str) -> None:
    found = phases.fact(row(name, n, said, launches))
    assert found.startswith(begins) if begins else not found
    assert not phases.fact(row(name, n, said, launches, "race"))
