"""Plain, good and record forms: they are there, short enough, and get the points they must get."""

import json
from copy import deepcopy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from grader.authoring import devcheck, exemplars, lessons
from grader.authoring.devcheck import CheckFailed, lab_checks
from grader.base.checkout import Checkout
from grader.grading.points import CounterPoints
from grader.lab_file import manifest
from grader.lab_file.exemplars import SHARES, code_hash, exemplar
from grader.lab_file.manifest import Lab, load
from grader.lab_file.rules import RECORD, SpeedRule
from grader.tests import choice
from grader.tests.fakes import LAB, plan
from grader.tests.finished import FEWEST, finished

REFERENCE = choice.inputs.ROOT / "reference"

pytestmark = [pytest.mark.reads("labs", "reference", "report/gallery"), pytest.mark.unit]
HERE = Checkout.here()
LABS = finished(HERE)
RECORDED = sorted((HERE.root / "report" / "gallery").glob("*/exemplars.json"))
MOST_WORDS = 1500  # of NOTES.md, its tables' lines counted
MOST_LINES, MOST_LINES_OF = 120, {"registers": 180, "delta": 180}


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_every_lab_has_its_three_forms(lab: Lab) -> None:
    if exemplars.rewarded(lab):
        assert [form for form in SHARES if not exemplar(HERE, lab, form).is_file()] == []
    for stage in lab.stages:
        assert stage.speed is None or stage.speed.against == RECORD, stage.name


def test_a_lab_without_a_record_form_is_a_draft(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(LABS) >= FEWEST
    with pytest.raises(LookupError, match="only 0 have one"):
        finished(checkout)
    monkeypatch.setattr("grader.tests.finished.FEWEST", 0)
    assert finished(checkout) == []
    [draft] = manifest.discover(checkout)
    file = exemplar(checkout, draft, RECORD)
    file.parent.mkdir()
    file.write_text("// fast\n")
    assert finished(checkout) == [draft]


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_a_good_form_is_short(lab: Lab) -> None:
    found = lessons.lines_of(HERE, lab, "good")
    too_long = {s: n for s, n in found.items() if n > MOST_LINES_OF.get(s, MOST_LINES)}
    assert not too_long


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_the_record_is_longer_than_the_good_form(lab: Lab) -> None:
    """The twin of the test above: the count sees that a form is long."""
    good, record = (sum(lessons.lines_of(HERE, lab, form).values()) for form in ("good", RECORD))
    assert good < record


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_the_lesson_is_short(lab: Lab) -> None:
    text = (HERE.reference / lab.name / "NOTES.md").read_text(encoding="utf-8")
    assert 300 < len(text.split()) <= MOST_WORDS


@pytest.mark.parametrize("lab", choice.first_of(2, LABS, REFERENCE), ids=lambda lab: lab.name)
@pytest.mark.longer
def test_the_lessons_tables_are_of_the_committed_measurements(lab: Lab) -> None:
    text = (HERE.reference / lab.name / "NOTES.md").read_text(encoding="utf-8")
    assert [found[1] for found in lessons.BLOCK.finditer(text)] == ["times", "exemplars"]
    command = "./lab figures changed --out report/gallery/nvidia-h200"
    assert lessons.filled(HERE, lab, text) == text, f"run {command}"
    old = lessons.BLOCK.sub(lambda found: f"<!-- {found[1]} -->\nold\n<!-- end -->", text)
    assert old != text == lessons.filled(HERE, lab, old)
    rows = lessons.times_of_stages(HERE, lab).splitlines()[4:]
    assert rows and all(row.count("us") + row.count("ms") > 2 for row in rows)


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_the_handout_gives_the_lines_of_the_good_form(lab: Lab) -> None:
    found = lessons.lines_of(HERE, lab, "good")
    for stage in lab.stages:
        row = manifest.find_line(HERE, lab, stage)
        assert row, stage.name
        table = (HERE.root / row.path).read_text(encoding="utf-8").splitlines()
        said = int(table[row.line - 1].split("|")[3])
        assert abs(said - found[stage.name]) <= max(3, said // 10), (stage.name, said)


# ---- recorded times -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.parent.name)
def test_recorded_times_give_each_form_its_points(path: Path) -> None:
    recorded = json.loads(path.read_text(encoding="utf-8"))
    assert [text for lab in LABS for text in exemplars.disputed(lab, recorded)] == []


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.parent.name)
def test_recorded_times_are_of_these_files(path: Path) -> None:
    labs = {lab.name: lab for lab in LABS}
    for entry in json.loads(path.read_text(encoding="utf-8"))["stages"]:
        for form, times in entry["forms"].items():
            file = exemplar(HERE, labs[entry["lab"]], form)
            now = code_hash(file.read_text(encoding="utf-8"))
            later = times.get("later", {})  # by hand, where no GPU was at hand: code, and why
            assert not later or len(later["because"]) > 20
            assert now in (times["code"], later.get("code")), (
                f"{HERE.shown(file)} has changed: ./lab dev exemplars"
            )


def recorded_for(lab: Lab, plain: float | None = 100.0, good: float = 1.0) -> dict[str, Any]:
    forms = {"plain": plain, "good": good}
    stages = [
        {"lab": lab.name, "stage": s.name, "n": s.speed.n, "against": s.speed.against,
         "forms": {form: {"ratio": ratio, "message": "crashed"} for form, ratio in forms.items()}}
        for s in lab.stages if s.speed
    ]  # fmt: skip
    return {"stages": stages}


def test_times_that_give_other_points_are_disputed() -> None:
    [lab] = [lab for lab in LABS if lab.name == "03-bitonic"]
    assert exemplars.disputed(lab, recorded_for(lab)) == []
    assert "plain form takes 1.1 times" in exemplars.disputed(lab, recorded_for(lab, plain=1.1))[0]
    assert "must get 85% to 100%" in exemplars.disputed(lab, recorded_for(lab, good=50))[0]
    assert "crashed" in exemplars.disputed(lab, recorded_for(lab, plain=None))[0]
    elsewhere = deepcopy(recorded_for(lab))
    elsewhere["stages"][0]["n"] = 7
    assert "not measured at n" in exemplars.disputed(lab, elsewhere)[0]
    assert "not measured at n" in exemplars.disputed(lab, {"stages": []})[0]


def test_the_hash_is_of_the_code_alone() -> None:
    code = "int a;\n  int b;\n"
    assert code_hash(code) == code_hash("// why\nint a;\n\n    int b;\n")
    assert code_hash(code) != code_hash("int a;\nint c;\n")


# ---- dev check ----------------------------------------------------------------------------------

RULE = """
[stage.counters."global.load.requests"]
against = "reference"
n = 64
full = 2.0
none = 32.0
points = 8
advice = "use shared memory"
"""


@pytest.fixture
def counted(checkout: Checkout) -> Lab:
    """The small lab, its last stage with a counter; a plain and a record form beside it."""
    path = checkout.labs / LAB / "lab.toml"
    path.write_text(path.read_text() + RULE)
    solved = checkout.reference / LAB / "demo.cu"
    for form in ("plain", RECORD):
        file = checkout.reference / LAB / form / "demo.cu"
        file.parent.mkdir()
        file.write_bytes(solved.read_bytes())
    return load(path)


def check(checkout: Checkout, lab: Lab, form: str) -> str:
    name = f"{LAB}: {form} {lab.stages[-1].name}"
    [one] = [c for c in lab_checks(checkout, lab, "cpu") if c.name == name]
    try:
        one.run()
    except CheckFailed as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("form", "earned", "said"),
    [("plain", 0, ""), ("plain", 1.5, ""), ("plain", 4, "gets 50% of the points"),
     ("plain", None, "must get 0% to 20%"), (RECORD, 8, ""), (RECORD, 7.9, "must get 100%")],
)  # fmt: skip
@pytest.mark.longer
def test_dev_check_proves_the_shares(
    checkout: Checkout, counted: Lab, monkeypatch: pytest.MonkeyPatch, form: str,
    earned: float | None, said: str,
) -> None:  # fmt: skip
    points = CounterPoints("global.load.requests", 64, earned, 8, "passed", 1, 1, 1, "", "", "")
    monkeypatch.setattr(devcheck, "_counters", lambda *_: (points,))
    found = check(checkout, counted, form)
    assert said in found and bool(said) == bool(found)


