"""./lab figures: what it refuses, that nothing measured is lost, and what its figures say."""

import itertools
import json
import math
import operator
import os
import random
import re
import shutil
import stat
import subprocess
import threading
import time
from contextlib import nullcontext
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError, UsageError
from grader.commands import figures
from grader.commands.cli import main
from grader.compiling import build
from grader.lab_file import manifest
from grader.machine import hardware
from grader.tests import choice
from report.drawing import changed, conditions, measurements, measuring, result_figure
from report.drawing.changed import Numbers
from report.drawing.measurements import FAMILIES
from report.drawing.measuring import WrongAnswer

DRAWING = choice.inputs.ROOT / "report" / "drawing"

pytestmark = pytest.mark.reads("judging", "labs", "reference", "report")

SSSP = FAMILIES["sssp"]
GALLERY = Checkout.here().root / "report" / "gallery" / "nvidia-h200"
TAKEN = {"date": "2026-01-02", "kit": "0", "cuda": "13.0", "processors": 4,
         "load_average": 0.5, "running": 0}  # fmt: skip
FAKE = """#!/usr/bin/env python3
import json, os, sys
told = dict(zip(sys.argv[1::2], sys.argv[2::2]))
if "--only" not in told:
    with open({log!r}, "a") as log:
        log.write(told["--scale"] + " ")
if "FAKE_STATUS" in os.environ:
    print("the words", file=sys.stderr)
    raise SystemExit(int(os.environ["FAKE_STATUS"]))
if told["--scale"] == os.environ.get("FAKE_BREAKS_AT") and "--only" in told:
    raise SystemExit("broken")
print({document!r}.replace('"n": 0', '"n": ' + str(2 ** int(told["--scale"]))))
"""


def measured(n: int = 0, factor: float = 1.0) -> dict[str, Any]:
    """What a program prints, with as much in it as the figures need."""

    def one(name: str, seconds: float, kind: str = "float") -> dict[str, Any]:
        times = [seconds * f / factor for f in (1.0, 1.25, 0.75)]
        return {"name": name, "kind": kind, "seconds": times, "rounds": [10, 11, 12]}

    names = {"neither": 4.0, "restrict": 4.0, "locality": 2.0, "both": 2.0}
    methods = [one(name, s, kind) for kind in ("float", "double") for name, s in names.items()]
    more = {"stage locality": 8.0, "atomic": 2.0, "frontier": 1.0, "delta": 0.5,
            "dijkstra": 64.0, "cpu delta-stepping": 16.0}  # fmt: skip
    methods += [one(name, s) for name, s in more.items()]
    preparations = {"edges": 1.0, "segments": 6.0, "arrange": 5.0, "lightest-first": 2.0}
    return {
        "n": n, "arcs": 1000, "backend": "cpu", "clock": "a clock", "sources": [1, 2, 3],
        "methods": methods,
        "preparations": [one(name, s) for name, s in preparations.items()],
        "segments": {"chosen": 256, "lengths": [64, 256],
                     "tried": [one("locality", 8.0), one("locality", 2.0)]},
        "cpu": {"threads": 2, "bin_width": 0.1},
    }  # fmt: skip


