"""Figures: the same bytes for the same result, honest titles, and none from nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import OWN, Checkout
from grader.base.errors import UsageError
from grader.commands.cli import main
from grader.lab_file import manifest
from grader.tests import choice
from grader.tests.fakes import CEILINGS, LAB, result
from grader.timing import statistics
from report.drawing import looks, result_figure

DRAWING = choice.inputs.ROOT / "report" / "drawing"

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


def test_the_figure_says_whose_it_is_but_not_of_one_s_own() -> None:
    for name, shown in ((OWN, ""), ("ann", " (ann)")):
        document = result()
        document["submission"]["name"] = name
        head = f"{document['lab']}, {document['title']}{shown}"
        assert plot.sheet(document).title.split("\n")[0] == head


def test_the_figure_names_the_machine_and_says_what_the_time_is() -> None:
    cpu, gpu = plot.sheet(result("cpu")), plot.sheet(result("gpu"))
    assert "time on the CPU backend, not GPU time" in cpu.title
    assert "NVIDIA H200" in gpu.title and "clock: judge" in gpu.title and "CPU" not in gpu.title
    for sheet in (cpu, gpu):
        assert "one core of A CPU." in sheet.foot[0] and "cores" not in " ".join(sheet.foot)
    dated = {**result("gpu"), "started": "2026-01-02T03:04:05Z", "grader": {"version": "0.1.0"},
             "toolchain": {"compiler": "12", "cuda": "13.0.1"}}  # fmt: skip
    assert plot.sheet(dated).foot[-1] == "2026-01-02, kit 0.1.0, CUDA 13.0.1"
    assert "CUDA" not in plot.sheet({**dated, "backend": "cpu"}).foot[-1]


def test_a_stage_has_one_colour_and_marker_in_every_figure() -> None:
    document = result("gpu", stages=6)
    every = {line.label: line.look for line in plot.sheet(document).rows[0][0].lines}
    assert len({look.colour for look in every.values()}) == 6
    assert len({look.marker for look in every.values()}) == 6
    document["stages"] = [{"name": stage} for stage in every]
    document["measured"] = document["measured"][3:]  # the first stages were not timed
    assert {line.label: line.look for line in plot.sheet(document).rows[0][0].lines} == {
        stage: every[stage] for stage in list(every)[3:]
    }
    for lab in manifest.discover(Checkout.here()):
        assert looks.STAGES[lab.name[:2]] == tuple(lab.stage_names)
        assert all(looks.of(f"{lab.name[:2]} {stage}") == looks.of_stage(stage, lab.stage_names)
                   for stage in lab.stage_names)  # fmt: skip
    assert looks.of_stage("i", "abcdefghi") != looks.of_stage("a", "abcdefghi")


def limited(stages: int = 2) -> dict[str, Any]:
    """A GPU's result with ceilings, and work at every point."""
    document = result("gpu", stages)
    document["machine"]["ceilings"] = CEILINGS
    for measured in document["measured"]:
        for point in measured["points"]:
            n = point["n"]
            point["work"] = {"bytes": 8 * n, "operations": n * n, "operation": "compares"}
    return document


@pytest.mark.exhaustive("report/drawing", "grader/timing")
def test_shares_of_the_limit_are_drawn_where_it_was_measured(tmp_path: Path) -> None:
    for name in ("a", "b"):
        plot.draw(limited(), tmp_path / name)
    a, b = ((tmp_path / name / "speedup.svg").read_bytes() for name in "ab")
    assert a == b
    lower = limited()
    lower["machine"]["ceilings"] = {**CEILINGS, "launch_seconds": 5e-6}
    plot.draw(lower, tmp_path / "c")
    assert (tmp_path / "c" / "speedup.svg").read_bytes() != a


def panels(document: dict[str, Any]) -> dict[str, list[list[float]]]:
    """The heights of the curves in each panel, by its title."""
    return {panel.title: [[one.middle for one in line.values] for line in panel.lines]
            for row in plot.sheet(document).rows for panel in row}  # fmt: skip


def test_a_share_is_the_least_time_over_the_time() -> None:
    first, second = panels(limited())["Share of the machine's limit"]
    # 1000 keys took 1.1 ms; the limit is a launch of 2.5 us. The second stage takes half the time.
    assert first[0] == pytest.approx(2.5e-6 / 1.1e-3) and second[0] == pytest.approx(2 * first[0])


@pytest.mark.parametrize("lacking", choice.first_of(1, ["ceilings", "work"], DRAWING))
def test_without_ceilings_or_work_no_share_is_drawn(lacking: str) -> None:
    document = limited()
    assert len(panels(document)) == 3 and plot.LIMIT in plot.sheet(document).foot
    if lacking == "ceilings":
        document["machine"]["ceilings"] = None
    for measured in document["measured"] if lacking == "work" else ():
        for point in measured["points"]:
            del point["work"]
    assert list(panels(document)) == ["Over one CPU core", "Time"]
    assert "not measured" in " ".join(plot.sheet(document).foot)


def test_stages_with_one_baseline_share_its_seconds() -> None:
    document = result("gpu", stages=2)
    for measured, seconds in zip(document["measured"], (1.0, 3.0), strict=True):
        for point in measured["points"]:
            point["seconds"], point["baseline_seconds"] = [0.5], [seconds]
    first, second = panels(document)["Over one CPU core"]
    assert first == second == pytest.approx([4.0] * 3)  # over the median of both, 2 s
    assert panels(document)["Time"][-1] == pytest.approx([2.0] * 3)


