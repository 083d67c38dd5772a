"""result.json against its schema: real results fit, and each broken one is refused."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.base.files import sha256
from grader.commands.cli import main
from grader.tests.fakes import CEILINGS, LAB, plan
from report.drawing import result_figure

pytestmark = [pytest.mark.reads("grader/grading"), pytest.mark.unit]

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
FOLDER = Checkout.here().root / "grader" / "grading"
SCHEMA = json.loads((FOLDER / "result.schema.json").read_text())


def problems(document: Any) -> list[str]:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    return [error.message for error in validator.iter_errors(document)]


_graded: list[str] = []  # the text of a result, once it is made


@pytest.fixture
def document(request: pytest.FixtureRequest) -> Any:
    if not _graded:
        _graded.append(_grade(request.getfixturevalue("checkout")))
    return json.loads(_graded[0])


def _grade(checkout: Checkout) -> str:
    path = checkout.root.parent / "demo.cu"
    path.write_text(plan("strided", "reverse", '{"verdict": "wrong answer"}'))
    assert main(["grade", "--figures", str(path), "--backend", "cpu"], checkout) == 1
    return (checkout.out / "demo" / LAB / "result.json").read_text()


def test_the_schema_is_a_schema_and_a_result_fits(document: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert problems(document) == []
    assert [stage["verdict"] for stage in document["stages"]] == ["passed", "race"]
    assert document["measured"] and document["stages"][0]["cases"]


def test_what_does_not_compile_and_what_broke_fit_too(checkout: Checkout) -> None:
    path = checkout.root.parent / "demo.cu"
    for text, code in (("#error\n", 1), (plan("global", "any", '{"text": ""}'), 3)):
        path.write_text(text)
        assert main(["grade", "--figures", str(path), "--backend", "cpu"], checkout) == code
        document = json.loads((checkout.out / "demo" / LAB / "result.json").read_text())
        assert problems(document) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", 1),
        ("submission.attempt", 0),
        ("submission.handed_in", "yesterday"),
        ("grader.commit", "HEAD"),
        ("finished", "later"),
        ("refusal", {"code": "empty", "reason": "it is empty"}),
        ("points.open", 5),
        ("points.open.no_gpu", -1),
        ("needs_review", [{"stage": "global", "code": "odd", "text": "look"}]),
        ("figures", [{"file": "../up.svg", "sha256": "0" * 64}]),
        ("notes", ["a text"]),
        ("stages.0.code", "splendid"),
        ("stages.0.places", ["demo.cu:1"]),
        ("stages.0.points.fast.code", "unknown"),
        ("stages.0.points.fast.bar.n", 0),
        ("extra", 1),
        ("verdict", "wrong answer"),
        ("stages", []),  # only of what was refused
        ("submission.sha256", "abc"),
        ("started", "yesterday"),
        ("stages.0.verdict", "splendid"),
        ("stages.0.extra", 1),
        ("stages.0.points.correct.earned", -1),
        ("stages.0.points.fast.earned", 0),
        ("stages.0.points.fast.reason", ""),
        ("stages.0.points.fast.verdict", "passed"),
        ("stages.0.handout.line", 0),
        ("stages.0.orders.sideways", "passed"),
        ("measured.0.points.0.seconds", [0]),
        ("measured.0.points.0.seconds", []),
        ("machine.gpu", "H200"),
        ("machine.ceilings", 4e12),
        ("machine.ceilings", {}),
        ("measured.0.points.0.work", {"bytes": 8}),
        ("measured.0.points.0.work.bytes", 0),
        ("measured.0.points.0.work.operation", "thoughts"),
        ("seed.value", 7),
    ],
)
def test_each_broken_document_is_refused(document: Any, path: str, value: Any) -> None:
    broken = copy.deepcopy(document)
    *parents, last = path.split(".")
    place = broken
    for key in parents:
        place = place[int(key) if key.isdecimal() else key]
    place[last] = value
    assert problems(broken)


def test_ceilings_and_work_may_be_there_or_not(document: Any) -> None:
    assert document["machine"]["ceilings"] is None  # never a number on the CPU backend
    measured = copy.deepcopy(document)
    measured["machine"]["ceilings"] = CEILINGS
    assert problems(measured) == []
    measured["machine"]["ceilings"] = {**CEILINGS, "launch_seconds": 0}
    assert problems(measured)
    del measured["measured"][0]["points"][0]["work"]
    measured["machine"]["ceilings"] = None
    assert problems(measured) == []


def test_a_refused_submission_has_a_reason_and_no_stages(document: Any) -> None:
    refused = {**document, "verdict": "refused", "stages": [], "refusal": {
        "code": "zip-damaged", "reason": "the zip file is damaged"}}  # fmt: skip
    assert problems(refused) == []
    assert problems({**refused, "refusal": None})
    assert problems({**refused, "stages": document["stages"]})


def test_the_figures_are_named_with_their_hashes(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(_: Any, folder: Path) -> list[Path]:
        folder.mkdir(parents=True)
        (folder / "speedup.svg").write_text("a drawing")
        return [folder / "speedup.svg"]

    monkeypatch.setattr(result_figure, "draw_if_possible", draw)
    path = checkout.root.parent / "demo.cu"
    path.write_text("// nothing special")
    assert main(["grade", "--figures", str(path), "--backend", "cpu"], checkout) == 0
    document = json.loads((checkout.out / "demo" / LAB / "result.json").read_text())
    drawing = {"file": "speedup.svg", "sha256": sha256(b"a drawing")}
    assert document["figures"] == [drawing] and problems(document) == []


def test_what_cannot_be_drawn_is_not_named(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> list[Path]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(result_figure, "draw_if_possible", full)
    path = checkout.root.parent / "demo.cu"
    path.write_text("// nothing special")
    assert main(["grade", str(path), "--backend", "cpu"], checkout) == 3
    document = json.loads((checkout.out / "demo" / LAB / "result.json").read_text())
    assert document["figures"] == [] and document["verdict"] == "passed"


def test_every_key_of_a_result_is_required(document: Any) -> None:
    for key in document:
        assert problems({k: v for k, v in document.items() if k != key})
