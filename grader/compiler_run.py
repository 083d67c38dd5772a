"""Running a compiler in its room: under limits, in a sandbox, and with nothing to write to outside.

What the steps make comes out as an archive on stdout; what they say is shortened for the student.
"""

import re
import shlex
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import BinaryIO

from . import process, sandbox
from .errors import InfrastructureError
from .sandbox import Sandbox

COMPILER_SECONDS = 60.0
COMPILER_KIB = 6 << 20  # private memory of one compiler process
OUTPUT_BLOCKS = 1 << 19  # of 512 bytes: the largest file a compiler may write
ATTEMPTS = 2  # the machine may have been busy; a compiler that hangs twice does so by itself
MESSAGE_LINES = 12
LOG = "compiler.log"  # all that was said, beside compiler.txt, which is for the student
FAULT = re.compile("error|multiple definition|undefined reference", re.IGNORECASE)


def run_compiler(
    folder: Path, room: Path, steps: list[list[str]], made: tuple[str, ...], box: Sandbox | None
) -> None:
    """Fill `folder` with the files `made` and compiler.txt. Raises TimeoutError."""
    out = "/tmp" if box else str(room)
    line = _shell_line(steps, out, made)
    command = box.compiler_command(room, line) if box else ["/bin/sh", "-c", line]
    for _ in range(ATTEMPTS):
        with tempfile.TemporaryFile() as archive:
            finished = process.run(command, cwd=room, limit=COMPILER_SECONDS, stdout=archive)
            if finished.ok:
                _unpack(archive, made, folder)
        if not finished.timed_out:
            break
    else:
        raise TimeoutError(f"the compiler did not finish within {COMPILER_SECONDS:g} s")
    said = _shortened(finished.output, room)
    if not finished.ok:
        _require_a_working_machine(finished, box)
        said = said or f"the compiler ended with exit status {finished.returncode}"
    (folder / LOG).write_text(finished.output, encoding="utf-8")
    (folder / "compiler.txt").write_text(said, encoding="utf-8")


def _unpack(packed: BinaryIO, made: tuple[str, ...], folder: Path) -> None:
    """Take the files `made`, and nothing else, out of the archive."""
    packed.seek(0)
    with tarfile.open(fileobj=packed, mode="r|") as archive:
        for member in archive:
            if member.name in made and member.isreg() and (file := archive.extractfile(member)):
                with (folder / member.name).open("wb") as copy:
                    shutil.copyfileobj(file, copy)
    (folder / "worker").chmod(0o755)


def _shell_line(steps: list[list[str]], out: str, made: tuple[str, ...]) -> str:
    """All steps under limits, their words on stderr; then what they made on stdout, as an archive.

    So a compiler needs no place outside its sandbox to write to.
    """
    limits = f"ulimit -d {COMPILER_KIB}; ulimit -f {OUTPUT_BLOCKS}; ulimit -c 0"
    run = " && ".join(" ".join(map(_word, step)) + " >&2" for step in steps)
    names = 'nm -g "$OUT"/*.o >"$OUT/symbols"' if "symbols" in made else "true"
    pack = f'tar -C "$OUT" -cf - {" ".join(made)}'
    return f"OUT={shlex.quote(out)}; {limits}; {run} && {names} && {pack}"


def _word(text: str) -> str:
    return f'"{text}"' if text.startswith("$OUT/") else shlex.quote(text)


def _require_a_working_machine(finished: process.Finished, box: Sandbox | None) -> None:
    """A step that failed is the submission's fault, unless nothing could be run at all."""
    if finished.returncode == 127:
        raise InfrastructureError(f"{finished.last_line}: the compiler could not be started.")
    if box and (fault := sandbox.fault(box)):
        raise InfrastructureError(f"the sandbox does not come up: {fault}")


def _shortened(output: str, room: Path) -> str:
    """The first errors, where the fault stands, without this machine's folder names."""
    for folder in (room, "/room"):
        output = output.replace(f"{folder}/", "")
    lines = [line for line in output.splitlines() if line.strip()]
    first = next((i for i, line in enumerate(lines) if re.search(FAULT, line)), 0)
    return "\n".join(lines[first : first + MESSAGE_LINES])