def test_each_baseline_has_panels_of_its_own_and_none_has_only_a_time() -> None:
    document = result("gpu", stages=3)
    document["measured"][0]["baseline"] = "copying the graph"
    assert [panel.title for panel in plot.sheet(document).rows[0]] == [
        "Over copying the graph", "Over one CPU core"]  # fmt: skip
    document["measured"][0]["baseline"] = ""
    for point in document["measured"][0]["points"]:
        point["baseline_seconds"] = []
    sheet = plot.sheet(document)
    [[speedups, times]] = sheet.rows
    assert [line.label for line in speedups.lines] == ["strided", "stable"]
    assert [line.label for line in times.lines] == ["global", "strided", "stable", "baseline"]
    assert "Without a speedup: global" in " ".join(sheet.foot)


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


@pytest.mark.exhaustive("report/drawing", "grader/commands/plot.py")
def test_plot_takes_a_result_or_a_folder(
    checkout: Checkout, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b/c"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "result.json").write_text(json.dumps(result()))
    one = tmp_path / "runs" / "a" / "result.json"
    assert main(["plot", str(one), "--json"], checkout) == 0
    assert len(json.loads(capsys.readouterr().out)["figures"]) == 3
    assert [path.name for path in tmp_path.rglob("*.svg")] == ["speedup.svg"]
    assert main(["plot", str(tmp_path / "runs")], checkout) == 0
    assert len(list(tmp_path.rglob("*.svg"))) == 2


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("missing.json", None, "no such file, folder or lab"),
        ("", None, "holds no result.json"),
        ("r.json", '{"schema": 1}', "is not a whole result; check or grade again."),
        ("r.json", '{"schema": 1, "measured": [3]}', "is not a whole result; check"),
        ("r.json", "[]", "is not a result of schema 1"),
        ("r.json", json.dumps({**result(), "measured": []}), "nothing was measured in"),
    ],
)
def test_plot_refuses_what_is_no_result_in_one_sentence(
    checkout: Checkout, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    name: str, text: str | None, said: str,
) -> None:  # fmt: skip
    folder = tmp_path / "empty"
    folder.mkdir()
    if text is not None:
        (folder / name).write_text(text)
    assert main(["plot", str(folder / name)], checkout) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def _with_result(checkout: Checkout, name: str = "ann") -> Path:
    folder = checkout.out / name / LAB
    folder.mkdir(parents=True)
    path = folder / "result.json"
    path.write_text(json.dumps({**result(), "submission": {"name": name, "sha256": "0" * 64}}))
    return path


SIGNATURES = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}


@pytest.mark.parametrize("suffix", choice.first_of(1, [*SIGNATURES], DRAWING))
def test_plot_writes_the_file_that_is_named(
    checkout: Checkout, tmp_path: Path, suffix: str
) -> None:
    path = _with_result(checkout)
    contents = []
    for name in ("a", "b"):
        target = tmp_path / "new folder" / f"{name}{suffix}"
        assert main(["plot", str(path), "--out", str(target)], checkout) == 0
        contents.append(target.read_bytes())
    assert contents[0].startswith(SIGNATURES[suffix]) and contents[0] == contents[1]
    assert not list(path.parent.glob("speedup.*"))


def test_plot_fills_a_folder(checkout: Checkout, tmp_path: Path) -> None:
    _with_result(checkout)
    _with_result(checkout, "bob")
    assert main(["plot", "--out", str(tmp_path / "figures")], checkout) == 0
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert names == {f"{LAB}-{who}{end}" for who in ("ann", "bob") for end in SIGNATURES}


def test_one_file_of_a_lab_is_of_the_student_s_own_check(
    checkout: Checkout, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _with_result(checkout, "bob")
    _with_result(checkout)
    target = tmp_path / "mine.svg"
    assert main(["plot", "01", "--out", str(target)], checkout) == 2  # which of the two?
    assert "is one file, but there are 2 results" in capsys.readouterr().err
    _with_result(checkout, "check")
    assert main(["plot", "01", "--out", str(target)], checkout) == 0 and target.is_file()


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("both.pdf", "is one file, but there are 2 results"),
        ("figure.jpg", "a figure's file ends with .svg, .png, .pdf"),
        ("taken/figures", "name another folder"),
    ],
)
def test_plot_refuses_a_place_that_is_none(
    checkout: Checkout, tmp_path: Path, out: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _with_result(checkout)
    _with_result(checkout, "bob")
    (tmp_path / "taken").write_text("mine")
    assert main(["plot", "--out", str(tmp_path / out)], checkout) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / out).exists() and (tmp_path / "taken").read_text() == "mine"


def test_the_interval_holds_the_median_and_is_fixed() -> None:
    point = statistics.speedup(8, [1.0, 1.1, 1.4], [2.0, 2.2, 2.1])
    assert point == statistics.speedup(8, [1.0, 1.1, 1.4], [2.0, 2.2, 2.1])
    assert point.median == pytest.approx(2.1 / 1.1)
    assert point.low < point.median < point.high
    alone = statistics.speedup(8, [1.0], [3.0])
    assert (alone.low, alone.median, alone.high) == (3.0, 3.0, 3.0)
