"""One timed submission at a time on a GPU, and on a processor: two at once slow each other down."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from ..base import console
from ..base.errors import InfrastructureError
from ..machine import devices


def lock_path(kind: str, name: str) -> Path:
    """The lock file of a `gpu` or a `processor`, shared by every user of this machine."""
    name = "".join(c if c.isalnum() else "-" for c in name)
    return Path(tempfile.gettempdir()) / f"warpwise-{kind}-{name}.lock"


def _open(path: Path, what: str) -> int:
    """Only read access is needed to lock, so the file of whoever comes first serves all."""
    try:
        return _open_or_create(path)
    except OSError as error:
        why = f"{path}: cannot be opened to lock {what}: {error}."
        raise InfrastructureError(why) from error


def _open_or_create(path: Path) -> int:
    flags = os.O_RDONLY | os.O_CLOEXEC
    try:
        return os.open(path, flags)  # without O_CREAT, which /tmp forbids for another user's file
    except FileNotFoundError:
        pass
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:  # somebody else was faster
        return os.open(path, flags)
    os.fchmod(descriptor, 0o644)  # whatever the umask
    return descriptor


def _taken_at_once(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def gpu_to_oneself(device: str | None = None) -> Iterator[None]:
    """Hold the lock of `device`; waits for who holds it. Raises InfrastructureError.

    The lock is the open file's, so it goes with its holder however that ends.
    """
    path = lock_path("gpu", device if device is not None else devices.granted_name())
    descriptor = _open(path, "the GPU")
    try:
        if not _taken_at_once(descriptor):
            console.note(f"waiting for the GPU: another grading is timing ({path}).")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def processor_to_oneself() -> Iterator[int]:
    """Hold the lock of a processor that timed workers can stay on; yields its number.

    The last one that nobody else times on, for the first ones serve interrupts. Where gradings hold
    them all the last one is shared: they are slower then, and as fair. Raises InfrastructureError.
    """
    usable = sorted(os.sched_getaffinity(0), reverse=True)
    for processor in usable:
        descriptor = _open(lock_path("processor", str(processor)), "a processor")
        try:
            if _taken_at_once(descriptor):
                yield processor
                return
        finally:
            os.close(descriptor)
    yield usable[0]


def while_timing(backend: str) -> AbstractContextManager[None]:
    """The lock of the GPU that is timed; nothing for the CPU backend, whose time is nobody's."""
    return gpu_to_oneself() if backend == "gpu" else nullcontext()
