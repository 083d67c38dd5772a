"""`./lab dev check`: proves what must be true of every lab."""

import argparse

from ...authoring.devcheck import Check, all_checks
from ...authoring.shape import CheckFailed, CheckSkipped
from ...base import console
from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED, INFRASTRUCTURE, SOME_FAILED, LabError
from ...base.outcome import Outcome
from ...judging.workers import build_for_grading
from ...machine import hardware
from ..parser import Commands, with_references


def add(dev: Commands) -> None:
    check = dev.add("check", run, "prove what must be true of every lab", setup="dev check",
                    before=with_references("dev check compares labs with their references"))
    check.add_argument("lab", nargs="?", metavar="LAB")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Run every check of every lab, or of one lab, and report which hold."""
    backend = hardware.choose_backend(arguments.backend)
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
            results.append(_judged(check, built))
    failed = [r for r in results if r["outcome"] != "passed" and r["outcome"] != "skipped"]
    code = SOME_FAILED if failed else ALL_PASSED
    if any(r["outcome"] == "infrastructure error" for r in results):
        code = INFRASTRUCTURE
    text = [_line(result) for result in results]
    text.append(f"{len(results) - len(failed)} of {len(results)} checks hold.")
    return Outcome(code, {"checks": results}, "\n".join(text))


def _judged(check: Check, not_built: str | None) -> dict[str, str]:
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
