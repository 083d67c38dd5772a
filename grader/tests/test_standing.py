"""Where a student stands, also after a clock was turned back or a file was damaged."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.commands import watch
from grader.commands.cli import main
from grader.grading import progress
from grader.lab_file.manifest import Lab
from grader.study import versions
from grader.study.standing import (
    IN_ORDER,
    OF_THE_LAST_CHECK,
    OF_THIS_FOLDER,
    ago,
    last_check,
)
from grader.tests.fakes import LAB

pytestmark = [pytest.mark.reads("grader/grading", "grader/study"), pytest.mark.unit]

OTHER = "02-other"
Captured = pytest.CaptureFixture[str]
ENTRY = {"verdict": "passed", "sha256": "0", "backend": "cpu", "when": "2026-11-24T02:00:00Z",
         "earned": "10", "check": "1"}  # fmt: skip


def place(checkout: Checkout) -> Path:
    path = checkout.out / "check" / LAB / "progress.json"
    path.parent.mkdir(parents=True)
    return path


@pytest.mark.parametrize("words", [[], ["list"], ["next"]])
@pytest.mark.parametrize("entry", [
    ENTRY | {"when": "yesterday"}, ENTRY | {"when": 5}, ENTRY | {"earned": "ten"},
    ENTRY | {"earned": "nan"}, ENTRY | {"earned": None}, ENTRY | {"backend": "quantum"},
    ENTRY | {"check": "x"}, {"verdict": "passed"}, [], "passed",
])  # fmt: skip
def test_damaged_progress_is_none(
    checkout: Checkout, entry: Any, words: list[str], capsys: Captured
) -> None:
    place(checkout).write_text(json.dumps({"global": entry}))
    assert main(words, checkout) == 0
    said = capsys.readouterr()
    assert not said.err and "Last check" not in said.out and "1/2" not in said.out


def test_whole_progress_is_shown(checkout: Checkout, capsys: Captured) -> None:
    for entry in (ENTRY, {key: ENTRY[key] for key in ENTRY if key != "check"}):  # an older kit's
        path = checkout.out / "check" / LAB / "progress.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"global": entry}))
        assert main([], checkout) == 0
        said = capsys.readouterr().out
        assert "1/2" in said and "Last check" in said


def result(lab: str, started: str, stage_name: str = "global") -> dict[str, Any]:
    stage = {"name": stage_name, "verdict": "passed", "points": {"correct": None, "fast": None,
             "counters": []}}  # fmt: skip
    return {"lab": lab, "submission": {"sha256": "0"}, "backend": "cpu", "started": started,
            "stages": [stage]}  # fmt: skip


def test_the_last_check_is_the_last_one_whatever_the_clock_said(checkout: Checkout) -> None:
    progress.remember(checkout, result("01-demo", "2026-11-24T12:00:00Z"))
    progress.remember(checkout, result("02-other", "2020-01-01T00:00:00Z"))
    rows = []
    for name in ("01-demo", "02-other"):
        [entry] = progress.recall(checkout, name).values()
        stage = {"when": entry["when"], "backend": "cpu", "check": int(entry["check"])}
        rows.append({"source": f"labs/{name}", "stages": [stage]})
    assert "labs/02-other" in last_check(rows)
    progress.remember(checkout, result("01-demo", "2019-01-01T00:00:00Z"))
    assert progress.recall(checkout, "01-demo")["global"]["check"] == "3"


def second_lab(checkout: Checkout) -> None:
    """02-other, which is as the first lab."""
    for room in (checkout.labs, checkout.reference):
        shutil.copytree(room / LAB, room / OTHER)


def says_next(checkout: Checkout, capsys: Captured) -> tuple[str, str, str]:
    assert main(["next", "--json"], checkout) == 0
    named = json.loads(capsys.readouterr().out)["next"]
    return named["lab"], named["stage"], named["why"]


def test_next_stays_in_the_lab_that_was_checked_last(
    checkout: Checkout, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    second_lab(checkout)
    assert says_next(checkout, capsys) == (LAB, "global", IN_ORDER)
    progress.remember(checkout, result(OTHER, "2026-11-24T12:00:00Z"))
    assert says_next(checkout, capsys) == (OTHER, "strided", OF_THE_LAST_CHECK)
    assert [one.name for one in watch.begin(checkout, None)] == [OTHER, "strided"]
    monkeypatch.chdir(checkout.labs / LAB)
    assert says_next(checkout, capsys) == (LAB, "global", OF_THIS_FOLDER)
    monkeypatch.chdir(checkout.root)
    progress.remember(checkout, result(LAB, "2026-11-24T12:00:00Z"))
    assert says_next(checkout, capsys) == (LAB, "strided", OF_THE_LAST_CHECK)


def test_next_leaves_a_lab_that_is_solved(checkout: Checkout, capsys: Captured) -> None:
    second_lab(checkout)
    for name in ("global", "strided"):
        progress.remember(checkout, result(OTHER, "2026-11-24T12:00:00Z", name))
    assert says_next(checkout, capsys) == (LAB, "global", IN_ORDER)


def test_next_says_the_last_verdict_of_what_was_tried(
    checkout: Checkout, capsys: Captured
) -> None:  # fmt: skip
    second_lab(checkout)
    failed = result(OTHER, "2026-11-24T12:00:00Z")
    failed["stages"][0]["verdict"] = "race"
    progress.remember(checkout, failed)
    lab, stage, why = says_next(checkout, capsys)
    assert (lab, stage) == (OTHER, "global") and why.startswith("its last verdict is 'race'")


def test_a_time_that_is_to_come_is_said_so() -> None:
    now = datetime.now(UTC)

    def at(seconds: float) -> str:
        return ago((now + timedelta(seconds=seconds)).strftime(progress.TIME))

    assert at(-300) == "5 minutes ago" and at(0) == "just now" and at(20) == "just now"
    assert at(7200).endswith("UTC, by a clock that was ahead")


@pytest.mark.parametrize("damage", [
    "{", "[]", '{"number": 1}', '{"number": "1", "when": "x", "why": "", "sha256": "", '
    '"verdicts": {}}', '{"number": 7, "when": "2026-11-24T02:00:00Z", "why": "", "sha256": "", '
    '"verdicts": {}}', '{"number": 1, "when": "2026-11-24T02:00:00Z", "why": "", "sha256": "", '
    '"verdicts": []}',
])  # fmt: skip
def test_a_damaged_version_is_left_out_and_its_text_is_kept(
    checkout: Checkout, lab: Lab, damage: str, capsys: Captured
) -> None:
    versions.keep(checkout, LAB, b"// first", "kept", {})
    (versions.folder(checkout, LAB) / "0001.json").write_text(damage)
    assert versions.versions(checkout, LAB) == []
    made = versions.keep(checkout, LAB, b"// second", "kept", {})
    assert made.number == 2
    assert (versions.folder(checkout, LAB) / "0001.cu").read_bytes() == b"// first"
    assert main(["restore", LAB], checkout) == 0 and not capsys.readouterr().err
