"""Builds libcuda_on_cpu.a, and the libraries of the modes beside it, once and keeps them in a cache
folder: for programs made without CMake."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cucc_modes import MODES, Mode

HERE = Path(__file__).resolve().parent
FLAGS = [
    "-std=c++20",
    "-O2",
    "-g",
    "-Wall",
    "-Wextra",
    f"-I{HERE / 'include'}",
    f"-I{HERE / 'runtime'}",
]
NAME = "libcuda_on_cpu.a"
_PARTS = [mode for mode in MODES.values() if mode.library]


def cached_library(compiler: list[str], beside: Path) -> Path:
    """The library for these sources and this compiler, in $XDG_CACHE_HOME/warpwise or beside the
    program. Raises CalledProcessError when the compiler refuses; it has said why."""
    base = os.environ.get("XDG_CACHE_HOME")
    cache = Path(base) / "warpwise" if base else beside / ".warpwise-cache"
    folder = cache / _key(compiler)
    if not (folder / NAME).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        _build(compiler, folder)
    return folder / NAME


def _key(compiler: list[str]) -> str:
    digest = hashlib.sha256(" ".join([*compiler, *FLAGS]).encode())
    folders = [HERE / "runtime", HERE / "include", *(HERE / mode.folder for mode in _PARTS)]
    files = [path for folder in folders for path in folder.rglob("*.[hc]*")]
    for path in sorted(files):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _build(compiler: list[str], folder: Path) -> None:
    """Into a temporary folder first: another process may be building the same."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        for mode in (*_PARTS, Mode("runtime", NAME)):  # NAME last: it says that all are there
            sources = [*(HERE / mode.folder).glob("*.cpp"), *(HERE / s for s in mode.borrowed)]
            _build_archive(compiler, sources, Path(work) / mode.folder, folder / mode.library)


def _build_archive(compiler: list[str], sources: list[Path], work: Path, archive: Path) -> None:
    work.mkdir()
    sources = sorted(sources)
    objects = [f"{work / source.stem}.o" for source in sources]

    def compile_one(source: Path, output: str) -> None:
        subprocess.run([*compiler, *FLAGS, "-c", str(source), "-o", output], check=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, sources, objects))
    subprocess.run(["ar", "crs", f"{work / archive.name}", *objects], check=True)
    os.replace(work / archive.name, archive)
