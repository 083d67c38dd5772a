"""One timed submission at a time on a GPU and on a processor: two would slow each other down."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from ..base import console
from ..base.errors import InfrastructureError
from ..base.steps import step
from ..machine import devices


def lock_path(kind: str, name: str) -> Path:
    """The lock file of a `gpu` or a `processor`, shared by every user of this machine."""
    name = "".join(c if c.isalnum() else "-" for c in name)
    return Path(tempfile.gettempdir()) / f"warpwise-{kind}-{name}.lock"


def _open(path: Path, what: str) -> int:
    """Locking needs only read access, so all users can lock the file that the first one creates."""
    try:
        return _open_or_create(path)
    except OSError as error:
        why = f"{path}: cannot be opened to lock {what}: {error}."
        raise InfrastructureError(why) from error


def _open_or_create(path: Path) -> int:
    flags = os.O_RDONLY | os.O_CLOEXEC
    try:
        return os.open(path, flags)  # no O_CREAT: in /tmp it fails for another user's file
    except FileNotFoundError:
        pass
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:  # another process was faster
        return os.open(path, flags)
    os.fchmod(descriptor, 0o644)  # independent of the umask
    return descriptor


def _taken_at_once(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def gpu_to_oneself(device: str | None = None) -> Iterator[None]:
    """Hold the lock of `device`; wait while another process holds it. Raises InfrastructureError.

    The lock belongs to the open file, so it is released however its holder ends.
    """
    path = lock_path("gpu", device if device is not None else devices.granted_name())
    descriptor = _open(path, "the GPU")
    try:
        if not _taken_at_once(descriptor):
            console.note(f"waiting for the GPU: another grading is timing ({path}).")
            with step("wait for the GPU"):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        with step("hold the GPU"):
            yield
    finally:
        os.close(descriptor)


@contextmanager
def processor_to_oneself() -> Iterator[int]:
    """Hold the lock of a processor that timed workers can stay on; yields its number.

    It is the last free one, because the first ones serve interrupts. If other gradings hold them
    all, the last one is shared: timing is then slower, but still fair. Raises InfrastructureError.
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
    """The lock of the GPU that is timed; nothing on the CPU backend, whose time is not used."""
    return gpu_to_oneself() if backend == "gpu" else nullcontext()
