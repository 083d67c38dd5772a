"""Who may work on a GPU: several gradings at once while nothing is timed, or one alone.

A program that starts to use a GPU waits for all others that start, a fifth of a second each. With
fifty of them, the last one waits for longer than a call may take, through no fault of its own. So
there are a few shares of a GPU, for all processes of this machine; who wants it alone takes all.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import devices
from .lock_files import lock_path, open_lock, taken_at_once

SHARES = 12
# Two more locks keep checks of what was timed away from what is timed, because they slow it down:
# who checks an answer goes through the door and holds the room, together with others. Who has the
# GPU alone closes the door, and has the room when the last check in it has ended.
DOOR, ROOM = SHARES, SHARES + 1
POLL_SECONDS = 0.02


@contextmanager
def share_of_gpu(device: str | None = None) -> Iterator[None]:
    """Hold one of the shares of `device`; wait until there is one. Raises InfrastructureError."""
    held = None
    while held is None:
        for number in range(SHARES):
            descriptor = _open(device, number)
            if taken_at_once(descriptor):
                held = descriptor
                break
            os.close(descriptor)
        else:
            time.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        os.close(held)


@contextmanager
def whole_gpu(device: str | None = None) -> Iterator[None]:
    """Hold all shares of `device`; wait for whoever has one. Raises InfrastructureError.

    All who want it whole take the locks in the same order, so that no two wait for each other.
    """
    held: list[int] = []
    try:
        for number in (*range(SHARES), DOOR, ROOM):
            held.append(_open(device, number))
            fcntl.flock(held[-1], fcntl.LOCK_EX)
        yield
    finally:
        for descriptor in held:
            os.close(descriptor)


def files_of_checks(device: str | None = None) -> list[Path]:
    """Door and room of those who check what was timed on `device` (clock/turn.hpp). Raises
    InfrastructureError."""
    for number in (DOOR, ROOM):
        os.close(_open(device, number))  # makes it
    return [_path(device, DOOR), _path(device, ROOM)]


def file_of_turns(device: str | None = None) -> Path:
    """The file whose lock a judge holds while one of its calls runs on `device`: who has a share
    runs one call at a time (judge/call_turn.hpp). Raises InfrastructureError."""
    path = lock_path("gpu-call", devices.name_for_locks(device))
    os.close(open_lock(path, "the GPU for a call"))  # makes it
    return path


def _open(device: str | None, number: int) -> int:
    return open_lock(_path(device, number), "a share of the GPU")


def _path(device: str | None, number: int) -> Path:
    return lock_path("gpu-share", f"{devices.name_for_locks(device)}-{number}")