def answered_by(fake: str, checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs that answer at once, and the file in which they note what they were asked for."""
    path = checkout.root / "log"
    folder = checkout.build("cpu") / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    for program in (folder / SSSP.program, folder / SSSP.record_program):
        program.write_text(fake.format(log=str(path), document=json.dumps(measured())))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(build, "build", lambda *_: None)
    monkeypatch.setattr(result_figure, "available", lambda: False)  # drawing is slow: tested apart
    return path


@pytest.fixture
def log(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Path:
    return answered_by(FAKE, checkout, monkeypatch)


def run(checkout: Checkout, *words: str) -> int:
    return main(["figures", *words, "--backend", "cpu"], checkout)


@pytest.mark.parametrize(
    "text", ["24-14", "14-", "-4", "3-8", "14-99", "14-27", "a-b", "14 - 24", "", "²"]
)
def test_a_wrong_range_is_refused(
    text: str, checkout: Checkout, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(checkout, "sssp", f"--scales={text}") == 2
    said = capsys.readouterr().err
    assert "two exponents of 2" in said and said.count("\n") == 1 and not log.exists()


def only_the_throughput(monkeypatch: pytest.MonkeyPatch) -> None:
    """One figure of ten: a second of drawing each."""
    searches = pytest.importorskip("report.drawing.draw").searches
    all_ten = searches.figures
    monkeypatch.setattr(
        searches, "figures", lambda of: {"sssp-throughput": all_ten(of)["sssp-throughput"]}
    )


@pytest.mark.exhaustive("report/drawing", "report/figures")
def test_figures_are_drawn_after_measuring_and_again(
    checkout: Checkout, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_the_throughput(monkeypatch)
    monkeypatch.setattr(result_figure, "available", lambda: True)
    assert run(checkout, "sssp", "--scales", "8-9") == 0
    drawn = checkout.out / "figures" / "sssp-throughput.svg"
    drawn.unlink()
    assert run(checkout, "sssp", "--draw") == 0
    assert drawn.is_file() and log.read_text().split() == ["8", "9"]


def test_a_range_and_a_single_scale_are_understood() -> None:
    assert figures.scales("8-10", SSSP, "cpu") == [8, 9, 10]
    assert figures.scales("9", SSSP, "gpu") == [9]
    assert figures.scales(None, SSSP, "gpu") == list(range(14, 25))
    assert figures.scales("8-12", FAMILIES["sort"], "gpu") == [8, 10, 12]


def test_unknown_families_and_counts_are_refused(checkout: Checkout, log: Path) -> None:
    assert run(checkout, "mergesort") == 2
    assert run(checkout, "sssp", "--sources", "0") == 2
    assert run(checkout, "rank", "--sources", "4") == 2
    assert run(checkout, "sssp", "--draw") == 2
    assert run(checkout, "sssp", "--draw", "--again") == 2
    assert run(checkout, "changed", "--scales", "8") == 2
    assert not log.exists()


def test_the_record_is_measured_of_the_stages_with_points_for_speed() -> None:
    for family in FAMILIES.values():
        timed = {f"{lab.name[:2]} {stage.name}" for lab in manifest.discover(Checkout.here())
                 if lab.name in family.labs for stage in lab.stages if stage.speed}  # fmt: skip
        names = {"stage locality": "05 locality", "delta": "05 delta"}
        assert {names.get(name, name) for name in family.record} == timed


def test_without_a_family_all_are_measured_and_what_fits_one_is_refused(
    checkout: Checkout, log: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    asked: list[str] = []
    monkeypatch.setattr(figures, "_family", lambda *words: asked.append(words[2].name) or [])
    assert run(checkout) == 0 and asked == ["rank", "sort", "sssp"]
    assert run(checkout, "--scales", "8-9") == 2 and len(asked) == 3
    assert "give the family as well" in capsys.readouterr().err


@pytest.mark.parametrize(
    "average, running, said",
    [(8.0, 6, True), (8.0, 0, False), (0.1, 6, False), (None, None, False)],
)
def test_a_loaded_machine_is_told_and_our_own_build_is_not_taken_for_one(
    average: float | None, running: int | None, said: bool
) -> None:
    point = {"taken": {**TAKEN, "load_average": average, "running": running}}
    assert conditions.loaded(point["taken"]) == said
    told = conditions.caption([{"taken": TAKEN}, point], "gpu")
    assert told.startswith("2026-01-02, kit 0, CUDA 13.0")
    assert ("LOADED" in told) == said
    assert set(conditions.now()) == set(TAKEN)


def test_without_a_gpu_the_gpu_backend_is_refused(
    checkout: Checkout, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "find_gpu", lambda: None)
    assert main(["figures", "sssp", "--backend", "gpu"], checkout) == 2
    assert not log.exists()


def test_a_copy_without_the_references_is_told_so(
    checkout: Checkout, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(checkout.reference)
    assert run(checkout, "sssp", "--scales", "8") == 2
    assert "reference" in capsys.readouterr().err and not log.exists()


def test_what_was_measured_is_not_measured_again(checkout: Checkout, log: Path) -> None:
    assert run(checkout, "sssp", "--scales", "8-9") == 0
    assert run(checkout, "sssp", "--scales", "8-10") == 0
    assert log.read_text().split() == ["8", "9", "10"]
    assert run(checkout, "sssp", "--scales", "9", "--again") == 0
    assert log.read_text().split() == ["8", "9", "10", "9"]
    assert run(checkout, "sssp", "--scales", "8", "--sources", "2") == 0  # another measurement
    assert log.read_text().split()[-1] == "8"
    document = json.loads((checkout.out / "figures" / "sssp.json").read_text())
    assert [point["scale"] for point in document["points"]] == [8, 9, 10]


def test_other_sources_are_measured_again(checkout: Checkout, log: Path) -> None:
    assert run(checkout, "sssp", "--scales", "8") == 0
    source = checkout.root / "report" / "figures" / "sssp.cpp"
    source.parent.mkdir(parents=True)
    source.write_text("// changed")
    assert run(checkout, "sssp", "--scales", "8") == 0
    assert log.read_text().split() == ["8", "8"]


def test_a_failure_keeps_what_was_measured_before(
    checkout: Checkout, log: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("FAKE_BREAKS_AT", "9")
    assert run(checkout, "sssp", "--scales", "8-10") == 1  # Python's own status for a message
    monkeypatch.delenv("FAKE_BREAKS_AT")
    assert run(checkout, "sssp", "--scales", "8-10") == 0
    assert log.read_text().split() == ["8", "9", "9", "10"]
    folder = checkout.out / "figures"
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("status, error", [(1, WrongAnswer), (2, InfrastructureError),
                                           (3, InfrastructureError)])  # fmt: skip
def test_a_programs_words_are_passed_on(
    status: int, error: type[Exception], checkout: Checkout, log: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("FAKE_STATUS", str(status))
    with pytest.raises(error, match="the words"):
        measuring.measure(checkout.build("cpu") / "bin", SSSP, 8, {}, [], "")


def test_too_little_memory_is_not_measured_and_tried_again(
    checkout: Checkout, log: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("FAKE_STATUS", "4")
    assert run(checkout, "sssp", "--scales", "8") == 3
    assert "not measured: the words" in capsys.readouterr().err
    monkeypatch.delenv("FAKE_STATUS")
    assert run(checkout, "sssp", "--scales", "8") == 0


@pytest.mark.parametrize(
    "text",
    [
        '{"schema": 2, "poi',
        "[]",
        '{"schema": 1}',
        '{"schema": 2, "family": "sort", "points": []}',
        '{"schema": 2, "family": "sssp", "points": [{}]}',
        '{"schema": 2, "family": "sssp", "points": []}',
        "\x80",
    ],
)
def test_a_broken_file_is_refused_and_left_alone(
    text: str, checkout: Checkout, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = checkout.out / "figures" / "sssp.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert run(checkout, "sssp", "--scales", "8") == 2
    assert "name another folder with --out" in capsys.readouterr().err
    assert path.read_text() == text and not log.exists()


@pytest.mark.parametrize(
    "damage",
    [{"scale": "8"}, {"made_from": None}, {"taken": {}}, {"measured": None},
     {"measured": {"methods": []}},
     {"measured": {**measured(), "segments": []}}, {"measured": {**measured(), "methods": [{}]}},
     {"measured": {**measured(), "methods": [{"name": "a", "kind": "b", "seconds": []}]}}],
)  # fmt: skip
def test_a_point_that_lacks_something_is_refused(
    damage: dict[str, Any], checkout: Checkout, log: Path
) -> None:
    assert run(checkout, "sssp", "--scales", "8") == 0
    path = checkout.out / "figures" / "sssp.json"
    document = json.loads(path.read_text())
    document["points"][0] |= damage
    path.write_text(json.dumps(document))
    assert run(checkout, "sssp", "--scales", "8") == 2 and run(checkout, "sssp", "--draw") == 2
    assert log.read_text().split() == ["8"]


def test_two_at_once_measure_one_after_the_other(
    checkout: Checkout, log: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """The second finds what the first has measured, and keeps it."""
    with build.lock(checkout, f"cpu.{SSSP.program}"):
        second = threading.Thread(target=run, args=(checkout, "sssp", "--scales", "8-9"))
        second.start()
        while second.is_alive() and "waiting for another" not in capsys.readouterr().err:
            time.sleep(0.01)
        assert second.is_alive()
        path = checkout.out / "figures" / "sssp.json"
        assert not log.exists()
        monkeypatch.setattr(figures.build, "lock", lambda *_: nullcontext())
        assert run(checkout, "sssp", "--scales", "8") == 0  # the first
    second.join()
    assert log.read_text().split() == ["8", "9"]
    assert [point["scale"] for point in json.loads(path.read_text())["points"]] == [8, 9]


def test_a_mixture_of_sources_or_settings_is_told(
    checkout: Checkout, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(checkout, "sssp", "--scales", "8-9") == 0
    assert "not every size" not in capsys.readouterr().err
    assert run(checkout, "sssp", "--scales", "9", "--sources", "2") == 0
    assert "not every size" in capsys.readouterr().err


def test_another_machines_measurements_are_not_mixed_with_ours(
    checkout: Checkout, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(checkout, "sssp", "--scales", "8") == 0
    path = checkout.out / "figures" / "sssp.json"
    document = json.loads(path.read_text())
    document["machine"]["cpu"] = "another CPU"
    path.write_text(json.dumps(document))
    assert run(checkout, "sssp", "--scales", "9") == 2
    assert "another machine" in capsys.readouterr().err


def test_your_own_file_is_measured_apart(
    checkout: Checkout, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, ...]] = []
    monkeypatch.setattr(build, "build", lambda *words: told.extend(words[3:]))
    mine = checkout.root / "mine" / "sssp.cu"
    assert run(checkout, "sssp", "--source", str(mine)) == 2  # not there
    mine.parent.mkdir()
    mine.write_text("// mine")
    assert run(checkout, "sort", "--source", str(mine)) == 2  # no file of that family
    assert run(checkout, "sssp", "--scales", "8", "--source", str(mine)) == 0
    assert told == [(f"FIGURES_SOURCE_05-sssp:FILEPATH={mine}",)]
    apart = checkout.out / "figures" / "sssp" / "sssp.json"
    assert json.loads(apart.read_text())["source"] == "sssp.cu"
    assert run(checkout, "sssp", "--scales", "8") == 0
    assert run(checkout, "sssp", "--scales", "8", "--source", str(mine)) == 0
    assert log.read_text().split() == ["8", "8"]  # each once
    mine.write_text("// mine, better")
    assert run(checkout, "sssp", "--scales", "8", "--source", str(mine)) == 0
    assert log.read_text().split() == ["8", "8", "8"]
    assert run(checkout, "sssp", "--out", str(apart.parent)) == 2  # the reference into mine


def test_a_fault_of_your_own_file_is_yours_and_another_is_not(
    checkout: Checkout, log: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    mine = checkout.root / "sssp.cu"
    mine.write_text("// mine")
    said = ["exit status 2:", f"{mine}:3:9: error: expected ';'"]

    def fails(*_: Any) -> None:
        raise InfrastructureError("\n".join(said))

    monkeypatch.setattr(build, "build", fails)
    assert run(checkout, "sssp", "--scales", "8", "--source", str(mine)) == 2
    assert f"{mine} does not compile:\n{mine}:3:9" in capsys.readouterr().err
    said.pop()
    assert run(checkout, "sssp", "--scales", "8", "--source", str(mine)) == 3


def test_a_folder_that_cannot_be_written_is_refused(checkout: Checkout, log: Path) -> None:
    (checkout.root / "file").write_text("")
    assert run(checkout, "sssp", "--scales", "8", "--out", str(checkout.root / "file")) == 2
    assert not log.exists()


def test_slow_sorts_are_left_out_at_larger_sizes() -> None:
    def point(scale: int, seconds: float) -> dict[str, Any]:
        methods = [{"name": "slow", "kind": "keys", "seconds": [seconds, seconds]},
                   {"name": "slow", "kind": "arrays", "seconds": [1e-6]},
                   {"name": "fast", "kind": "keys", "seconds": [1e-6]}]  # fmt: skip
        return {"scale": scale, "made_from": "", "measured": {"methods": methods}}

    document = {"points": [point(8, 0.4), point(9, 1.2), {"scale": 10, "not_measured": "why"}]}
    assert measuring.too_slow(document, 11) == []  # 3.6 s would do
    document["points"][1] = point(9, 1.6)
    assert measuring.too_slow(document, 9) == []
    assert measuring.too_slow(document, 11) == ["slow/keys"]


def document(*factors: float) -> dict[str, Any]:
    points = [{"scale": 8 + i, "made_from": "", "taken": TAKEN,
               "measured": measured(2 ** (8 + i), factor)}
              for i, factor in enumerate(factors)]  # fmt: skip
    return {"schema": 2, "family": "sssp", "backend": "cpu", "points": points,
            "machine": {"cpu": "A CPU", "cores": 2, "gpu": None}}  # fmt: skip


def on_gpu(document: dict[str, Any]) -> dict[str, Any]:
    gpu = {"name": "A GPU", "driver": "1", "compute_capability": "9.0"}
    return {**document, "backend": "gpu", "machine": {**document["machine"], "gpu": gpu}}


@pytest.mark.exhaustive("report/drawing")
def test_equal_measurements_give_equal_bytes_and_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plot = pytest.importorskip("report.drawing.draw")
    assert len(plot.draw(document(1.0, 2.0), tmp_path / "a")) == 10
    only_the_throughput(monkeypatch)
    for name, factor in (("b", 2.0), ("c", 3.0)):
        plot.draw(document(1.0, factor), tmp_path / name)
    a, b, c = ((tmp_path / name / "sssp-throughput.svg").read_bytes() for name in "abc")
    assert a == b and a != c and b"<dc:date>" not in a


def sorted_on_gpu() -> dict[str, Any]:
    """Measurements of sorts on a GPU, at two sizes: every method takes a second per key."""
    names = {"std::sort": 4.0, "CUB radix": 0.5, "03 global": 2.0, "03 registers": 1.0,
             "04 tiled": 1.0, "04 merge-split": 1.0}  # fmt: skip
    points = []
    for scale in (8, 10):
        n = 2**scale
        methods = [{"name": name, "kind": "keys", "seconds": [n * seconds] * 3}
                   for name, seconds in names.items()]  # fmt: skip
        methods += [{"name": name, "kind": "keys", "form": "record", "seconds": [n * 0.25] * 3}
                    for name in FAMILIES["sort"].record]  # fmt: skip
        points.append({"scale": scale, "made_from": "", "taken": TAKEN,
                       "measured": {"n": n, "arrays": 1, "backend": "gpu", "clock": "events",
                                    "methods": methods}})  # fmt: skip
    machine = {"cpu": "A CPU", "cores": 16, "gpu": {"name": "A GPU", "driver": "1"},
               "ceilings": {"launch_seconds": 3.0, "copied_bytes_per_second": 2048.0}}  # fmt: skip
    return {"schema": 2, "family": "sort", "backend": "gpu", "points": points, "machine": machine}


def test_a_speedup_is_over_the_labs_one_baseline_and_the_limit_bends() -> None:
    plot = pytest.importorskip("report.drawing.sorts")
    title, [[faster, times]], foot = plot.figures(sorted_on_gpu())["03-bitonic"]
    known = {line.label: [one.middle for one in line.values] for line in faster.lines}
    assert known["global"] == [2.0, 2.0] and known["record"] == [16.0, 16.0]
    assert known["shared"] == []  # was not measured
    took = {line.label: [one.middle for one in line.values] for line in times.lines}
    assert took["std::sort, 1 core"] == [1024.0, 4096.0]
    assert took["limit"] == [3.0, 4.0]  # 8 bytes a key; one launch costs more below
    told = " ".join(foot)
    assert "std::sort, one core of A CPU" in told and "2026-01-02, kit 0, CUDA 13.0" in told
    assert "16" not in told and title == "Lab 03, bitonic sort"
    without = sorted_on_gpu()
    del without["machine"]["ceilings"]
    _, [[_, times]], _ = plot.figures(without)["03-bitonic"]
    assert not [line for line in times.lines if line.label == "limit"]


def test_every_stage_is_drawn_or_named() -> None:
    plot = pytest.importorskip("report.drawing.draw")
    for made, labs in ((sorted_on_gpu(), ("03", "04")), (on_gpu(document(1.0)), ("05",))):
        of = plot.searches if made["family"] == "sssp" else plot.sorts
        for name, (_, rows, foot) in of.figures(made).items():
            drawn = {line.label for row in rows for panel in row for line in panel.lines}
            missing = set(plot.searches.looks.STAGES.get(name[:2], ())) - drawn
            assert all(stage in " ".join(foot) for stage in missing) and name[:2] in (*labs, "ss")
    points = measurements.measured(sorted_on_gpu())
    assert plot.sorts.stages("01", descending="", strings="")[-1].label == "tiled"
    assert plot.sorts._as_stable(points) == []


def test_nothing_is_drawn_from_nothing(tmp_path: Path) -> None:
    plot = pytest.importorskip("report.drawing.draw")
    with pytest.raises(UsageError, match="nothing was measured"):
        plot.draw(document(), tmp_path)


def test_names_in_the_margin_keep_apart() -> None:
    labels = pytest.importorskip("report.drawing.labels")
    for wanted in ([], [5.0], [1.0, 1.0, 1.0], [0.0, 3.0, 50.0, 51.0], [0.0, 8.1, 16.0]):
        heights = [8.0, 16.0, 8.0, 8.0][: len(wanted)]
        found = labels.spread(wanted, heights)
        for (a, high), (b, low) in pairwise(zip(found, heights, strict=True)):
            assert b - a >= (high + low) / 2 - 1e-9
        assert sum(found) == pytest.approx(sum(wanted))


def made_up(seed: int) -> list[list[float]]:
    """Curves that end early, cross each other and end close together."""
    if not seed:
        return [[1.0, 2.0, 4.0], [1.1, 2.1, 4.0], [2.0, 3.0, 4.5, 6.0, 8.0],
                [2.0, 3.0, 4.4, 6.1, 8.0]]  # fmt: skip
    chance = random.Random(seed)
    steps = [[chance.uniform(0.5, 2.0) for _ in range(length)] for length in (4, 5, 6, 6, 9)]
    return [list(itertools.accumulate(one, operator.mul)) for one in steps]


@pytest.mark.parametrize("seed", choice.first_of(2, range(6), DRAWING))
def test_no_name_covers_another_one_or_a_curve(seed: int) -> None:
    plot = pytest.importorskip("report.drawing.draw")
    from matplotlib.text import Text

    from report.drawing import labels, looks
    from report.drawing.lines import Line, Panel, Value

    lines = [Line(f"name {i} of a curve", [Value(2 ** (8 + k), y, y / 1.2, y * 1.2)
                                           for k, y in enumerate(heights)], looks.LIMIT)
             for i, heights in enumerate(made_up(seed))]  # fmt: skip
    panel = Panel("", lines, "", "times", at_one="at one")
    figure = plot.compose(plot.Sheet("", [[panel]], [""]))
    try:
        [axes] = figure.axes
        figure.canvas.draw()
        extents = [Text.get_window_extent(text) for text in axes.texts]  # without their lines
        assert len(extents) == len(lines) + 1
        assert not any(a.overlaps(b) for i, a in enumerate(extents) for b in extents[:i])
        curves = [one.get_xydata() for one in axes.lines if one.get_linestyle() != "None"]
        bars = [each for one in axes.collections for each in one.get_segments()]
        assert bars
        for ends in [*curves[1:], *bars]:
            dots = labels._dots([tuple(one) for one in axes.transData.transform(ends)])
            assert not any(box.contains(*dot) for dot in dots for box in extents)
        for text in axes.texts:
            if text.arrow_patch:
                path = text.arrow_patch.get_path().vertices
                dots = [tuple(one) for one in text.arrow_patch.get_transform().transform(path)]
                assert not any(box.contains(*dot) for dot in labels._dots(dots[:1] + dots[-1:])
                               for box in extents)  # fmt: skip
    finally:
        plot.plt.close(figure)


def test_speedup_and_payback_are_what_they_say() -> None:
    point = document(1.0)["points"][0]
    assert measurements.speedups(point, "both") == pytest.approx([32.0] * 3)
    # Segments cost 6 s and save 2 s a search; arranging costs 5 s and saves nothing.
    assert measurements.payback(point, "segments", "locality", "neither") == pytest.approx(3.0)
    assert measurements.payback(point, "arrange", "stage locality", "neither") is None
    assert measurements.payback(point, "unknown", "locality", "neither") is None


def test_a_line_has_a_gap_where_a_preparation_never_pays() -> None:
    drawn = pytest.importorskip("report.drawing.searches")
    point = document(1.0)["points"][0]
    cost = [1.0, 2.0, 4.0]
    values = drawn._paid([(point, cost, None), (point, cost, 6.0), (point, cost, None)])
    assert len(values) == 2 and math.isnan(values[0].middle)
    assert (values[1].low, values[1].middle, values[1].high) == (3.0, 6.0, 12.0)


def test_the_article_s_two_figures_name_their_one_run() -> None:
    drawn = pytest.importorskip("report.drawing.searches")
    made = document(1.0, 2.0)
    for _, _, foot in drawn.figures(made).values():
        assert drawn.ONE_RUN in " ".join(foot) and foot[-1].endswith("one run.")
    made["points"][0]["made_from"] = "other kernels"
    for _, _, foot in drawn.figures(made).values():
        assert "several runs" in foot[-1]


def test_the_page_says_what_was_measured_and_what_not(checkout: Checkout, log: Path) -> None:
    copy_template(checkout)
    assert run(checkout, "changed") == 2  # nothing measured at all
    path = checkout.out / "figures" / "sssp.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(document(1.0)))
    assert run(checkout, "changed") == 2  # not on a GPU
    path.write_text(json.dumps(on_gpu(document(1.0))))
    assert run(checkout, "changed") == 0
    page = (checkout.out / "figures" / changed.PAGE).read_text()
    assert "{{" not in page
    assert "| 1.00 times (1.00 to 1.00) at 2^8 | no |" in page  # restrict
    assert "| 2.00 times (2.00 to 2.00) at 2^8 | yes |" in page  # locality
    assert "| not measured | not measured |" in page  # every sort


def copy_template(checkout: Checkout) -> None:
    """The page's template, into the small checkout."""
    target = checkout.root / "report" / changed.TEMPLATE
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text((Checkout.here().root / "report" / changed.TEMPLATE).read_text())


def test_an_unknown_name_in_the_template_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sssp.json").write_text(json.dumps(on_gpu(document(1.0))))
    numbers = Numbers(tmp_path)
    assert changed.filled("{{images}} {{restrict.verdict}}", numbers, "x") == "x no"
    with pytest.raises(UsageError, match="is not a number on the page"):
        changed.filled("{{restric}}", numbers, "x")


# Digits that say how much or how long; "2^20 to 2^22 vertices" and "P" name what was measured.
AMOUNT = re.compile(r"\d[\d.,]*\s*(?:×|times\b|%|[mun]?s\b|[GMTk] )")


def test_the_template_holds_no_number_of_its_own() -> None:
    template = (Checkout.here().root / "report" / changed.TEMPLATE).read_text()
    prose = changed.PLACE.sub("", template).replace("40 times the speed of", "")
    assert not AMOUNT.search(prose)  # but the article's own
    for bad in ("gains 1.8 times", "it took 5 ms", "3.6 G arcs", "up to 8 %"):
        assert AMOUNT.search(bad)


@pytest.mark.skipif(not (GALLERY / "sssp.json").is_file(), reason="no measurements are committed")
def test_the_committed_page_and_figures_are_those_of_the_committed_measurements(
    tmp_path: Path,
) -> None:
    root = Checkout.here().root
    numbers = Numbers(GALLERY)
    template = (root / "report" / changed.TEMPLATE).read_text()
    images = os.path.relpath(GALLERY, root / "report")
    page = (root / "report" / changed.PAGE).read_text()
    assert page == changed.filled(template, numbers, images), "run ./lab figures changed --out"
    for image in re.findall(r"\]\((gallery/[^)]*)\)", page):
        assert (root / "report" / image).is_file()


@pytest.mark.exhaustive("report/figures")
def test_the_programs_measure_on_the_cpu_backend(tmp_path: Path) -> None:
    here = Checkout.here()
    for family, scale in (("sssp", 6), ("sort", 6), ("rank", 5)):
        words = [family, "--scales", str(scale), "--seconds", "0.1", "--out", str(tmp_path)]
        assert run(here, *words) == 0
        document = json.loads((tmp_path / f"{family}.json").read_text())
        point = document["points"][0]["measured"]
        assert point["n"] == 2**scale and "not a GPU" in point["clock"]
        assert all(min(method["seconds"]) > 0 for method in point["methods"])
        stages = {method["name"] for method in point["methods"] if "form" not in method}
        record = {method["name"] for method in point["methods"] if "form" in method}
        assert record == set(FAMILIES[family].record)
        assert stages >= {"sssp": {"both", "delta", "dijkstra", "cpu delta-stepping"},
                          "sort": {"03 registers", "04 merge-split", "std::sort"},
                          "rank": {"01 tiled", "02 fast", "serial rank sort"}}[family]  # fmt: skip
    program = here.build("cpu") / "bin" / "figures-sssp"
    command = [program, "--scale", "5", "--seed", "1", "--budget", "10", "--sources", "1"]
    for processors in (1, len(os.sched_getaffinity(0))):
        granted = set(sorted(os.sched_getaffinity(0))[:processors])
        done = subprocess.run(
            command, preexec_fn=partial(os.sched_setaffinity, 0, granted), capture_output=True
        )
        assert json.loads(done.stdout)["cpu"]["threads"] == processors
