"""The compiler as a process: how it is run, what it says in the user's columns, what it leaves."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .inlining import without_refused
from .options import UsageError
from .own_columns import FLAGS, FLAGS_OF_CLANG, SAID, OwnColumns, drawn
from .rewrite import Unit
from .tokens import BYTES, readable

# variables.py writes the word.
_COMPUTED = re.compile(r"‘constinit’ variable ‘([^’]*)’ does not have a constant initializer")
_NOT_COMPUTED = (
    r"variable ‘\1’ of the device has an initialiser that is computed when the program runs: it "
    r"must be a constant"
)
# shared.py writes the name.
_OF_TWO_TYPES = re.compile(r"(conflicting declaration ‘[^’]*?)extern__shared__([^’]*’)")
_ONE_TYPE = (
    r"\1\2: dynamic shared memory of one name has one type in a file: give one of them another name"
)


class CompileError(Exception):
    """The compiler refused; it wrote the reason to stderr."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the compiler ended with code {code}")
        self.code = code


def run(command: list[str], capture: bool = False) -> str:
    stdout = subprocess.PIPE if capture else None
    done = subprocess.run(command, stdout=stdout, check=False, encoding="utf-8", errors=BYTES)
    return _succeeded(done)


def run_and_move(
    command: list[str], text_of: Callable[[Unit], str], unit: Unit, tried: Unit | None = None
) -> None:
    """What the compiler says gets the columns of the user's text. If `tried` compiles, that is what
    is made. What the compiler says is of `unit` nevertheless."""
    if tried:
        done = _compiled(command, text_of(tried))
        if done.returncode == 0 and not SAID.search(done.stderr):
            sys.stderr.write(done.stderr)
            return
        if done.returncode == 0:
            command = [*command, "-o", os.devnull]
    again: Unit | None = unit
    while again:
        unit = again
        done = _compiled(command, text_of(unit))
        again = without_refused(unit, done.stderr) if done.returncode else None
    _tell(done, unit)
    _succeeded(done)


def _compiled(command: list[str], text: str) -> subprocess.CompletedProcess[str]:
    shown = FLAGS_OF_CLANG if "clang" in Path(command[0]).name else FLAGS
    return subprocess.run([*command, *shown], input=text, stderr=subprocess.PIPE, check=False,
                          encoding="utf-8", errors=BYTES)  # fmt: skip


def _tell(done: subprocess.CompletedProcess[str], unit: Unit) -> None:
    said = _COMPUTED.sub(_NOT_COMPUTED, readable(done.stderr.encode(errors=BYTES)))
    said = _OF_TWO_TYPES.sub(_ONE_TYPE, said).replace("extern__shared__", "")
    sys.stderr.write(drawn(OwnColumns(unit).moved(said), unit))


def _succeeded(done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode != 0:
        raise CompileError(done.returncode if done.returncode > 0 else 1)
    return done.stdout or ""


@contextmanager
def written_at_once(output: Path, mode: int) -> Iterator[str]:
    """A temporary file beside `output` that replaces it if the block succeeds. A device or pipe
    gets what was written: who replaces /dev/null takes it from everybody."""
    is_special = output.exists() and not output.is_file()
    folder = None if is_special else output.parent
    try:
        handle, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=folder)
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error
    os.close(handle)
    try:
        yield name
        if is_special:
            output.write_bytes(Path(name).read_bytes())
            return
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, mode & ~mask)
        os.replace(name, output)
    finally:
        Path(name).unlink(missing_ok=True)


def succeeds(command: list[str]) -> bool:
    """Whether a command does its work; if not, what it says of that is nobody's."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
