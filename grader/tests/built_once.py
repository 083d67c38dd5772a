"""Programs of the tests, compiled once for all test processes and kept while nothing changes.

pytest-xdist runs several processes, each with its own session fixtures. Without this, each of them
would compile every program again.
"""

import fcntl
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.base.files import sha256, sha256_of_files
from grader.compiling.build import built_runtime
from grader.cpu.compiler import runtime_library

CHECKOUT = Checkout.here()
# What every program of the CPU backend is made from, besides its own source.
COMPILER = ("grader/cpu/compiler", "grader/cpu/include", "labs/kit")


def runtime(mode: str, compiler: str = "g++") -> Path:
    """libcuda_on_cpu.a with the library of `mode` beside it, as `./lab run` finds or builds it."""
    if compiler == "g++" and (built := built_runtime(CHECKOUT, mode)):
        return built
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(CHECKOUT.build("cpu")))
        return runtime_library.cached_library([compiler], CHECKOUT.build("cpu"), mode)


def files_below(folders: Iterable[str]) -> list[Path]:
    """Every file that somebody wrote below `folders`, which are relative to the checkout."""
    return [
        path
        for folder in folders
        for path in (CHECKOUT.root / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]


def built_once(
    name: str,
    sources: Iterable[Path],
    library: Path,
    settings: object,
    make: Callable[[Path], None],
) -> Path:
    """The file `name` that `make(path)` makes, or a process made earlier from the same content."""
    libraries = sorted(library.parent.glob("*.a"))  # the runtime changes where it is
    inputs = [*sources, *files_below(COMPILER), *libraries]
    key = sha256_of_files(inputs, CHECKOUT.root) + str(library) + repr(settings)
    folder = CHECKOUT.build("cpu") / "tests"
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / sha256(key.encode())[:24]
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            fresh = Path(tempfile.mkdtemp(dir=folder))
            try:
                make(fresh / name)
                fresh.rename(made)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
    return made / name
