"""The memory of all processes in a sandbox together.

The kernel's limit is for one process. Somebody without privileges cannot limit several together: a
control group belongs to the system. So the grader looks at what they use while it waits for them.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import cache

PARTS = ("RssAnon:", "RssShmem:", "VmSwap:")  # no programs and no libraries, which all share


def takes_more_than(limit: int) -> Callable[[int], bool]:
    """Whether the sandboxes below a process use more than `limit` bytes, for `process.run`."""
    return lambda root: used_below(root) > limit


def used_below(root: int) -> int:
    """The bytes that the sandboxed processes use which `root` and its children have started.

    The judge itself, whose memory holds the inputs, is not in a sandbox and does not count. Memory
    that several of the processes share counts for each of them.
    """
    statuses = (_status(process) for process in _descendants(root))
    return sum(_own_bytes(text) for text in statuses if _namespaces(text) > _own_namespaces())


@cache
def _own_namespaces() -> int:
    return _namespaces(_status("self"))


def _descendants(process: int | str) -> Iterator[str]:
    for child in _children(process):
        yield child
        yield from _descendants(child)


def _children(process: int | str) -> list[str]:
    found: list[str] = []
    with contextlib.suppress(OSError):  # it has ended, or its threads have
        for thread in os.listdir(f"/proc/{process}/task"):
            found += _text(f"/proc/{process}/task/{thread}/children").split()
    return found


def _status(process: str) -> str:
    return _text(f"/proc/{process}/status")


def _text(path: str) -> str:
    """A file of the kernel's, read as a whole: who watches ten processes ten times a second should
    not slow them down."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.readall().decode("utf-8", "replace")
    except OSError:
        return ""


def _line(status: str, key: str) -> list[str]:
    _, _, rest = f"\n{status}".partition(f"\n{key}")
    return rest.partition("\n")[0].split()


def _namespaces(status: str) -> int:
    """How many process namespaces the process is in, as seen from here."""
    return len(_line(status, "NSpid:"))


def _own_bytes(status: str) -> int:
    """The kernel counts in KiB."""
    return sum(int(value) << 10 for part in PARTS for value in _line(status, part)[:1])
