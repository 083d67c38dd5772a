"""Gradescope: a results.json for each hand-in, and an autograder zip that hands them out.

Source: gradescope/autograder_samples, docs/specs.md. Gradescope's machines have no GPU, so grading
is done elsewhere: the zip looks up the result of exactly the file that was handed in.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

from ..base.text import escaped, singular
from .grade import Grade, Policy

SETUP = """\
#!/bin/sh
# Nothing to install: run_autograder needs Python alone.
command -v python3 >/dev/null || { apt-get update && apt-get install -y python3; }
"""
RUN = '''\
#!/usr/bin/env python3
"""Hands out what the course's own machine found for exactly this student's file."""

import hashlib
import json
import pathlib

ROOT = pathlib.Path("/autograder")


def lookup() -> object:
    users = json.loads((ROOT / "submission_metadata.json").read_text())["users"]
    for path in sorted(p for p in (ROOT / "submission").rglob("*") if p.is_file()):
        data = path.read_bytes().removeprefix(b"\\xef\\xbb\\xbf")
        for user in users:
            words = f"{user['email'].casefold()} {hashlib.sha256(data).hexdigest()}"
            name = hashlib.sha256(words.encode()).hexdigest()
            result = ROOT / "source" / "results" / f"{name}.json"
            if result.is_file():
                return json.loads(result.read_text())
    return None


def main() -> None:
    try:
        found = lookup()
    except (OSError, ValueError, KeyError, TypeError):
        found = None
    said = "This file is not graded yet. The course grades in batches; 0 stands for no grade."
    waiting = {"score": 0, "output": said, "output_format": "text"}
    target = ROOT / "results" / "results.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(found or waiting))


main()
'''
EXCUSED = "You are excused: this lab does not count. 0 stands for no grade."
TIME = (1980, 1, 1, 0, 0, 0)  # of every file in the zip: equal results give equal bytes


def results(document: Mapping[str, Any], grade: Grade, policy: Policy) -> dict[str, Any]:
    """results.json of one hand-in, for students: staff's notes are not in it."""
    points = policy.points(grade)
    output = EXCUSED if grade.is_excused else grade.feedback
    if why := policy.why_blank(grade):
        output = f"No grade yet: {why}.\n{output}".rstrip()
    made: dict[str, Any] = {
        "score": points if points is not None else 0,
        "execution_time": round(document["seconds"]),
        "output": output,
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": [test for number, stage in enumerate(document["stages"], 1)
                  for test in _tests(number, stage) if not grade.is_excused],
        "extra_data": {"warpwise": {"schema": document["schema"], "lab": document["lab"],
                                    "sha256": document["submission"]["sha256"],
                                    "graded": points is not None}},
    }  # fmt: skip
    return made


def of_another(counting: Mapping[str, Any], attempt: int) -> dict[str, Any]:
    """results.json of an attempt that does not count, from that of the one that does: whichever
    of them Gradescope has active, the student's score is the mark."""
    said = f"Attempt {attempt} counts, not this file. This is its grade:"
    return {**counting, "output": f"{said}\n{counting['output']}", "tests": []}


def _tests(number: int, stage: Mapping[str, Any]) -> list[dict[str, Any]]:
    points = stage["points"]
    made = [_test(f"{number}.1", f"{stage['name']}: correct", points["correct"],
                  stage["verdict"] if not stage["message"]
                  else f"{stage['verdict']}: {singular(stage['message'])}")]  # fmt: skip
    others = [("speed", points["fast"])] if points["fast"] else []
    others += [(counter["counter"], counter) for counter in points["counters"]]
    for extra, (name, part) in enumerate(others, 2):
        text = part["reason"] + (f"\n{part['advice']}" if part.get("advice") else "")
        made.append(_test(f"{number}.{extra}", f"{stage['name']}: {name}", part, text))
    return made


def _test(number: str, name: str, part: Mapping[str, Any], output: str) -> dict[str, Any]:
    """An open part has no score: Gradescope shows it as a remark."""
    made = {"number": number, "name": name, "output": escaped(output), "output_format": "text",
            "visibility": "visible"}  # fmt: skip
    if part["earned"] is None:
        return {**made, "name": f"{name} (open)"}
    status = "passed" if part["earned"] == part["possible"] else "failed"
    return {**made, "score": part["earned"], "max_score": part["possible"], "status": status}


def name_of(email: str, sha256: str) -> str:
    """Under which a student's result lies in the zip: by the address and the file's hash."""
    return hashlib.sha256(f"{email.casefold()} {sha256}".encode()).hexdigest()


def autograder(found: Iterable[tuple[str, Mapping[str, Any]]]) -> bytes:
    """The zip to upload, from pairs of name_of() and results()."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "setup.sh", SETUP, 0o755)
        _add(archive, "run_autograder", RUN, 0o755)
        for name, document in sorted(found, key=lambda pair: pair[0]):
            text = json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False)
            _add(archive, f"results/{name}.json", text, 0o644)
    return made.getvalue()


def _add(archive: zipfile.ZipFile, name: str, text: str, mode: int) -> None:
    entry = zipfile.ZipInfo(name, TIME)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, text.encode())


