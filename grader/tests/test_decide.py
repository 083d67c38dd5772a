"""A person settles open points; the decision is appended and stays."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.grading.decisions import total
from grader.tests.fakes import LAB, plan

pytestmark = pytest.mark.reads("grader/grading")
Captured = pytest.CaptureFixture[str]
REJECTED = plan("global", "any", '{"verdict": "rejected", "message": "names std::sort"}')
OPEN = 15  # of the stage: 10 for right answers, 5 for speed


@pytest.fixture
def result(checkout: Checkout) -> Path:
    path = checkout.root.parent / "demo.cu"
    path.write_text(REJECTED)
    main(["grade", str(path), "--backend", "cpu"], checkout)
    return checkout.out / "demo" / LAB / "result.json"


def load(path: Path) -> Any:
    return json.loads(path.read_text())


def decide(checkout: Checkout, path: Path, *more: str) -> int:
    return main(["decide", str(path), *more], checkout)


def test_a_decision_is_appended_and_counts(
    checkout: Checkout, result: Path, capsys: Captured
) -> None:
    before = load(result)
    assert before["stages"][0]["verdict"] == "rejected" and "decisions" not in before
    capsys.readouterr()
    words = ("global", "--points", "7.5", "--because", "the word is in a\n comment \x1b[31m")
    assert decide(checkout, result, *words) == 0
    shown = capsys.readouterr().out
    after = load(result)
    [made] = after.pop("decisions")
    assert after == before  # nothing else is touched
    assert made["because"] == "the word is in a comment \\x1b[31m" and made["points"] == 7.5
    assert made["who"] and made["time"].endswith("Z")
    assert f"decided: 7.5 points, by {made['who']}" in shown
    earned, unmeasured = before["points"]["earned"], before["points"]["not_measured"]
    assert total(load(result))["earned"] == earned + 7.5
    assert total(load(result))["not_measured"] == unmeasured - OPEN
    assert f"{earned + 7.5:g} of" in shown


def test_the_last_decision_counts_and_the_first_stays(checkout: Checkout, result: Path) -> None:
    for points in ("10", "0"):
        assert decide(checkout, result.parent, "global", "--points", points,
                      "--because", "looked again") == 0  # fmt: skip
    document = load(result)
    assert [one["points"] for one in document["decisions"]] == [10, 0]
    assert total(document)["earned"] == document["points"]["earned"]


def test_a_decided_result_fits_the_schema(checkout: Checkout, result: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    folder = Checkout.here().root / "grader" / "grading"
    schema = json.loads((folder / "result.schema.json").read_text())
    assert decide(checkout, result, "global", "--points", "3", "--because", "half") == 0
    document = load(result)
    validator = jsonschema.Draft202012Validator(schema)
    assert not list(validator.iter_errors(document))
    for key, value in (("points", -1), ("because", ""), ("who", ""), ("time", "today")):
        broken = {**document, "decisions": [{**document["decisions"][0], key: value}]}
        assert list(validator.iter_errors(broken))


@pytest.mark.parametrize(
    "words",
    [
        ("global", "--points", "16", "--because", "x"),
        ("global", "--points", "-1", "--because", "x"),
        ("global", "--points", "nan", "--because", "x"),
        ("global", "--points", "many", "--because", "x"),
        ("global", "--points", "1", "--because", "  "),
        ("global", "--points", "1"),
        ("global", "--because", "x"),
        ("nowhere", "--points", "1", "--because", "x"),
    ],
)
def test_bad_input_is_usage_and_changes_nothing(
    checkout: Checkout, result: Path, capsys: Captured, words: tuple[str, ...]
) -> None:
    before = result.read_bytes()
    capsys.readouterr()
    assert decide(checkout, result, *words) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert result.read_bytes() == before


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schema": 1, "stages": [3]}', "\xff" * 9])
def test_what_is_no_result_is_usage(
    checkout: Checkout, tmp_path: Path, capsys: Captured, text: str
) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(text.encode("latin-1"))
    words = ("global", "--points", "1", "--because", "x")
    assert decide(checkout, path, *words) == 2
    assert decide(checkout, tmp_path / "nowhere" / "result.json", *words) == 2
    assert decide(checkout, tmp_path / ("x" * 300), *words) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_points_that_are_not_open_are_not_decided(checkout: Checkout, result: Path) -> None:
    document = load(result)
    for part in ("correct", "fast"):
        document["stages"][0]["points"][part]["earned"] = 0
    result.write_text(json.dumps(document))
    assert decide(checkout, result, "global", "--points", "1", "--because", "x") == 2


def test_grading_again_keeps_the_decided_result(checkout: Checkout, result: Path) -> None:
    assert decide(checkout, result, "global", "--points", "3", "--because", "half") == 0
    decided = result.read_bytes()
    for _ in range(2):
        main(["grade", str(checkout.root.parent / "demo.cu"), "--backend", "cpu"], checkout)
    assert (result.parent / "result.decided-1.json").read_bytes() == decided
    assert not (result.parent / "result.decided-2.json").exists()
    assert "decisions" not in load(result)
