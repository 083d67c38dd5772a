"""One timed submission at a time on a GPU: two at once would slow each other down."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from . import console
from .errors import InfrastructureError


def lock_path(device: str) -> Path:
    """The lock file of `device`, shared by every user of this machine."""
    name = "".join(c if c.isalnum() else "-" for c in device)
    return Path(tempfile.gettempdir()) / f"warpwise-gpu-{name}.lock"


def granted_device() -> str:
    """The GPU that timing runs on: the first that CUDA_VISIBLE_DEVICES grants."""
    return os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0] or "0"


@contextmanager
def gpu_to_oneself(device: str | None = None) -> Iterator[None]:
    """Hold the lock of `device`; waits for who holds it. Raises InfrastructureError.

    The lock is the open file's, so it goes with its holder however that ends.
    """
    path = lock_path(device if device is not None else granted_device())
    try:
        # Only read access is needed to lock, so one user's file serves all.
        descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise InfrastructureError(f"{path}: cannot be opened to lock the GPU: {error}.") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            console.note(f"waiting for the GPU: another grading is timing ({path}).")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def while_timing(backend: str) -> AbstractContextManager[None]:
    """The lock of the GPU that is timed; nothing for the CPU backend, whose time is nobody's."""
    return gpu_to_oneself() if backend == "gpu" else nullcontext()
