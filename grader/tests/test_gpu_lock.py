"""One timed submission at a time, also across processes, and nothing left behind by the dead."""

import subprocess
import sys
from pathlib import Path

import pytest

from grader import gpu_lock
from grader.errors import InfrastructureError

HOLDER = """
import sys
from grader.gpu_lock import gpu_to_oneself
with gpu_to_oneself("7"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)


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


def test_the_lock_of_a_killed_holder_is_free_and_other_devices_do_not_wait() -> None:
    first = holder()
    with gpu_lock.gpu_to_oneself("6"):
        pass
    first.kill()
    first.communicate()
    with gpu_lock.gpu_to_oneself("7"):
        pass


def test_a_lock_that_cannot_be_opened_is_an_infrastructure_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with pytest.raises(InfrastructureError, match="cannot be opened to lock the GPU"):
        with gpu_lock.gpu_to_oneself("7"):
            pass