@pytest.mark.parametrize(("ratio", "said"), [(9.0, ""), (1.5, "must get 0% to 20%"), (None, "")])
def test_on_a_gpu_the_share_of_speed_is_proved(
    checkout: Checkout, counted: Lab, monkeypatch: pytest.MonkeyPatch, ratio: float | None,
    said: str,
) -> None:  # fmt: skip
    rule = SpeedRule(RECORD, 1024, full=1.25, none=4.0)
    stage = replace(counted.stages[-1], speed=rule)
    monkeypatch.setattr(devcheck, "compare", lambda *_: {"ratio": ratio})
    prove = partial(devcheck._require_share_of_speed, checkout, counted)
    prove("cpu", "plain", stage)
    if said:
        with pytest.raises(CheckFailed, match=said):
            prove("gpu", "plain", stage)
    else:
        prove("gpu", "plain", stage)
    if ratio != 1.5:
        with pytest.raises(CheckFailed, match="must get 85% to 100%"):
            prove("gpu", "good", stage)


def test_a_form_that_is_wrong_is_found(checkout: Checkout, counted: Lab) -> None:
    file = checkout.reference / LAB / "plain" / "demo.cu"
    stage = counted.stages[-1].name
    file.write_text(plan(stage, "any", '{"verdict": "wrong answer"}') + file.read_text())
    assert f"stage {stage} is 'wrong answer'" in check(checkout, counted, "plain")


def test_a_record_that_lab_toml_names_must_be_there(checkout: Checkout) -> None:
    path = checkout.labs / LAB / "lab.toml"
    assert 'against = "reference"' in path.read_text()
    path.write_text(path.read_text().replace('against = "reference"', 'against = "record"'))
    with pytest.raises(CheckFailed, match="record/demo.cu: is missing"):
        devcheck.check_shape(checkout, load(path))
