"""CONTRIBUTING.md: its tutorial gives a lab whose parts agree; its reference has every field."""

import re
from pathlib import Path

import pytest

from grader.authoring.devcheck import check_shape, expectation
from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.lab_file import manifest, rules
from grader.tests.exploits import table
from grader.tests.test_drawings import load

pytestmark = [pytest.mark.reads("CONTRIBUTING.md", "grader/authoring"), pytest.mark.unit]
PAGE = Checkout.here().root / "CONTRIBUTING.md"
BLOCK = re.compile(r"^`(\S+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r'(?:take|text|texts|number|size|file_name|_pattern)\((?:table, )?"(\w+)"')
LAB = "06-stencil"


def follow(root: Path) -> list[Path]:
    """Write every file of the tutorial below `root`."""
    written = []
    for name, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def test_the_tutorial_gives_a_lab_whose_parts_agree(checkout: Checkout) -> None:
    assert main(["new", LAB], checkout) == 0
    wrong = checkout.reference / LAB / "wrong"
    for path in wrong.iterdir():
        path.unlink()
    written = follow(checkout.root)
    assert main(["cut"], checkout) == 0
    lab = manifest.find(manifest.discover(checkout), LAB)
    check_shape(checkout, lab)
    assert lab.stage_names == ("row", "tile", "plane")
    expected = [expectation(lab, path, path.name) for path in sorted(wrong.iterdir())]
    assert [(each.verdict, each.text) for each in expected] == [
        ("race", ""), ("too slow", "shared memory once per block")]  # fmt: skip
    [exploit] = [path for path in written if "exploits" in path.parts]
    family, row = table.row(exploit)
    assert family == "host work" and "the count of bytes to the host" in row
    [script] = [path for path in written if path.suffix == ".py"]
    assert load(script).picture().startswith("<svg") and load(script).PICTURE.name == "halo.svg"
    assert "(halo.svg)" in (checkout.labs / LAB / "README.md").read_text()


def test_the_reference_has_every_field_and_no_other() -> None:
    sources = (Path(module.__file__ or "").read_text() for module in (manifest, rules))
    known = {name for source in sources for name in FIELD.findall(source)}
    assert {"title", "points", "fast", "sanitizer_size", "optional", "first_line"} <= known
    reference = PAGE.read_text(encoding="utf-8").partition("## lab.toml, field by field")[2]
    rows = "\n".join(line.split("|")[1] for line in reference.splitlines() if line[:2] == "| ")
    named = set(re.findall(r"`(?:\[\[)?([a-z_]+\.)?([a-z_]+)(?:\]\])?`", rows))
    fields = {word for _, word in named}
    assert known - fields - {"correct", "limits", "stage"} == set()  # said in other words
    counter = {"global", "shared", "load", "store", "atomic", "requests", "launches", "barriers"}
    assert fields - known - counter - {"seconds", "branch_efficiency"} == set()
