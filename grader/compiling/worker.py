"""Turning a submission into a worker. Only the submitted file itself is taken."""

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..base import process
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..base.files import sha256, sha256_of_files
from ..lab_file.manifest import Lab
from ..machine import hardware
from ..sandbox import bubblewrap
from ..sandbox.bubblewrap import Sandbox
from .room import LOG, CompilerTimeout, furnished, run_compiler, shipped_files

CUDA_ARCHITECTURE = "WARPWISE_CUDA_ARCH"  # environment: value for nvcc's -arch
# PTX is made for the virtual device of the CPU backend: it tells which instructions the code asks
# for, not how one GPU carries them out.
PTX_FLAGS = ("-std=c++20", "-O3", "-arch=compute_80", "-ptx")
WORKER = ("worker",)
LOOKED_AT = ("expanded", "symbols")  # of the worker that answers, for find_forbidden
# A profiled worker's launches go through launch_profile.cpp first.
WRAPPED = ("cudaLaunchKernel", "__cudaLaunchKernel", "cudaLaunchCooperativeKernel",
           "cudaLaunchKernelExC", "cudaGraphLaunch")  # fmt: skip
INITIALISERS = "compiling/initialisers.ld"  # a linker script: main() calls them
QUESTION_SECONDS = 60.0  # for a compiler to say its version, or nm its symbols
LINES = "-g1"  # functions and lines are all that messages name
WARNINGS = ("-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-unused-function")


@dataclass(frozen=True)
class Compiled:
    """A worker, or None and the compiler's reason; `expanded` and `symbols` only in mode run."""

    worker: Path | None
    message: str
    expanded: str = ""  # the file behind the preprocessor
    symbols: str = ""  # what nm says about its object file
    said: str = ""  # all that the compiler said; the message is the beginning of it


def compile_submission(
    checkout: Checkout,
    lab: Lab,
    source: bytes,
    backend: str,
    mode: str = "run",
    box: Sandbox | None = None,
) -> Compiled:
    """Compile and link `source` as a worker of `lab`; the same content is compiled only once.

    `mode` is "run", or on the CPU backend "check": then every access to memory is watched, or on a
    GPU "profile": then launches are, and ptxas says what kernels take. The compiler runs in the
    sandbox `box`, if there is one, and finds there no more than it needs.
    """
    steps = _steps(checkout, lab, backend, mode)
    libraries = checkout.worker_libraries(backend, lab.name, mode)
    looked_at = LOOKED_AT if mode == "run" else ()
    made = (*WORKER, *looked_at)
    folder, message = _made_once(checkout, lab, source, backend, steps, libraries, made, box)
    if not (folder / "worker").is_file():
        return Compiled(None, message)
    texts = {name: (folder / name).read_text(errors="replace") for name in looked_at}
    log = folder / LOG  # not there in what an older kit has compiled
    said = log.read_text(errors="replace") if log.is_file() else ""
    return Compiled(folder / "worker", message, **texts, said=said)


def compile_ptx(
    checkout: Checkout, lab: Lab, source: bytes, box: Sandbox | None = None
) -> tuple[str | None, str]:
    """The PTX that nvcc makes of `source`, or None and the reason. Needs no GPU."""
    nvcc = hardware.find_nvcc()
    if not nvcc:
        return None, "there is no nvcc here, which would show the kernels' instructions"
    steps = [[nvcc, *PTX_FLAGS, *_include(lab), lab.source, "-o", "$OUT/worker"]]
    folder, message = _made_once(checkout, lab, source, "gpu", steps, [], WORKER, box)
    made = folder / "worker"
    return (made.read_text(encoding="utf-8") if made.is_file() else None), message


def _made_once(
    checkout: Checkout, lab: Lab, source: bytes, backend: str, steps: list[list[str]],
    libraries: list[Path], made: tuple[str, ...], box: Sandbox | None,
) -> tuple[Path, str]:  # fmt: skip
    """The folder with what the steps make, run if that is new; and what they said."""
    folder = checkout.build(backend) / "submissions"
    folder /= _key(checkout, lab, source, backend, steps, libraries)
    if not (folder / "compiler.txt").is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=".compiling-", dir=folder.parent))
        try:
            with furnished(checkout, lab, source, backend, libraries) as room:
                run_compiler(fresh, room, steps, made, box)
            _publish(fresh, folder)
        except CompilerTimeout as error:
            return folder, str(error)  # not kept: the machine may only have been busy
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return folder, (folder / "compiler.txt").read_text(encoding="utf-8")


