"""`./lab run`: compiles any CUDA program for the CPU or the GPU, and runs it in the caller's
folder."""

import argparse
import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, SOME_FAILED, UsageError
from ..base.outcome import Outcome
from ..base.scratch import scratch_folder
from ..compiling import outside
from ..cpu.compiler.modes import MODES
from ..cpu.compiler.options import OLD_STANDARD
from ..machine import hardware
from ..programs import execution, lint, program
from ..programs.program import Request
from ..study import compiler_words
from .parser import Commands, seconds

KNOWN_MODES = (*MODES, "lint")
COUNTERS = "WARPWISE_COUNT_JSON"  # where a program of mode count writes its counters
CUDA, CPP = (".cu",), (".cpp", ".cc", ".cxx")
NO_MAIN = "undefined reference to `main'"  # the linker's words
UNDEFINED = re.compile(r"undefined reference to `([^']+)'")
RULES = ("--extended-lambda", "--expt-relaxed-constexpr")  # they change what nvcc accepts
NVCC_FLAGS = ("extended-lambda", "expt-relaxed-constexpr", "lineinfo", "use_fast_math", "G", "g")
MOST_LINES = 40  # of what the compiler said
STATUS_WITH_FINDINGS = 86  # exit status of a program whose checker reported something
FINDING = re.compile(r"^warpwise: ([a-z]+): (.+)$", re.MULTILINE)


def add(commands: Commands) -> None:
    made = commands.add("run", run, "run any CUDA program, by default on the CPU; -- ARGS")
    made.add_argument("files", nargs="+", metavar="FILE", help="a .cu file, then .cu or .cpp files")
    modes = ("check: races and more; count: requests, sectors and bank conflicts by line; "
             "asan: AddressSanitizer; lint: CUDA's language rules")  # fmt: skip
    made.add_argument("--mode", default="run", metavar="run|check|count|asan|lint", help=modes)
    orders = ("forward", "reverse", "random")
    made.add_argument("--order", choices=orders, help="of threads and blocks; --seed for random")
    made.add_argument("--time-limit", type=seconds, default=60.0, metavar="S", help="default: 60 s")
    for flag, name, value, help in (("-I", "include", "DIR", "a folder with headers"),
                                    ("-D", "define", "X[=V]", "a macro"),
                                    ("-O", "optimise", "LEVEL", "how much to optimise"),
                                    ("-f", "option", "NAME", "as in -fopenmp"),
                                    ("-l", "library", "NAME", "a library, as in -lm"),
                                    ("-L", "folder", "DIR", "a folder with libraries"),
                                    ("-std", "std", "NAME", "as in -std=c++17"),
                                    ("-Xcompiler", "host", "FLAGS", "for g++")):  # fmt: skip
        made.add_argument(flag, dest=name, action="append", default=[], metavar=value, help=help)
    for flag in NVCC_FLAGS:
        made.add_argument(f"--{flag}", f"-{flag}", dest="nvcc", action="append_const",
                          const=f"--{flag}", default=[], help="a flag of nvcc")  # fmt: skip
    for flag in ("-arch", "-gencode", "-rdc", "-maxrregcount"):
        made.add_argument(flag, dest="gpu_code", action="append", help=argparse.SUPPRESS)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Exit code: the program's; 1 if it does not compile, does not end, or has findings."""
    mode = arguments.mode
    _check_files(arguments.files)
    _check_mode(mode, arguments)
    folders = [*arguments.include, *_of_lab(checkout, arguments.files)]
    flags = [word for name in folders for word in ("-I", name)]
    flags += [f"-D{name}" for name in arguments.define]
    if mode == "lint":
        return _lint(checkout, arguments, flags)
    flags += _other_flags(arguments)
    backend = hardware.choose_backend("gpu") if arguments.backend == "gpu" else "cpu"
    request = Request(tuple(arguments.files), tuple(flags), backend, mode)
    built = program.build(checkout, request)
    if not arguments.json:
        _tell(arguments, built)
    document = _document(arguments, backend, built.message)
    if not built.program:
        return Outcome(SOME_FAILED, document, "")
    command = [str(built.program), *arguments.program_arguments]
    with scratch_folder() as folder:
        counters = folder / "counters.json"
        wanted = {COUNTERS: str(counters)} if mode == "count" and arguments.json else {}
        with _told_if_long(arguments, backend):
            ended = execution.run(command, {**_order(arguments), **wanted}, arguments.time_limit,
                                  arguments.json)  # fmt: skip
        document |= _ending(ended)
        if counters.is_file():  # there is none if a signal ended the program
            document["counters"] = json.loads(counters.read_text(encoding="utf-8"))
    return Outcome(_exit_code(arguments, ended), document, "")


