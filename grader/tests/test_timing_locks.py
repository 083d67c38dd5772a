"""One timed submission at a time, also across processes, and nothing left behind by the dead."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from grader.base import process
from grader.base.errors import InfrastructureError
from grader.machine import devices
from grader.machine.gpu_share import SHARES, share_of_gpu
from grader.machine.lock_files import lock_path, open_lock, taken_at_once
from grader.timing import locks

pytestmark = [pytest.mark.reads(), pytest.mark.unit]

HOLDER = """
import sys
from grader.timing.locks import gpu_to_oneself
with gpu_to_oneself("7"):
    print("held", flush=True)
    sys.stdin.read()
"""


SOON = 0.2  # seconds in which nothing happens that should not


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_said_and_nobody_waits(make: Callable[[Path], None]) -> None:
    path = lock_path("gpu", "7")
    make(path)
    with pytest.raises(InfrastructureError, match=f"{path}: is no file, .* rm -r {path}"):
        open_lock(path, "the GPU")
    os.close(open_lock(lock_path("gpu", "8"), "the GPU"))


def holder() -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "held\n"
    return process


def test_the_second_waits_for_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    first = holder()
    second = subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert second.stderr and "waiting for the GPU" in second.stderr.readline()
    first.communicate()
    assert second.stdout and second.stdout.readline() == "held\n"
    second.communicate()


def all_shares_are_free(device: str) -> bool:
    with ExitStack() as taken:
        for number in range(SHARES):
            descriptor = open_lock(lock_path("gpu-share", f"{device}-{number}"), "a share")
            taken.callback(os.close, descriptor)
            if not taken_at_once(descriptor):
                return False
    return True


def test_a_judge_shares_the_gpu_until_it_is_ready_and_has_it_alone_until_it_is_done() -> None:
    with locks.turns_on_gpu("7") as turn:
        with socket.socket(fileno=os.dup(turn)) as judge:
            with share_of_gpu("7"):
                judge.send(b"r")
                judge.settimeout(SOON)
                with pytest.raises(TimeoutError):  # somebody else still uses the GPU
                    judge.recv(1)
            judge.settimeout(10)
            assert judge.recv(1) == b"g"
            assert not all_shares_are_free("7")
            judge.send(b"d")
            wait_until(lambda: all_shares_are_free("7"))  # while the judge checks the answers


def test_the_comparisons_of_one_grading_get_ready_beside_each_other_and_other_gradings_wait() -> (
    None
):
    with locks.turns_on_gpu("7"):
        with locks.turns_on_gpu("7"):  # would wait for itself
            path = lock_path("gpu", "7")
        other = open_lock(path, "the GPU")
        assert not taken_at_once(other)
    assert taken_at_once(other)
    os.close(other)


@pytest.mark.parametrize("words", [b"", b"r"])
def test_a_judge_that_dies_leaves_the_gpu_to_others(words: bytes) -> None:
    with locks.turns_on_gpu("7") as turn:
        judge = socket.socket(fileno=os.dup(turn))
        judge.send(words)
        judge.close()
    assert all_shares_are_free("7")


@pytest.mark.parametrize("passes", [True, False])
def test_a_judge_that_is_ready_keeps_nobody_waiting_until_its_stage_has_passed(
    passes: bool,
) -> None:
    asked, known = threading.Event(), threading.Event()

    def may_time() -> bool:
        asked.set()
        known.wait(10)
        return passes

    with locks.turns_on_gpu("7", may_time) as turn:
        with socket.socket(fileno=os.dup(turn)) as judge:
            judge.send(b"r")
            assert asked.wait(10) and all_shares_are_free("7")
            judge.settimeout(SOON)
            with pytest.raises(TimeoutError):
                judge.recv(1)
            known.set()
            judge.settimeout(10)
            assert judge.recv(1) == (b"g" if passes else b"")
    assert all_shares_are_free("7")


def test_a_judge_is_told_when_nobody_can_give_it_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(device: str | None) -> None:
        raise InfrastructureError("no lock")

    monkeypatch.setattr(locks, "whole_gpu", broken)
    with pytest.raises(InfrastructureError, match="no lock"):
        with locks.turns_on_gpu("7") as turn:
            with socket.socket(fileno=os.dup(turn)) as judge:
                judge.settimeout(10)
                judge.send(b"r")
                assert judge.recv(1) == b""


def test_the_lock_of_a_killed_holder_is_free_and_other_devices_do_not_wait() -> None:
    first = holder()
    with locks.gpu_to_oneself("6"):
        pass
    first.kill()
    first.communicate()
    with locks.gpu_to_oneself("7"):
        pass


def test_a_lock_that_cannot_be_opened_is_an_infrastructure_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with pytest.raises(InfrastructureError, match="cannot be opened to lock the GPU"):
        with locks.gpu_to_oneself("7"):
            pass


def test_each_of_several_gradings_gets_a_processor_of_its_own() -> None:
    usable = sorted(os.sched_getaffinity(0))
    with ExitStack() as gradings:
        taken = [gradings.enter_context(locks.processor_to_oneself()) for _ in range(len(usable))]
        assert sorted(taken) == usable
        with locks.processor_to_oneself() as shared:
            assert shared == usable[-1]
    with locks.processor_to_oneself() as free:
        assert free == usable[-1]


def test_another_users_lock_file_serves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where fs.protected_regular is set, nobody may open another's file in /tmp to create it."""
    really_open = os.open

    def as_in_tmp(path: Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT and not flags & os.O_EXCL and path.exists():
            raise PermissionError(13, "Permission denied")
        return really_open(path, flags, mode)

    theirs = locks.lock_path("gpu", "7")
    theirs.touch()
    monkeypatch.setattr(os, "open", as_in_tmp)
    with pytest.raises(PermissionError):
        os.open(theirs, os.O_RDONLY | os.O_CREAT)
    with locks.gpu_to_oneself("7"):
        pass


def test_a_lock_file_is_readable_for_all_whatever_the_umask() -> None:
    before = os.umask(0o077)
    try:
        with locks.gpu_to_oneself("7"):
            assert locks.lock_path("gpu", "7").stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(before)


def test_the_lock_is_of_the_gpu_whatever_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two jobs of a cluster may each call another GPU 0."""
    listed = process.Finished(0, "0, GPU-5e1f, 00000000:1B:00.0", timed_out=False, seconds=0.1)
    monkeypatch.setattr(process, "run", lambda *_, **__: listed)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    devices._find.cache_clear()
    assert devices.granted_name() == "GPU-5e1f"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    devices._find.cache_clear()
    assert devices.granted_name() == "3"
    devices._find.cache_clear()
