"""NVIDIA's C++ libraries for CUDA (thrust, cuda::std, cuda::atomic) in programs on the CPU.

The headers are those of the Python package nvidia-cuda-cccl, unchanged, or those of a CUDA toolkit
13 or newer. Neither is a dependency of the kit (only of its tests): a program that needs them says
so by its includes.
"""

import re
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from ..base.errors import UsageError
from ..machine import hardware

PACKAGE = "nvidia-cuda-cccl"
_OURS = "(?:atomic|barrier|pipeline)$"  # of <cuda/...>, the headers that we have ourselves
_LIBRARY = re.compile(rf"(?:thrust|nv|cuda(?!/{_OURS}))/.+")
_INCLUDE = re.compile(r'^\s*#\s*include\s*(<|")([^>"\n]+)[>"]', re.MULTILINE)
MOST_FILES = 200


def flags(sources: Iterable[str], folders: Iterable[str] = ()) -> list[str]:
    """What cucc.py gets for these sources. Raises UsageError where the package is missing."""
    header = _wanted(sources, folders)
    if not header:
        return []
    found = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/*/include/cccl/thrust"))
    found = found or _of_toolkit()
    if not found:
        raise UsageError(
            f"<{header}> comes with the Python package {PACKAGE}; "
            f"install it with: .venv/bin/python -m pip install {PACKAGE}"
        )
    return ["--cccl", str(found[-1].parent)]


def _of_toolkit() -> list[Path]:
    nvcc = hardware.find_nvcc()
    folder = Path(nvcc).resolve().parents[1] / "include" / "cccl" / "thrust" if nvcc else None
    return [folder] if folder and folder.is_dir() else []


def _wanted(sources: Iterable[str], folders: Iterable[str]) -> str:
    """The first header of these libraries that the sources include, also through their own."""
    waiting = [Path(name) for name in sources]
    seen = set(waiting)
    for path in waiting:  # grows while it is read
        if not path.is_file() or len(seen) > MOST_FILES:
            continue
        for quote, name in _INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace")):
            around = [folder / name for folder in (path.parent, *map(Path, folders))]
            own = next((file for file in around if quote == '"' and file.is_file()), None)
            if own and own not in seen:
                seen.add(own)
                waiting.append(own)
            elif not own and _LIBRARY.fullmatch(name):
                return str(name)
    return ""
