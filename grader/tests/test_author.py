"""cut and dev check: drift and every broken promise of a lab is found."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader.authoring import devcheck
from grader.authoring.devcheck import CheckFailed, check_shape, lab_checks
from grader.base.checkout import Checkout
from grader.base.verdict import Run
from grader.commands.cli import main
from grader.judging.full_judge import Judged
from grader.lab_file.manifest import Lab, load
from grader.tests.fakes import LAB, plan

pytestmark = [pytest.mark.reads(), pytest.mark.unit]

NOT_YET = '{"verdict": "not attempted"}'


def test_cut_writes_the_skeleton_and_check_finds_drift(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    room = checkout.labs / LAB / "demo.cu"
    before = room.read_text()
    assert main(["cut", "--check"], checkout) == 0
    room.write_text(before.replace("strided(int n)", "strided(int m)"))
    assert main(["cut", "--check"], checkout) == 1
    assert "-void strided(int m) {" in capsys.readouterr().out
    assert main(["cut"], checkout) == 0 and room.read_text() == before
    room.unlink()
    assert main(["cut", "--check"], checkout) == 1


def test_the_shape_of_a_good_lab_holds(checkout: Checkout, lab: Lab) -> None:
    check_shape(checkout, lab)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("labs/01-demo/demo.cu", "TODO", "DONE", "is not cut"),
        ("labs/01-demo/test.cpp", "[strided]", "[stride]", r"no test case has the tag \[strided\]"),
        ("labs/01-demo/test.cpp", '"[global]"', '"[global][x]"', r"the tag \[x\] is not a stage"),
        ("labs/01-demo/demo.hpp", ", strided", "", "stage strided has no entry point"),
        ("labs/01-demo/demo.hpp", "void strided(int n);", "", "strided is not declared"),
        ("labs/01-demo/demo.hpp", "WARPWISE", "W", "has no line WARPWISE_ENTRY_POINTS"),
        ("reference/01-demo/demo.cu", "STAGE 2 strided", "STAGE 3 strided", ":9: .*number 2"),
    ],
)
def test_each_broken_shape_is_found(
    checkout: Checkout, lab: Lab, file: str, old: str, new: str, said: str
) -> None:
    path = checkout.root / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(CheckFailed, match=said):
        check_shape(checkout, lab)


def test_files_are_named_like_the_folder(checkout: Checkout) -> None:
    manifest = checkout.labs / LAB / "lab.toml"
    manifest.write_text(manifest.read_text().replace('"demo.hpp"', '"contract.hpp"'))
    with pytest.raises(CheckFailed, match="contract: must be demo.hpp, as the folder says"):
        check_shape(checkout, load(manifest))


def test_missing_files_are_found(checkout: Checkout, lab: Lab) -> None:
    (checkout.reference / LAB / "wrong" / "nop.cu").unlink()
    with pytest.raises(CheckFailed, match="contains no wrong solution"):
        check_shape(checkout, lab)
    (checkout.reference / LAB / "demo.cu").unlink()
    with pytest.raises(CheckFailed, match="is missing"):
        check_shape(checkout, lab)


def outcome(checkout: Checkout, lab: Lab, name: str) -> str:
    """What the check whose name ends in `name` says: nothing if it holds."""
    [check] = [check for check in lab_checks(checkout, lab, "cpu") if check.name.endswith(name)]
    try:
        check.run()
    except CheckFailed as error:
        return str(error)
    return ""


@pytest.mark.longer
def test_a_skeleton_that_passes_a_stage_is_found(checkout: Checkout, lab: Lab) -> None:
    reference = checkout.reference / LAB / "demo.cu"
    assert "skeleton's stage global is 'passed'" in outcome(checkout, lab, "skeleton")
    honest = plan("global", "any", NOT_YET) + plan("strided", "any", NOT_YET)
    reference.write_text(honest + reference.read_text())
    assert outcome(checkout, lab, "skeleton") == ""
    assert "is 'not attempted'" in outcome(checkout, lab, "reference global")


def test_a_reference_that_fails_or_does_not_compile_is_found(checkout: Checkout, lab: Lab) -> None:
    reference = checkout.reference / LAB / "demo.cu"
    text = reference.read_text()
    assert outcome(checkout, lab, "reference strided") == ""
    reference.write_text(plan("strided", "random", '{"verdict": "wrong answer"}') + text)
    assert "is 'race'" in outcome(checkout, lab, "reference strided")
    reference.write_text(text + "#error\n")
    assert "does not compile" in outcome(checkout, lab, "reference strided")


@pytest.mark.longer
def test_a_race_that_the_manifest_expects_must_occur(checkout: Checkout) -> None:
    manifest = checkout.labs / LAB / "lab.toml"
    races = 'races = [{ buffer = "dist", first = "read", second = "write" }]\n'
    manifest.write_text(manifest.read_text() + races)
    lab = load(manifest)
    stale = "stage strided expects a race between read and write of dist, but the reference has"
    assert stale in outcome(checkout, lab, "reference strided")
    manifest.write_text(manifest.read_text().replace('"write" }', '"write", optional = true }'))
    assert outcome(checkout, load(manifest), "reference strided") == ""
    reference = checkout.reference / LAB / "demo.cu"
    text = '{"verdict": "passed", "expected_races": [{"race": 0, "lines": "read at demo.cu:3"}]}'
    reference.write_text(plan("strided", "check", text) + reference.read_text())
    [check] = [c for c in lab_checks(checkout, lab, "cpu") if c.name.endswith("reference strided")]
    assert check.run() == ("read and write of dist: read at demo.cu:3",)


def bench(stage: str, *work: dict[str, Any] | None) -> dict[str, Any]:
    points = [{"n": n, **({"work": each} if each else {})} for n, each in enumerate(work, 1)]
    return {"stage": stage, "points": points}


SMALL = {"bytes": 8, "operations": 4, "operation": "compares"}
LARGE = {"bytes": 16, "operations": 16, "operation": "compares"}
MOVES = {"bytes": 16, "operations": 0, "operation": ""}


@pytest.mark.parametrize(
    ("benches", "said"),
    [
        ([bench("global", SMALL, LARGE), bench("strided", MOVES)], ""),
        ([], ""),
        ([bench("global", SMALL), bench("strided", SMALL, None)], "strided does not say how much"),
        ([bench("tiled", SMALL)], "tiled is not a stage of lab.toml"),
        ([bench("global", LARGE, SMALL)], "global requires less work at a larger n"),
        ([bench("global", SMALL, MOVES)], "global requires less work at a larger n"),
        ([bench("global", {**SMALL, "bytes": 0})], "no positive number of bytes"),
        ([bench("global", {**SMALL, "operations": 0})], "number of operations cannot be 0"),
        ([bench("global", {**SMALL, "operation": "thoughts"})], "'thoughts' is not known"),
    ],
)
def test_every_bench_must_say_how_much_work_it_is(
    checkout: Checkout, lab: Lab, benches: list[dict[str, Any]], said: str
) -> None:
    said_by = Path(f"{checkout.judge('cpu', LAB)}.benches")
    said_by.write_text(json.dumps({"benches": benches}))
    found = outcome(checkout, lab, "benches")
    assert said in found and bool(said) == bool(found)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("// expect: global: wrong answer: n = 3", ""),
        ("// expect: global: wrong answer", ""),
        ("// expect: global: wrong answer:", ""),
        ("// expect: global: wrong answer: ", ""),
        ("// expect: global: crashed:", "should be 'crashed'"),
        ("// expect: global: wrong answer:n = 3", "must read"),
        ("// expect: global: crashed", "should be 'crashed'"),
        ("// expect: global: wrong answer: n = 4", "lacks 'n = 4'"),
        ("// expect: strided: wrong answer", "is 'passed'"),
        ("// expect: global: passed", "cannot be expected to pass"),
        ("// expect: tiled: wrong answer", "must read"),
        ("// expect global", "must read"),
    ],
)
@pytest.mark.longer
def test_a_wrong_solution_must_get_its_verdict(
    checkout: Checkout, lab: Lab, first: str, said: str
) -> None:
    path = checkout.reference / LAB / "wrong" / "nop.cu"
    path.write_text(first + "\n" + plan("global", "any", '{"verdict": "wrong answer"}'))
    found = outcome(checkout, lab, "wrong/nop.cu")
    assert said in found and bool(said) == bool(found)


@pytest.mark.parametrize(
    ("backend", "expected", "got", "fits"),
    [
        ("gpu", "crashed", "timed out", True),
        ("gpu", "wrote outside", "crashed", True),
        ("gpu", "crashed", "wrong answer", False),
        ("gpu", "crashed", "passed", False),
        ("gpu", "race", "crashed", False),
        ("cpu", "wrote outside", "crashed", False),
    ],
)
def test_what_cuda_does_not_define_ends_on_a_gpu_in_one_of_three_ways(
    checkout: Checkout, lab: Lab, monkeypatch: pytest.MonkeyPatch,
    backend: str, expected: str, got: str, fits: bool,
) -> None:  # fmt: skip
    path = checkout.reference / LAB / "wrong" / "nop.cu"
    path.write_text(f"// expect: global: {expected}\n")
    judged = Judged(Run("forward", got, ""), {})
    monkeypatch.setattr(devcheck, "_judge", lambda *_, **__: [judged])
    monkeypatch.setattr(devcheck, "_shows_at_once", lambda *_: False)
    checks = {check.name: check for check in lab_checks(checkout, lab, backend)}
    run = checks[f"{LAB}: wrong/nop.cu"].run
    if fits:
        run()
    else:
        with pytest.raises(CheckFailed, match=f"is '{got}', should be '{expected}'"):
            run()


@pytest.mark.longer
def test_dev_check_says_what_holds_and_ends_with_1(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dev", "check", "--backend", "cpu", "--json"], checkout) == 1
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert {check["name"]: check["outcome"] for check in checks} == {
        f"{LAB}: shape": "passed",
        f"{LAB}: benches": "passed",
        f"{LAB}: skeleton": "failed",
        f"{LAB}: reference global": "passed",
        f"{LAB}: reference strided": "passed",
        f"{LAB}: wrong/nop.cu": "passed",
    }
