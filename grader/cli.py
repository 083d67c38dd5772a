"""The command line: what can be said, who does it, and with which exit code it ends."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from . import bootstrap, console
from .checkout import Checkout
from .data_options import add_data
from .errors import INFRASTRUCTURE, USAGE, LabError
from .files import to_json
from .measure_options import add_bench, add_figures, seconds
from .outcome import Outcome

Command = Callable[[Checkout, argparse.Namespace], Outcome]


class _Parser(argparse.ArgumentParser):
    """Errors as one sentence, without the usage block."""

    def error(self, message: str) -> "None":  # type: ignore[override]
        print(f"{self.prog}: {message}. Try {self.prog} --help.", file=sys.stderr)
        raise SystemExit(USAGE)


def _whole(text: str) -> int:
    value = int(text)
    if not 0 <= value < 2**63:
        raise ValueError(text)
    return value


_whole.__name__ = "seed"  # argparse says: invalid seed value


def _common(suppress: bool) -> argparse.ArgumentParser:
    """The flags every command takes. As a parent they must not overwrite what stood before."""
    unset = {"default": argparse.SUPPRESS} if suppress else {}
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("common flags")
    group.add_argument("--backend", choices=("cpu", "gpu"), help="default: gpu if there is one",
                       **unset)  # fmt: skip
    group.add_argument("--json", action="store_true", help="one JSON document on stdout", **unset)
    group.add_argument("--seed", type=_whole, metavar="N", help="public seed (default 1)",
                       **(unset or {"default": 1}))  # fmt: skip
    group.add_argument("--verbose", action="store_true", help="show every command run", **unset)
    return parser


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="./lab",
        description="Staged CUDA labs and the autograder that goes with them. "
        "Without a command: where you stand and what is next.",
        epilog="Exit codes: 0 all passed, 1 some failed, 2 usage, 3 infrastructure.",
        parents=[_common(suppress=False)],
    )
    parser.set_defaults(run="student.status", command="status")
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)

    def add(name: str, run: str, help: str, to: object = commands) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = to.add_parser(  # type: ignore[attr-defined]
            name, help=help, description=help, parents=[_common(suppress=True)]
        )
        made.set_defaults(run=run, command=name)
        return made

    _add_student(add)
    _add_run(add)
    _add_instructor(add)
    add_data(add, _Parser)
    add("cut", "author.cut", "write the skeletons from the references").add_argument(
        "--check", action="store_true", help="write nothing; exit 1 where they differ"
    )
    add("new", "scaffold.new", "start a new lab: two folders of one name").add_argument(
        "name", metavar="NN-name"
    )
    dev = add("dev", "", "checks for authors")
    dev.set_defaults(run=None)
    inner = dev.add_subparsers(metavar="check", required=True, parser_class=_Parser)
    check = add("check", "author.dev_check", "prove what must hold of every lab", inner)
    check.set_defaults(command="dev check")
    check.add_argument("lab", nargs="?", metavar="LAB")
    test = add("test", "selftest.test", "every test of the kit")
    test.add_argument("--quick", action="store_true", help="leave out what takes long")
    test.add_argument("-k", dest="expression", metavar="EXPR", help="only the pytest tests EXPR")
    return parser


def _add_student(add: Callable[..., argparse.ArgumentParser]) -> None:
    add("list", "student.list_labs", "every lab and stage, with points and last verdict")
    add("next", "student.next_stage", "the first unsolved stage")
    hint = add("hint", "student.hint", "a hint for a stage")
    hint.add_argument("target", metavar="LAB.STAGE")
    hint.add_argument("--level", type=int, default=1, metavar="N", help="1 says least")
    check = add("check", "student.check", "judge your file in labs/ with the public seed")
    check.add_argument("target", nargs="?", metavar="LAB[.STAGE]")
    add_bench(add)


def _add_run(add: Callable[..., argparse.ArgumentParser]) -> None:
    run = add("run", "run_command.run", "run any CUDA program, by default on the CPU; -- ARGS")
    run.add_argument("files", nargs="+", metavar="FILE", help="a .cu file, then .cu or .cpp files")
    modes = ("check: races and more; count: requests, sectors and bank conflicts by line; "
             "asan: AddressSanitizer; lint: CUDA's language rules")  # fmt: skip
    run.add_argument("--mode", default="run", metavar="run|check|count|asan|lint", help=modes)
    orders = ("forward", "reverse", "random")
    run.add_argument("--order", choices=orders, help="of threads and blocks; --seed for random")
    run.add_argument("--time-limit", type=seconds, default=60.0, metavar="S", help="default: 60 s")
    for flag, name, value, help in (("-I", "include", "DIR", "a folder with headers"),
                                    ("-D", "define", "X[=V]", "a macro")):  # fmt: skip
        run.add_argument(flag, dest=name, action="append", default=[], metavar=value, help=help)


def _add_instructor(add: Callable[..., argparse.ArgumentParser]) -> None:
    grade = add("grade", "grade_command.run", "grade what was handed in")
    grade.add_argument("paths", nargs="+", metavar="PATH", help="a .cu file, a folder or a zip")
    grade.add_argument("--lab", help="the lab of a file with another name")
    grade.add_argument("--out", metavar="DIR", help="default: report/out/<submission>")
    grade.add_argument("--trust", action="store_true",
                       help="without a sandbox: submissions run with your own rights")  # fmt: skip
    plot = add("plot", "plot_command.run", "draw the figures again from result.json")
    plot.add_argument("lab", nargs="?", metavar="LAB")
    add_figures(add)
    add("doctor", "doctor.run", "what is missing here, and the line that installs it")
    add("demo", "demo.run", "grade the reference and a half-solved sample of every lab")


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """What stands behind `--` goes to the program of `./lab run` as it is."""
    end = argv.index("--") if "--" in argv else len(argv)
    return (argv[:end], argv[end + 1 :]) if "run" in argv[:end] else (argv, [])


def main(argv: Sequence[str], checkout: Checkout | None = None) -> int:
    """Run one command; returns the exit code. All errors become one sentence on stderr."""
    own, program_arguments = _split(list(argv))
    try:
        arguments = _parser().parse_args(own)
        arguments.program_arguments = program_arguments
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else USAGE
    console.set_verbose(arguments.verbose)
    here = checkout or Checkout.here()
    try:
        bootstrap.ensure(here, arguments.command, list(argv))
        module, _, function = arguments.run.partition(".")
        command: Command = getattr(import_module(f".{module}", __package__), function)
        outcome = command(here, arguments)
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
    except BrokenPipeError:  # `./lab list | head` is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return outcome.exit_code
