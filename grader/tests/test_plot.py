"""Figures: the same bytes for the same result, honest titles, and none from nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.commands.cli import main
from grader.tests.fakes import CEILINGS, LAB, result
from grader.timing import statistics
from report.drawing import result_figure

pytestmark = pytest.mark.reads("report")

pytest.importorskip("matplotlib")
plot = pytest.importorskip("report.drawing.speedup")


def test_equal_results_give_equal_bytes_and_others_do_not(tmp_path: Path) -> None:
    for name in ("a", "b"):
        plot.draw(result(), tmp_path / name)
    for file in ("speedup.svg", "speedup.png"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    slower = result()
    slower["measured"][0]["points"][0]["seconds"][0] *= 2
    plot.draw(slower, tmp_path / "c")
    a, c = ((tmp_path / name / "speedup.svg").read_bytes() for name in "ac")
    assert a != c and b"<dc:date>" not in a


def test_the_title_names_the_machine_and_says_what_the_time_is() -> None:
    cpu = plot._title(result("cpu"), "judge", False)
    gpu = plot._title(result("gpu"), "cuda events", True)
    assert "time on the CPU backend, not GPU time" in cpu and "A CPU, 2 cores" in cpu
    assert "NVIDIA H200" in gpu and "cuda events" in gpu and "CPU backend" not in gpu


def test_each_stage_has_a_colour_and_a_marker_of_its_own() -> None:
    document = result("gpu", stages=6)
    lines = [(m["stage"], plot._speedups(m)) for m in document["measured"]]
    with plot.plt.style.context(["default", str(plot.STYLE)]):
        figure = plot._figure(document, lines)
        drawn = [c.lines[0] for c in figure.axes[0].containers]
        plot.plt.close(figure)
    assert len({line.get_color() for line in drawn}) == 6
    assert len({line.get_marker() for line in drawn}) == 6


def limited(stages: int = 2) -> dict[str, Any]:
    """A GPU's result with ceilings, and work at every point."""
    document = result("gpu", stages)
    document["machine"]["ceilings"] = CEILINGS
    for measured in document["measured"]:
        for point in measured["points"]:
            n = point["n"]
            point["work"] = {"bytes": 8 * n, "operations": n * n, "operation": "compares"}
    return document


def test_shares_of_the_limit_are_drawn_where_it_was_measured(tmp_path: Path) -> None:
    for name in ("a", "b"):
        plot.draw(limited(), tmp_path / name)
    a, b = ((tmp_path / name / "speedup.svg").read_bytes() for name in "ab")
    assert a == b
    lower = limited()
    lower["machine"]["ceilings"] = {**CEILINGS, "launch_seconds": 5e-6}
    plot.draw(lower, tmp_path / "c")
    assert (tmp_path / "c" / "speedup.svg").read_bytes() != a


def panels(document: dict[str, Any]) -> list[list[list[float]]]:
    """The heights of the lines in each panel; a line of two points is a reference line."""
    lines = [(m["stage"], plot._speedups(m)) for m in document["measured"]]
    with plot.plt.style.context(["default", str(plot.STYLE)]):
        figure = plot._figure(document, lines)
        heights = [[list(line.get_ydata()) for line in axes.lines if len(line.get_ydata()) > 2]
                   for axes in figure.axes]  # fmt: skip
        plot.plt.close(figure)
    return heights


def test_a_share_is_the_least_time_over_the_time() -> None:
    _, (first, second) = panels(limited())
    # 1000 keys took 1.1 ms; the limit is a launch of 2.5 us. The second stage takes half the time.
    assert first[0] == pytest.approx(2.5e-6 / 1.1e-3) and second[0] == pytest.approx(2 * first[0])


@pytest.mark.parametrize("lacking", ["ceilings", "work"])
def test_without_ceilings_or_work_no_share_is_drawn(lacking: str) -> None:
    document = limited()
    assert len(panels(document)) == 2
    assert "limit not measured" not in plot._title(document, "cuda events", True)
    if lacking == "ceilings":
        document["machine"]["ceilings"] = None
    for measured in document["measured"] if lacking == "work" else ():
        for point in measured["points"]:
            del point["work"]
    assert len(panels(document)) == 1
    assert "limit not measured" in plot._title(document, "cuda events", False)


def test_what_has_another_baseline_is_not_drawn(tmp_path: Path) -> None:
    document = result("gpu", stages=3)
    document["measured"][0]["baseline"] = "copying the graph"
    plot.draw(document, tmp_path / "a")
    document["measured"] = document["measured"][1:]
    plot.draw(document, tmp_path / "b")
    a, b = ((tmp_path / name / "speedup.svg").read_bytes() for name in "ab")
    assert a == b
    document["measured"] = document["measured"][1:]
    plot.draw(document, tmp_path / "c")
    assert (tmp_path / "c" / "speedup.svg").read_bytes() != a


def test_a_result_without_measurement_has_no_figure(tmp_path: Path) -> None:
    empty = {**result(), "measured": []}
    with pytest.raises(UsageError, match="nothing was measured"):
        plot.draw(empty, tmp_path)
    (tmp_path / "speedup.svg").write_text("of an older run")
    assert result_figure.draw_if_possible(empty, tmp_path) == [] and not list(tmp_path.iterdir())


def test_plot_draws_again_from_the_result(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plot"], checkout) == 2
    folder = checkout.out / "ann" / LAB
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps(result()))
    assert main(["plot", "01"], checkout) == 0
    assert (folder / "speedup.png").stat().st_size > 1000
    (folder / "result.json").write_text("{")
    assert main(["plot"], checkout) == 2


def test_the_interval_holds_the_median_and_is_fixed() -> None:
    point = statistics.speedup(8, [1.0, 1.1, 1.4], [2.0, 2.2, 2.1])
    assert point == statistics.speedup(8, [1.0, 1.1, 1.4], [2.0, 2.2, 2.1])
    assert point.median == pytest.approx(2.1 / 1.1)
    assert point.low < point.median < point.high
    alone = statistics.speedup(8, [1.0], [3.0])
    assert (alone.low, alone.median, alone.high) == (3.0, 3.0, 3.0)
