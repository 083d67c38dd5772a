"""dev check of every lab, one test per check: needs the built C++ parts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.authoring import devcheck
from grader.base.checkout import Checkout
from grader.base.errors import LabError
from grader.compiling.worker import compile_submission
from grader.judging.workers import build_for_grading
from grader.lab_file import manifest
from grader.study import compiler_words
from grader.tests import choice

pytestmark = pytest.mark.reads("judging", "labs", "reference")
CHECKOUT = Checkout.here()
REASONS = devcheck.backends()


# Takes as long as the time limit. In test_infrastructure.py there are programs with shorter ones.
SLOW = {" timed out"}


def _cases() -> list[object]:
    try:
        labs = manifest.discover(CHECKOUT)
    except LabError as error:
        return [pytest.param("cpu", str(error), id="labs")]
    cases: list[object] = []
    for backend in ("cpu", "gpu"):
        checks = [(lab.name, check) for lab in labs
                  for check in devcheck.lab_checks(CHECKOUT, lab, backend)
                  if backend == "cpu" or check.needs_build]  # fmt: skip
        kinds = [_kind(check) for _, check in checks]
        others = choice.others_of_a_kind(kinds)
        others_of_lab = choice.others_of_a_kind(zip((lab for lab, _ in checks), kinds, strict=True))
        cases += [pytest.param(backend, check, id=f"{backend} {check.name}",
                               marks=_about(lab, check, of_lab) if another or kind in SLOW else ())
                  for (lab, check), kind, another, of_lab
                  in zip(checks, kinds, others, others_of_lab, strict=True)]  # fmt: skip
    return cases


def _about(lab: str, check: devcheck.Check, another_of_lab: bool) -> pytest.MarkDecorator:
    """The mark of a check of which another one is of its kind: what must differ for it to run.
    Each lab has one of each kind that runs when the judge, say, or the lab differs."""
    if check.program != Path() and another_of_lab:
        return choice.exhaustive(check.program)
    return choice.exhaustive(CHECKOUT.labs / lab, CHECKOUT.reference / lab, *choice.JUDGED_BY)


def _kind(check: devcheck.Check) -> str:
    """Wrong files with one verdict are of a kind. So are all skeletons, all stages of a reference,
    and all other right files. Any other check is one of its own."""
    if check.program == Path():
        lab_and_what, _, _ = check.name.partition(" reference ")
        return "skeleton" if lab_and_what.endswith(": skeleton") else lab_and_what
    if check.program.parent.name != "wrong":
        return "right"
    return check.program.read_text(encoding="utf-8").partition("\n")[0].split(":")[2]


@pytest.fixture(scope="session")
def built() -> dict[str, str]:
    """Backends built so far, with the error of those that could not be."""
    return {}


@pytest.mark.parametrize(("backend", "check"), _cases())
def test_lab(backend: str, check: devcheck.Check | str, built: dict[str, str]) -> None:
    if isinstance(check, str):
        pytest.fail(check)
    if REASONS[backend]:
        pytest.skip(REASONS[backend])
    if check.needs_build and backend not in built:
        built[backend] = _build(backend)
    if check.needs_build and built[backend]:
        pytest.fail(built[backend])
    problem = ""
    try:
        check.run()
    except devcheck.CheckSkipped as reason:
        pytest.skip(str(reason))
    except devcheck.CheckFailed as error:
        problem = str(error)
    if problem:  # out here, the report does not speak of exceptions during exceptions
        pytest.fail(problem, pytrace=False)


def _build(backend: str) -> str:
    try:
        build_for_grading(CHECKOUT, backend)
    except LabError as error:
        return str(error)
    return ""


def _such_as_students_write() -> Iterator[Any]:
    """Every lab's skeleton and forms: sources such as students hand in. Of the slow and the fast
    forms those run that differ from the main branch."""
    for lab in manifest.discover(CHECKOUT):
        solved = CHECKOUT.reference / lab.name
        for folder in (CHECKOUT.labs / lab.name, solved, solved / "plain", solved / "record"):
            if (path := folder / lab.source).is_file():
                every_day = folder.parent != solved
                yield path if every_day else pytest.param(path, marks=choice.exhaustive(path))


def _warned(built: dict[str, str], path: Path, source: str) -> list[str]:
    if "cpu" not in built:
        built["cpu"] = _build("cpu")
    assert not built["cpu"]
    [lab] = [one for one in manifest.discover(CHECKOUT) if one.source == path.name]
    said = compile_submission(CHECKOUT, lab, source.encode(), "cpu").said
    return compiler_words.warnings(said, path.name, source)


@pytest.mark.parametrize("path", [*_such_as_students_write()], ids=CHECKOUT.shown)
def test_the_compiler_warns_of_nothing(path: Path, built: dict[str, str]) -> None:
    assert _warned(built, path, path.read_text(encoding="utf-8")) == []


def test_the_compiler_warns_of_a_name_that_hides_another(built: dict[str, str]) -> None:
    path = CHECKOUT.labs / "01-rank-sort" / "rank_sort.cu"
    hides = path.read_text(encoding="utf-8") + "\nint mine;\nint twice(int mine) { return mine; }\n"
    [said] = _warned(built, path, hides)
    assert "[-Wshadow]" in said
