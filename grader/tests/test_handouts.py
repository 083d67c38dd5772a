"""A handout is two screens, and says every rule of lab.toml, the intake and the judge."""

import json
import re

import pytest

from grader.base.checkout import Checkout
from grader.intake.calls import objection
from grader.judging import judge
from grader.lab_file import manifest
from grader.lab_file.manifest import HOST_WORK_BUT_FLAGS, LIBRARY_SORT, Lab, Stage
from grader.pages.questions import questions
from grader.tests.finished import finished

pytestmark = [pytest.mark.reads("labs", "report/gallery", "grader/intake"), pytest.mark.unit]

HERE = Checkout.here()
LABS = finished(HERE)
MOST_LINES, MOST_COLUMNS = 50, 80  # of a screen
SECOND_SCREEN = "## How it is graded"
HEADINGS = ["Stages", "Rules", "Run it", "How it is graded", "Background", "For the report"]
MEASURED = [json.loads((HERE.root / "report" / "gallery" / gpu / "exemplars.json").read_text())
            for gpu in ("nvidia-h200", "nvidia-h100")]  # fmt: skip
HINT_LINES = 6


def page(lab: Lab) -> str:
    return (HERE.labs / lab.name / "README.md").read_text(encoding="utf-8")


def unsaid(lab: Lab, text: str) -> list[str]:
    """The rules of the lab that the handout does not state."""
    flat = " ".join(text.split())
    said = {
        "hand in": f"Hand in `{lab.source}` alone",
        "headers": "Include headers of C++, CUDA, `labs/kit` only",
        "forbidden": "all of thrust and CUB; managed or registered memory; host callbacks; the "
        'operating system; assembly, `extern "C"`, attributes for the linker',
        "host functions": "Kernels call no host function",
        "one thread": "One thread makes under 1/4 of all accesses",
        "host bytes": f"At most {judge.HOST_BYTES} bytes per call",
        "rejected": "Right answers by forbidden means are `rejected`: a person decides on points",
        "state": "A variable may lose what a call left in it",
        "a call's time": f"returns within {lab.seconds:g} s, on a CPU too",
        "a stage's time": f"a stage's calls within {judge.BUDGET_SECONDS:g} s",
        "nvcc": "`nvcc` may refuse what the CPU backend took",
        "lint": f"`./lab run --mode lint labs/{lab.name}/{lab.source}`",
        "printf": f'`#include "{lab.source}"` and `main()` beside it',
        "orders": "On a CPU each test runs in three thread orders",
        "checker": "under a checker of races, of missed barriers, and of memory "
        "that is not yours or never written",
        "seed": "Hidden tests are these with another seed",
        "lines": "Lines are the code of a good form",
        "the record": "the record, the fastest form that is known",
        "no GPU": 'without a GPU its points read "not measured"',
    }
    launches = judge.HOST_BYTES_PER_LAUNCH[HOST_WORK_BUT_FLAGS]
    if any(HOST_WORK_BUT_FLAGS in stage.forbids for stage in lab.stages):
        said["host bytes per launch"] = f"and {launches} more for each launch, may go to the host"
    missing = [rule for rule, words in said.items() if words not in flat]
    return missing + [rule for stage in lab.stages for rule in _unsaid_of(lab, stage, text)]


def _unsaid_of(lab: Lab, stage: Stage, text: str) -> list[str]:
    rows = [line for line in text.splitlines() if line.startswith(f"| `{stage.name}`")]
    wanted: dict[str, list[str]] = {}
    whole = stage.correct + stage.fast + sum(rule.points for rule in stage.counters)
    wanted["points"] = [f"| {whole:g} |"]
    for rule in stage.counters:
        wanted[rule.counter] = [f"memory {rule.points:g} |", f"{rule.n} keys",
                                f"| {rule.full:g} | {rule.none:g} |"]  # fmt: skip
    if stage.speed:
        bars = f"| {stage.speed.full:g} | {stage.speed.none:g} |"
        wanted["speed"] = [f"fast {stage.fast:g} |", bars]
        rows = [row for row in rows if bars not in row or _times_are_right(lab, stage, row)]
    missing = [f"{stage.name}: {rule}" for rule, words in wanted.items()
               if not any(all(word in row for word in words) for row in rows)]  # fmt: skip
    rest = " ".join(text.partition("## Rules")[2].split())
    named = f"`{stage.name}`" in rest
    told = {"requires": not stage.requires or (named and "PTX" in rest),
            "races": not stage.races or (named and "may race on `dist`" in rest)}  # fmt: skip
    told |= {tool: tool in rest for tool in stage.sanitizers}
    return missing + [f"{stage.name}: {rule}" for rule, ok in told.items() if not ok]


def _times_are_right(lab: Lab, stage: Stage, row: str) -> bool:
    """Whether the row ends with what the good and the plain form took on both GPUs, nearly."""
    cells = [cell.split(",") for cell in row.strip("| ").split("|")[-2:]]
    measured = [[entry["forms"][form]["ratio"] for document in MEASURED
                 for entry in document["stages"]
                 if (entry["lab"], entry["stage"]) == (lab.name, stage.name)]
                for form in ("good", "plain")]  # fmt: skip
    return [[float(word) for word in cell] for cell in cells] == [
        pytest.approx(ratios, rel=0.1) for ratios in measured
    ]


