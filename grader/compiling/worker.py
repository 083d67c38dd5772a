"""Turning a submission into a worker. Only the submitted file itself is taken."""

import hashlib
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from ..base import process
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..base.files import sha256, sha256_of_files
from ..base.scratch import scratch_folder
from ..base.steps import step
from ..lab_file.entry_points import not_called
from ..lab_file.manifest import Lab, Stage
from ..machine import hardware
from ..sandbox import bubblewrap
from ..sandbox.bubblewrap import Sandbox
from . import outside
from .room import (
    LENT,
    LOG,
    NO_SOURCE,
    Beside,
    CompilerTimeout,
    Steps,
    furnished,
    lent,
    run_compiler,
    shipped_files,
)

CUDA_ARCHITECTURE = "WARPWISE_CUDA_ARCH"  # environment: value for nvcc's -arch
# PTX is made for the virtual device of the CPU backend: it tells which instructions the code asks
# for, not how one GPU carries them out.
PTX_FLAGS = ("-std=c++20", "-O3", "-arch=compute_90", "-ptx")
WORKER = ("worker",)
# Checker and counter watch the same accesses, so one object file serves both: it is linked twice.
WATCHED = {"check": "worker", "count": "counter"}
# A hash of what the CPU backend's preprocessor makes of the submission, and the place where that
# names what is the backend's own.
TEXT = "text.sha256"
# Beside the worker that answers: what shows which function uses which, and at which line.
AUDIT, CALLS, DEVICE_AUDIT = "audit.o", "audit.ci", "audit.ptx"
KERNELS = ("audit.kernels.plain.o", "audit.kernels.o")  # cpu/compiler/audit.py
ENDED = "ended"  # a file: nvcc has ended, whether it made something or not
# Each function and variable is a section, so that a reference to it is one to it alone.
APART = ("-ffunction-sections", "-fdata-sections")
AUDIT_FLAGS = (*APART, *"-O0 -w -fno-inline -fno-jump-tables -fcallgraph-info".split())
# A worker's allocations on a GPU go through live_memory.cpp, so what a call keeps is counted.
WRAPPED_MEMORY = (
    *(f"cuda{what}" for what in (
        "Malloc", "MallocManaged", "MallocPitch", "Malloc3D", "MallocAsync", "MallocFromPoolAsync",
        "MallocArray", "Malloc3DArray", "MallocMipmappedArray", "Free", "FreeAsync", "FreeArray",
        "FreeMipmappedArray", "CreateTextureObject", "DestroyTextureObject", "DeviceSetLimit",
        "DeviceReset")),
    "__cudaRegisterVar", "__cudaRegisterManagedVar",
)  # fmt: skip
# A profiled worker's launches go through launch_profile.cpp first.
WRAPPED = ("cudaLaunchKernel", "__cudaLaunchKernel", "cudaLaunchCooperativeKernel",
           "cudaLaunchKernelExC", "cudaGraphLaunch")  # fmt: skip
# Where accesses are watched, those of the library are, too: copies, fills, digits of a NaN,
# and results that its mathematics and the compiler's store through a pointer.
WRAPPED_COPIES = tuple(f"-Wl,--wrap={name}" for name in (
    "memcpy", "memmove", "memset", "clock_gettime", "vsnprintf",
    *(f"strto{kind}" for kind in ("l", "ll", "ul", "ull", "f", "d", "ld")),
    *(name + kind for name in ("modf", "frexp", "remquo", "sincos") for kind in ("", "f", "l")),
    "__udivmodti4", "__divmodti4", "nan", "nanf", "nanl",
))  # fmt: skip
# What kernels print must not stay in a buffer of the host's: runtime/threads/device_print.cpp.
WRAPPED_PRINTING = tuple(f"-Wl,--wrap={name}" for name in (
    "printf", "vprintf", "puts", "putchar", "__printf_chk", "__vprintf_chk"))  # fmt: skip
INITIALISERS = "compiling/initialisers.ld"  # a linker script: main() calls them
QUESTION_SECONDS = 60.0  # for a compiler to say its version, or nm its symbols
# -O2 takes a third longer to compile. Of what it adds only vector instructions make tests faster,
# up to six times.
OPTIMISED = ("-O1", "-ftree-vectorize")
LINES = "-g1"  # functions and lines are all that messages name
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Wfloat-conversion",
            "-Wno-unused-parameter", "-Wno-unused-function",
            "-Wno-missing-field-initializers")  # CUDA's structs are cleared by = {0}


