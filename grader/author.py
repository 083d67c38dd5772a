"""`./lab cut` and `./lab dev check`: the author's side."""

import argparse
import difflib

from . import console, machine, manifest, marks
from .checkout import Checkout
from .devcheck import Check, CheckFailed, CheckSkipped, all_checks
from .errors import ALL_PASSED, INFRASTRUCTURE, SOME_FAILED, LabError, UsageError
from .files import write_atomically
from .outcome import Outcome
from .workers import build_for_grading


def cut(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Write every lab's skeleton from its reference, or with --check say where they differ."""
    changed: list[str] = []
    text: list[str] = []
    for lab in manifest.discover(checkout):
        reference = checkout.reference / lab.name / lab.source
        if not reference.is_file():
            raise UsageError(f"reference/{lab.name}/{lab.source} is missing; write it first.")
        where = f"reference/{lab.name}/{lab.source}"
        skeleton = marks.cut(reference.read_text(encoding="utf-8"), where, lab.stage_names)
        target = checkout.labs / lab.name / lab.source
        name = f"labs/{lab.name}/{lab.source}"
        old = target.read_text(encoding="utf-8") if target.is_file() else ""
        if old == skeleton and target.is_file():
            continue
        changed.append(name)
        if arguments.check:
            text += difflib.unified_diff(
                old.splitlines(), skeleton.splitlines(), name, f"cut({where})", lineterm="", n=1
            )
        else:
            write_atomically(target, skeleton)
    if not changed:
        text.append("Every skeleton is the cut of its reference.")
    else:
        verb = "differs from the cut of its reference: run ./lab cut" if arguments.check else "cut"
        text += [f"{name}: {verb}" for name in changed]
    code = SOME_FAILED if changed and arguments.check else ALL_PASSED
    return Outcome(code, {"changed": changed}, "\n".join(text))


def dev_check(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Run every check of every lab and say which hold."""
    backend = machine.choose_backend(arguments.backend)
    checks = all_checks(checkout, backend, arguments.lab)
    results: list[dict[str, str]] = []
    built: str | None = None
    try:
        build_for_grading(checkout, backend)
    except LabError as error:
        console.note(f"lab: {error}")
        built = "the build failed"
    with console.progress("dev check") as line:
        for number, check in enumerate(checks, 1):
            line.update(f"{number} of {len(checks)}, {check.name}")
            results.append(_run(check, built))
    failed = [r for r in results if r["outcome"] != "passed" and r["outcome"] != "skipped"]
    code = SOME_FAILED if failed else ALL_PASSED
    if any(r["outcome"] == "infrastructure error" for r in results):
        code = INFRASTRUCTURE
    text = [_line(result) for result in results]
    text.append(f"{len(results) - len(failed)} of {len(results)} checks hold.")
    return Outcome(code, {"checks": results}, "\n".join(text))


def _run(check: Check, not_built: str | None) -> dict[str, str]:
    outcome, message = "passed", ""
    try:
        if check.needs_build and not_built:
            outcome, message = "infrastructure error", not_built
        else:
            message = "\n".join(check.run() or ())
    except CheckFailed as error:
        outcome, message = "failed", str(error)
    except CheckSkipped as error:
        outcome, message = "skipped", str(error)
    except LabError as error:
        outcome, message = "infrastructure error", str(error)
    return {"name": check.name, "outcome": outcome, "message": message}


def _line(result: dict[str, str]) -> str:
    words = {"passed": ("PASS", "green"), "skipped": ("SKIP", "yellow")}
    word = console.paint(*words.get(result["outcome"], ("FAIL", "red")))
    message = result["message"].replace("\n", "\n        ")
    return f"{word}  {result['name']}" + (f"\n        {message}" if message else "")
