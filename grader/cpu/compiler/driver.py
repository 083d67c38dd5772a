"""Compiles CUDA for the CPU: preprocess | rewrite | compile, with g++ >= 12 or clang++ >= 16.

    python3 cucc.py -c FILE.cu -o OUT.o [any g++ flag]       one object file; -MD -MF work
    python3 cucc.py FILE.cu ... -o PROGRAM [any g++ flag]    also links; takes .cpp, .o, .a, -l too

    --mode MODE       check: the program watches its kernels' accesses to memory (checker/README.md)
                      count: requests, sectors and wavefronts of every line (counter/README.md)
                      asan: under AddressSanitizer, with red zones around all device memory
    --audit OUT.o     with -c: a second object file of the same text, in which every function that
                      is used has a section of its own; beside it OUT.ci lists who calls what, and
                      where there is assembly. OUT.kernels.o and OUT.kernels.plain.o are both files
                      again with the bodies that kernels run; empty if no function has two bodies
    --digest FILE     with -c: a hash of the user's text after preprocessing, and where that names
                      what is the CPU backend's own
    -arch, -lineinfo, -rdc=true and the like of nvcc change nothing; -Xcompiler A,B gives A and B to
                      the C++ compiler
    --cccl DIR        headers of CCCL: thrust, cuda::std, cuda::atomic
                      (include/cuda_on_cpu/cccl.hpp)
    --threads         no kernel becomes a loop over the threads of a block (loops/)
    --rules off       the rules about host and device are not checked (language.py); they are for
                      g++, and nvcc's --extended-lambda and --expt-relaxed-constexpr are known
    --unseen refuse   where accesses are watched, what the compiler does not announce is an error
                      (unseen.py)
    --runtime PATH    libcuda_on_cpu.a; without it the runtime is built once, into a cache folder;
                      the library of any mode except run is beside it
    --keep-headers DIR    with -c: keeps what --headers takes
    --headers DIR     the compiler does not read CUDA's headers again (kept_headers.py); the other
                      words are those of --keep-headers
    --prepare         builds what every program needs of the mode's libraries into the cache folder
    CXX               environment variable: the compiler, g++ by default

Exit code 2: the command line or the CUDA text is invalid; 1: the compiler refused.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from . import alignments, device_side, kept_headers, options, wide_vectors
from .audit import Audit
from .includes import NO_MARKERS, own_marker
from .inlining import with_overloads
from .language import Rules
from .loops import with_loops
from .modes import MODES
from .options import Command, Flags, UsageError, compiler
from .processes import CompileError, run, run_and_move, succeeds, written_at_once
from .rewrite import Unit, announce_headers, announce_scopes, translate, with_own_memory
from .runtime_library import REST_NAME, cached_library
from .tokens import BYTES, RewriteError, digest, place_of_own_name, tokenize
from .unseen import LISTINGS, ODD_FILE, ODD_NAME, find_unseen

INCLUDE = Path(__file__).resolve().parents[1] / "include"
# The same program on every system: Ubuntu's g++ replaces calls of the C library by others that look
# at sizes, and touches every page of a stack before a function begins.
_SAME_EVERYWHERE = ["-U_FORTIFY_SOURCE", "-fno-stack-clash-protection"]
DEFAULT_FLAGS = ["-std=c++20", "-O2", "-g", *_SAME_EVERYWHERE]
_LINKED_AS_IS = (".o", ".a", ".so")


def compile_object(source: str | Path, output: str | Path, flags: list[str] | None = None) -> None:
    """Compiles one source. `output` appears only if everything succeeds.

    Raises CompileError, RewriteError or UsageError.
    """
    command = options.parse([*(flags or []), str(source)])
    _compile(Path(source), Path(output), command)


def link_program(
    inputs: list[str | Path],
    output: str | Path,
    flags: list[str] | None = None,
    runtime: str | Path | None = None,
) -> None:
    """Compiles the sources among `inputs` and links a program. Raises as compile_object does."""
    names = [str(name) for name in inputs]
    command = options.parse([*(flags or []), *names])
    _link(names, Path(output), replace(command, runtime=str(runtime or command.runtime or "")))


def _of_toolkit(text: str) -> str:
    """The first header of a CUDA toolkit that preprocessed text contains, or "". Debian's toolkit
    has them where every compiler looks, and they define CUDA's words in their own way."""
    if not (found := re.search(r'^# 1 "([^"\n]*/)crt/host_defines\.h"', text, re.MULTILINE)):
        return ""
    first = re.search(rf'^# 1 "{re.escape(found[1])}([^"\n]*)"', text, re.MULTILINE)
    return first[1] if first else ""


