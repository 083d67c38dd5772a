"""Whether the kit's own parts are built, decided by one look at the files instead of a build tool.

A build tool takes a second to say that there is nothing to do. Each command asks, so each command
would wait. The stamp is a hash of names, sizes and times of everything that a build reads and of
what it has made. It is taken of what is read before the build begins: an edit in the meantime makes
the next build.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from ..base.checkout import Checkout
from ..base.errors import LabError
from ..base.files import named_files, sha256_of_files, to_json, write_atomically
from ..machine import hardware

READ = (".cpp", ".hpp", ".h", ".cuh", ".cu", ".py", ".cmake", ".txt", ".ld", ".toml")
DRIVER = "grader/cpu"  # no other Python takes part: without it a copied folder is not built anew
# A student's own file in labs/ is no part of the kit, nor are the tests' programs.
ROOMS = ("grader", "labs", "datasets", "report/figures")
IGNORED = {"__pycache__", "tests", "gallery"}
MADE = ("bin", "lib")


def inputs(checkout: Checkout) -> str:
    """A hash of the names, sizes and times of what a build reads."""
    return _hash(checkout.root, _read(checkout))


def reading(checkout: Checkout) -> tuple[str, str]:
    """What a build that begins now reads: inputs(), and a hash of names and contents alone."""
    return inputs(checkout), sha256_of_files(_read(checkout), checkout.root)


def _read(checkout: Checkout) -> list[Path]:
    root = checkout.root
    paths = [path for room in ROOMS for path in _files(root / room) if _is_read(root, path)]
    paths += [root / "CMakeLists.txt", root / "CMakePresets.json"]
    compilers = [shutil.which("g++"), hardware.find_nvcc(), shutil.which("cmake")]
    paths += [Path(compiler).resolve() for compiler in compilers if compiler]
    return [path for path in paths if path.is_file()]


def is_current(checkout: Checkout, backend: str, target: str) -> bool:
    """Whether nothing has changed since keep() was called for this target. What another target has
    added in the meantime does not matter."""
    try:
        kept = json.loads(_file(checkout, backend, target).read_text(encoding="utf-8"))
        files = [checkout.build(backend) / name for name in kept["files"]]
        if [inputs(checkout), _hash(checkout.made, files)] == [kept["inputs"], kept["outputs"]]:
            return True
        read, made = reading(checkout), sha256_of_files(files, checkout.made)
        if [read[1], made] != [kept["read"], kept["made"]]:
            return False
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    keep(checkout, backend, target, read)  # a copied or moved folder: only names and times differ
    return True


def is_kept(checkout: Checkout, backend: str, target: str) -> bool:
    """Whether this target was built before, here or where this copy comes from."""
    return _file(checkout, backend, target).is_file()


def keep(checkout: Checkout, backend: str, target: str, read: tuple[str, str]) -> None:
    """Remember a finished build of what `read`, made by reading(), stands for.

    A stamp that cannot be written costs the next command a second, and nothing else.
    """
    made, folder = _outputs(checkout, backend), checkout.build(backend)
    document = {"inputs": read[0], "outputs": _hash(checkout.made, made), "read": read[1],
                "made": sha256_of_files(made, checkout.made),
                "files": [str(path.relative_to(folder)) for path in made]}  # fmt: skip
    try:
        write_atomically(_file(checkout, backend, target), to_json(document))
    except LabError:
        return


def _file(checkout: Checkout, backend: str, target: str) -> Path:
    return checkout.build(backend) / f"{target}.stamp"


def outputs(checkout: Checkout, backend: str) -> str:
    """A hash of the names, sizes and times of what all builds for `backend` have made."""
    return _hash(checkout.made, _outputs(checkout, backend))


def _outputs(checkout: Checkout, backend: str) -> list[Path]:
    return [path for name in MADE for path in _files(checkout.build(backend) / name)]


def _is_read(root: Path, path: Path) -> bool:
    if path.suffix == ".cu":
        return not path.is_relative_to(root / "labs")  # it is the student's
    if path.suffix == ".py":
        return path.is_relative_to(root / DRIVER)
    return path.suffix in READ


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in IGNORED]
        yield from (Path(place, name) for name in names)


def _hash(base: Path, paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for name, path in named_files(paths, base):
        try:
            status = path.stat()
        except FileNotFoundError:  # a link that leads nowhere, or removed just now
            continue
        digest.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