@dataclass(frozen=True)
class Compiled:
    """A worker with what lies beside it, or None and the compiler's reason.

    Of the other files those of the audit are made in mode run only.
    """

    worker: Path | None
    message: str
    object_file: Path = Path()  # what was linked with the worker's own parts
    audit: Path = Path()  # the same text, with nothing inlined
    calls: Path = Path()  # the compiler's list of calls in it, with their lines
    device_audit: Path = Path()  # on a GPU: PTX, with nothing inlined
    kernels: tuple[Path, ...] = ()  # if kernels run other bodies than the host: audit, object file
    text: str = ""  # what TEXT says
    said: str = ""  # all that the compiler said; the message is the beginning of it


def compile_submission(
    checkout: Checkout,
    lab: Lab,
    source: bytes,
    backend: str,
    mode: str = "run",
    box: Sandbox | None = None,
    called: Sequence[Stage] = (),
    threads: bool = False,
) -> Compiled:
    """Compile and link `source` as a worker of `lab`; the same content is compiled only once.

    `mode` is "run", or on the CPU backend "check" or "count": then every access to memory is
    watched, or on a GPU "profile": then launches are, and ptxas says what kernels take. On the CPU
    backend only what the `called` stages use is made, or everything if none is named; with
    `threads` no kernel becomes a loop over the threads of a block. The compiler runs in the sandbox
    `box`, if there is one, and finds there no more than it needs.
    """
    watched = mode in WATCHED
    headers = partial(kept_headers, checkout, "check" if watched else mode, box)
    to_lend = headers if backend == "cpu" else list
    steps = _steps(checkout, lab, backend, mode, called, threads)
    libraries = {library: None for each in (WATCHED if watched else (mode,))
                 for library in checkout.worker_libraries(backend, lab.name, each)}  # fmt: skip
    object_file = _object_file(lab)
    made = [*(WATCHED.values() if watched else WORKER), object_file]
    if backend == "cpu":
        made.append(TEXT)
    if mode == "run":
        made += [AUDIT, CALLS, *(KERNELS if backend == "cpu" else [DEVICE_AUDIT])]
    name = f"compile for {backend} {'check' if watched else mode}"
    folder, message = _made_once(checkout, lab, source, backend, steps, list(libraries),
                                 tuple(made), box, name, to_lend)  # fmt: skip
    worker = folder / WATCHED.get(mode, "worker")
    if not worker.is_file():
        if backend == "cpu" and (missing := outside.sentence(message)):
            message = f"{missing}\n{message}"  # first: of a long message the beginning is shown
        return Compiled(None, message)
    text, said = _content(folder / TEXT), _content(folder / LOG)
    kernels = tuple(path for name in KERNELS if _is_filled(path := folder / name))
    return Compiled(worker, message, folder / object_file, folder / AUDIT,
                    folder / CALLS, folder / DEVICE_AUDIT,
                    kernels if len(kernels) == len(KERNELS) else (), text, said)  # fmt: skip


def _is_filled(file: Path) -> bool:
    return file.is_file() and file.stat().st_size > 0


def _content(file: Path) -> str:
    """Nothing if it is not there, as in what an older kit has compiled."""
    return file.read_text(errors="replace") if file.is_file() else ""


def kept_headers(checkout: Checkout, mode: str, box: Sandbox | None) -> list[Path]:
    """What the CPU backend's compiler keeps of its headers; made once, where a room has always the
    same place. It takes the time that ten files gain, so the first one is not kept waiting."""
    compiled_before = (checkout.build("cpu") / "submissions").glob("*/worker")
    if not box or not any(compiled_before):
        return []
    names = [mode, *(["audit"] if mode == "run" else [])]
    made = tuple(f"{name}.{suffix}" for name in names for suffix in ("hpp", "gch"))
    steps = [[*_cucc(mode), "--keep-headers", "$OUT/.", "-c", NO_SOURCE, "-o", "$OUT/object.o"]]
    folder, _ = _made_once(checkout, None, b"", "cpu", steps, [], made, box, f"headers for {mode}")
    return [folder / name for name in made if (folder / name).is_file()]


