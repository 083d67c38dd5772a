"""One timed submission at a time on a GPU and on a processor: two would slow each other down."""

import fcntl
import os
import socket
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path

from ..base import console
from ..base.steps import step, within
from ..machine import devices
from ..machine.gpu_share import share_of_gpu, whole_gpu
from ..machine.lock_files import lock_path, open_lock, taken_at_once


@contextmanager
def gpu_to_oneself(device: str | None = None) -> Iterator[None]:
    """Hold the lock of `device`, and all its shares; wait while other processes hold some.

    The locks belong to open files, so they are released however their holder ends. Raises
    InfrastructureError.
    """
    with _next_to_time.held(device), _alone(device):
        yield


@contextmanager
def turns_on_gpu(
    device: str | None = None, may_time: Callable[[], bool] = lambda: True
) -> Iterator[int]:  # fmt: skip
    """Give a judge its turns on `device`: a share while it gets ready, then all of it to time.

    After that the next judge gets ready, while this one checks what it has seen. Yields the
    descriptor over which the judge asks (clock/turn.hpp). Raises InfrastructureError.

    `may_time` is asked when the judge is ready, and may take its time: the judge has no share then,
    so nobody waits for it. If it says no, the judge hears that nobody gives turns.
    """
    ours, theirs = socket.socketpair()
    with ExitStack() as held, ours, ThreadPoolExecutor(1) as pool:
        held.enter_context(_next_to_time.held(device))
        share = held.enter_context(ExitStack())
        share.enter_context(share_of_gpu(device))
        given = pool.submit(within(_give_turns), ours, share, held.pop_all(), device, may_time)
        with theirs:  # closed when the judge has ended: nobody asks any more
            yield theirs.fileno()
        given.result()


def _give_turns(
    judge: socket.socket, share: ExitStack, held: ExitStack, device: str | None,
    may_time: Callable[[], bool],
) -> None:  # fmt: skip
    with judge, held:  # if the socket closes too early, the judge hears that nobody gives turns
        with share:
            ready = judge.recv(1)
        if ready and may_time():
            with _alone(device), suppress(OSError):  # the judge may have been killed meanwhile
                judge.send(b"g")
                judge.recv(1)


class _NextToTime:
    """The lock of who times next, or times now: one grading, whose comparisons hold it together.

    They start their programs beside each other, and then have the GPU one after another.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = defaultdict[Path, list[int]](list)  # descriptors, one for each holder

    @contextmanager
    def held(self, device: str | None) -> Iterator[None]:
        path = lock_path("gpu", devices.name_for_locks(device))
        with self._lock:
            holders = self._holders[path]
            holders.append(os.dup(holders[0]) if holders else _taken(path))
        try:
            yield
        finally:
            with self._lock:
                os.close(holders.pop())  # flock's lock lasts until the last copy is closed


def _taken(path: Path) -> int:
    descriptor = open_lock(path, "the GPU")
    if not taken_at_once(descriptor):
        console.note(f"waiting for the GPU: another grading is timing ({path}).")
        with step("wait for the GPU"):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


_next_to_time = _NextToTime()


@contextmanager
def _alone(device: str | None) -> Iterator[None]:
    with ExitStack() as shares:
        with step("wait for judging on the GPU"):
            shares.enter_context(whole_gpu(device))
        with step("hold the GPU"):
            yield


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