def _steps(checkout: Checkout, lab: Lab, backend: str, mode: str) -> list[list[str]]:
    """The commands, with file names relative to the compiler's room; $OUT is where it may write."""
    object_file = f"$OUT/{Path(lab.source).stem}.o"
    include = _include(lab)
    libraries = checkout.worker_libraries(backend, lab.name, mode)
    for library in libraries:
        if not library.is_file():
            raise InfrastructureError(f"{checkout.shown(library)} was not built.")
    archives = [f"lib/{library.name}" for library in libraries]
    # The worker's own parts come first and whole: of two weak definitions the first is taken.
    whole = ["-Wl,--whole-archive", *archives, "-Wl,--no-whole-archive", f"-Wl,-T,{INITIALISERS}"]
    if backend == "cpu":
        cucc = [bubblewrap.python(), "-B", "cpu/cucc.py", "--mode", mode]
        as_cucc = ["-x", "c++", "-std=c++20", "-D__CUDACC__=1", "-isystem", "cpu/include",
                   "-include", "cuda_runtime.h"]  # fmt: skip
        expand = ["g++", *as_cucc, *include, "-E", lab.source, "-o", "$OUT/expanded"]
        return [
            [*cucc, LINES, "-c", lab.source, "-o", object_file, *include, *WARNINGS],
            *([expand] if mode == "run" else []),
            ["g++", *whole, object_file, "-pthread", "-o", "$OUT/worker"],
        ]
    nvcc = hardware.find_nvcc() or "nvcc"
    through = ["-Xlinker", "--whole-archive", *archives, "-Xlinker", "--no-whole-archive",
               "-Xlinker", "-T", "-Xlinker", INITIALISERS]  # fmt: skip
    ptxas = []
    if mode == "profile":
        ptxas = ["-Xptxas", "-v"]
        through += [word for name in WRAPPED for word in ("-Xlinker", f"--wrap={name}")]
    expand = [nvcc, *nvcc_flags(), *include, "-E", lab.source, "-o", "$OUT/expanded"]
    return [
        [nvcc, *nvcc_flags(), *ptxas, *include, "-c", lab.source, "-o", object_file],
        *([expand] if mode == "run" else []),
        [nvcc, nvcc_flags()[-1], *through, object_file, "-o", "$OUT/worker"],
    ]


def nvcc_flags() -> list[str]:
    """What nvcc gets for every file; the GPU's architecture comes last."""
    return ["-std=c++20", "-O3", "-lineinfo", f"-arch={_architecture()}"]


def _include(lab: Lab) -> list[str]:
    return ["-I", "labs/kit", "-I", f"labs/{lab.name}"]


def _architecture() -> str:
    """By its number: `native` makes nvcc ask the GPU, which a compiler in a sandbox cannot see."""
    gpu = hardware.find_gpu()
    native = f"sm_{gpu.compute_capability.replace('.', '')}" if gpu else "native"
    return os.environ.get(CUDA_ARCHITECTURE) or native


def _key(
    checkout: Checkout, lab: Lab, source: bytes, backend: str, steps: list[list[str]],
    libraries: list[Path],
) -> str:  # fmt: skip
    """A hash of everything that the worker depends on."""
    inputs = [*shipped_files(checkout, lab, backend), *libraries]
    digest = hashlib.sha256(repr((steps, compiler_version(backend))).encode())
    digest.update(sha256(source).encode() + sha256_of_files(inputs, checkout.root).encode())
    return digest.hexdigest()[:32]


def is_source(path: Path) -> bool:
    """Whether `path` is a file that somebody wrote."""
    return path.is_file() and "__pycache__" not in path.parts


@cache
def compiler_version(backend: str) -> str:
    """What the compiler of a backend says about itself."""
    compiler = "g++" if backend == "cpu" else hardware.find_nvcc() or "nvcc"
    return process.run([compiler, "--version"], limit=QUESTION_SECONDS).output


def reserved_symbols(checkout: Checkout, lab: Lab, backend: str) -> str:
    """What `nm` says about the worker's own parts."""
    libraries = checkout.worker_libraries(backend, lab.name)
    return _symbols_of(tuple((path, path.stat().st_mtime_ns) for path in libraries))


@cache
def _symbols_of(libraries: tuple[tuple[Path, int], ...]) -> str:
    """Asked once for all submissions, as long as nobody builds the libraries anew."""
    command = ["nm", "-g", *(path for path, _ in libraries)]
    return process.run(command, limit=QUESTION_SECONDS, whole=True).output


def _publish(fresh: Path, folder: Path) -> None:
    """Give the finished folder its name; another process may have been first with the same."""
    try:
        fresh.rename(folder)
    except OSError:
        if not (folder / "compiler.txt").is_file():
            raise