def _of_lab(checkout: Checkout, files: list[str]) -> list[str]:
    """Where a lab's file finds its contract and the shelf; no other program looks there."""
    found: list[str] = []
    for path in (Path(name).resolve() for name in files):
        for room in (checkout.labs, checkout.reference):
            if path.is_relative_to(room) and path.parent != room:
                lab = checkout.labs / path.relative_to(room).parts[0]
                found += [str(lab), str(checkout.labs / "kit")]
    return list(dict.fromkeys(found))


def _other_flags(arguments: argparse.Namespace) -> list[str]:
    """What goes to the compiler besides -I and -D, in its own words."""
    flags = [f"-O{level}" for level in arguments.optimise]
    flags += [f"-std={name}" for name in arguments.std]
    flags += [f"-L{name}" for name in arguments.folder]
    flags += [f"-l{name}" for name in arguments.library]
    flags += [name for name in arguments.nvcc if name in RULES or arguments.backend == "gpu"]
    host = [f"-f{name}" for name in arguments.option]
    host += [word for words in arguments.host for word in words.split(",")]
    if arguments.backend == "gpu":
        return flags + [f"-Xcompiler={name}" for name in host]
    return flags + host


def _tell(arguments: argparse.Namespace, built: program.Built) -> None:
    """Why there is no program; of a program its compiler's warnings, once."""
    if not built.program:
        console.note(_refusal(arguments, built.message))
    elif built.is_new:
        for flag in _other_flags(arguments) if arguments.backend != "gpu" else ():
            if re.fullmatch(OLD_STANDARD, flag):
                console.note(f"warning: {flag}: the CPU backend compiles as C++20; with a GPU, "
                             "nvcc keeps to the older standard")  # fmt: skip
        for name in arguments.files:
            text = Path(name).read_text(encoding="utf-8", errors="replace")
            for line in compiler_words.warnings(built.message, name, text):
                console.note(f"warning: {line}")


def from_first_error(lines: list[str]) -> list[str]:
    """Without the warnings before it; where it is, comes a line or more before it."""
    at = next((i for i, line in enumerate(lines) if re.search(r": (fatal )?error: ", line)), 0)
    warned = (i for i in range(at) if re.search(r": (warning|note): ", lines[i]))
    before = max(warned, default=-1)
    starts = (i for i in range(before + 1, at) if re.match(r"\S", lines[i]))
    return lines[next(starts, at) :]


def _refusal(arguments: argparse.Namespace, message: str) -> str:
    """One sentence where there is one, or the first error; otherwise the beginning of what the
    compiler said."""
    first = arguments.files[0]
    if NO_MAIN in message:
        return (f"lab: {first}: has no main(). ./lab check judges a lab's file; to run it, write a "
                f'file beside it with #include "{Path(first).name}" and a main().')
    if arguments.backend != "gpu" and (left_out := outside.sentence(message)):
        return f"lab: {first}: {left_out}"
    if arguments.backend != "gpu" and not arguments.verbose:
        if said := _first_error(message) or _undefined(arguments.files, message):
            return said
    lines = from_first_error(message.rstrip().splitlines())
    more = [f"... and {len(lines) - MOST_LINES} more lines; begin with the first error."]
    return "\n".join(lines[:MOST_LINES] + (more if len(lines) > MOST_LINES else []))


def _first_error(message: str) -> str:
    """In the columns of the user's own text, and without the templates that a launch becomes."""
    first = next((one for one in compiler_words.parse(message) if one.kind != "warning"), None)
    if not first or not Path(first.file).is_file() or "/cpu/include/" in first.file:
        return ""
    text = Path(first.file).read_text(encoding="utf-8", errors="replace")
    said = compiler_words.errors(message, first.file, text)
    if any(line.endswith("often causes the others.") for line in said):
        said.append("--verbose shows all that the compiler said.")
    return "\n".join(said)


def _undefined(files: list[str], message: str) -> str:
    """Of a program in several files of which only some were given."""
    found = UNDEFINED.search(message)
    if not found:
        return ""
    name = found[1].partition("(")[0].split("::")[-1]
    if name.startswith(("omp_", "GOMP_")):
        return f"lab: {files[0]}: uses {found[1]}, a function of OpenMP: add -fopenmp."
    beside = (path for path in sorted(Path(files[0]).parent.iterdir())
              if path.suffix in CUDA + CPP and str(path) not in files)  # fmt: skip
    defines = re.compile(rf"\b{re.escape(name)}\s*\([^;{{}}]*\)[^;{{}}]*{{")
    other = next((path for path in beside
                  if defines.search(path.read_text(encoding="utf-8", errors="replace"))), None)
    more = f"./lab run {' '.join(files)} {other or 'OTHER.cu'}"
    return (f"lab: {files[0]}: uses {found[1]}, and no given file defines it. Name the file that "
            f"does, too: {more}; or a library, -l NAME.")  # fmt: skip


