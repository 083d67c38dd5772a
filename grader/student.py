"""The student's day: where you stand, what is next, a hint, a check of your own file."""

import argparse
import json
from typing import Any

from . import console, figures, machine, manifest, sandbox
from .checkout import Checkout
from .errors import ALL_PASSED, UsageError
from .files import sha256, to_json, write_atomically
from .grade import grade
from .manifest import Lab, Stage
from .order import Order, Seed
from .outcome import Outcome, exit_code
from .report_table import table
from .result import Result
from .submission import read_source
from .verdict import PASSED
from .workers import build_for_grading

Progress = dict[str, dict[str, str]]  # stage -> {"verdict", "sha256" of the file then}


def check(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Judge the files in labs/ with the public seed and remember the verdicts.

    A whole lab that is named is timed as well, for its figure; one stage, or all labs, are not.
    """
    labs = manifest.discover(checkout)
    targets: list[tuple[Lab, Stage | None]] = [(lab, None) for lab in labs]
    if arguments.target:
        targets = [manifest.find_target(labs, arguments.target)]
    backend = machine.choose_backend(arguments.backend)
    sources = [read_source(checkout.labs / lab.name / lab.source) for lab, _ in targets]
    build_for_grading(checkout, backend)
    results: list[Result] = []
    for (lab, stage), source in zip(targets, sources, strict=True):
        stages = (stage,) if stage else lab.stages
        seed = Seed(arguments.seed)
        timed = bool(arguments.target) and stage is None
        order = Order(lab, "labs", source, backend, seed, stages, sandbox.for_own_file(), timed)
        result = grade(checkout, order)
        folder = checkout.out / "check" / lab.name
        result.write(folder)
        if timed:
            figures.draw_if_possible(result.document(), folder)
        _remember(checkout, result)
        results.append(result)
    documents = [result.document() for result in results]
    where = f"Results: {checkout.shown(checkout.out / 'check')}"
    text = "\n".join([*map(table, documents), where])
    return Outcome(exit_code(results), {"results": documents, "refused": []}, text)


def _progress_file(checkout: Checkout, lab: str) -> Any:
    return checkout.out / "check" / lab / "progress.json"


def _remember(checkout: Checkout, result: Result) -> None:
    progress = _recall(checkout, result.lab)
    for stage in result.stages:
        progress[stage.name] = {"verdict": stage.verdict, "sha256": result.submission.sha256}
    write_atomically(_progress_file(checkout, result.lab), to_json(progress))


def _recall(checkout: Checkout, lab: str) -> Progress:
    """What `check` last said of each stage; nothing if it never ran or its file is damaged."""
    try:
        known = json.loads(_progress_file(checkout, lab).read_text(encoding="utf-8"))
        return {str(k): {"verdict": str(v["verdict"]), "sha256": str(v["sha256"])}
                for k, v in known.items()}  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def standing(checkout: Checkout) -> list[dict[str, Any]]:
    """Every lab with its stages, points and last verdict (null: never checked)."""
    return [_lab_standing(checkout, lab) for lab in manifest.discover(checkout)]


def _lab_standing(checkout: Checkout, lab: Lab) -> dict[str, Any]:
    progress = _recall(checkout, lab.name)
    file = checkout.labs / lab.name / lab.source
    now = sha256(file.read_bytes()) if file.is_file() else ""
    return {
        "name": lab.name,
        "title": lab.title,
        "source": f"labs/{lab.name}/{lab.source}",
        "stages": [
            {
                "name": stage.name,
                "title": stage.title,
                "points": {
                    "correct": stage.correct,
                    "fast": stage.fast,
                    "counters": sum(rule.points for rule in stage.counters),
                },
                "verdict": progress.get(stage.name, {}).get("verdict"),
                "edited_since": progress.get(stage.name, {}).get("sha256", now) != now,
            }
            for stage in lab.stages
        ],
    }


def list_labs(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Every lab and stage with points and the last verdict."""
    labs = standing(checkout)
    lines: list[str] = []
    for lab in labs:
        passed = sum(stage["verdict"] == PASSED for stage in lab["stages"])
        head = console.paint(f"{lab['name']}  {lab['title']}", "bold")
        lines.append(f"{head}  {passed} of {len(lab['stages'])} stages  {lab['source']}")
        lines += [_stage_line(number, stage) for number, stage in enumerate(lab["stages"], 1)]
    return Outcome(ALL_PASSED, {"labs": labs}, "\n".join(lines))


def _stage_line(number: int, stage: dict[str, Any]) -> str:
    verdict = stage["verdict"] or "not checked yet"
    if stage["edited_since"]:
        verdict += " (before your last edit)"
    points = sum(stage["points"].values())
    colour = "green" if stage["verdict"] == PASSED else "dim"
    name = f"{number} {stage['name']}"
    return f"  {name:<16} {points:>4g} points  {console.paint(verdict, colour)}"


def _next(labs: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The first stage in order that has not passed."""
    for lab in labs:
        for stage in lab["stages"]:
            if stage["verdict"] != PASSED:
                return lab, stage
    return None


def next_stage(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Name the first unsolved stage, its file, and the two commands for it."""
    found = _next(standing(checkout))
    if found is None:
        return Outcome(ALL_PASSED, {"next": None}, "Every stage of every lab has passed.")
    lab, stage = found
    target = f"{lab['name']}.{stage['name']}"
    line = _line_of_stage(checkout, lab, stage["name"])
    document = {
        "next": {"lab": lab["name"], "stage": stage["name"], "title": stage["title"],
                 "file": lab["source"], "line": line, "verdict": stage["verdict"]}
    }  # fmt: skip
    place = f"{lab['source']}:{line}" if line else lab["source"]
    text = (
        f"Next: {console.paint(target, 'bold')} - {stage['title']}\n"
        f"  edit   {place}\n"
        f"  check  ./lab check {target}\n"
        f"  hint   ./lab hint {target}"
    )
    return Outcome(ALL_PASSED, document, text)


def _line_of_stage(checkout: Checkout, lab: dict[str, Any], stage: str) -> int | None:
    file = checkout.root / lab["source"]
    if not file.is_file():
        return None
    text = file.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        if "// BEGIN STAGE" in line and f" {stage}:" in line:
            return number
    return None


def status(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Bare `./lab`: one line a lab, then what is next."""
    labs = standing(checkout)
    lines = []
    for lab in labs:
        passed = sum(stage["verdict"] == PASSED for stage in lab["stages"])
        bar = "#" * passed + "." * (len(lab["stages"]) - passed)
        lines.append(f"{lab['name']:<16} [{bar}] {passed}/{len(lab['stages'])}  {lab['title']}")
    following = next_stage(checkout, arguments)
    return Outcome(
        ALL_PASSED, {"labs": labs, **following.document}, "\n".join([*lines, "", following.text])
    )


def hint(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """One hint; each level says more than the one before."""
    lab, stage = manifest.find_target(manifest.discover(checkout), arguments.target)
    if stage is None:
        raise UsageError(f"name a stage as well: ./lab hint {lab.name}.{lab.stages[0].name}")
    level, levels = arguments.level, len(stage.hints)
    if not 1 <= level <= levels:
        raise UsageError(f"{lab.name}.{stage.name} has hints of level 1 to {levels}.")
    document = {"lab": lab.name, "stage": stage.name, "level": level, "of": levels,
                "hint": stage.hints[level - 1]}  # fmt: skip
    text = f"Hint {level} of {levels} for {lab.name}.{stage.name}: {stage.hints[level - 1]}"
    if level < levels:
        text += f"\nMore: ./lab hint {lab.name}.{stage.name} --level {level + 1}"
    return Outcome(ALL_PASSED, document, text)