def compile_ptx(
    checkout: Checkout, lab: Lab, source: bytes, box: Sandbox | None = None
) -> tuple[str | None, str]:
    """The PTX that nvcc makes of `source`, or None and the reason. Needs no GPU."""
    nvcc = hardware.find_nvcc()
    if not nvcc:
        return None, "there is no nvcc here, which would show the kernels' instructions"
    steps = [[nvcc, *PTX_FLAGS, *_include(lab), lab.source, "-o", "$OUT/worker"]]
    folder, message = _made_once(checkout, lab, source, "gpu", steps, [], WORKER, box, "PTX")
    made = folder / "worker"
    return (made.read_text(encoding="utf-8") if made.is_file() else None), message


def _made_once(
    checkout: Checkout, lab: Lab | None, source: bytes, backend: str, steps: Steps,
    libraries: list[Path], made: tuple[str, ...], box: Sandbox | None, name: str,
    headers: Callable[[], list[Path]] = list,
) -> tuple[Path, str]:  # fmt: skip
    """The folder with what the steps make, run if that is new; and what they said."""
    folder = checkout.build(backend) / "submissions"
    folder /= _key(checkout, lab, source, backend, steps, libraries)
    with _alone(folder):
        if not (folder / "compiler.txt").is_file():
            folder.parent.mkdir(parents=True, exist_ok=True)
            try:
                with step(name), scratch_folder("compiling", folder.parent) as fresh:
                    inputs = (checkout, lab, source, backend, libraries)
                    with furnished(*inputs, bool(box)) as room, lent(headers()) as kept:
                        run_compiler(fresh, room, steps, made, box, kept)
                    _publish(fresh, folder)
            except CompilerTimeout as error:
                return folder, str(error)  # not kept: the machine may only have been busy
    return folder, (folder / "compiler.txt").read_text(encoding="utf-8")


_locks: defaultdict[Path, threading.Lock] = defaultdict(threading.Lock)


def _alone(folder: Path) -> threading.Lock:
    """One thread compiles what this folder is for; another one that wants the same waits."""
    return _locks[folder]


def _steps(
    checkout: Checkout, lab: Lab, backend: str, mode: str, called: Sequence[Stage], threads: bool
) -> Steps:  # fmt: skip
    """The commands, with file names relative to the compiler's room; $OUT is where it may write."""
    object_file = f"$OUT/{_object_file(lab)}"
    include = _include(lab)
    if backend == "cpu":
        names = not_called(checkout, lab, called) if called else []
        more = [f"-DWARPWISE_NOT_CALLED={','.join(names)}"] if names else []
        more += ["--threads"] if threads else []
        links = WATCHED if mode in WATCHED else {mode: "worker"}
        return [
            [*_cucc("check" if mode in WATCHED else mode), *more, "--headers", LENT, *include,
             "--digest", f"$OUT/{TEXT}", "-c", lab.source, "-o", object_file],
            Beside(tuple(_link_on_cpu(_archives(checkout, lab, backend, each), object_file, name,
                                      WRAPPED_COPIES if mode in WATCHED else ())
                         for each, name in links.items())),
        ]  # fmt: skip
    archives = _archives(checkout, lab, backend, mode)
    nvcc = hardware.find_nvcc() or "nvcc"
    through = ["-Xlinker", "--whole-archive", *archives, "-Xlinker", "--no-whole-archive",
               "-Xlinker", "-T", "-Xlinker", INITIALISERS]  # fmt: skip
    ptxas, wrapped = [], WRAPPED_MEMORY
    if mode == "profile":
        ptxas, wrapped = ["-Xptxas", "-v"], (*WRAPPED_MEMORY, *WRAPPED)
    through += [word for name in wrapped for word in ("-Xlinker", f"--wrap={name}")]
    apart = ["-Xcompiler", ",".join(APART)]
    kept = ["--keep", "--keep-dir", "$OUT/."] if mode == "run" else []
    audits = _audit_on_gpu(lab, nvcc, include) if mode == "run" else []
    link = [nvcc, nvcc_flags()[-1], *through, object_file, "-o", "$OUT/worker"]
    compiler = [nvcc, *nvcc_flags(), *ptxas, *apart, *kept, *include,
                "-c", lab.source, "-o", object_file]  # fmt: skip
    ended = ["sh", "-c", '"$@"; failed=$?; : >"$0"; exit $failed', f"$OUT/{ENDED}"]
    return [Beside((*audits, [*ended, *compiler])), link]


