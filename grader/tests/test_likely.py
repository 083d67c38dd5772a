"""A message is asked for its cause whatever is in it: numbers that are none, and what the program
printed."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.study import likely
from grader.tests import choice

STUDY = choice.inputs.ROOT / "grader" / "study"

pytestmark = [pytest.mark.reads("grader/study", "labs"), pytest.mark.unit]

LABS = sorted(Checkout.here().labs.glob("0*"))
ODD = ("nan(0xffffffff)", "inf", "-inf", "nan", "-1", "0", "", "9" * 20, "1e308", "x", "unwritten")
TRIALS = 400
SOURCE = """// BEGIN STAGE 1 global: idea (1 line)
__global__ void k(int *out) { out[threadIdx.x] = atomicAdd(out, blockIdx.x * 32); }
void global(int *out) { k<<<2, 64>>>(out); }
// END STAGE 1
"""
GRAPH = ("sssp::relax(start, end, weight, 2, 3, 0, dist) on a path: dist[2] = {got}, should be 3: "
         "no path is this short\n  edges     {{0, 1}} 1, {{1, 2}} 2\n  got       0 1 {got}\n"
         "  expected  0 1 3")  # fmt: skip


def recorded(document: Any) -> Iterator[dict[str, str]]:
    if isinstance(document, dict):
        if "message" in document:
            yield document
        for value in document.values():
            yield from recorded(value)
    elif isinstance(document, list):
        for value in document:
            yield from recorded(value)


def said(message: str, verdict: str = "wrong answer", found: str = "") -> list[str]:
    stage = {"name": "global", "verdict": verdict, "message": message, "case": "", "cases": [],
             "handout": None}  # fmt: skip
    failure = likely.Failure(stage, "a.cu", SOURCE, found, "", ())
    return [*likely.cause(failure), *likely.facts(failure, "")]


@pytest.mark.longer
@pytest.mark.parametrize("lab", choice.first_of(2, LABS, STUDY), ids=lambda lab: lab.name)
def test_no_number_is_too_odd(lab: Path) -> None:
    mistakes = [*recorded(json.loads((lab / "mistakes.json").read_text(encoding="utf-8")))]
    choose = random.Random(7)
    for _ in range(TRIALS):
        mistake = choose.choice(mistakes)
        parts = re.split(r"(\d[\w.]*)", mistake["message"])
        for _ in range(choose.randint(1, 4)):
            parts[choose.randrange(len(parts))] = choose.choice(ODD)
        message = "".join(parts)
        said(message, mistake["verdict"], choose.choice(("", mistake["message"])))


@pytest.mark.parametrize(("got", "is_named"), [("2", True), ("nan(0xffffffff)", False)])
def test_a_distance_that_is_no_number_is_none_of_the_weights(got: str, is_named: bool) -> None:
    assert any("the weight of the edge {1, 2} alone" in one for one in said(GRAPH.format(got=got))
               ) is is_named  # fmt: skip


def test_what_the_program_printed_is_not_what_the_judge_said() -> None:
    printed = "\nthe program printed in this call:\n  got  9 9\n  edges  {7, 7} 2\n  expected  x"
    message = GRAPH.format(got="2")
    assert said(f"{message}{printed}\ntest: a") == said(f"{message}\ntest: a") != []
    drawing = message.partition("\n")[2]
    first = message.partition("\n")[0]
    assert not any("alone" in one for one in said(
        f"{first}\nthe program printed in this call:\n{drawing}"))  # fmt: skip
