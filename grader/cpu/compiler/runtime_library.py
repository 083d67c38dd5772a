"""Builds libcuda_on_cpu.a and the library of the requested mode, once, and keeps them in a cache
folder. This is for programs that are built without CMake.

The first `./lab run` of a clone waits for the runtime. What few programs use is therefore a library
of its own, the rest, which the first program that needs it waits for."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .modes import MODES, Mode

HERE = Path(__file__).resolve().parents[1]  # of include/, runtime/, checker/, counter/, asan/
FLAGS = [  # no -g: a third of the time, for lines that nobody sees; warnings are for CMake's build
    "-std=c++20",
    "-w",
    f"-I{HERE / 'include'}",
    f"-I{HERE / 'runtime'}",
]
# The first program of all waits for these libraries. Hot is what runs at every access, wait or
# launch (hot.txt): -O1 takes a third less time than -O2, and checking and counting are at most a
# tenth slower. But a function that only calls another one must not return itself: a thread that
# waited comes back where the processor does not expect it, once for each such return, and kernels
# full of barriers took 1.6 times as long. For the rest -Og takes a fifth less than -O1, and a tenth
# less again where the compiler does not look for memory that it could use again.
QUICK = ("-O1", "-foptimize-sibling-calls")
COLD = ("-Og", "--param=ggc-min-heapsize=1000000", "--param=ggc-min-expand=1000")
ALONE = "context.cpp"  # a separate object, because libcuda_on_cpu_asan.a replaces it
NAME = "libcuda_on_cpu.a"
RUNTIME = Mode("runtime", NAME)
# No other file of the runtime may refer to one of these. If one does, every program needs the rest,
# and a test says so.
REST_NAME = "libcuda_on_cpu_rest.a"
REST = Mode("runtime", REST_NAME)
OF_REST = ("array_api", "capture_api", "counters", "graph_api", "graph_order", "graph_update",
           "inverse_normal", "kernel_registry", "lent_memory", "sampling", "surface", "texture",
           "tile")  # fmt: skip
_PARTS = [RUNTIME, *(mode for mode in MODES.values() if mode.library)]


def cached_library(
    compiler: list[str], beside: Path, mode: str = "run", *, whole: bool = True
) -> Path:
    """The library for these sources and this compiler, in $XDG_CACHE_HOME/warpwise or beside the
    program; the mode's library is next to it, and, if the `whole` is asked for, the rest. Raises
    CalledProcessError if the compiler refuses; the compiler wrote the reason to stderr."""
    base = os.environ.get("XDG_CACHE_HOME")
    cache = Path(base) / "warpwise" if base else beside / ".warpwise-cache"
    folder = cache / _key(compiler)
    folder.mkdir(parents=True, exist_ok=True)
    parts = [RUNTIME, *([MODES[mode]] if MODES[mode].library else []), *([REST] if whole else [])]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda part: _build(compiler, part, folder / part.library), parts))
    return folder / NAME


def _key(compiler: list[str]) -> str:
    digest = hashlib.sha256(" ".join([*compiler, *FLAGS, *QUICK, *COLD, *_hot()]).encode())
    folders = [HERE / "include", *(HERE / part.folder for part in _PARTS)]
    files = [path for folder in folders for path in folder.rglob("*.[hc]*")]
    for path in sorted(files):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _hot() -> list[str]:
    """The files that are compiled for speed, relative to this folder and without suffix."""
    lines = (HERE / "hot.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def _build(compiler: list[str], part: Mode, archive: Path) -> None:
    """Builds in a temporary folder first: whoever is interrupted leaves no half library. Another
    process that wants the same one waits for it."""
    if archive.is_file():
        return
    with archive.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if archive.is_file():
            return
        with tempfile.TemporaryDirectory(dir=archive.parent) as work:
            _build_archive(compiler, _leveled(sorted(_sources(part))), Path(work), archive)


def _sources(part: Mode) -> list[Path]:
    sources = [*(HERE / part.folder).rglob("*.cpp"), *(HERE / name for name in part.borrowed)]
    if part not in (RUNTIME, REST):
        return sources
    return [source for source in sources if (source.stem in OF_REST) == (part is REST)]


Leveled = tuple[tuple[str, ...], list[Path]]  # flags, and files to compile as one with them


def _leveled(sources: list[Path]) -> list[Leveled]:
    """The files of a level are compiled as one, because they share their headers; the same files on
    every machine: the names in two files may be one name, which is an error only if they are
    joined."""
    names = _hot()
    alone = [source for source in sources if source.name == ALONE]
    hot = [source for source in sources if source not in alone
           and source.relative_to(HERE).with_suffix("").as_posix() in names]  # fmt: skip
    cold = [source for source in sources if source not in (*alone, *hot)]
    return [each for each in ((QUICK, hot), (COLD, cold), (QUICK, alone)) if each[1]]


def _build_archive(compiler: list[str], batches: list[Leveled], work: Path, archive: Path) -> None:
    objects = [f"{work / batch[0].stem}.o" for _, batch in batches]

    def compile_together(leveled: Leveled, output: str) -> None:
        level, batch = leveled
        text = "".join(f'#include "{source}"\n' for source in batch)
        command = [*compiler, *level, *FLAGS, "-x", "c++", "-c", "-", "-o", output]
        subprocess.run(command, input=text, text=True, check=True)

    with ThreadPoolExecutor() as pool:
        list(pool.map(compile_together, batches, objects))
    subprocess.run(["ar", "crs", f"{work / archive.name}", *objects], check=True)
    os.replace(work / archive.name, archive)
