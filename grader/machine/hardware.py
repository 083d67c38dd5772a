"""What this machine is. Every result and figure names it: a time without it means nothing."""

import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

from ..base import process
from ..base.errors import UsageError


@dataclass(frozen=True)
class Gpu:
    name: str
    driver: str
    compute_capability: str
    uuid: str | None = None


@dataclass(frozen=True)
class Ceilings:
    """Rates per second and times in seconds, each the best of a few runs on this GPU.

    A copy counts bytes read and bytes written, beyond the L2 cache and within it. A compare is an
    integer subtraction whose sign is added up. An exchange is a minimum and a maximum. A gather
    reads 4 bytes from a random place.
    """

    copied_bytes_per_second: float
    cached_bytes_per_second: float
    compares_per_second: float
    exchanges_per_second: float
    l2_gathers_per_second: float
    memory_gathers_per_second: float
    launch_seconds: float
    barrier_seconds: float


@dataclass(frozen=True)
class Machine:
    """`cores` are those that this process may use; `memory_gib` is the installed memory.

    `ceilings` is None if they were not measured.
    """

    cpu: str
    cores: int
    memory_gib: float
    gpu: Gpu | None
    os: str
    ceilings: Ceilings | None = None


def describe() -> Machine:
    """This machine; what cannot be found out is `unknown` or 0."""
    return Machine(_cpu(), len(os.sched_getaffinity(0)), _memory_gib(), find_gpu(), _os())


def _field(file: str, key: str, separator: str) -> str:
    try:
        lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        name, found, value = line.partition(separator)
        if found and name.strip() == key:
            return value.strip().strip('"')
    return ""


def _cpu() -> str:
    return _field("/proc/cpuinfo", "model name", ":") or platform.machine() or "unknown"


def _memory_gib() -> float:
    kibibytes = _field("/proc/meminfo", "MemTotal", ":").split(" ")[0]
    return round(int(kibibytes) / 2**20, 1) if kibibytes.isdecimal() else 0.0


def _os() -> str:
    return _field("/etc/os-release", "PRETTY_NAME", "=") or platform.system() or "unknown"


def find_gpu() -> Gpu | None:
    """The first NVIDIA GPU that CUDA_VISIBLE_DEVICES grants, or None.

    If that names none of those that the driver reports, it is the driver's first.
    """
    granted = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()
    found = all_gpus()
    same = [gpu for index, gpu in enumerate(found)
            if granted in (str(index), gpu.uuid) and granted]  # fmt: skip
    return next(iter([*same, *found]), None)


def all_gpus() -> list[Gpu]:
    """The NVIDIA GPUs that the driver reports, in its order."""
    if not shutil.which("nvidia-smi"):
        return []
    query = "--query-gpu=name,driver_version,compute_cap,uuid"
    listed = process.run(["nvidia-smi", query, "--format=csv,noheader"], limit=30)
    rows = [[field.strip() for field in row.split(",")] for row in listed.output.splitlines()]
    return [Gpu(*row) for row in rows if len(row) == 4] if listed.ok else []


def find_nvcc() -> str | None:
    """The CUDA compiler: on PATH, or where the toolkit's installer puts it."""
    return shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


def choose_backend(wanted: str | None) -> str:
    """`wanted`; if it is None, gpu if a GPU and nvcc exist, otherwise cpu. Raises UsageError."""
    if wanted == "cpu":
        return "cpu"
    gpu, nvcc = find_gpu(), find_nvcc()
    if wanted == "gpu":
        missing = [what for what, there in (("an NVIDIA GPU", gpu), ("nvcc", nvcc)) if not there]
        if missing:
            raise UsageError(
                f"the gpu backend needs {' and '.join(missing)}, which this machine lacks; "
                "use --backend cpu."
            )
    return "gpu" if gpu and nvcc else "cpu"
