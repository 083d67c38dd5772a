"""Every message that a student or an instructor can see: messages/*.txt is the catalogue.

A changed message is written anew with: WARPWISE_APPROVE=1 ./lab test grader/tests/test_messages.py
Then look at the difference.
"""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.lab_file import manifest
from grader.machine import bootstrap
from grader.study import told
from grader.tests.situations import course, hand_in, machine, rosters, student, unseen
from grader.tests.situations.situation import Situation

pytestmark = pytest.mark.reads("grader/tests/messages")

CATALOGUE = Path(__file__).parent / "messages"
APPROVE = "WARPWISE_APPROVE"
SITUATIONS = (*student.SITUATIONS, *machine.SITUATIONS, *hand_in.SITUATIONS, *course.SITUATIONS,
              *rosters.SITUATIONS)  # fmt: skip
GRADER = Path(__file__).parents[1]
# Rooms whose errors people read who do not write labs.
ROOMS = ("commands", "study", "base", "machine", "course", "export", "intake", "release")
ERRORS = ("UsageError", "InfrastructureError", "Refusal")
SHORTEST = 8  # characters of a message that are always the same, and tell it from others


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch, checkout: Checkout) -> None:
    monkeypatch.setattr(bootstrap, "ensure", lambda *_: None)
    monkeypatch.setattr("grader.commands.submit.build", lambda *_: None)
    monkeypatch.setattr("grader.commands.why.build", lambda *_: None)
    monkeypatch.delenv("WARPWISE_STUDENT", raising=False)
    monkeypatch.delenv("WARPWISE_COURSE", raising=False)
    monkeypatch.setenv("COLUMNS", "80")  # of argparse's usage
    monkeypatch.chdir(checkout.root)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda one: one.name)
def test_a_message_is_as_it_was_approved(
    situation: Situation, checkout: Checkout, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    situation.before(checkout)
    for name, instead in situation.faked.items():
        monkeypatch.setattr(name, instead)
    got = ""
    for shown, words in situation.lines(checkout):
        capsys.readouterr()
        code = main(words, checkout)
        said = capsys.readouterr()
        got += f"{shown}\n{plain(said.out + said.err, checkout)}exit code {code}\n"
    approved = CATALOGUE / f"{situation.name}.txt"
    if os.environ.get(APPROVE):
        approved.write_text(got)
    assert approved.is_file(), f"{approved} is missing; write it with {APPROVE}=1"
    assert got == approved.read_text()


def plain(text: str, checkout: Checkout) -> str:
    """Without what differs from one run to the next."""
    text = text.replace(str(checkout.root) + "/", "").replace(str(checkout.root), ".")
    text = text.replace(f"{checkout.root.parent}/given/", "").replace(str(checkout.root.parent), "")
    progress = r"^.*(?: \.\.\.|:) \d+ s(, about \d+ s left|, longer than usual)?\n"
    text = re.sub(progress, "", text, flags=re.MULTILINE)
    text = re.sub(r"\[ *\d+\.\d\ds\]", "[   0.00s]", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-01-01T00:00:00Z", text)
    now = r"(graded: |, by [\w ]+ at )\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"
    text = re.sub(now, r"\g<1>2026-01-01 00:00:00 UTC", text)
    text = re.sub(r"\S*/warpwise-error-\S+\.log", "/tmp/warpwise-error-x.log", text)
    text = re.sub(r"\bkit: .*, sha256 [0-9a-f]+", "kit: 0.0.0, commit 0, sha256 0", text)
    text = re.sub(r"\(no GPU; .*\)", "(no GPU; a CPU)", text)
    text = re.sub(r" \(\d+ s\)(, (\d+ s|\d+ min) left)?$", " (0 s)", text, flags=re.MULTILINE)
    text = re.sub(r"after \d+ s$", "after 0 s", text, flags=re.MULTILINE)
    text = re.sub(r"\b([0-9a-f]{16}\.)[0-9a-f]{12}\b", r"\g<1>000000000000", text)
    return re.sub(r"\b[0-9a-f]{64}\b", "0" * 64, text)


@pytest.mark.unit
def test_the_catalogue_holds_no_message_that_nobody_sees() -> None:
    names = {situation.name for situation in SITUATIONS}
    assert {path.stem for path in CATALOGUE.glob("*.txt")} == names


@pytest.mark.unit
def test_a_message_says_no_more_than_a_person_reads() -> None:
    for path in sorted(CATALOGUE.glob("*.txt")):
        text = path.read_text()
        assert "Traceback" not in text and "\033" not in text, path
        assert "| `" not in text, f"{path}: a raw row of the handout's table"
        assert all(len(line) <= 240 for line in text.splitlines()), path


def errors() -> Iterator[tuple[str, ast.Call]]:
    """Each `raise UsageError(...)` and the like of the rooms, with its place."""
    for room in ROOMS:
        for path in sorted((GRADER / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                call = node.exc if isinstance(node, ast.Raise) else None
                if isinstance(call, ast.Call):
                    name = ast.unparse(call.func)
                    if name in ERRORS or name.endswith(".fail"):
                        yield f"{path.relative_to(GRADER)}", call


def fixed_text(call: ast.Call) -> str:
    """The longest part of the message that is always the same."""
    texts = [node.value for argument in call.args for node in ast.walk(argument)
             if isinstance(node, ast.Constant) and isinstance(node.value, str)]  # fmt: skip
    parts = [part.strip() for text in texts for part in text.split("\n")]
    return max(parts, key=len, default="")


@pytest.mark.unit
@pytest.mark.longer
def test_every_error_is_in_the_catalogue_or_is_named_as_unseen() -> None:
    shown = " ".join("\n".join(path.read_text() for path in CATALOGUE.glob("*.txt")).split())
    found = [(place, fixed_text(call)) for place, call in errors()]
    assert len(found) > 100
    left_out = {(place, text) for place, text in found
                if len(text) >= SHORTEST and " ".join(text.split()) not in shown}
    assert left_out == set(unseen.ERRORS)


def test_a_result_of_a_secret_seed_is_not_told_to_students(checkout: Checkout) -> None:
    lab = manifest.find(manifest.discover(checkout), "01")
    document = {"seed": {"public": 1, "secret": True, "commitment": "0"}}
    row = {"name": "global", "verdict": "race", "message": student.RACE, "case": "", "cases": [],
           "handout": None}  # fmt: skip
    check = told.Check(checkout, lab, document, student.FILE)
    with pytest.raises(Exception, match="secret"):
        told.about(check, row)
