"""The room in which a submission is compiled: what a compiler needs to see of the kit, and no more.

    rank_sort.cu                 the submission
    labs/kit, labs/01-rank-sort  the shelf, and the contract with what it includes
    cpu                          CUDA on the CPU, for that backend
    compiling                    a linker script
    lib                          what the object file is linked with
    headers                      the compiler's state after CUDA's headers, on the CPU backend

It is a copy in a folder of its own, in memory if possible: a disk takes as long as the compiler.
The headers are large: a folder on the disk has second names of them, and is shown in the room.
No tests, oracle, reference or other submission is in it; a compiler outside a sandbox at least does
not stumble over them, one inside cannot find them.
The compiler runs in it under limits and in a sandbox, with nothing to write to outside: what the
steps make comes out as an archive on stdout, what they say is shortened for the student.
"""

import os
import py_compile
import re
import shlex
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import BinaryIO

from ..base import process
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..base.files import sha256
from ..base.scratch import place_in_memory, scratch_folder
from ..base.text import escaped, shortened
from ..lab_file.manifest import Lab
from ..machine.load import overload
from ..sandbox import bubblewrap, memory
from ..sandbox.bubblewrap import Sandbox

HEADERS = (".hpp", ".cuh", ".h")
NO_SOURCE = "no_lab.cu"  # what is compiled for no lab
LENT = "headers"
ROOM_BYTES = 32 << 20  # more than a room has
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@contextmanager
def furnished(
    checkout: Checkout, lab: Lab | None, source: bytes, backend: str, libraries: Iterable[Path],
    small: bool = False,
) -> Iterator[Path]:  # fmt: skip
    """A room for one compilation, readable by whatever user a sandbox runs it as.

    It is in memory if it stays `small`: without a sandbox the compiler writes to it.
    """
    try:
        with scratch_folder("room", place_in_memory(ROOM_BYTES) if small else None) as room:
            (room / LENT).mkdir()
            for file in shipped_files(checkout, lab, backend):
                place = room / _place(checkout, file)
                _copy(file, place)
                if file.suffix == ".py" and (bytecode := _bytecode(checkout, file)):
                    _copy(bytecode, Path(cache_from_source(str(place))))
            for library in libraries:
                _copy(library, room / "lib" / library.name)
            file = room / (lab.source if lab else NO_SOURCE)
            file.write_bytes(source)
            os.utime(file, (0, 0))  # for __TIMESTAMP__: the same text whenever it is compiled
            _open_to_all(room)
            yield room
    except OSError as error:
        raise InfrastructureError(
            f"cannot make a room for the compiler: {error.strerror or error}"
        ) from error


@contextmanager
def lent(headers: Sequence[Path]) -> Iterator[Path | None]:
    """A folder with second names of these files, readable as a room is; None if there are none."""
    if not headers:
        yield None
        return
    with scratch_folder(LENT) as folder:
        for header in headers:
            _lend(header, folder / header.name)
        _open_to_all(folder)
        yield folder


def shipped_files(checkout: Checkout, lab: Lab | None, backend: str) -> list[Path]:
    """The kit's files that a compilation of `lab` may read, or one of no lab."""
    files = [path for path in (checkout.labs / "kit").rglob("*") if path.suffix in HEADERS]
    files += _contract(checkout.labs / lab.name, lab.contract) if lab else []
    files += (checkout.root / "grader" / "compiling").glob("*.ld")
    if backend == "cpu":
        cpu = checkout.root / "grader" / "cpu"
        files += [cpu / "cucc.py", *(cpu / "compiler").rglob("*.py")]
        files += [path for path in (cpu / "include").rglob("*") if path.is_file()]
    return sorted(files)


def _contract(folder: Path, name: str) -> list[Path]:
    """The contract, and the files beside it that it includes."""
    found: list[Path] = []
    waiting = [folder / name]
    while waiting:
        file = waiting.pop()
        if file.is_file() and file not in found:
            found.append(file)
            included = INCLUDE.findall(file.read_text(encoding="utf-8"))
            waiting += [folder / name for name in included]
    return found


def _place(checkout: Checkout, file: Path) -> Path:
    grader = checkout.root / "grader"
    return file.relative_to(grader if file.is_relative_to(grader) else checkout.root)


def _copy(file: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, to)


def _bytecode(checkout: Checkout, file: Path) -> Path | None:
    """What Python makes of one file of the CPU backend's compiler, kept by the file's content.

    To make it again in every room takes as long as to translate a submission. Another version of
    Python there looks for another name. None if it cannot be kept: then the file alone serves.
    """
    kept = checkout.build("cpu") / "bytecode" / f"{file.stem}.{sha256(file.read_bytes())[:32]}.pyc"
    if not kept.is_file():
        with suppress(OSError, py_compile.PyCompileError):
            kept.parent.mkdir(parents=True, exist_ok=True)
            shown = str(_place(checkout, file))
            unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
            py_compile.compile(str(file), str(kept), shown, True, invalidation_mode=unchecked)
    return kept if kept.is_file() else None


def _lend(file: Path, to: Path) -> None:
    """A second name of a large file, if that is possible."""
    try:
        to.hardlink_to(file)
    except OSError:
        shutil.copyfile(file, to)


