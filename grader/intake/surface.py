"""What surrounds a submission's object file: the worker's own parts and the system's libraries.

It is read once from the libraries that the object file is linked with, and kept in the build folder
as long as they do not change. What the CPU backend offers
is what its headers declare: they alone give their functions default visibility, and everything
else in its library is hidden.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..base import process
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError, LabError
from ..base.files import to_json, write_atomically
from ..lab_file.manifest import Lab
from .elf import GLOBAL, UNDEFINED, UNIQUE, WEAK, BadObject, ObjectFile, read_archive, read_shared
from .vocabulary import is_common

SYSTEM_LIBRARIES = ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1")
PRINT_SECONDS = 20.0

# cudart's documented functions, and what nvcc writes for launches and variables.
CUDA = re.compile(r"cuda[A-Z]\w*")
NOT_CUDA = re.compile(
    r"cudaGetExportTable|cudaGetDriverEntryPoint\w*|cudaIpc\w*|cudaImportExternal\w*|"
    r"cudaDestroyExternal\w*|cudaExternalMemory\w*|cudaMemPool(?:Import|Export)\w*|cudaGraphics\w*|"
    r"cudaLibraryLoad\w*|cudaLogs\w*|cudaCoredump\w*"
)
NVCC = frozenset("""
    __cudaRegisterFatBinary __cudaRegisterFatBinaryEnd __cudaUnregisterFatBinary
    __cudaRegisterFunction __cudaRegisterVar __cudaRegisterManagedVar __cudaInitModule
    __cudaPushCallConfiguration __cudaPopCallConfiguration __cudaLaunchKernel
    __cudaLaunchKernel_ptsz __cudaGetKernel
""".split())  # fmt: skip
CHECKER = re.compile(
    r"__tsan_(?:(?:unaligned_|volatile_|unaligned_volatile_)?(?:read|write)\w*|"
    r"vptr_\w+|atomic\d+_\w+|atomic_\w+|func_entry|func_exit|init|mem\w+)|"
    r"__ubsan_handle_(?:shift_)?out_of_bounds|__x86_indirect_thunk_r\w+"
)

# Of every mode: where a function may come to its end without its value, it calls the runtime.
RUNTIME = frozenset({"__ubsan_handle_missing_return"})


@dataclass(frozen=True)
class Surface:
    """Names by what they are to a submission. `entries` are the contract's functions."""

    backend: str
    mode: str
    entries: frozenset[str]
    offered: frozenset[str]  # by the CPU backend's headers
    missing: frozenset[str]  # what the worker's parts take from elsewhere
    strong: frozenset[str]  # what they define
    weak: frozenset[str]  # ... as templates and inline functions are
    system: frozenset[str]  # what the system's libraries define

    def offers(self, name: str) -> bool:
        """Whether a submission may ask for `name`."""
        if self.backend == "gpu":
            cuda = name in NVCC or (CUDA.fullmatch(name) and not NOT_CUDA.fullmatch(name))
        else:
            cuda = name in self.offered or name in RUNTIME
        checker = self.mode == "check" and CHECKER.fullmatch(name)
        return bool(cuda or checker) or name in self.entries or is_common(name)


def surface_of(checkout: Checkout, lab: Lab, backend: str, mode: str = "run") -> Surface:
    """What a submission to `lab` meets. Raises InfrastructureError."""
    libraries = tuple(checkout.worker_libraries(backend, lab.name, mode))
    stamps = tuple(path.stat().st_mtime_ns for path in libraries)
    return _surface(libraries, stamps, checkout.build(backend) / "surfaces", backend, mode)


@cache
def _surface(
    libraries: tuple[Path, ...], _: tuple[int, ...], folder: Path, backend: str, mode: str
) -> Surface:
    """Asked once for all submissions, as long as nobody builds the libraries anew."""
    entries = next((path.stem for path in libraries if path.suffixes[:1] == [".entries"]), "none")
    names = _kept(folder / f"{entries}.{mode}.json", libraries, lambda: (_read(libraries), ()))
    compiler = Path(shutil.which("g++") or "g++").resolve()
    system = _kept(folder / "system.json", (compiler,), _system_names)
    sets = {kind: frozenset(found) for kind, found in {**names, **system}.items()}
    return Surface(backend, mode, **sets)


Names = dict[str, list[str]]


def _kept(
    file: Path, sources: Iterable[Path], read: Callable[[], tuple[Names, Iterable[Path]]]
) -> Names:
    """What `read` returns, from `file` as long as `sources`, and the files that `read` adds to
    them, have the same sizes and times."""
    with suppress(OSError, ValueError, KeyError, AttributeError):
        kept = json.loads(file.read_text(encoding="utf-8"))
        files = kept["read"]
        if files.keys() >= set(map(str, sources)) and files == _stamps(map(Path, files)):
            found: Names = kept["names"]
            return found
    names, more = read()
    with suppress(OSError, LabError):  # then the next process reads again
        file.parent.mkdir(exist_ok=True)
        document = {"read": _stamps([*sources, *more]), "names": names}
        write_atomically(file, to_json(document))
    return names


def _stamps(paths: Iterable[Path]) -> dict[str, list[int]]:
    statuses = {str(path): path.stat() for path in paths}
    return {path: [status.st_size, status.st_mtime_ns] for path, status in statuses.items()}


def _read(libraries: tuple[Path, ...]) -> Names:
    """The names of a worker's own parts."""
    by_file = {path.name: _archive(path) for path in libraries}
    members = [member for file in by_file.values() for member in file]
    runtime = by_file.get("libcuda_on_cpu.a", [])
    asked = {symbol.name: symbol.binding for file in members for symbol in file.asked}
    strong = _defined(members, weak=False)
    weak = _defined(members, weak=True)
    entries = {symbol.name for path, file in by_file.items() if path.endswith(".entries.a")
               for member in file for symbol in member.asked if symbol.binding == WEAK}  # fmt: skip
    offered = {symbol.name for file in runtime for symbol in file.defined
               if symbol.binding == GLOBAL and not symbol.hidden}  # fmt: skip
    return {"entries": sorted(entries), "offered": sorted(offered),
            "missing": sorted(asked.keys() - strong - weak - entries),
            "strong": sorted(strong), "weak": sorted(weak - strong)}  # fmt: skip


def _defined(members: list[ObjectFile], weak: bool) -> set[str]:
    return {symbol.name for file in members for symbol in file.defined
            if (symbol.binding in (WEAK, UNIQUE)) == weak}  # fmt: skip


def _archive(path: Path) -> list[ObjectFile]:
    try:
        return read_archive(path)
    except BadObject as error:
        raise InfrastructureError(f"{path.name}: {error}; build the kit again.") from error


def _system_names() -> tuple[Names, list[Path]]:
    """What the C and C++ libraries define: a program's own function would take its place there.

    Returns also the libraries.
    """
    names: set[str] = set()
    paths: list[Path] = []
    for library in SYSTEM_LIBRARIES:
        command = ["g++", f"-print-file-name={library}"]
        path = Path(process.run(command, limit=PRINT_SECONDS).last_line)
        if not path.is_file():
            raise InfrastructureError(f"{library} was not found, so names cannot be checked.")
        try:
            symbols = read_shared(path).symbols
        except BadObject as error:
            raise InfrastructureError(f"{path}: {error}.") from error
        names.update(symbol.name for symbol in symbols if symbol.section != UNDEFINED)
        paths.append(path)
    return {"system": sorted(names)}, paths