def too_large(text: str) -> list[str]:
    """The screens of a handout with too many lines, and the lines with too many columns."""
    task, _, background = text.partition(SECOND_SCREEN)
    sizes = {"task": len(task.rstrip().splitlines()), "background": len(background.splitlines())}
    long = [line for line in text.splitlines() if len(line) > MOST_COLUMNS]
    return [f"{name}: {lines}" for name, lines in sizes.items() if lines > MOST_LINES] + long


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_a_handout_is_two_screens(lab: Lab) -> None:
    text = page(lab)
    assert re.findall(r"^## (.*)", text, re.MULTILINE) == HEADINGS
    assert too_large(text) == []
    padding = "\n" * (MOST_LINES + 1)
    assert len(too_large(padding + text + padding + "x" * (MOST_COLUMNS + 1))) == 3


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_a_handout_says_every_rule(lab: Lab) -> None:
    assert unsaid(lab, page(lab)) == []


@pytest.mark.parametrize(
    ("said", "instead", "rule"),
    [
        ("thrust and CUB", "thrust", "forbidden"),
        ("At most 64 bytes", "At most 128 bytes", "host bytes"),
        ("within 10 s", "within 20 s", "a call's time"),
        ("| 2 | 32 |", "| 2 | 16 |", "tiled: global.load.requests"),
        ("| 2.4 | 12 |", "| 2.4 | 10 |", "tiled: speed"),
        ("| 2.1, 2.1 |", "| 2.1 |", "tiled: speed"),
        ("| 53 | 40 |", "| 53 | 30 |", "tiled: points"),
        ("memcheck, racecheck", "memcheck", "tiled: racecheck"),
        ("--mode lint", "", "lint"),
    ],
)
def test_a_rule_that_is_not_said_is_found(said: str, instead: str, rule: str) -> None:
    text = page(LABS[0])
    assert said in text and unsaid(LABS[0], text.replace(said, instead)) == [rule]


def test_what_handouts_call_forbidden_is() -> None:
    groups = (LIBRARY_SORT, HOST_WORK_BUT_FLAGS)
    for symbol in ("_ZSt6__sortIPfEvT_", "_ZN6thrust4sortEv", "_ZN3cub10DeviceSortEv",
                   "_ZSt11__make_heapv", "cudaMallocManaged", "cudaHostRegister",
                   "cudaLaunchHostFunc"):  # fmt: skip
        assert objection(symbol, groups), symbol
    for symbol in ("cudaMallocHost", "_ZSt4moveIPfEvT_", "cudaMemcpy"):
        assert not objection(symbol, groups), symbol
    assert all(LIBRARY_SORT in stage.forbids and any("host-work" in group for group in
               stage.forbids) for lab in LABS for stage in lab.stages)  # fmt: skip


# ---- hints and questions ------------------------------------------------------------------------


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_what_a_message_quotes_is_the_task_and_no_points(lab: Lab) -> None:
    for stage in lab.stages:
        line = manifest.find_line(HERE, lab, stage)
        assert line and not re.search(r"correct \d|fast \d|memory \d", line.text)
        assert line.text.startswith(f"{stage.name}: ") and len(line.text) > len(stage.name) + 12
        assert not re.search(r"[:;,]$", line.text)


def as_code(hint: str) -> list[str]:
    """What gives a stage away: blocks, assignments, conditions joined, and more than six lines."""
    found = re.findall(r"[{}]|<<<|(?<![<>=!])=(?!=)(?! 0)|[-+*/|]=|&&|[|]{2}|[?] ", hint)
    return found + ["too long"] * (len(hint) > HINT_LINES * 80)


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_the_last_hint_is_a_step_and_not_the_code(lab: Lab) -> None:
    assert [len(stage.hints) for stage in lab.stages] == [3] * len(lab.stages)
    assert {stage.name: as_code(stage.hints[2]) for stage in lab.stages if
            as_code(stage.hints[2])} == {}  # fmt: skip


@pytest.mark.parametrize(
    "hint",
    [
        "for (int i = t; i < n; i += threads) { the body of stage 1 }.",
        "rank += before(other, mine) || (!before(other, mine) && j < i)",
        "place = atomicAdd(count, 1); next[place] = v.",
        "relax_cached<<<...>>>(start, end, weight, edges, dist, dist, sweep).",
        "Read. " * 100,
    ],
)
def test_a_hint_that_is_code_is_found(hint: str) -> None:
    assert as_code(hint) and not as_code("A thread with t >= n waits, but for n == 0 or n = 0.")


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_every_question_is_about_the_students_own_figure(lab: Lab) -> None:
    asked = questions(HERE.labs / lab.name / "README.md")
    assert 3 <= len(asked) <= 5
    assert not [text for text in asked if "./lab figures" in text or "CUB" in text]
