"""A new lab has the right shape from its first minute, and does not overwrite another."""

import pytest

from grader.authoring.devcheck import check_shape, expectation
from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.lab_file import manifest

pytestmark = [pytest.mark.reads("grader/authoring"), pytest.mark.unit]


@pytest.mark.parametrize("name", ["06-scan", "42-radix-sort"])
def test_a_new_lab_has_the_shape_of_a_lab(checkout: Checkout, name: str) -> None:
    assert main(["new", name], checkout) == 0
    lab = manifest.find(manifest.discover(checkout), name)
    check_shape(checkout, lab)
    assert main(["cut", "--check"], checkout) == 0
    wrong = sorted((checkout.reference / name / "wrong").iterdir())
    verdicts = [expectation(lab, path, path.name).verdict for path in wrong]
    assert verdicts == ["not attempted", "wrong answer"] and lab.stage_names == ("first", "second")
    headings = [
        line[3:]
        for line in (checkout.labs / name / "README.md").read_text().splitlines()
        if line.startswith("## ")
    ]
    assert headings == ["Stages", "Rules", "Run it", "How it is graded", "Background",
                        "For the report"]  # fmt: skip
    texts = [p.read_text() for p in (checkout.labs / name).iterdir()]
    assert not any("@" in text for text in texts)


@pytest.mark.parametrize("name", ["scan", "6-scan", "06_scan", "06-Scan", "01-other", "../06-x"])
def test_a_bad_or_taken_name_is_refused_and_nothing_is_written(
    checkout: Checkout, name: str
) -> None:
    before = sorted(path.name for path in checkout.root.rglob("*"))
    assert main(["new", name], checkout) == 2
    assert sorted(path.name for path in checkout.root.rglob("*")) == before
