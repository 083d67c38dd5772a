"""Compiling a CUDA program for `./lab run`; the same content is compiled only once."""

import hashlib
import json
import shlex
import shutil
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ..base import console, process
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..base.files import sha256
from ..base.scratch import scratch_folder
from ..compiling.build import built_runtime
from ..compiling.worker import WARNINGS, compiler_version, is_source, nvcc_flags
from ..machine import hardware
from . import cccl

COMPILER_SECONDS = 300.0  # includes a mode's library, built with the first program of that mode
KEPT_PROGRAMS = 64


@dataclass(frozen=True)
class Request:
    """What to compile, as given by the user; names are relative to the current folder."""

    sources: tuple[str, ...]
    flags: tuple[str, ...]
    backend: str
    mode: str


@dataclass(frozen=True)
class Built:
    """A program, or None; `message` is what the compiler said."""

    program: Path | None
    message: str
    is_new: bool = True  # compiled by this call


def build(checkout: Checkout, request: Request) -> Built:
    """Compile and link, or use the program that an earlier call made from the same files."""
    folder = checkout.build(request.backend) / "programs" / _key(checkout, request)
    if _is_current(folder):
        said = (folder / "compiler.txt").read_text(encoding="utf-8")
        return Built(folder / "program", said, is_new=False)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder("compiling", folder.parent) as fresh:
        with console.progress(f"compiling {request.sources[0]}"):
            message = _compile(checkout, request, fresh)
        if not (fresh / "program").is_file():
            return Built(None, message)
        shutil.rmtree(folder, ignore_errors=True)  # an old program, made from other headers
        fresh.rename(folder)
    _forget_old(folder.parent)
    return Built(folder / "program", message)


def _key(checkout: Checkout, request: Request) -> str:
    """A hash of all inputs known before compiling; the headers are known only afterwards."""
    backend = checkout.root / "grader" / "cpu" if request.backend == "cpu" else None
    kit = [path for path in sorted(backend.rglob("*") if backend else []) if is_source(path)]
    version = compiler_version(request.backend)
    known = (request, str(Path.cwd()), version, _hashes(kit), _hashes(request.sources))
    return hashlib.sha256(repr(known).encode()).hexdigest()[:32]


def _hashes(paths: Iterable[str | Path]) -> dict[str, str]:
    """The hash of each file by its name; "" for a missing file."""
    return {str(path): sha256(Path(path).read_bytes()) if Path(path).is_file() else ""
            for path in paths}  # fmt: skip


def _is_current(folder: Path) -> bool:
    """Whether a finished program is there and the headers that it used are unchanged."""
    try:
        headers = json.loads((folder / "headers.json").read_bytes())
    except (OSError, ValueError):
        return False
    return bool(_hashes(headers) == headers)


def _compile(checkout: Checkout, request: Request, fresh: Path) -> str:
    """Compile into `fresh`. Returns the compiler's output; it says why if there is no program."""
    compiler = _compiler(checkout, request)
    objects = [str(fresh / f"{number}.o") for number in range(len(request.sources))]
    libraries = [flag for flag in request.flags if flag.startswith(("-l", "-L", "-f", "-X"))]
    flags = [*_warnings(request), *_of_libraries(request), *request.flags]
    steps = [[*compiler, *flags, "-c", source, "-o", made, "-MMD", "-MF", f"{made}.d"]
             for source, made in zip(request.sources, objects, strict=True)]  # fmt: skip
    said = ""
    with ThreadPoolExecutor() as beside:
        runtime = _runtime(checkout, request, compiler, beside)
        steps.append([*compiler, *runtime, *objects, *libraries, "-o", str(fresh / "program")])
        for step in steps:
            finished = _run(checkout, request, step)
            said += finished.output
            if finished.timed_out or finished.returncode == 127:
                reason = "took too long" if finished.timed_out else finished.last_line
                raise InfrastructureError(f"the compiler failed: {reason}.")
            if not finished.ok:
                (fresh / "program").unlink(missing_ok=True)
                return said or f"the compiler ended with exit status {finished.returncode}\n"
    headers = {name for made in objects for name in _prerequisites(Path(f"{made}.d"))}
    (fresh / "headers.json").write_text(json.dumps(_hashes(sorted(headers))), encoding="utf-8")
    (fresh / "compiler.txt").write_text(said, encoding="utf-8")
    return said


def _runtime(
    checkout: Checkout, request: Request, compiler: list[str], beside: ThreadPoolExecutor
) -> list[str]:
    """The linker's option for the CPU's runtime: the kit's own build of it, if there is one.

    Otherwise cucc.py keeps one in a cache. The first program waits for it, so it is begun at once.
    """
    if request.backend != "cpu":
        return []
    if library := built_runtime(checkout, request.mode):
        return ["--runtime", str(library)]
    beside.submit(_run, checkout, request, [*compiler, "--prepare"])  # linking says if it failed
    return []


def _run(checkout: Checkout, request: Request, command: list[str]) -> process.Finished:
    cache = {"XDG_CACHE_HOME": str(checkout.build(request.backend))}  # for the CPU's runtime
    return process.run(command, limit=COMPILER_SECONDS, env=cache)


def _compiler(checkout: Checkout, request: Request) -> list[str]:
    if request.backend == "cpu":
        cucc = checkout.root / "grader" / "cpu" / "cucc.py"
        return [sys.executable, str(cucc), "--mode", request.mode]
    own = [flag for flag in nvcc_flags()
           if not (flag.startswith("-std") and any(f.startswith("-std") for f in request.flags))]
    return [hardware.find_nvcc() or "nvcc", *own]


def _of_libraries(request: Request) -> list[str]:
    folders = [request.flags[i + 1] for i, flag in enumerate(request.flags) if flag == "-I"]
    return cccl.flags(request.sources, folders) if request.backend == "cpu" else []


def _warnings(request: Request) -> tuple[str, ...]:
    return WARNINGS if request.backend == "cpu" else ()


def _prerequisites(rule: Path) -> list[str]:
    """The files after the colon of a make rule."""
    if not rule.is_file():
        return []
    _, _, names = rule.read_text(encoding="utf-8").replace("\\\n", " ").partition(": ")
    return shlex.split(names)


def _forget_old(folder: Path) -> None:
    """Keep only the latest programs, because every edit makes one more."""
    made = sorted(folder.glob("[0-9a-f]*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in made[KEPT_PROGRAMS:]:
        shutil.rmtree(old, ignore_errors=True)
