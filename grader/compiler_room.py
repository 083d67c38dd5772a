"""The room in which a submission is compiled: what a compiler needs to see of the kit, and no more.

    rank_sort.cu                 the submission
    labs/kit, labs/01-rank-sort  the shelf, and the contract with what it includes
    cpu                          CUDA on the CPU, for that backend
    lib                          what the object file is linked with

It is a copy in a folder of its own. No tests, oracle, reference or other submission is in it; a
compiler outside a sandbox at least does not stumble over them, one inside cannot find them.
"""

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .checkout import Checkout
from .errors import InfrastructureError
from .manifest import Lab

HEADERS = (".hpp", ".cuh", ".h")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@contextmanager
def furnished(
    checkout: Checkout, lab: Lab, source: bytes, backend: str, libraries: Iterable[Path]
) -> Iterator[Path]:
    """A room for one compilation, readable by whatever user a sandbox runs it as."""
    room = Path(tempfile.mkdtemp(prefix="warpwise-room."))
    try:
        for file in shipped_files(checkout, lab, backend):
            _copy(file, room / _place(checkout, file))
        for library in libraries:
            _copy(library, room / "lib" / library.name)
        (room / lab.source).write_bytes(source)
        _open_to_all(room)
        yield room
    except OSError as error:
        raise InfrastructureError(
            f"cannot make a room for the compiler: {error.strerror or error}"
        ) from error
    finally:
        shutil.rmtree(room, ignore_errors=True)


def shipped_files(checkout: Checkout, lab: Lab, backend: str) -> list[Path]:
    """The kit's files that a compilation of `lab` may read."""
    files = [path for path in (checkout.labs / "kit").rglob("*") if path.suffix in HEADERS]
    files += _contract(checkout.labs / lab.name, lab.contract)
    if backend == "cpu":
        cpu = checkout.root / "grader" / "cpu"
        files += cpu.glob("*.py")
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


def _open_to_all(room: Path) -> None:
    """Whatever the umask is: the sandbox's user is not ours."""
    for path in (room, *room.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
