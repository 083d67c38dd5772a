"""./lab why of every stage's plain form: the advice names what the good form does."""

import pytest

from grader.base.checkout import Checkout
from grader.lab_file import manifest
from grader.lab_file.recorded import Form, Recorded
from grader.study import recorded, why
from grader.tests import forms

HERE = Checkout.here()
# What the good form does, and the plain one does not (reference/*/NOTES.md).
GOOD_DOES = {
    "01-rank-sort.tiled": ("shared memory once per block",),
    "02-in-place.fast": ("sorted runs", "float4"),
    "03-bitonic.shared": ("tile into shared memory",),
    "03-bitonic.registers": ("registers", "four strides"),
    "04-odd-even.tiled": ("registers", "shuffles"),
    "04-odd-even.merge-split": ("piece of the merged runs", "neighbouring threads store"),
    "05-sssp.locality": ("atomic minimum", "one cooperative launch"),
    "05-sssp.delta": ("one cooperative launch", "grid.sync()"),
}
pytestmark = pytest.mark.reads("labs", "reference")


def advice(stage: str, mine: Form, good: Form) -> str:
    lab, found = manifest.find_target(manifest.discover(HERE), stage)
    assert found is not None
    return why.advice(found, why.findings(mine.kernels, good.kernels))


@pytest.mark.unit
def test_every_stage_that_has_forms_is_here() -> None:
    assert [f"{lab.name}.{stage.name}" for lab, stage in forms.stages(HERE)] == list(GOOD_DOES)


@pytest.mark.unit
@pytest.mark.parametrize("stage", GOOD_DOES)
def test_the_plain_form_is_told_what_the_good_form_does(stage: str) -> None:
    plain, good = (forms.form_of(forms.known()[f"{stage}.{form}"]) for form in forms.FORMS)
    said = advice(stage, plain, good)
    assert all(words in said for words in GOOD_DOES[stage]), said
    assert advice(stage, good, good).startswith("measure it on a GPU")


@pytest.mark.exhaustive("grader/study", "grader/lab_file")
def test_forms_that_are_other_ones_since_they_were_counted_are_told_the_same() -> None:
    """Nothing is compiled unless a form has changed."""
    fresh = {forms.name(*one): forms.count(HERE, *one) for one in forms.changed(HERE)}
    entries = {**forms.known(), **fresh}
    for stage in {key.rpartition(".")[0] for key in fresh}:
        plain, good = (forms.form_of(entries[f"{stage}.{form}"]) for form in forms.FORMS)
        said = advice(stage, plain, good)
        assert all(words in said for words in GOOD_DOES[stage]), said


# ---- in a copy for students ----


@pytest.mark.unit
def test_sums_say_the_same_as_the_kernels_and_name_none() -> None:
    line = {"line": "sort.cu:7", "space": "global", "access": "load", "requests": 10, "pieces": 80,
            "branches": 3, "uniform_branches": 2}  # fmt: skip
    ideal = {**line, "line": "sort.cu:9", "ideal": 40}
    atomic = {**line, "access": "atomic"}
    counts = {"launches": 2, "barriers": 5, "branches": 9, "uniform_branches": 4}
    kernels = [{"kernel": "mine", **counts, "lines": [line, ideal]},
               {"kernel": "other", **counts, "lines": [atomic, line]}]  # fmt: skip
    sums = recorded.summed(kernels)
    assert "sort.cu" not in str(sums) and "mine" not in str(sums)
    for part in why.PARTS:
        assert part.cost(sums) == part.cost(kernels), part.name
    assert why.table(sums, kernels) == why.table(kernels, kernels)


@pytest.mark.unit
def test_a_copy_without_references_compares_with_what_was_recorded(
    checkout: Checkout, lab: manifest.Lab
) -> None:
    stage = lab.stages[0]
    assert recorded.known_form(checkout, lab, stage) is None, "the reference itself is there"
    (checkout.reference / lab.name / lab.source).unlink()
    with pytest.raises(Exception, match="is not in this copy of the kit"):
        recorded.known_form(checkout, lab, stage)
    form = Form(stage.name, 2048, 3, [{"kernel": "", "lines": []}])
    place = checkout.root / "release" / lab.name / "recorded.json"
    place.parent.mkdir(parents=True)
    place.write_text(Recorded(lab.name, (3,), (), (form,)).text())
    assert recorded.known_form(checkout, lab, stage) == form
    with pytest.raises(Exception, match="is not in this copy of the kit"):
        recorded.known_form(checkout, lab, lab.stages[1])
