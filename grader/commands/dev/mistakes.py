"""`./lab dev mistakes`: records how wrong files fail, so that `check` can name likely causes."""

import argparse

from ...authoring import mistakes
from ...base import console
from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED, SOME_FAILED
from ...base.outcome import Outcome
from ...base.text import counted
from ...judging.workers import build_for_grading
from ...lab_file import manifest
from ...study.causes import FILE
from ..parser import Commands, with_references


def add(dev: Commands) -> None:
    made = dev.add("mistakes", run, "record how wrong files fail", setup="dev check",
                   before=with_references("dev mistakes grades the wrong files"))
    made.add_argument("lab", nargs="?", metavar="LAB")
    made.add_argument("--again", action="store_true",
                      help="also files that are recorded: after a change of the lab's tests")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Exit code 1 if a wrong file left no trace, so that nobody can recognise its mistake."""
    labs = manifest.discover(checkout)
    chosen = [manifest.find(labs, arguments.lab)] if arguments.lab else labs
    build_for_grading(checkout, "cpu")
    lines: list[str] = []
    document: dict[str, dict[str, object]] = {}
    for lab in chosen:
        with console.progress(f"{lab.name}: wrong files") as line:
            count, silent = mistakes.record(checkout, lab, line.update, arguments.again)
        document[lab.name] = {"recorded": count, "silent": silent}
        lines.append(f"labs/{lab.name}/{FILE}: {counted(count, 'mistake')}")
        lines += [f"  no trace of {name}" for name in silent]
    missing = any(one["silent"] for one in document.values())
    return Outcome(SOME_FAILED if missing else ALL_PASSED, document, "\n".join(lines))
