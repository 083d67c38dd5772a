"""./lab figures sssp --shapes: each shape is measured and kept apart; one figure shows all."""

from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.tests.test_series import answered_by
from report.drawing import measurements, result_figure
from report.drawing.measurements import FAMILIES

pytestmark = pytest.mark.reads("report")  # a figure is drawn

SSSP = FAMILIES["sssp"]
FAKE = """#!/usr/bin/env python3
import sys
told = dict(zip(sys.argv[1::2], sys.argv[2::2]))
with open({log!r}, "a") as log:
    shape, only = told.get("--shape", "none"), told.get("--only", "")
    log.write(shape + ":" + told["--scale"] + ":" + only + " ")
print({document!r}.replace('"n": 0', '"n": ' + str(2 ** int(told["--scale"]))))
"""


@pytest.fixture
def asked(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Path:
    return answered_by(FAKE, checkout, monkeypatch)


def run(checkout: Checkout, *words: str) -> int:
    return main(["figures", *words, "--backend", "cpu"], checkout)


def test_each_shape_is_measured_into_its_own_file_and_once(checkout: Checkout, asked: Path) -> None:
    words = ["sssp", "--shapes", "rmat,grid,grid", "--scales", "8"]
    assert run(checkout, *words) == 0
    assert asked.read_text() == "rmat:8: rmat:8:stage locality,delta grid:8: grid:8:delta "
    out = checkout.out / "figures"
    assert {path.name for path in out.glob("*.json")} == {"sssp-rmat.json", "sssp-grid.json"}
    before = asked.read_text()
    assert run(checkout, *words) == 0 and asked.read_text() == before
    assert run(checkout, *words, "--again") == 0 and asked.read_text() == before * 2


def test_without_shapes_no_shape_is_asked_for(checkout: Checkout, asked: Path) -> None:
    assert run(checkout, "sssp", "--scales", "8") == 0
    assert asked.read_text().startswith("none:8: none:8:")


@pytest.mark.parametrize(("words", "said"), [
    (["sssp", "--shapes", "grid,torus"], "'torus' is no shape; shapes are rmat, uniform, grid"),
    (["sssp", "--shapes", ""], "'' is no shape"),
    (["sort", "--shapes", "grid"], "--shapes is for sssp; sort has none."),
    (["--shapes", "grid"], "give the family as well"),
    (["changed", "--shapes", "grid"], "changed takes only --out"),
    (["sssp", "--shapes", "grid", "--source", "sssp.cu"], "measures the references"),
    (["sssp", "--shapes", "grid", "--draw"], "leave out --draw to measure it"),
])  # fmt: skip
def test_what_cannot_be_is_one_sentence(
    checkout: Checkout, asked: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert run(checkout, *words) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1 and not asked.exists()


def test_without_a_gpu_the_gpu_backend_is_refused_in_a_sentence(
    checkout: Checkout, asked: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("grader.machine.hardware.all_gpus", lambda: [])
    code = main(["figures", "sssp", "--shapes", "grid", "--backend", "gpu"], checkout)
    assert code in (2, 3) and capsys.readouterr().err.count("\n") == 1 and not asked.exists()


def test_one_figure_shows_all_shapes_and_says_where_it_was_measured(
    checkout: Checkout, asked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(result_figure, "available", lambda: True)
    assert run(checkout, "sssp", "--shapes", "grid,road", "--scales", "8-9") == 0
    text = (checkout.out / "figures" / "sssp-shapes.svg").read_text()
    for words in ("Grids", "Road-like graphs", "not GPU time", "frontier", "Dijkstra"):
        assert words in text
    assert "Uniform" not in text


def test_the_names_are_those_that_the_program_takes() -> None:
    program = (Checkout.here().root / "report" / "figures" / "sssp.cpp").read_text()
    assert f"[--shape {'|'.join(measurements.SHAPES)}]" in program