def preprocess_and_rewrite(
    source: Path, output: Path, flags: Flags, cccl: bool = False, heap: bool = False
) -> Unit:
    """The C++ text of a .cu file; `output` is the target that a dependency file names."""
    if line := own_marker(source.read_bytes()):
        raise RewriteError(f"{source}:{line}: {NO_MARKERS}")
    cuda = ["-D__CUDACC__=1", "-include", "cuda_runtime.h"]
    given = options.for_preprocessor(flags)
    dependencies = options.dependency_flags(flags, str(output), str(output.with_suffix(".d")))
    if options.for_nvcc(flags) & options.EXTENDED_LAMBDA:
        cuda += ["-include", "functional"]  # as nvcc does: with it come std::max({a, b}) and more
    if cccl:
        cuda += ["-include", "cuda_on_cpu/cccl.hpp"]
    if heap:  # in no graded program, where assembly is refused
        cuda += ["-include", "cuda_on_cpu/local_array.hpp"]
        cuda += ["-include", "cuda_on_cpu/host_function.hpp"]
    own = [*DEFAULT_FLAGS, "-isystem", str(INCLUDE)]  # before a library's headers
    command = [*compiler(), "-x", "c++", *own, *given, *cuda, "-E", str(source)]
    text = run([*command, *dependencies], capture=True)
    if header := _of_toolkit(text):
        print(f"{source}: fatal error: {header}: No such file or directory", file=sys.stderr)
        raise CompileError(1)
    sides: tuple[str, ...] = ()
    if device_side.is_asked_for(text) and not any(device_side.WORD in flag for flag in given):
        other = subprocess.run([*command, device_side.DEFINED], capture_output=True, check=False,
                               encoding="utf-8", errors=BYTES)  # fmt: skip
        if other.returncode == 0:
            sides = (text, other.stdout)
            text = device_side.joined(*sides)
    unit = translate(text, options.is_instrumented(flags), options.is_watched(flags), heap)
    if not sides:
        return unit
    names = (place_of_own_name(tokenize(side)) for side in sides)  # joined() adds one of the kit's
    alone = device_side.joined(*sides, alone=True)
    kernels = "" if alone == text else translate(alone).text
    return replace(unit, own_name=next(filter(None, names), ""), kernels=kernels)


def _compile(source: Path, output: Path, command: Command) -> None:
    if not source.is_file():
        raise UsageError(f"{source}: no such file")
    with written_at_once(output, 0o666) as temporary:
        if source.suffix == ".cu":
            _compile_cuda(source, output, temporary, command)
        else:
            flags = [*command.flags, *MODES[command.mode].flags(compiler(), False)]
            given = ["-isystem", str(INCLUDE), *options.for_preprocessor(flags)]
            run([*compiler(), *DEFAULT_FLAGS, *given, "-c", str(source), "-o", temporary])


def _compile_cuda(source: Path, output: Path, temporary: str, command: Command) -> None:
    flags = [*command.flags, *MODES[command.mode].flags(compiler(), True)]
    if command.rules and command.mode != "asan":  # runtime/threads/device_assert.cpp
        flags.append(["-fsanitize=return"])
    # A worker, which needs no rules, is linked for the counter as well, which has no such heap.
    heap = command.mode == "check" and command.rules
    unit = preprocess_and_rewrite(source, output, flags, bool(command.cccl), heap)
    if command.digest:
        said = f"{digest(unit.tokens)} {unit.own_name}".rstrip()
        Path(command.digest).write_text(said, encoding="utf-8", errors=BYTES)
    if heap and "clang" not in compiler()[0] and wide_vectors.are_pointed_to(unit.tokens):
        flags.append([wide_vectors.FLAG])
    flags_of_nvcc = options.for_nvcc(command.flags)
    rules = Rules(unit, flags_of_nvcc, bool(command.audit)) if command.rules else None
    audit = Audit(unit, command.audit, rules, partial(_with_headers, command, "audit"))
    to_cpp = [*compiler(), "-x", "c++-cpp-output", *DEFAULT_FLAGS]
    plain = [*to_cpp, *options.for_compiler(flags)]
    text_of = partial(_text_to_compile, command, plain)
    try:
        with audit.beside([*to_cpp, *options.for_audit(command.flags)]):
            made = [*plain, "-c", "-", "-o", temporary]
            is_listed = options.is_watched(flags) and "clang" not in compiler()[0]
            unseen = _compile_unit(made, text_of, unit, is_listed, _other_form(command, flags))
        if not command.refuses_unseen:
            unseen = ""
        elif ODD_FILE.search("".join(unit.tokens)):
            unseen = f"{source}: {ODD_NAME}"
    finally:
        broken = audit.tell()
    if unseen:
        print(unseen, file=sys.stderr)
    if broken or unseen:
        raise CompileError(1)


def _other_form(command: Command, flags: Flags) -> Callable[[Unit], Unit | None]:
    """What is compiled in a unit's place if it can be: the kit's own text must cost no mark."""
    if command.mode == "run" and not command.threads:
        return with_loops
    if command.mode == "check" and not command.rules and options.is_checked(flags):
        return with_own_memory
    return lambda unit: None


