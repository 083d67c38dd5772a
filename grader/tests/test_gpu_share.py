"""A GPU is shared by few at once, or held by one alone; nobody waits for the dead."""

import fcntl
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from grader.machine import gpu_share
from grader.machine.gpu_share import SHARES, files_of_checks, share_of_gpu, whole_gpu
from grader.timing.locks import gpu_to_oneself

pytestmark = [pytest.mark.reads(), pytest.mark.unit]
SOON = 0.3  # seconds in which nothing happens that should not


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)


def test_at_most_so_many_share_it() -> None:
    here, most, lock = [0], [0], threading.Lock()

    def work(_: int) -> None:
        with share_of_gpu("7"):
            with lock:
                here[0] += 1
                most[0] = max(most[0], here[0])
            time.sleep(0.05)
            with lock:
                here[0] -= 1

    with ThreadPoolExecutor(3 * SHARES) as pool:
        list(pool.map(work, range(3 * SHARES)))
    assert most == [SHARES]


@pytest.mark.parametrize("alone", [whole_gpu, gpu_to_oneself])
@pytest.mark.longer
def test_who_wants_it_alone_waits_for_the_others_and_they_for_him(alone) -> None:  # type: ignore[no-untyped-def]
    order: list[str] = []

    def take_all() -> None:
        with alone("7"):
            order.append("alone")
            time.sleep(0.1)
            order.append("done")

    def share() -> None:
        with share_of_gpu("7"):
            order.append("shared")

    with ThreadPoolExecutor(2) as pool:
        with ExitStack() as held:
            for _ in range(SHARES):
                held.enter_context(share_of_gpu("7"))
            waiting = pool.submit(take_all)
            time.sleep(SOON)
            assert order == []
        while not order:
            time.sleep(0.01)
        pool.submit(share).result()
        waiting.result()
    assert order == ["alone", "done", "shared"]


def test_another_gpu_is_another_matter() -> None:
    with whole_gpu("7"), share_of_gpu("6"), whole_gpu("5"):
        pass


def test_the_share_of_a_killed_program_is_free() -> None:
    script = (
        "import sys\nfrom grader.machine.gpu_share import whole_gpu\n"
        "with whole_gpu('7'):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)  # fmt: skip
    assert holder.stdout and holder.stdout.readline() == "held\n"
    assert not gpu_share.taken_at_once(gpu_share._open("7", SHARES - 1))
    holder.kill()
    holder.communicate()
    with whole_gpu("7"):
        pass


def test_every_gpu_has_a_file_of_turns_of_its_own() -> None:
    one, other = gpu_share.file_of_turns("7"), gpu_share.file_of_turns("6")
    assert one.is_file() and other.is_file() and one != other
    assert gpu_share.file_of_turns("7") == one


@pytest.mark.longer
def test_who_has_it_alone_waits_for_who_checks_what_was_timed_and_lets_nobody_in() -> None:
    door, room = files_of_checks("7")
    order: list[str] = []

    def take_all() -> None:
        with whole_gpu("7"):
            order.append("alone")

    with room.open() as checks, door.open() as late, ThreadPoolExecutor(1) as pool:
        fcntl.flock(checks, fcntl.LOCK_SH)
        waiting = pool.submit(take_all)
        time.sleep(SOON)
        assert order == []
        with pytest.raises(BlockingIOError):
            fcntl.flock(late, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(checks, fcntl.LOCK_UN)
        waiting.result()
        fcntl.flock(late, fcntl.LOCK_SH | fcntl.LOCK_NB)
