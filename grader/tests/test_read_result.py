"""Reading a result.json: schema 1 is converted, sums and reasons follow, and no broken one."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.grading.derived import complete, note, places
from grader.grading.read_result import read_result
from grader.tests.fakes import FIXTURES

pytestmark = [pytest.mark.reads("grader/grading"), pytest.mark.unit]

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
OLD = FIXTURES / "result-1.json"  # as the kit wrote it before schema 2, with a decision
FOLDER = Checkout.here().root / "grader" / "grading"
GPU = {"name": "A GPU", "driver": "1", "compute_capability": "9.0"}


@pytest.fixture
def old() -> Any:
    return json.loads(OLD.read_text())


def read(tmp_path: Path, document: Any) -> Any:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(document))
    return read_result(path)


def problems(document: Any) -> list[str]:
    schema = json.loads((FOLDER / "result.schema.json").read_text())
    return [e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(document)]


def test_schema_1_becomes_schema_2_and_says_nothing_that_it_did_not_know(old: Any) -> None:
    new = read_result(OLD)
    assert problems(new) == [] and problems(old)
    assert new["schema"] == 2 and new["decisions"] == old["decisions"]
    assert new["submission"]["student"] is None and new["grader"]["commit"] is None
    assert new["finished"] is None and new["toolchain"] == {"compiler": None, "cuda": None}
    assert new["points"] == {
        "earned": 0, "possible": 25, "not_measured": 15,
        "open": {"no_gpu": 5, "rejected": 10, "inconclusive": 0, "infrastructure": 0, "other": 0},
    }  # fmt: skip
    assert [note["line"] for note in new["staff_notes"]] == [1] and new["notes"] == []
    assert new["stages"][0]["places"] == [{"file": "demo.cu", "line": 5, "column": None}]
    assert new["stages"][0]["points"]["earned"] == 0
    assert new["stages"][0]["points"]["not_measured"] == 15


def test_older_results_of_schema_1_lack_what_came_later(old: Any, tmp_path: Path) -> None:
    del old["machine"]["ceilings"], old["seed"]["commitment"], old["decisions"]
    for stage in old["stages"]:
        del stage["points"]["counters"]
    old["machine"]["gpu"] = GPU
    old["notes"] = ["the file was named Demo.CU; it was taken as demo.cu"]
    new = read(tmp_path, old)
    assert problems(new) == [] and new["machine"]["gpu"]["uuid"] is None
    assert [one["text"] for one in new["notes"]] == old["notes"] and new["staff_notes"] == []


def test_completing_again_changes_nothing() -> None:
    new = read_result(OLD)
    assert complete(copy.deepcopy(new)) == new


def test_a_rejected_stage_is_to_be_reviewed_and_a_failed_one_is_not() -> None:
    [review] = read_result(OLD)["needs_review"]
    assert review["stage"] == "global" and review["code"] == "rejected-forbidden"


def test_what_the_kit_did_wrong_is_told_to_staff(old: Any, tmp_path: Path) -> None:
    old["stages"][1] |= {"verdict": "infrastructure error", "message": "the judge broke"}
    old["stages"][1]["points"]["correct"]["earned"] = None
    stage = read(tmp_path, old)["stages"][1]
    assert "judge" not in stage["message"] and stage["staff_message"] == "the judge broke"
    assert stage["code"] == "infrastructure"
    assert read(tmp_path, old)["points"]["open"]["infrastructure"] == 10


@pytest.mark.parametrize(
    ("verdict", "stage", "anomalies", "code", "reason"),
    [
        ("inconclusive", "passed", [], "inconclusive", "inconclusive"),
        ("inconclusive", "passed", ["too fast"], "anomaly", "inconclusive"),
        ("infrastructure error", "passed", [], "infrastructure", "infrastructure"),
        ("not measured", "passed", [], "not-timed", "other"),
        ("not measured", "rejected", [], "rejected", "rejected"),
    ],
)
def test_open_points_for_speed_are_split_by_their_reason(
    old: Any, tmp_path: Path, verdict: str, stage: str, anomalies: list[str], code: str,
    reason: str,
) -> None:  # fmt: skip
    old["backend"], old["machine"]["gpu"] = "gpu", GPU
    first = old["stages"][0]
    first["verdict"] = stage
    first["points"]["correct"]["earned"] = None if stage == "rejected" else 10
    measured = {"rounds": 1, "calls": 1, "dropped": 0, "dropped_why": "", "noise": None,
                "seconds": None, "yardstick_seconds": None, "clock_mhz": [0, 0],
                "anomalies": anomalies}  # fmt: skip
    first["points"]["fast"] |= {"verdict": verdict, "measured": measured}
    new = read(tmp_path, old)
    assert problems(new) == []
    assert new["stages"][0]["points"]["fast"]["code"] == code
    assert new["points"]["open"][reason] == (15 if stage == "rejected" else 5)
    is_open_for_a_person = code not in ("not-timed",)
    assert bool(new["needs_review"]) is is_open_for_a_person


def test_places_are_found_with_line_and_column() -> None:
    text = "demo.cu:3:14: error; written at demo.cu:9, again at demo.cu:9 and at 12:30"
    assert places(text) == [
        {"file": "demo.cu", "line": 3, "column": 14}, {"file": "demo.cu", "line": 9, "column": None}
    ]  # fmt: skip
    assert places("n = 3: expected 4.5:6") == []


def test_a_note_knows_its_stage() -> None:
    assert note("global: judged twice", ["global"])["stage"] == "global"
    assert note("elsewhere: judged twice", ["global"])["stage"] is None


@pytest.mark.parametrize("damage", ["stages", "notes", "machine", "submission", "schema"])
def test_a_result_without_its_parts_is_usage(old: Any, tmp_path: Path, damage: str) -> None:
    del old[damage]
    with pytest.raises(UsageError, match="not a whole result"):
        read(tmp_path, old)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"schema": 3}', "\xff", "[" * 100_000])
def test_what_is_no_result_is_usage(tmp_path: Path, text: str) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError):
        read_result(path)
    with pytest.raises(UsageError):
        read_result(tmp_path)