def _compile_unit(
    command: list[str],
    text_of: Callable[[Unit], str],
    unit: Unit,
    is_listed: bool,
    other: Callable[[Unit], Unit | None],
) -> str:
    """Returns what the compiler does not announce, and where, if it lists what it made. What
    `other` makes of the unit is compiled instead if it can be."""
    if not is_listed:
        run_and_move(command, text_of, unit, other(unit))
        return ""
    with tempfile.TemporaryDirectory() as folder:
        made = (*LISTINGS, alignments.LISTING)
        listings = [Path(folder) / str(number) for number, _ in enumerate(made)]
        flags = [flag.format(path) for flag, path in zip(made, listings, strict=True)]
        again: Unit | None = unit
        unseen = ""
        while again:
            run_and_move([*command, *flags], text_of, again, other(again))
            listing, symbols, classes = (one.read_text(errors="replace") for one in listings)
            unseen = find_unseen(listing, symbols)
            again = with_overloads(again, listing) if unseen else None
        alignments.add_alignments(command[-1], classes, listing)
    return unseen


def _text_to_compile(command: Command, compile_it: list[str], unit: Unit) -> str:
    checks_libraries = command.mode == "check" and bool(command.cccl)
    announced = command.refuses_unseen or checks_libraries
    text = announce_headers(unit.text) if announced else unit.text
    if checks_libraries:
        text = announce_scopes(text)
    return _with_headers(command, command.mode, compile_it, text)


def _with_headers(command: Command, name: str, compile_it: list[str], text: str) -> str:
    """`text`, for the compilation with this name, as it is to be compiled."""
    if command.keep_headers:
        kept_headers.keep(Path(command.keep_headers), name, compile_it, text)
    return kept_headers.shortened(text, command.headers, name)


def _libraries(
    runtime: str | Path | None, beside: Path, mode: str, whole: bool = True
) -> list[str]:
    """What a program is linked with. Without `whole`, the runtime's rest only if it is there."""
    try:
        library = (Path(runtime) if runtime
                   else cached_library(compiler(), beside, mode, whole=whole))  # fmt: skip
    except subprocess.CalledProcessError as error:
        raise CompileError(error.returncode) from error
    if not library.is_file():
        raise UsageError(f"{library}: no such file; --runtime needs the path of libcuda_on_cpu.a")
    added = [library.with_name(MODES[mode].library)] if MODES[mode].library else []
    if added and not added[0].is_file():
        raise UsageError(f"{added[0]}: no such file; --mode {mode} needs it beside the runtime")
    rest = library.with_name(REST_NAME)  # the kit's own build has one library of everything
    return [str(path) for path in (*added, *([rest] if rest.is_file() else []), library)]


def _link(inputs: list[str], output: Path, command: Command) -> None:
    flags, mode = command.flags, MODES[command.mode]
    with (
        ThreadPoolExecutor() as beside,  # the first program of all waits for the kit's libraries
        tempfile.TemporaryDirectory() as folder,
        written_at_once(output, 0o777) as temporary,
    ):
        kit = beside.submit(_libraries, command.runtime, output.parent, command.mode, False)
        if command.runtime:
            kit.result()  # nothing to build: a wrong path is told before anything is compiled
        objects = []
        for number, name in enumerate(inputs):
            if Path(name).suffix in _LINKED_AS_IS:
                objects.append(name)
            else:
                objects.append(f"{folder}/{number}.o")
                _compile(Path(name), Path(objects[-1]), command)
        start = [*compiler(), *options.for_linker(flags), *mode.all, *mode.link, *objects]
        end = [*options.libraries(flags), "-pthread", "-o", temporary]
        libraries = kit.result()
        if not command.runtime and not any(REST_NAME in library for library in libraries):
            if succeeds([*start, *libraries, *end]):
                return
            libraries = _libraries(None, output.parent, command.mode)
        run([*start, *libraries, *end])


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 2
    try:
        command = options.parse(arguments)
        if command.prepare:
            _libraries(None, Path(), command.mode, whole=False)
        elif command.only_compile:
            source = Path(command.inputs[0])
            output = Path(command.output or source.with_suffix(".o").name)
            _compile(source, output, command)
        else:
            _link(command.inputs, Path(command.output or "a.out"), command)
    except RewriteError as error:  # as a compiler says it, so that who reads those finds the line
        print(re.sub(r"^(.*?:\d+): ", r"\1: error: ", str(error), count=1), file=sys.stderr)
        return 2
    except UsageError as error:
        print(f"cucc: {error}", file=sys.stderr)
        return 2
    except CompileError as error:
        return error.code
    except (MemoryError, RecursionError):
        print("cucc: out of memory: the source is too large or too deep", file=sys.stderr)
        return 2
    return 0
