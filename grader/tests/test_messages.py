"""Every message that a student can see, as it was approved: messages/*.txt is the catalogue.

A changed message is written anew with: WARPWISE_APPROVE=1 ./lab test grader/tests/test_messages.py
Then look at the difference.
"""

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.lab_file import manifest
from grader.machine import bootstrap
from grader.study import causes, told
from grader.tests.fakes import LAB, plan
from report.drawing import result_figure

pytestmark = [pytest.mark.reads("grader/tests/messages"), pytest.mark.unit]

CATALOGUE = Path(__file__).parent / "messages"
APPROVE = "WARPWISE_APPROVE"
Prepare = Callable[[Checkout], None]

FILE = """#include "demo.hpp"
// BEGIN STAGE 1 global: one thread for every key (about 2 lines)
__global__ void count(const float* in, float* out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[255 - threadIdx.x];
}
// END STAGE 1
"""
RACE = (
    "demo::global(in, out, 256): shared memory tile[255]: kernel count, block (0,0,0): thread "
    "(0,0,0) writes at demo.cu:5; thread (255,0,0) reads at demo.cu:6; no __syncwarp() or "
    "__syncthreads() between"
)
WRONG = (
    "demo::global(in, out, 3) on 3 distinct keys, shuffled (seed 41): not in order; first wrong at "
    "index 1: got 5, expected 4\n  index     0  1  2\n  got       1  5  4\n  expected  1  4  5"
)


def stage(verdict: str, message: str = "", name: str = "global") -> str:
    case = {"name": "global sorts small arrays", "verdict": verdict, "message": message}
    document = {"verdict": verdict, "message": message, "case": case["name"], "cases": [case],
                "exit": 1}  # fmt: skip
    return plan(name, "any", json.dumps(document))


def file(text: str) -> Prepare:
    return lambda checkout: (checkout.labs / LAB / "demo.cu").write_text(text) and None


def judged(verdict: str, message: str = "") -> Prepare:
    return file(FILE + stage(verdict, message))


def known_mistake(checkout: Checkout) -> None:
    judged("wrong answer", WRONG)(checkout)
    one = causes.Mistake("global", "wrong answer", "",
                         causes.told("wrong answer", WRONG), {}, "Never compares the last key.",
                         "")  # fmt: skip
    text = json.dumps({"schema": causes.SCHEMA, "mistakes": [one.document()]})
    (checkout.labs / LAB / causes.FILE).write_text(text)


def lab(*words: str) -> Prepare:
    """What was done before."""
    return lambda checkout: main([*words], checkout) and None


def both(*steps: Prepare) -> Prepare:
    def prepared(checkout: Checkout) -> None:
        for step in steps:
            step(checkout)

    return prepared


def defect(_: Checkout) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    bootstrap.ensure = broken


def nothing(_: Checkout) -> None:
    pass


PASSING = file("// fine\n")
CHECKED = both(PASSING, lab("check", "--backend", "cpu"))


@dataclass(frozen=True)
class Situation:
    """A command after what was done before; `name` is the file in the catalogue."""

    name: str
    words: str
    before: Prepare = field(default=nothing)