def _open_to_all(room: Path) -> None:
    """Whatever the umask is: the sandbox's user is not ours."""
    for path in (room, *room.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


CPU_SECONDS = 20  # processor time of one compiler process: decides, however busy the machine is
# Wall-clock time of all steps together, at each attempt: the machine may have been busy at the
# first one. A compiler that hangs twice does so by itself.
# The longest record takes nvcc 25 s.
ATTEMPT_SECONDS = (60.0, 60.0)
COMPILER_KIB = 6 << 20  # private memory of one compiler process, or half of a smaller machine
OUTPUT_BLOCKS = 1 << 18  # of 512 bytes: the largest file a compiler may write
MESSAGE_LINES = 12
MESSAGE_WIDTH = 400
STOPPED = re.compile("CPU time limit exceeded|signal 24|Killed|out of memory|MemoryError", re.I)
TOO_LARGE = "File size limit exceeded"
LOG = "compiler.log"  # all that was said, beside compiler.txt, which is for the student
NOT_FOR_STUDENTS = re.compile("Please submit a full bug report|See <file:")  # of g++
FAULT = re.compile("error|multiple definition|undefined reference", re.IGNORECASE)


@dataclass(frozen=True)
class Beside:
    """Steps that need nothing of each other. All end; if one fails, the compilation does."""

    steps: tuple[list[str], ...]


Steps = Sequence[list[str] | Beside]


class CompilerTimeout(Exception):
    """The compiler did not finish. Not an OSError, which would be the machine's fault."""


def run_compiler(
    folder: Path, room: Path, steps: Steps, made: tuple[str, ...], box: Sandbox | None,
    headers: Path | None = None,
) -> None:  # fmt: skip
    """Fill `folder` with the files `made` and compiler.txt. Raises CompilerTimeout."""
    out = "/tmp" if box else str(room)
    line = _shell_line(steps, out, made)
    command = box.compiler_command(room, line, headers) if box else ["/bin/sh", "-c", line]
    for seconds in ATTEMPT_SECONDS:
        with tempfile.TemporaryFile() as archive:
            finished = process.run(command, cwd=room, limit=seconds, stdout=archive,
                                   stop=memory.takes_more_than(_memory_kib() << 10))  # fmt: skip
            if finished.ok:
                _unpack(archive, made, folder)
        if not finished.timed_out:
            break
    else:
        late = f"the compiler did not finish within {seconds:g} s"
        if busy := overload():
            raise InfrastructureError(f"{late}, but the machine is too busy to tell: {busy}.")
        raise CompilerTimeout(late)
    output = escaped(finished.output)
    said = _shortened(output, room)
    if not finished.ok:
        _require_a_working_machine(finished, box)
        said = said or f"the compiler ended with exit status {finished.returncode}"
        if finished.stopped or re.search(STOPPED, output):
            said = f"the compiler was stopped: it took too much time or memory\n{said}"
        elif TOO_LARGE in output:
            said = f"the compiler was stopped: what it made of the file is too large\n{said}"
    (folder / LOG).write_text(output, encoding="utf-8")
    (folder / "compiler.txt").write_text(said, encoding="utf-8")


def _unpack(packed: BinaryIO, made: tuple[str, ...], folder: Path) -> None:
    """Take the files `made`, and nothing else, out of the archive."""
    packed.seek(0)
    with tarfile.open(fileobj=packed, mode="r|") as archive:
        for member in archive:
            if member.name in made and member.isreg() and (file := archive.extractfile(member)):
                with (folder / member.name).open("wb") as copy:
                    shutil.copyfileobj(file, copy)
    for program in (folder / name for name in made):
        if not program.suffix and program.is_file():
            program.chmod(0o755)


def _shell_line(steps: Steps, out: str, made: tuple[str, ...]) -> str:
    """All steps under limits, their words on stderr; then what they made on stdout, as an archive.

    So a compiler needs no place outside its sandbox to write to.
    """
    limits = f"ulimit -d {_memory_kib()}; ulimit -f {OUTPUT_BLOCKS}; ulimit -c 0"
    # The soft limit is a signal that the compiler's driver names; the hard one cannot be ignored.
    limits += f"; ulimit -S -t {CPU_SECONDS}; ulimit -H -t {CPU_SECONDS + 2}"
    run = " && ".join(map(_shell_step, steps))
    pack = f'tar -C "$OUT" -cf - {" ".join(made)}'
    return f"OUT={shlex.quote(out)}; {limits}; {run} && {pack}"


def _shell_step(step: list[str] | Beside) -> str:
    if isinstance(step, Beside):
        *others, last = map(_shell_step, step.steps)
        begun = "".join(f"{other} & begun{i}=$!; " for i, other in enumerate(others))
        ended = "".join(f"wait $begun{i} || failed=$?; " for i in range(len(others)))
        return f"{{ {begun}{last}; failed=$?; {ended}(exit $failed); }}"
    return " ".join(map(_word, step)) + " >&2"


@cache
def _memory_kib() -> int:
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2048
    return max(1 << 20, min(COMPILER_KIB, half))


def _word(text: str) -> str:
    return f'"{text}"' if text.startswith("$OUT/") else shlex.quote(text)


def _require_a_working_machine(finished: process.Finished, box: Sandbox | None) -> None:
    """A step that failed is the submission's fault, unless nothing could be run at all."""
    if finished.returncode == 127:
        raise InfrastructureError(f"{finished.last_line}: the compiler could not be started.")
    if box and (fault := bubblewrap.fault(box)):
        raise InfrastructureError(f"the sandbox does not come up: {fault}")


def _shortened(output: str, room: Path) -> str:
    """The first errors, with the place of the fault, without this machine's folder names."""
    for folder in (room, "/room"):
        output = output.replace(f"{folder}/", "")
    lines = [line for line in output.splitlines()
             if line.strip() and not NOT_FOR_STUDENTS.match(line)]  # fmt: skip
    first = next((i for i, line in enumerate(lines) if re.search(FAULT, line)), 0)
    return shortened("\n".join(lines[first:]), MESSAGE_LINES, MESSAGE_WIDTH)
