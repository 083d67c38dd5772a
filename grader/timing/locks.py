"""One timed submission at a time on a GPU and on a processor: two would slow each other down."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

from ..base import console
from ..base.steps import step
from ..machine import devices
from ..machine.gpu_share import whole_gpu
from ..machine.lock_files import lock_path, open_lock, taken_at_once


@contextmanager
def gpu_to_oneself(device: str | None = None) -> Iterator[None]:
    """Hold the lock of `device`, and all its shares; wait while other processes hold some.

    The locks belong to open files, so they are released however their holder ends. Raises
    InfrastructureError.
    """
    path = lock_path("gpu", device if device is not None else devices.granted_name())
    descriptor = open_lock(path, "the GPU")
    try:
        if not taken_at_once(descriptor):
            console.note(f"waiting for the GPU: another grading is timing ({path}).")
            with step("wait for the GPU"):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        with step("wait for judging on the GPU"):
            shares = ExitStack()
            shares.enter_context(whole_gpu(device))
        with shares, step("hold the GPU"):
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
        descriptor = open_lock(lock_path("processor", str(processor)), "a processor")
        try:
            if taken_at_once(descriptor):
                yield processor
                return
        finally:
            os.close(descriptor)
    yield usable[0]


def while_timing(backend: str) -> AbstractContextManager[None]:
    """The lock of the GPU that is timed; nothing on the CPU backend, whose time is not used."""
    return gpu_to_oneself() if backend == "gpu" else nullcontext()
