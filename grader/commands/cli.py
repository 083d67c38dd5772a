"""The command line: the commands that exist, and the exit code of the one that runs."""

import argparse
import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import TextIO

from .. import __version__
from ..base import columns, console, process
from ..base.access import denied, is_denied
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, INFRASTRUCTURE, USAGE, LabError, report_defect
from ..base.files import to_json
from ..base.outcome import Outcome
from ..base.scratch import remove_abandoned
from ..base.text import escaped
from ..lab_file import manifest, target
from ..machine import bootstrap
from .parser import Commands, Parser, common_flags

# Each file of this room, and the commands that it declares, in the order of ./lab --help: commands
# for students, for instructors, for authors. A command's file is only read when it is needed: all
# of them together take longer to import than most commands run.
COMMANDS: dict[str, tuple[str, ...]] = {
    "standing": ("list", "next"),
    "hint": ("hint",),
    "watch": ("watch",),
    "check": ("check",),
    "why": ("why",),
    "bench": ("bench",),
    "save": ("save", "restore"),
    "reset": ("reset",),
    "submit": ("submit",),
    "upgrade": ("upgrade",),
    "run": ("run",),
    "grade": ("grade",),
    "decide": ("decide",),
    "course": ("class",),
    "release": ("release",),
    "report": ("report",),
    "plot": ("plot",),
    "figures": ("figures",),
    "doctor": ("doctor",),
    "editor": ("editor", "completion"),
    "demo": ("demo",),
    "data": ("data",),
    "cut": ("cut",),
    "new": ("new",),
    "dev": ("dev",),
    "test": ("test",),
}
# In a copy for students these say in a sentence that they cannot work; its help lists them not.
FOR_STAFF = ("decide", "course", "release", "figures", "demo", "cut", "new", "dev", "test")

TAKE_A_STAGE = ("check", "watch", "why", "hint", "bench", "reset", "restore", "class decide")


def parser(word: str | None = None, for_students: bool = False) -> argparse.ArgumentParser:
    """The command line; of the commands only `word`, if that is one, and otherwise all, or all
    that students can use."""
    made = Parser(
        prog="./lab",
        description="Staged CUDA labs and the autograder that goes with them. "
        "Without a command: where you stand and what is next.",
        epilog="Exit codes: 0 all passed, 1 some failed, 2 usage, 3 infrastructure, "
        "4 something handed in was refused.",
        parents=[common_flags(suppress=False)],
    )
    made.set_defaults(run=_status, command="status", before=None)
    made.add_argument("--version", action="version", version=f"Warpwise {__version__}")
    commands = Commands(made, "COMMAND", required=False)
    listed = [file for file in COMMANDS if not (for_students and file in FOR_STAFF)]
    for file in [file for file, names in COMMANDS.items() if word in names] or listed:
        import_module(f".{file}", __package__).add(commands)
    return made


