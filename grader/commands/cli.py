"""The command line: the commands that exist, and the exit code of the one that runs."""

import argparse
import os
import sys
from collections.abc import Sequence

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import INFRASTRUCTURE, USAGE, LabError
from ..base.files import to_json
from ..base.outcome import Outcome
from ..machine import bootstrap
from . import (
    bench,
    check,
    cut,
    data,
    demo,
    dev_check,
    doctor,
    figures,
    grade,
    hint,
    new,
    plot,
    run,
    standing,
    test,
)
from .parser import Commands, Parser, common_flags

# In the order of ./lab --help: commands for students, for instructors, for authors.
COMMANDS = (
    standing.add_list,
    standing.add_next,
    hint.add,
    check.add,
    bench.add,
    run.add,
    grade.add,
    plot.add,
    figures.add,
    doctor.add,
    demo.add,
    data.add,
    cut.add,
    new.add,
    dev_check.add,
    test.add,
)


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    made = Parser(
        prog="./lab",
        description="Staged CUDA labs and the autograder that goes with them. "
        "Without a command: where you stand and what is next.",
        epilog="Exit codes: 0 all passed, 1 some failed, 2 usage, 3 infrastructure.",
        parents=[common_flags(suppress=False)],
    )
    made.set_defaults(run=standing.status, command="status")
    commands = Commands(made, "COMMAND", required=False)
    for add in COMMANDS:
        add(commands)
    return made


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """`./lab run` passes everything after `--` to the program unchanged."""
    end = argv.index("--") if "--" in argv else len(argv)
    return (argv[:end], argv[end + 1 :]) if "run" in argv[:end] else (argv, [])


def main(argv: Sequence[str], checkout: Checkout | None = None) -> int:
    """Run one command; returns the exit code. Every error becomes one sentence on stderr."""
    own, program_arguments = _split(list(argv))
    try:
        arguments = parser().parse_args(own)
        arguments.program_arguments = program_arguments
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else USAGE
    console.set_verbose(arguments.verbose)
    here = checkout or Checkout.here()
    try:
        bootstrap.ensure(here, arguments.command, list(argv))
        outcome: Outcome = arguments.run(here, arguments)
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"lab: {error.filename or ''}: {error.strerror or error}.", file=sys.stderr)
        return INFRASTRUCTURE
    except KeyboardInterrupt:
        print("lab: interrupted; what was finished is kept.", file=sys.stderr)
        return INFRASTRUCTURE
    return _print(outcome, arguments.json)


def _print(outcome: Outcome, as_json: bool) -> int:
    try:
        text = outcome.text + "\n" if outcome.text else ""
        print(to_json(outcome.document) if as_json else text, end="", flush=True)
    except BrokenPipeError:  # `./lab list | head` is not an error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return outcome.exit_code
