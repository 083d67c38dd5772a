"""Builds libcuda_on_cpu.a once and keeps it in a cache folder: for programs made without CMake."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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
    files = [*(HERE / "runtime").glob("*"), *(HERE / "include").rglob("*.h*")]
    for path in sorted(files):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _build(compiler: list[str], folder: Path) -> None:
    """Into a temporary folder first: another process may be building the same."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        sources = sorted((HERE / "runtime").glob("*.cpp"))
        objects = [f"{work}/{source.stem}.o" for source in sources]

        def compile_one(source: Path, output: str) -> None:
            subprocess.run([*compiler, *FLAGS, "-c", str(source), "-o", output], check=True)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compile_one, sources, objects))
        subprocess.run(["ar", "crs", f"{work}/{NAME}", *objects], check=True)
        os.replace(f"{work}/{NAME}", folder / NAME)
