"""The one GPU that submissions may use, and the device files that their sandbox gets."""

import os
import re
from functools import cache
from pathlib import Path

from ..base import process

# Every CUDA program opens these; drivers from 570 on also open nvidia-uvm-tools.
SHARED = ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools")
# Driver 580 does not need these; with older drivers cuInit fails with error 304 without them.
SYSTEM = ("/sys/bus/pci", "/sys/devices", "/sys/module/nvidia", "/sys/module/nvidia_uvm")
VISIBLE = "CUDA_VISIBLE_DEVICES"


def arguments() -> list[str]:
    """bwrap's arguments for the first GPU that CUDA_VISIBLE_DEVICES grants.

    Devices need --dev-bind: bwrap's other mounts forbid device files.
    """
    gpu = _find(_granted())
    made: list[str] = []
    for device in (*SHARED, gpu[1]) if gpu else SHARED:
        made += ["--dev-bind-try", device, device]
    for folder in SYSTEM:
        made += ["--ro-bind-try", folder, folder]
    # The sandbox contains only one GPU's device file. The GPU's index changes; its UUID does not.
    return [*made, "--setenv", VISIBLE, gpu[0]] if gpu else made


def granted_name() -> str:
    """The UUID of that GPU, because index 0 may mean different GPUs in two jobs on a cluster.
    Without nvidia-smi: the value of CUDA_VISIBLE_DEVICES."""
    gpu = _find(_granted())
    return gpu[0] if gpu else _granted()


@cache
def memory_gib() -> float:
    """The memory of that GPU; 0 if nobody says."""
    query = ["--query-gpu=memory.total", "--format=csv,noheader,nounits", f"--id={granted_name()}"]
    said = process.run(["nvidia-smi", *query], limit=30)
    try:
        return int(said.output) / 1024 if said.ok else 0.0
    except ValueError:
        return 0.0


def name_for_locks(device: str | None) -> str:
    """The name of `device` in the files that lock it; without one, of the granted GPU."""
    return device if device is not None else granted_name()


def _granted() -> str:
    return os.environ.get(VISIBLE, "0").split(",")[0].strip() or "0"


@cache
def _find(granted: str) -> tuple[str, str] | None:
    """UUID and device file of a GPU given by index or UUID; None if there is no such GPU. Asked
    once in a process, because nvidia-smi takes its time."""
    query = "--query-gpu=index,uuid,pci.bus_id"
    listed = process.run(["nvidia-smi", query, "--format=csv,noheader"], limit=30)
    for line in listed.output.splitlines() if listed.ok else ():
        index, uuid, bus = [field.strip() for field in f"{line},,".split(",")[:3]]
        if granted == index or (granted.startswith("GPU-") and uuid.startswith(granted)):
            return uuid, f"/dev/nvidia{_minor(bus) or index}"
    return None


def _minor(bus: str, gpus: Path = Path("/proc/driver/nvidia/gpus")) -> str | None:
    """The number of the device file, which may differ from the index. nvidia-smi writes the bus's
    domain with eight digits, the driver with four."""
    file = gpus / bus.lower()[-12:] / "information"
    try:
        found = re.search(r"Device Minor:\s*(\d+)", file.read_text(encoding="utf-8"))
    except OSError:
        return None
    return found[1] if found else None
