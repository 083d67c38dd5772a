"""No program outlives the grader that started it, even if SIGKILL ends the grader.

A shell reads from a pipe which programs run. The grader alone has the pipe's other end, so
it closes when the grader ends, however that happens. Then the shell kills what is left.
"""

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

SHELL = """
running=' ' asked=' '
while read -r sign target; do
  case $sign in
    +) running="$running$target " ;;
    ask) asked="$asked$target " ;;
    -) case $running in
         *" $target "*) running="${running%% $target *} ${running#* $target }" ;;
         *) asked="${asked%% $target *} ${asked#* $target }" ;;
       esac ;;
  esac
done
for target in $running; do kill -s KILL -- "$target"; done
for target in $asked; do kill -s TERM -- "$target"; done
[ "$asked" = ' ' ] || sleep 3
for target in $asked; do kill -s KILL -- "$target"; done
"""


class _Reaper:
    """The shell, and the grader's end of its pipe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        reading, self._pipe = os.pipe()
        with contextlib.suppress(OSError):  # without a shell there is no reaper
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", SHELL], stdin=reading, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, cwd="/", env={}, start_new_session=True,
            )  # fmt: skip
        os.close(reading)

    def tell(self, sign: str, target: int) -> None:
        with self._lock, contextlib.suppress(OSError):  # somebody has ended the shell
            os.write(self._pipe, f"{sign} {target}\n".encode())


@contextlib.contextmanager
def ends_with_us(target: int, is_asked: bool = False) -> Iterator[None]:
    """While the block runs, `target` is killed when this process ends: the number of a process, or
    the negative number of a process group.

    What has work elsewhere `is_asked` to end (SIGTERM), and killed only three seconds later.
    """
    reaper = _reaper()
    reaper.tell("ask" if is_asked else "+", target)
    try:
        yield
    finally:
        reaper.tell("-", target)


def start(command: Sequence[str], **how: Any) -> "subprocess.Popen[Any]":
    """subprocess.Popen for ends_with_us(). The shell is there first: whoever ended this process
    while the shell starts would leave the program alive."""
    _reaper()
    return subprocess.Popen(command, **how)


@cache
def _reaper() -> _Reaper:
    return _Reaper()
