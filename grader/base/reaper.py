"""No program outlives the grader that started it, even if SIGKILL ends the grader.

A shell reads from a pipe which programs run. The grader alone has the pipe's other end, so
it closes when the grader ends, however that happens. Then the shell kills what is left.

Two kinds of processes are in no process group that the grader can tell: a program that starts while
the grader ends, and what a program has put into a group of its own, such as a judge's worker. So
each program has a mark in its environment, which the shell knows before the program is there.
"""

import contextlib
import itertools
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

MARK = "WARPWISE_STARTED"
TRIES = 100  # 10 ms each
SHELL = """
running=' ' asked=' ' marks=' '
while read -r sign target; do
  case $sign in
    +) running="$running$target " ;;
    ask) asked="$asked$target " ;;
    start) marks="$marks$target " ;;
    ended) marks="${marks%% $target *} ${marks#* $target }" ;;
    -) case $running in
         *" $target "*) running="${running%% $target *} ${running#* $target }" ;;
         *) asked="${asked%% $target *} ${asked#* $target }" ;;
       esac ;;
  esac
done
for target in $running; do kill -s KILL -- "$target"; done
set --
for target in $marks; do set -- "$@" -e "MARK=$target"; done
for try in 1 2 3 4 5 6; do  # a program gets its mark by exec, and may start another one meanwhile
  [ "$#" = 0 ] && break
  for one in $(grep -lsxz "$@" /proc/[0-9]*/environ); do
    one=${one#/proc/}
    kill -s KILL -- "${one%/environ}"
  done
  sleep 0.1
done
for target in $asked; do kill -s TERM -- "$target"; done
[ "$asked" = ' ' ] || sleep 3
for target in $asked; do kill -s KILL -- "$target"; done
""".replace("MARK", MARK)


class _Reaper:
    """The shell, and the grader's end of its pipe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._mark_of: dict[int, str] = {}  # by process
        reading, self._pipe = os.pipe()
        with contextlib.suppress(OSError):  # without a shell there is no reaper
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", SHELL], stdin=reading, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, cwd="/", env={}, start_new_session=True,
            )  # fmt: skip
        os.close(reading)

    def start(self, command: Sequence[str], how: dict[str, Any]) -> "subprocess.Popen[Any]":
        mark = f"{os.getpid()}.{next(self._numbers)}"
        self.tell("start", mark)
        try:
            environment = {**how.pop("env", os.environ), MARK: mark}
            process = subprocess.Popen(command, env=environment, **how)
        except OSError:
            self.tell("ended", mark)
            raise
        self._mark_of[process.pid] = mark
        return process

    def end_marked(self, process: int) -> None:
        mark = f"{MARK}={self._mark_of.get(process, '')}".encode()
        for _ in range(TRIES):  # one that is killed may start another one meanwhile
            marked = [one for one in _processes() if mark in _environment(one).split(b"\0")]
            if not marked:
                return
            for one in marked:
                with contextlib.suppress(OSError):
                    os.kill(one, signal.SIGKILL)
            time.sleep(0.01)

    def know(self, target: int, is_asked: bool) -> None:
        self.tell("ask" if is_asked else "+", target)
        if is_asked:  # the mark would kill it
            self._unmark(target)

    def forget(self, target: int) -> None:
        self.tell("-", target)
        self._unmark(target)

    def _unmark(self, target: int) -> None:
        if mark := self._mark_of.pop(abs(target), None):
            self.tell("ended", mark)

    def tell(self, sign: str, target: int | str) -> None:
        with self._lock, contextlib.suppress(OSError):  # somebody has ended the shell
            os.write(self._pipe, f"{sign} {target}\n".encode())


@contextlib.contextmanager
def ends_with_us(target: int, is_asked: bool = False) -> Iterator[None]:
    """While the block runs, `target` is killed when this process ends: the number of a process, or
    the negative number of a process group.

    What has work elsewhere `is_asked` to end (SIGTERM), and killed only three seconds later.
    """
    reaper = _reaper()
    reaper.know(target, is_asked)
    try:
        yield
    finally:
        reaper.forget(target)


def start(command: Sequence[str], **how: Any) -> "subprocess.Popen[Any]":
    """subprocess.Popen for ends_with_us(), which is to follow. The program ends with this process
    from its first moment on."""
    return _reaper().start(command, how)


def end_all_of(process: int) -> None:
    """Kill what a program of start() has left, in whatever group it is, after its own end.

    A sandbox ends with its starter. But one that has only begun is two processes, and the inner one
    waits for the outer one, which is gone.
    """
    _reaper().end_marked(process)


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _environment(process: int) -> bytes:
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return file.read()
    except OSError:  # somebody else's, or gone
        return b""


@cache
def _reaper() -> _Reaper:
    return _Reaper()
