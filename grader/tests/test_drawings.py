"""The drawings are what their scripts draw, and are shown on a page.

reference/NN-name/X.py draws labs/NN-name/X.svg; grader/submission_life.py draws beside itself.
"""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from grader.base.checkout import Checkout

pytestmark = [pytest.mark.reads("labs", "reference", "grader"), pytest.mark.unit]

CHECKOUT = Checkout.here()
LIFE = CHECKOUT.root / "grader" / "submission_life.py"
SCRIPTS = [*sorted(CHECKOUT.reference.glob("*/*.py")), LIFE]
NETWORK = CHECKOUT.reference / "03-bitonic" / "network.py"


def load(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(script.stem, script)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_drawings() -> None:
    assert NETWORK in SCRIPTS


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_drawing_is_up_to_date_and_shown(script: Path) -> None:
    folder = script.parent if script == LIFE else CHECKOUT.labs / script.parent.name
    drawing = folder / f"{script.stem}.svg"
    command = f"python3 {script.relative_to(CHECKOUT.root)}"
    assert drawing.read_text(encoding="utf-8") == load(script).picture(), f"run {command}"
    assert f"({drawing.name})" in (drawing.parent / "README.md").read_text(encoding="utf-8")


def test_another_input_gives_another_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    network = load(NETWORK)
    drawn = network.picture()
    monkeypatch.setattr(network, "KEYS", (8, 7, 6, 5, 4, 3, 2, 1))
    assert network.picture() != drawn


def test_a_network_that_does_not_sort_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    network = load(NETWORK)
    monkeypatch.setattr(network, "partner", lambda i, _size, stride, _mirrored: i ^ stride)
    with pytest.raises(ValueError, match="does not sort"):
        network.picture()


PHASES = CHECKOUT.reference / "04-odd-even" / "phases.py"


def test_phases_that_do_not_sort_are_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    phases = load(PHASES)
    monkeypatch.setattr(phases, "phase", lambda keys, _parity: (list(keys), set()))
    with pytest.raises(ValueError, match="do not sort"):
        phases.picture()


def test_a_halo_that_is_used_up_too_soon_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    phases = load(PHASES)
    right_places = phases.right_places
    monkeypatch.setattr(phases, "right_places", lambda done: right_places(done + 1))
    with pytest.raises(ValueError, match="halo is too small"):
        phases.picture()


def test_a_room_that_does_not_exist_is_not_drawn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    life = load(LIFE)
    monkeypatch.setattr(life, "ROOT", tmp_path)
    with pytest.raises(ValueError, match="there is no such room"):
        life.picture()