def _check_files(files: list[str]) -> None:
    for name in files:
        if Path(name).suffix not in CUDA + CPP:
            raise UsageError(
                f"{name} is not a CUDA source: give a .cu file, then .cu or .cpp files."
            )
        if not Path(name).is_file():
            raise UsageError(f"{name}: no such file; give the path of a .cu file.")
    if not any(Path(name).suffix in CUDA for name in files):
        raise UsageError(f"{files[0]} is not a CUDA source: at least one file must be a .cu file.")


def _check_mode(mode: str, arguments: argparse.Namespace) -> None:
    if mode not in KNOWN_MODES:
        names = f"{', '.join(KNOWN_MODES[:-1])} or {KNOWN_MODES[-1]}"
        raise UsageError(f"mode {mode} is unknown; use {names}.")
    if arguments.backend == "gpu" and (mode != "run" or arguments.order):
        raise UsageError("--mode and --order need the CPU backend; leave out --backend gpu.")


def _order(arguments: argparse.Namespace) -> dict[str, str]:
    if not arguments.order:
        return {}
    return {"WARPWISE_ORDER": arguments.order, "WARPWISE_SEED": str(arguments.seed)}


@contextmanager
def _told_if_long(arguments: argparse.Namespace, backend: str) -> Iterator[None]:
    """To a person at a terminal: one line beside the program's own output, if it takes long."""
    mode = f" in mode {arguments.mode}" if arguments.mode != "run" else ""
    text = (f"lab: {arguments.files[0]} is running on the {backend.upper()}{mode}; it is ended "
            f"after {arguments.time_limit:g} s (--time-limit).")  # fmt: skip
    timer = threading.Timer(console.QUIET_SECONDS, console.note, [text])
    timer.daemon = True
    if sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _exit_code(arguments: argparse.Namespace, ended: execution.Ended) -> int:
    """Also prints what the exit code alone does not tell."""
    name = arguments.files[0]
    if ended.timed_out:
        console.note(f"lab: {name} did not end within {arguments.time_limit:g} s.")
        return SOME_FAILED
    watched = arguments.mode != "run"
    if ended.status < 0:
        number, known = -ended.status, ended.signal
        because = execution.ENDED_BY.get(known, "it did not end normally") if known else ""
        title = known.name if known else "unnamed"
        console.note(f"lab: {name} was ended by signal {number} ({title}): {because}.")
        return SOME_FAILED if watched else 128 + number  # as in a shell
    return SOME_FAILED if watched and ended.status == STATUS_WITH_FINDINGS else ended.status


def _document(arguments: argparse.Namespace, backend: str, said: str) -> dict[str, Any]:
    """The same keys for every outcome; what did not happen is null."""
    return {"files": arguments.files, "mode": arguments.mode, "backend": backend,
            "compiler": said, "exit_status": None, "signal": None, "timed_out": None,
            "seconds": None, "findings": [], "counters": None,
            "stdout": None, "stderr": None}  # fmt: skip


def _ending(ended: execution.Ended) -> dict[str, Any]:
    findings = [{"kind": kind, "text": text}
                for kind, text in FINDING.findall(ended.stderr or "")]  # fmt: skip
    died = ended.status < 0
    return {"exit_status": None if died else ended.status,
            "signal": ended.signal.name if ended.signal else None,
            "timed_out": ended.timed_out, "seconds": ended.seconds, "findings": findings,
            "stdout": ended.stdout, "stderr": ended.stderr}  # fmt: skip


def _lint(checkout: Checkout, arguments: argparse.Namespace, flags: list[str]) -> Outcome:
    files = [name for name in arguments.files if Path(name).suffix in CUDA]
    with console.progress(f"reading {files[0]} with CUDA's language rules"):
        reports = [lint.lint(checkout, name, flags) for name in files]
    said = "".join(report.message for report in reports)
    findings = [{"kind": "language", "text": text}
                for report in reports for text in report.findings]  # fmt: skip
    if not arguments.json and said:
        console.note(said.rstrip())
    document = _document(arguments, "cpu", said) | {"findings": findings}
    text = "" if findings else f"{', '.join(files)}: no violation of CUDA's language rules."
    return Outcome(SOME_FAILED if findings else ALL_PASSED, document, text)
