"""Marks that can be defended: stages, decisions, lateness, weights; lines add up to the mark."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.base.local_time import latest_time
from grader.course import ledger, marks, settings
from grader.course.ledger import Decision
from grader.course.marks import Basis, mark
from grader.course.settings import CourseLab, LatePolicy, Settings
from grader.grading.read_result import read_result
from grader.lab_file.manifest import Lab
from grader.tests.fakes import FIXTURES, LAB

pytestmark = [pytest.mark.reads("grader/grading", "grader/course"), pytest.mark.unit]

DUE = datetime(2026, 11, 20, 23, 59, tzinfo=UTC)
Made = tuple[Settings, Basis]


def make(lab: Lab, weight: float | None = None, **more: Any) -> Made:
    """10 of 25: the first stage passed, 5 for its speed wait for a GPU; the second failed."""
    document = read_result(FIXTURES / "result-1.json")
    first = document["stages"][0]
    first |= {"verdict": "passed", "message": ""}
    first["points"]["correct"]["earned"] = 10
    del document["decisions"]
    from grader.grading.derived import complete

    one = CourseLab(lab, lab.stages, weight, DUE)
    return Settings("cs", (one,), **more), Basis(one, complete(document), (), DUE, DUE)


def with_(basis: Basis, **more: Any) -> Basis:
    return Basis(**{**vars(basis), **more})


def decided(points: float | None, stage: str | None = "strided") -> Decision:
    return Decision(1, "decide", "looked", "me", "2026-11-22T12:00:00Z",
                    {"student": "ann", "lab": LAB, "stage": stage, "points": points})  # fmt: skip


def test_the_lines_add_up_and_what_no_gpu_measured_is_left_out(lab: Lab) -> None:
    cs, basis = make(lab)
    found = mark(cs, basis)
    assert (found.points, found.possible, found.open_points) == (10, 20, 0)
    assert round(sum(line.points for line in found.lines), 2) == found.points


def test_or_it_stays_open_if_the_course_says_so(lab: Lab) -> None:
    cs, basis = make(lab, without_gpu="open")
    found = mark(cs, basis)
    assert (found.points, found.possible, found.open_points) == (10, 25, 5)


def test_a_decision_is_a_line_of_its_own_and_can_be_taken_back(lab: Lab) -> None:
    cs, basis = make(lab)
    found = mark(cs, with_(basis, decisions=(decided(7),)))
    assert found.points == 17
    [line] = [one for one in found.lines if one.kind == "decision"]
    assert line.points == 7 and "by me" in line.text and "looked" in line.text
    assert mark(cs, with_(basis, decisions=(decided(7), decided(4)))).points == 14
    assert mark(cs, with_(basis, decisions=(decided(7), decided(None)))).points == 10
    assert mark(cs, with_(basis, decisions=(decided(3, None),))).points == 3


@pytest.mark.parametrize(("without_gpu", "weight", "lab_worth", "stage_worth"), [
    ("leave-out", None, 20, 10), ("open", None, 25, 15), ("leave-out", 100, 100, 50),
    ("open", 100, 100, 60), ("leave-out", 30, 30, 15),
])  # fmt: skip
def test_what_no_gpu_can_measure_is_worth_nothing_where_the_course_leaves_it_out(
    lab: Lab, without_gpu: str, weight: float | None, lab_worth: float, stage_worth: float
) -> None:
    cs, basis = make(lab, weight, without_gpu=without_gpu)
    assert marks.worth(cs, basis, None) == lab_worth
    assert marks.worth(cs, basis, "global") == stage_worth
    most = Decision(1, "decide", "x", "me", "", {"stage": None, "points": 25})  # of an earlier kit
    assert mark(cs, with_(basis, decisions=(most,))).points == lab_worth


def test_open_points_are_closed_by_a_decision(lab: Lab) -> None:
    cs, basis = make(lab)
    assert basis.document
    stage = basis.document["stages"][1]
    stage["verdict"], stage["points"]["correct"]["earned"] = "rejected", None
    stage["points"]["not_measured"] = 10
    assert mark(cs, basis).open_points == 10
    assert mark(cs, with_(basis, decisions=(decided(0),))).open_points == 0


def test_a_weight_scales_and_says_so(lab: Lab) -> None:
    cs, basis = make(lab, weight=100)
    found = mark(cs, basis)
    assert (found.points, found.possible) == (50, 100)
    assert [line.kind for line in found.lines] == ["stage", "stage", "weight"]
    assert found.running == list(zip(found.lines, (10, 10, 50), strict=True))
    same = mark(*make(lab, weight=20))  # the lab's own points: there is nothing to say
    assert (same.possible, [line.kind for line in same.lines]) == (20, ["stage", "stage"])


@pytest.mark.parametrize(
    ("late", "policy", "points"),
    [
        (timedelta(0), LatePolicy(percent_per_day=10), 10),
        (timedelta(seconds=1), LatePolicy(percent_per_day=10), 9),
        (timedelta(minutes=5), LatePolicy(percent_per_day=10, grace_minutes=5), 10),
        (timedelta(minutes=5, seconds=1), LatePolicy(percent_per_day=10, grace_minutes=5), 9),
        (timedelta(days=1), LatePolicy(percent_per_day=10), 9),
        (timedelta(days=1, seconds=1), LatePolicy(percent_per_day=10), 8),
        (timedelta(days=9), LatePolicy(percent_per_day=10, most=50), 5),
        (timedelta(days=9), LatePolicy(percent_per_day=10, most=50, last_day=7), 0),
        (timedelta(days=1), LatePolicy(percent_per_day=10, of="possible"), 8),
        (timedelta(days=9), LatePolicy(percent_per_day=20, of="possible"), 0),  # never below 0
        (timedelta(days=3), LatePolicy(), 10),
    ],
)
def test_late_days_cost_what_the_course_says(
    lab: Lab, late: timedelta, policy: LatePolicy, points: float
) -> None:
    cs, basis = make(lab, late=policy)
    found = mark(cs, with_(basis, handed_in=DUE + late))
    assert found.points == points
    assert any(line.kind == "late" for line in found.lines) is (
        marks.days_late(DUE + late, DUE, policy.grace_minutes) > 0
    )
    assert mark(cs, with_(basis, handed_in=None)).points == 10  # nobody knows: not late


BERLIN = ZoneInfo("Europe/Berlin")


def test_what_lateness_takes_away_entirely_is_0_and_not_minus_0(lab: Lab) -> None:
    """10 + 1.53 - 8.07 - 3.46 is a little below 0 in binary."""
    cs, basis = make(lab, weight=6, late=LatePolicy(percent_per_day=50, of="possible"))
    late = with_(basis, decisions=(decided(1.53),), handed_in=DUE + timedelta(days=2))
    found = mark(cs, late)
    assert sum(line.points for line in found.lines) < 0  # or another example is needed
    assert f"{found.points:g}" == "0"


@pytest.mark.parametrize(("due", "handed_in", "days"), [
    # The clocks are put back in this night: the same time comes again after 25 hours.
    ("2026-10-24T23:59", "2026-10-24T21:59:00+00:00", 0),
    ("2026-10-24T23:59", "2026-10-24T22:00:00+00:00", 1),
    ("2026-10-24T23:59", "2026-10-25T22:59:00+00:00", 1),
    ("2026-10-24T23:59", "2026-10-25T23:00:00+00:00", 2),
    # Put forward: after 23 hours.
    ("2026-03-28T23:59", "2026-03-29T21:59:00+00:00", 1),
    ("2026-03-28T23:59", "2026-03-29T22:00:00+00:00", 2),
    # An hour that comes twice, and one that never comes: the later one is meant.
    ("2026-10-25T02:30", "2026-10-25T01:30:00+00:00", 0),
    ("2026-10-25T02:30", "2026-10-25T01:31:00+00:00", 1),
    ("2026-03-29T02:30", "2026-03-29T01:30:00+00:00", 0),
    ("2026-03-29T02:30", "2026-03-29T01:31:00+00:00", 1),
])  # fmt: skip
def test_a_day_of_lateness_is_a_day_of_the_clock_on_the_wall(
    due: str, handed_in: str, days: int
) -> None:
    until = latest_time(datetime.fromisoformat(due), BERLIN)
    assert marks.days_late(datetime.fromisoformat(handed_in), until, 0) == days


def test_the_grace_is_said_where_it_saved_points(lab: Lab) -> None:
    cs, basis = make(lab, late=LatePolicy(grace_minutes=10, percent_per_day=10))
    [said] = [line.text for line in mark(
        cs, with_(basis, handed_in=DUE + timedelta(seconds=61))
    ).lines if line.kind == "grace"]  # fmt: skip
    assert said == "2 minutes late: within the grace of 10 minutes, nothing is taken off"
    for early_or_late in (timedelta(), timedelta(minutes=11)):
        found = mark(cs, with_(basis, handed_in=DUE + early_or_late))
        assert not any(line.kind == "grace" for line in found.lines)


TEN_A_DAY = LatePolicy(percent_per_day=10)


@pytest.mark.parametrize(("policy", "points", "still_open", "words"), [
    (TEN_A_DAY, 10, 10, "nobody knows by how much"),
    (LatePolicy(percent_per_day=10, unknown_days=2), 8, 0, "2 days late by unknown_days"),
    (LatePolicy(percent_per_day=10, unknown_days=0), 10, 0, "0 days late by unknown_days"),
    (LatePolicy(), 10, 0, ""),  # late costs nothing in this course
])  # fmt: skip
def test_what_is_late_by_nobody_knows_how_much_waits_or_follows_the_courses_rule(
    lab: Lab, policy: LatePolicy, points: float, still_open: float, words: str
) -> None:
    cs, basis = make(lab, late=policy)
    found = mark(cs, with_(basis, handed_in=None, is_late_by_unknown=True))
    assert (found.points, found.open_points) == (points, still_open)
    assert any(words in line.text for line in found.lines if line.kind == "late") is bool(words)
    assert round(sum(line.points for line in found.lines), 2) == found.points


def test_nothing_is_late_without_a_due_date(lab: Lab) -> None:
    cs, basis = make(lab, late=TEN_A_DAY)
    assert not mark(cs, with_(basis, handed_in=None, is_late_by_unknown=True, due=None)).is_open


def test_a_decision_about_the_whole_lab_settles_lateness_of_unknown_length(lab: Lab) -> None:
    cs, basis = make(lab, late=TEN_A_DAY)
    late = with_(basis, handed_in=None, is_late_by_unknown=True)
    assert mark(cs, late).is_open
    found = mark(cs, with_(late, decisions=(decided(7, None),)))
    assert (found.points, found.is_open) == (7, False)


def test_a_refused_hand_in_is_open_until_a_person_decides(lab: Lab) -> None:
    cs, basis = make(lab)
    assert basis.document
    basis.document.update(verdict="refused", stages=[],
                          refusal={"code": "zip-damaged", "reason": "it is damaged"})  # fmt: skip
    assert mark(cs, basis).open_points == 20
    found = mark(cs, with_(basis, decisions=(decided(0, None),)))
    assert (found.points, found.open_points) == (0, 0)


GOOD = f"""
title = "cs"
time_zone = "Europe/Berlin"
[late]
percent_per_day = 10
[[lab]]
name = "{LAB}"
due = 2026-11-30T23:59:00
stages = ["global"]
"""


def load(tmp_path: Path, text: str, lab: Lab) -> Settings:
    (tmp_path / "course.toml").write_bytes(text.encode(errors="surrogateescape"))
    return settings.load(tmp_path / "course.toml", (lab,))


def test_a_course_is_read_and_its_schema_agrees(tmp_path: Path, lab: Lab) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    import tomllib

    read = load(tmp_path, GOOD, lab)
    assert read.labs[0].due and read.labs[0].due.astimezone(UTC).hour == 22
    assert [stage.name for stage in read.labs[0].stages] == ["global"]
    schema = json.loads((Path(settings.__file__).parent / "course.schema.json").read_text())
    plain = json.loads(json.dumps(tomllib.loads(GOOD), default=str))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(plain, schema)
    assert set(schema["properties"]) - {"lab", "late", "visible", "title", "time_zone"} == set(
        Settings.__dataclass_fields__
    ) - {"labs", "late", "students_see", "hints", "title", "zone", "kit"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "cs"', "", "title: is missing"),
        ('title = "cs"', 'title = "cs"\nbackend = "tpu"', 'backend: must be "cpu" or "gpu"'),
        ('title = "cs"', 'title = "cs"\nfigures = "yes"', "figures: must be true or false"),
        ('title = "cs"', 'title = "cs"\ncolour = 1', "colour: is not a known key"),
        ("Europe/Berlin", "Europe/Atlantis", "is not a time zone"),
        (LAB, "77-nothing", "there is no lab '77-nothing'; the labs are 01-demo"),
        ("2026-11-30T23:59:00", '"tomorrow"', "lab[1].due: must be a date with a time"),
        ("2026-11-30T23:59:00", "2026-11-30", "must be a date with a time"),
        ('["global"]', '["globl"]', "01-demo has no stage 'globl'"),
        ("percent_per_day = 10", "percent_per_day = 110", "must be a number from 0 to 100"),
        ("percent_per_day = 10", "per_day = 10", "late.per_day: is not a known key"),
        ("[late]", "[late", "not valid TOML"),
        ('title = "cs"', 'title = "cs\udcff"', "is not UTF-8; save it as UTF-8"),
        ('["global"]', "[]", "lab[1].stages: must name a stage; leave it out, and all count"),
        ('["global"]', '["global"]\nweight = 1e308', "weight: must be a number, 1,000,000 or less"),
    ],
)
def test_each_mistake_is_one_sentence(
    tmp_path: Path, lab: Lab, old: str, new: str, said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        load(tmp_path, GOOD.replace(old, new), lab)
    assert said in str(caught.value) and "\n" not in said


def test_decisions_are_appended_chained_and_survive_a_torn_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "decisions.jsonl"
    ledger.append(path, "decide", "first", {"student": "ann"})
    with path.open("ab") as file:
        file.write(b'{"kind": "decide", "abo')  # SIGKILL, or a full disk
    ledger.append(path, "excuse", "second\nline", {"student": "bob"})
    assert [(d.kind, d.because) for d in ledger.read(path)] == [
        ("decide", "first"), ("excuse", "second line")
    ]  # fmt: skip
    assert "decisions.jsonl:2: is not a whole decision" in capsys.readouterr().err
    assert path.stat().st_mode & 0o077 == 0


def test_a_changed_line_is_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "decisions.jsonl"
    for because in ("one", "two", "three"):
        ledger.append(path, "decide", because, {"points": 1})
    ledger.read(path)
    assert capsys.readouterr().err == ""
    path.write_text(path.read_text().replace("one", "eno"))
    ledger.read(path)
    assert "decisions.jsonl:2: a line before this one was changed" in capsys.readouterr().err


def test_a_decision_without_a_reason_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="reason"):
        ledger.append(tmp_path / "d.jsonl", "decide", "  \n", {})
    assert not (tmp_path / "d.jsonl").exists()


def test_the_folder_of_a_course_is_found_by_flag_variable_and_place(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.course.course import Course, make

    folder = tmp_path / "cs"
    make(checkout, folder, "cpu")
    assert folder.stat().st_mode & 0o077 == 0
    monkeypatch.chdir(folder / "submitted")
    assert Course.find(checkout, None).folder == folder
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="which course"):
        Course.find(checkout, None)
    monkeypatch.setenv("WARPWISE_COURSE", str(folder))
    assert Course.find(checkout, None).folder == folder
    with pytest.raises(UsageError, match="is not a course"):
        Course.find(checkout, str(tmp_path))
    with pytest.raises(UsageError, match="in the checkout"):
        make(checkout, checkout.root / "cs", "cpu")
    with pytest.raises(UsageError, match="is a course already"):
        make(checkout, folder, "cpu")