def _status(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """`./lab` without a command."""
    from .standing import status

    return status(checkout, arguments)


def _joined(argv: list[str]) -> list[str]:
    """`-Xcompiler -O1` as one word: a value that looks like an option is none to argparse."""
    joined: list[str] = []
    for word in argv:
        if joined and joined[-1] == "-Xcompiler":
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def _of_two_words(words: list[str], checkout: Checkout) -> list[str]:
    """`check rank-sort global` as `check 01-rank-sort.global`, where a command takes LAB.STAGE."""
    names = [word for word in words if not word.startswith("-")]
    command = " ".join(names[: 2 if names[:1] == ["class"] else 1])
    if command not in TAKE_A_STAGE or len(names) < 3:
        return words
    try:
        return target.joined(manifest.discover(checkout), words)
    except LabError:  # the command itself says what is wrong
        return words


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """`./lab run` passes everything after `--` to the program unchanged."""
    end = argv.index("--") if "--" in argv else len(argv)
    return (argv[:end], argv[end + 1 :]) if "run" in argv[:end] else (argv, [])


def main(argv: Sequence[str], checkout: Checkout | None = None) -> int:
    """Run one command; returns the exit code. Every error becomes one sentence on stderr."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name need not fit the terminal's encoding
            stream.reconfigure(errors="backslashreplace")
    process.forget_interrupt()
    try:
        with _interrupted_at_once():
            code = _run(argv, checkout)
    except KeyboardInterrupt:
        code = _complain("interrupted; what was finished is kept.")
    except Exception as error:
        code = _complain(report_defect(error))
    return _flushed(code)


@contextlib.contextmanager
def _interrupted_at_once() -> Iterator[None]:
    """Ctrl-C also ends what other threads wait for. What ignores it, as below nohup, still does."""

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        process.interrupt()
        signal.default_int_handler(number, frame)

    in_main_thread = threading.current_thread() is threading.main_thread()
    known = signal.getsignal(signal.SIGINT)
    if not in_main_thread or known not in (signal.default_int_handler, signal.SIG_DFL):
        yield
        return
    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, known)


def _run(argv: Sequence[str], checkout: Checkout | None) -> int:
    own, program_arguments = _split(list(argv))
    own = _joined(own)
    if own[:1] == ["help"]:
        own = [*own[1:], "--help"]
    here = checkout or Checkout.here()
    if "_ARGCOMPLETE" in os.environ:
        from .completion import answer

        return answer(parser(None, here.is_for_students), here)
    own = _of_two_words(own, here)
    try:
        word = own[0] if own else "list"
        arguments = parser(word, here.is_for_students).parse_args(own)
        arguments.program_arguments = program_arguments
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else USAGE
    except OSError as error:  # the help could not be written
        return _unprinted(error, ALL_PASSED)
    console.set_verbose(arguments.verbose)
    try:
        remove_abandoned(here.build(backend) / name for backend in ("cpu", "gpu")
                         for name in ("submissions", "programs"))  # fmt: skip
        if arguments.before:
            arguments.before(here)
        bootstrap.ensure(here, arguments.command, list(argv))
        outcome: Outcome = arguments.run(here, arguments)
    except (LabError, OSError) as error:
        return _failed(here, error)
    return _print(outcome, arguments.json)


def _failed(checkout: Checkout, error: LabError | OSError) -> int:
    """One sentence; where this user may not write, the one that says what to set."""
    if checkout.is_closed_to(error) or checkout.is_closed_to(error.__cause__):
        try:
            checkout.require_place()
        except LabError as closed:
            return _complain(str(closed))
    if isinstance(error, LabError):
        return _complain(str(error), error.exit_code)
    if is_denied(error) and isinstance(error.filename, str):
        return _complain(escaped(denied(Path(error.filename))))
    where = f"{error.filename}: " if error.filename else ""
    return _complain(f"{where}{error.strerror or error}.")


def _complain(text: str, code: int = INFRASTRUCTURE) -> int:
    console.note(f"lab: {text}")
    return code


def _print(outcome: Outcome, as_json: bool) -> int:
    text = columns.for_stream(outcome.text, sys.stdout) + "\n" if outcome.text else ""
    try:
        print(to_json(outcome.document) if as_json else text, end="", flush=True)
    except OSError as error:
        return _unprinted(error, outcome.exit_code)
    return outcome.exit_code


def _flushed(code: int) -> int:
    """What was printed may still wait in a buffer; Python complains of it at its end."""
    try:
        if sys.stderr is not None:  # not closed by the caller
            sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)  # nobody can be told
    try:
        sys.stdout.flush()
    except OSError as error:
        return _unprinted(error, code)
    return code


def _discard(stream: TextIO) -> None:
    """What is still in the stream's buffer goes nowhere."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _unprinted(error: OSError, code: int) -> int:
    """`./lab list | head` is not an error; a full disk is."""
    _discard(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return code
    return _complain(f"the output cannot be written: {error.strerror}.")
