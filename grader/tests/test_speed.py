"""The table of waiting times: what is late is said; a slow machine is no excuse and no fault."""

import pytest

from grader.tests.speed import __main__ as speed
from grader.tests.speed.rows import ON_CPU, TARGET_SECONDS, Failed, Kit, Row

pytestmark = [pytest.mark.reads("grader/tests/speed"), pytest.mark.unit]
Captured = pytest.CaptureFixture[str]


def table(
    monkeypatch: pytest.MonkeyPatch, rounds: list[float], unit: float, *words: str
) -> int:
    """The exit code of a table with one row of target 1 s, whose rounds took so long."""
    took = iter(rounds)

    def measure(_: Kit) -> float:
        if (seconds := next(took)) < 0:
            raise Failed("./lab next ended with 3: no luck")
        return seconds

    monkeypatch.setattr(speed, "ON_CPU", (Row("a row", 1.0, measure, quick=True),))
    monkeypatch.setattr(speed.hardware, "find_gpu", lambda: None)
    monkeypatch.setattr(speed, "calibrate", lambda: unit)
    return speed.main(["--rounds", str(len(rounds)), *words])


def test_a_row_is_told_as_seconds_and_as_multiples(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    assert table(monkeypatch, [1.5, 0.5, 1.0], TARGET_SECONDS * 2, "--ci") == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("a row"))
    assert row.split()[2:] == ["1.00", f"{1 / (2 * TARGET_SECONDS):.2f}", "1", "s", "0.50"]


@pytest.mark.parametrize(("rounds", "unit", "late"), [
    ([2.1, 2.2], TARGET_SECONDS, True), ([1.9, 9.0], TARGET_SECONDS, False),
    ([3.9], 2 * TARGET_SECONDS, False), ([4.1], 2 * TARGET_SECONDS, True),
    ([-1.0], TARGET_SECONDS, True),
])  # fmt: skip
def test_ci_fails_only_at_twice_the_target(
    rounds: list[float], unit: float, late: bool, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """By the fastest round, and scaled by the fixed program."""
    assert table(monkeypatch, rounds, unit, "--ci") == int(late)
    assert ("times the target: a row" in capsys.readouterr().out) == late
    assert table(monkeypatch, rounds, unit) == 0, "only CI fails"


def test_ci_measures_only_what_takes_seconds() -> None:
    quick = [row for row in ON_CPU if row.quick]
    assert len(quick) > 5 and sum(row.target for row in quick) < 10
    assert len({row.name for row in ON_CPU}) == len(ON_CPU)
    assert all(len(row.name) < 38 for row in ON_CPU)
