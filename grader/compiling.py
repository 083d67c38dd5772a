"""Turning a submission into a worker. Only the submitted file itself is taken."""

import hashlib
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import machine, process
from .checkout import Checkout
from .errors import InfrastructureError
from .files import sha256, sha256_of_files
from .manifest import Lab

COMPILER_SECONDS = 60.0
CUDA_ARCHITECTURE = "WARPWISE_CUDA_ARCH"  # environment: value for nvcc's -arch
# PTX is made for the virtual device of the CPU backend: it tells which instructions the code asks
# for, not how one GPU carries them out.
PTX_FLAGS = ("-std=c++20", "-O3", "-arch=compute_80", "-ptx")
MESSAGE_LINES = 12
WARNINGS = ("-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-unused-function")


@dataclass(frozen=True)
class Compiled:
    """A worker, or None and the compiler's reason."""

    worker: Path | None
    message: str


def compile_submission(
    checkout: Checkout, lab: Lab, source: bytes, backend: str, mode: str = "run"
) -> Compiled:
    """Compile and link `source` as a worker of `lab`; the same content is compiled only once.

    `mode` is "run", or on the CPU backend "check": then every access to memory is watched.
    """
    steps = _steps(checkout, lab, backend, mode)
    libraries = checkout.worker_libraries(backend, lab.name)
    folder = checkout.build(backend) / "submissions"
    folder /= _key(checkout, lab, source, backend, steps, libraries)
    made, message = _made_once(folder, lab, source, steps, checkout.root)
    return Compiled(folder / "worker" if made else None, message)


def compile_ptx(checkout: Checkout, lab: Lab, source: bytes) -> tuple[str | None, str]:
    """The PTX that nvcc makes of `source`, or None and the reason. Needs no GPU."""
    nvcc = machine.find_nvcc()
    if not nvcc:
        return None, "there is no nvcc here, which would show the kernels' instructions"
    steps = [[nvcc, *PTX_FLAGS, *_include(checkout, lab), lab.source, "-o", "worker"]]
    folder = checkout.build("gpu") / "submissions"
    folder /= _key(checkout, lab, source, "gpu", steps, [])
    made, message = _made_once(folder, lab, source, steps, checkout.root)
    return ((folder / "worker").read_text(encoding="utf-8") if made else None), message


def _made_once(
    folder: Path, lab: Lab, source: bytes, steps: list[list[str]], root: Path
) -> tuple[bool, str]:
    """Whether `folder` holds what the steps make, run if it is new; and what they said."""
    if not (folder / "compiler.txt").is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=".compiling-", dir=folder.parent))
        try:
            _compile(fresh, lab, source, steps, root)
            _publish(fresh, folder)
        except TimeoutError as error:
            return False, str(error)  # not kept: the machine may only have been busy
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    message = (folder / "compiler.txt").read_text(encoding="utf-8")
    return (folder / "worker").is_file(), message


def _include(checkout: Checkout, lab: Lab) -> list[str]:
    return ["-I", str(checkout.labs / "kit"), "-I", str(checkout.labs / lab.name)]


def _steps(checkout: Checkout, lab: Lab, backend: str, mode: str) -> list[list[str]]:
    """The commands, with file names relative to the fresh folder."""
    object_file = f"{Path(lab.source).stem}.o"
    include = _include(checkout, lab)
    libraries = checkout.worker_libraries(backend, lab.name, mode)
    for library in libraries:
        if not library.is_file():
            raise InfrastructureError(f"{checkout.shown(library)} was not built.")
    archives = [str(library) for library in libraries]
    if backend == "cpu":
        cucc = [sys.executable, str(checkout.root / "grader" / "cpu" / "cucc.py")]
        return [
            [*cucc, "--mode", mode, "-c", lab.source, "-o", object_file, *include, *WARNINGS],
            ["g++", object_file, *archives, "-pthread", "-o", "worker"],
        ]
    nvcc = machine.find_nvcc() or "nvcc"
    return [
        [nvcc, *nvcc_flags(), *include, "-c", lab.source, "-o", object_file],
        [nvcc, nvcc_flags()[-1], object_file, *archives, "-o", "worker"],
    ]


def nvcc_flags() -> list[str]:
    """What nvcc gets for every file; the GPU's architecture comes last."""
    arch = f"-arch={os.environ.get(CUDA_ARCHITECTURE) or 'native'}"
    return ["-std=c++20", "-O3", "-lineinfo", arch]


def _key(
    checkout: Checkout, lab: Lab, source: bytes, backend: str, steps: list[list[str]],
    libraries: list[Path],
) -> str:  # fmt: skip
    """A hash of everything that the worker depends on."""
    inputs = [*libraries]
    for folder in (checkout.labs / "kit", checkout.labs / lab.name):
        inputs += [*folder.rglob("*.hpp"), *folder.rglob("*.cuh"), *folder.rglob("*.h")]
    if backend == "cpu":
        inputs += [p for p in (checkout.root / "grader" / "cpu").rglob("*") if is_source(p)]
    digest = hashlib.sha256(repr((steps, compiler_version(backend))).encode())
    digest.update(sha256(source).encode() + sha256_of_files(inputs, checkout.root).encode())
    return digest.hexdigest()[:32]


def is_source(path: Path) -> bool:
    """Whether `path` is a file that somebody wrote."""
    return path.is_file() and "__pycache__" not in path.parts


@cache
def compiler_version(backend: str) -> str:
    """What the compiler of a backend says about itself."""
    compiler = "g++" if backend == "cpu" else machine.find_nvcc() or "nvcc"
    return process.run([compiler, "--version"], limit=COMPILER_SECONDS).output


def _compile(
    folder: Path, lab: Lab, source: bytes, steps: list[list[str]], root: Path
) -> None:
    """Fill `folder` with worker and compiler.txt. Raises TimeoutError after a minute."""
    (folder / lab.source).write_bytes(source)
    said = ""
    for step in steps:
        finished = process.run(step, cwd=folder, limit=COMPILER_SECONDS)
        said = _shortened(finished.output, folder, root)
        if finished.timed_out:
            raise TimeoutError(f"the compiler did not finish within {COMPILER_SECONDS:g} s")
        if finished.returncode == 127:
            raise InfrastructureError(f"{finished.last_line}: the compiler could not be started.")
        if not finished.ok:
            (folder / "worker").unlink(missing_ok=True)
            said = said or f"the compiler ended with exit status {finished.returncode}"
            break
    (folder / "compiler.txt").write_text(said, encoding="utf-8")


def _shortened(output: str, *folders: Path) -> str:
    """The first errors, where the fault stands, without this machine's folder names."""
    for folder in folders:
        output = output.replace(f"{folder}/", "")
    lines = [line for line in output.splitlines() if line.strip()]
    first = next((i for i, line in enumerate(lines) if "error" in line.lower()), 0)
    return "\n".join(lines[first : first + MESSAGE_LINES])


def _publish(fresh: Path, folder: Path) -> None:
    """Give the finished folder its name; another process may have been first with the same."""
    try:
        fresh.rename(folder)
    except OSError:
        if not (folder / "compiler.txt").is_file():
            raise