SITUATIONS = (
    Situation("first-start", ""),
    Situation("where-you-stand-after-an-edit", "", both(CHECKED, file("// fine, edited\n"))),
    Situation("where-you-stand-after-a-failure", "", both(judged("race", RACE), lab("check"))),
    Situation("next", "next"),
    Situation("next-after-the-last", "next", CHECKED),
    Situation("list", "list", CHECKED),
    Situation("hint", "hint 01.global"),
    Situation("hint-without-a-stage", "hint 01"),
    Situation("hint-too-deep", "hint 01.global --level 9"),
    Situation("check-passed", "check 01", PASSING),
    Situation("check-by-path", "check {labs}/01-demo/demo.cu", PASSING),
    Situation("check-not-attempted", "check 01.global", judged("not attempted", "no call wrote")),
    Situation("check-wrong-answer", "check 01.global", judged("wrong answer", WRONG)),
    Situation("check-with-another-seed", "check 01.global --seed 7",
              judged("wrong answer", WRONG)),
    Situation("check-known-mistake", "check 01.global", known_mistake),
    Situation("check-race", "check 01.global", judged("race", RACE)),
    Situation("check-wrote-outside", "check 01.global",
              judged("wrote outside", "demo::global(in, out, 3): out[3] is written, 1 element past "
                     "its end, at demo.cu:6")),
    Situation("check-crashed", "check 01.global",
              judged("crashed", "demo::global(in, out, 3): the program was ended by an invalid "
                     "memory access (SIGSEGV)")),
    Situation("check-timed-out", "check 01.global",
              judged("timed out", "demo::global(in, out, 3): the call did not return within 2 s")),
    Situation("check-rejected", "check 01.global",
              judged("rejected", "demo.cu:6: std::sort is a library's sort, which this stage "
                     "forbids")),
    Situation("check-did-not-compile", "check 01", file("#error\n")),
    Situation("check-infrastructure-error", "check 01.global",
              file(plan("global", "any", '{"text": ""}'))),
    Situation("check-without-the-file", "check 01",
              lambda checkout: (checkout.labs / LAB / "demo.cu").unlink()),
    Situation("check-an-empty-file", "check 01", file("")),
    Situation("unknown-lab", "check 01-dmo"),
    Situation("unknown-stage", "check 01.strded"),
    Situation("unknown-command", "reztore"),
    Situation("unknown-flag", "check --jsn"),
    Situation("a-file-of-no-lab", "check /somewhere/else.cu"),
    Situation("why-wrong", "why 01.global",
              file(plan("global", "any", '{"verdict": "race", "message": "a race", "exit": 1}'))),
    Situation("why-without-a-stage", "why 01"),
    Situation("save", "save 01", PASSING),
    Situation("save-without-the-file", "save 01",
              lambda checkout: (checkout.labs / LAB / "demo.cu").unlink()),
    Situation("restore-nothing-kept", "restore 01"),
    Situation("restore-list", "restore 01", CHECKED),
    Situation("restore-a-version", "restore 01 --version 1",
              both(CHECKED, file("// broken\n"))),
    Situation("restore-no-such-version", "restore 01 --version 9", CHECKED),
    Situation("restore-a-stage-that-never-passed", "restore 01.global",
              both(PASSING, lab("save", "01"))),
    Situation("reset", "reset 01", PASSING),
    Situation("reset-a-stage", "reset 01.global", file(FILE)),
    Situation("submit", "submit 01 --id ann", PASSING),
    Situation("submit-checked", "submit 01 --id ann", CHECKED),
    Situation("submit-does-not-compile", "submit 01 --id ann", file("#error\n")),
    Situation("submit-with-a-bad-id", "submit 01 --id a/b", PASSING),
    Situation("report", "report 01", CHECKED),
    Situation("report-before-a-check", "report 01"),
    Situation("plot-before-a-check", "plot 01"),
    Situation("bench-of-the-reference", "bench 01",
              lambda checkout: (checkout.labs / LAB / "demo.cu").unlink()),
    Situation("run-no-such-file", "run nothing.cu"),
    Situation("run-another-kind-of-file", "run notes.txt"),
    Situation("run-unknown-mode", "run {labs}/01-demo/demo.cu --mode fast"),
    Situation("grade-no-such-file", "grade nothing.zip"),
    Situation("upgrade-without-git", "upgrade"),
    Situation("no-whole-number", "hint 01.global --level x"),
    Situation("a-defect-of-the-kit", "list", defect),
)  # fmt: skip


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch, checkout: Checkout) -> None:
    monkeypatch.setattr(result_figure, "draw_if_possible", lambda *_: [])
    monkeypatch.setattr(bootstrap, "ensure", lambda *_: None)
    monkeypatch.setattr("grader.commands.submit.build", lambda *_: None)
    monkeypatch.setattr("grader.commands.why.build", lambda *_: None)
    monkeypatch.delenv("WARPWISE_STUDENT", raising=False)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda one: one.name)
def test_a_message_is_as_it_was_approved(
    situation: Situation, checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    situation.before(checkout)
    capsys.readouterr()
    words = situation.words.format(labs=checkout.labs).split()
    code = main(words, checkout)
    shown = capsys.readouterr()
    got = f"$ ./lab {situation.words}".replace("{labs}", "labs").rstrip() + "\n"
    got += plain(shown.out + shown.err, checkout) + f"exit code {code}\n"
    approved = CATALOGUE / f"{situation.name}.txt"
    if os.environ.get(APPROVE):
        approved.write_text(got)
    assert approved.is_file(), f"{approved} is missing; write it with {APPROVE}=1"
    assert got == approved.read_text()


def plain(text: str, checkout: Checkout) -> str:
    """Without what differs from one run to the next."""
    text = text.replace(str(checkout.root) + "/", "").replace(str(checkout.root), ".")
    progress = r"^.*(?: \.\.\.|:) \d+ s(, about \d+ s left|, longer than usual)?\n"
    text = re.sub(progress, "", text, flags=re.MULTILINE)
    text = re.sub(r"\[ *\d+\.\d\ds\]", "[   0.00s]", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-01-01T00:00:00Z", text)
    text = re.sub(r"\S*/warpwise-error-\S+\.log", "/tmp/warpwise-error-x.log", text)
    return re.sub(r"\b[0-9a-f]{64}\b", "0" * 64, text)


def test_the_catalogue_holds_no_message_that_nobody_sees() -> None:
    names = {situation.name for situation in SITUATIONS}
    assert {path.stem for path in CATALOGUE.glob("*.txt")} == names


@pytest.mark.parametrize("path", sorted(CATALOGUE.glob("*.txt")), ids=lambda path: path.stem)
def test_a_message_says_no_more_than_a_person_reads(path: Path) -> None:
    text = path.read_text()
    assert "Traceback" not in text and "\033" not in text
    assert "| `" not in text, "a raw row of the handout's table"
    assert all(len(line) <= 240 for line in text.splitlines())


def test_a_result_of_a_secret_seed_is_not_told_to_students(checkout: Checkout) -> None:
    lab = manifest.find(manifest.discover(checkout), "01")
    document = {"seed": {"public": 1, "secret": True, "commitment": "0"}}
    row = {"name": "global", "verdict": "race", "message": RACE, "case": "", "cases": [],
           "handout": None}  # fmt: skip
    check = told.Check(checkout, lab, document, FILE)
    with pytest.raises(Exception, match="secret"):
        told.about(check, row)
