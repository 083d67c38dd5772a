"""Races that lab.toml expects are no fault; any other race, in the same launch, still is one."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.base.verdict import Run
from grader.compiling.build import build
from grader.judging import judge
from grader.lab_file.rules import ExpectedRace, read_races
from grader.lab_file.toml_table import Table

pytestmark = pytest.mark.reads("judging", "grader/tests/races")
CHECKOUT = Checkout.here()
TESTS = Path(__file__).resolve().parent / "races"


def race(**entry: str) -> ExpectedRace:
    [made] = read_races(Table("lab.toml", "stage[1]", {"races": [entry]}))
    return made


NEIGHBOUR = race(buffer="dist", first="read", second="write",
                 first_line="reads the neighbour", second_line="keeps it")  # fmt: skip
ANY_LINE = race(buffer="dist", first="write", second="read")
ATOMIC = race(buffer="dist", first="atomic", second="write")


@pytest.fixture(scope="session")
def bench() -> judge.Bench:
    """The judge of races/test.cpp, and races/races.cu as a worker under the checker."""
    build(CHECKOUT, "cpu")  # also lets CMake see what is new
    build(CHECKOUT, "cpu", "races")
    binaries = CHECKOUT.build("cpu") / "bin"
    return judge.Bench(binaries / "races.judge", binaries / "races.kernels", 10.0, "cpu", 1)


def checked(bench: judge.Bench, stage: str, *races: ExpectedRace) -> Run:
    text = (TESTS / "races.cu").read_text()
    expected = tuple(race.for_judge("races.cu", text) for race in races)
    return judge.check_once(replace(bench, races={stage: expected}), stage)


@pytest.mark.parametrize("races", [(NEIGHBOUR,), (ANY_LINE,), (ATOMIC, NEIGHBOUR)])
def test_an_expected_race_is_no_fault_and_is_named(
    bench: judge.Bench, races: tuple[ExpectedRace, ...]
) -> None:
    run = checked(bench, "expected", *races)
    assert (run.verdict, run.message) == ("passed", "")
    [seen] = run.races
    assert races[seen.number] is not ATOMIC
    source = (TESTS / "races.cu").read_text().splitlines()
    lines = dict(re.findall(r"(read|write) at races.cu:(\d+)", seen.lines))
    assert "reads the neighbour" in source[int(lines["read"]) - 1]
    assert "keeps it" in source[int(lines["write"]) - 1]


@pytest.mark.parametrize(
    ("stage", "races", "verdict", "said"),
    [
        ("expected", (), "race", "dist["),
        ("expected", (ATOMIC,), "race", "dist["),
        ("expected", (race(buffer="level", first="read", second="write"),), "race", "dist["),
        ("expected", (race(buffer="dist", first="write", second="write"),), "race", "dist["),
        ("expected", (replace(NEIGHBOUR, second_line=re.compile("nowhere")),), "race", "dist["),
        ("other-buffer", (NEIGHBOUR,), "race", "level["),
        ("other-buffer", (ANY_LINE,), "race", "level["),
        ("other-kind", (ANY_LINE,), "race", "writes at races.cu"),
        ("other-line", (NEIGHBOUR,), "race", "dist["),
        ("same-thread", (NEIGHBOUR,), "race", "dist["),
        ("shared-memory", (NEIGHBOUR, ANY_LINE), "race", "shared memory tile["),
        ("outside", (NEIGHBOUR, ANY_LINE), "wrote outside", "level[256]"),
        ("constant-written", (), "wrote outside", "cannot write to a __constant__ variable"),
    ],
)
def test_any_other_fault_is_still_one(
    bench: judge.Bench, stage: str, races: tuple[ExpectedRace, ...], verdict: str, said: str
) -> None:
    run = checked(bench, stage, *races)
    assert run.verdict == verdict and said in run.message


@pytest.mark.parametrize(
    ("stage", "races"),
    [
        ("other-buffer", (ANY_LINE, race(buffer="level", first="read", second="write"))),
        ("other-kind", (ANY_LINE, race(buffer="dist", first="write", second="write"))),
        ("other-line", (ANY_LINE,)),
        ("same-thread", (ANY_LINE,)),
    ],
)
def test_the_twin_whose_races_are_all_expected_passes(
    bench: judge.Bench, stage: str, races: tuple[ExpectedRace, ...]
) -> None:
    run = checked(bench, stage, *races)
    assert (run.verdict, run.message) == ("passed", "")
    assert {seen.number for seen in run.races} == set(range(len(races)))


def test_a_race_that_does_not_occur_is_not_named(bench: judge.Bench) -> None:
    for stage in ("quiet", "constant-read"):
        run = checked(bench, stage, ANY_LINE)
        assert (run.verdict, run.races) == ("passed", ())


def test_patterns_become_line_numbers() -> None:
    text = "a\nreads the neighbour\nkeeps it\nkeeps it too\n"
    assert NEIGHBOUR.for_judge("x.cu", text) == "dist;read;write;x.cu:2;x.cu:3,x.cu:4"
    assert ANY_LINE.for_judge("x.cu", text) == "dist;write;read;*;*"
    assert NEIGHBOUR.for_judge("x.cu", "") == "dist;read;write;;"