def _cucc(mode: str) -> list[str]:
    """The CPU backend's compiler, with the flags that are the same for every source."""
    more = ["--audit", f"$OUT/{AUDIT}"]
    if mode != "run":  # which has told what breaks a rule
        more = ["--rules", "off", "--unseen", "refuse"]
    # __DATE__ and __TIME__ are the same whenever a file is compiled.
    return ["env", "SOURCE_DATE_EPOCH=0", bubblewrap.python(), "-B", "cpu/cucc.py", "--mode", mode,
            *more, *OPTIMISED, LINES, *APART, *WARNINGS]  # fmt: skip


def _archives(checkout: Checkout, lab: Lab, backend: str, mode: str) -> list[str]:
    """What a worker is linked with, by its place in the compiler's room."""
    libraries = checkout.worker_libraries(backend, lab.name, mode)
    for library in libraries:
        if not library.is_file():
            raise InfrastructureError(f"{checkout.shown(library)} was not built.")
    return [f"lib/{library.name}" for library in libraries]


def _link_on_cpu(
    archives: list[str], object_file: str, name: str, wrapped: tuple[str, ...]
) -> list[str]:
    """The worker's own parts come first and whole: of two weak definitions the first is taken."""
    whole = ["-Wl,--whole-archive", *archives, "-Wl,--no-whole-archive", f"-Wl,-T,{INITIALISERS}"]
    wraps = [*WRAPPED_PRINTING, *wrapped]
    return ["g++", *whole, *wraps, object_file, "-pthread", "-o", f"$OUT/{name}"]


def _audit_on_gpu(lab: Lab, nvcc: str, include: list[str]) -> list[list[str]]:
    """What nvcc gave to g++, once more without inlining; and the PTX of kernels, without it too.

    PTX is made only of a file that includes one of the libraries that run on a GPU. A step that
    fails leaves an empty audit, or a listing that says FAILED.

    These steps run beside nvcc's last phase: all that it gives to g++ is there as soon as the fat
    binary is complete.
    """
    stem = f"$OUT/{Path(lab.source).stem}"
    cuda = str(Path(nvcc).parent.parent / "include")
    until = (
        """until case "$(tail -n 6 "$1" 2>/dev/null | tr -d '\\n')" in """
        f"""*__fatDeviceText*'}}#endif') ;; *) [ -e "${{1%/*}}/{ENDED}" ] ;; esac; """
        "do sleep 0.1; done; shift; "
    )
    of_host = '"$@" 2>/dev/null || : >"$0"; : >>"${0%.*}.ci"'
    of_device = (
        """grep -qsE '^# [0-9]+ "[^"]*/(cub|thrust)/' "$1" || { : >"$0"; exit 0; }; """
        'shift; "$@" 2>/dev/null || echo FAILED >"$0"'
    )
    return [
        ["sh", "-c", until + of_host, f"$OUT/{AUDIT}", f"{stem}.fatbin.c",
         "g++", "-std=c++20", *AUDIT_FLAGS, *include,
         "-I", cuda, "-DCUDA_DOUBLE_MATH_FUNCTIONS", "-c", f"{stem}.cudafe1.cpp",
         "-o", f"$OUT/{AUDIT}"],
        ["sh", "-c", until + of_device, f"$OUT/{DEVICE_AUDIT}", f"{stem}.fatbin.c",
         f"{stem}.cpp4.ii", nvcc, *PTX_FLAGS,
         "-Xcicc", "-O0", *include, lab.source, "-o", f"$OUT/{DEVICE_AUDIT}"],
    ]  # fmt: skip


def nvcc_flags() -> list[str]:
    """What nvcc gets for every file; the GPU's architecture comes last."""
    return ["-std=c++20", "-O3", "-lineinfo", f"-arch={_architecture()}"]


def _object_file(lab: Lab) -> str:
    return f"{Path(lab.source).stem}.o"


def _include(lab: Lab) -> list[str]:
    return ["-I", "labs/kit", "-I", f"labs/{lab.name}"]


def _architecture() -> str:
    """By its number: `native` makes nvcc ask the GPU, which a compiler in a sandbox cannot see."""
    gpu = hardware.find_gpu()
    native = f"sm_{gpu.compute_capability.replace('.', '')}" if gpu else "native"
    return os.environ.get(CUDA_ARCHITECTURE) or native


def _key(
    checkout: Checkout, lab: Lab | None, source: bytes, backend: str, steps: Steps,
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


def _publish(fresh: Path, folder: Path) -> None:
    """Give the finished folder its name; another process may have been first with the same."""
    try:
        fresh.rename(folder)
    except OSError:
        if not (folder / "compiler.txt").is_file():
            raise
