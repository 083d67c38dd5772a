"""Nothing is left of a grader that SIGKILL ended: no program after 5 s, no folder after the next
start."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base import process, scratch
from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.sandbox import bubblewrap

# Alone: a busy machine takes longer to end processes, and other tests remove abandoned folders too.
pytestmark = [pytest.mark.alone, pytest.mark.reads("grader/base", "grader/sandbox")]

CHECKOUT = Checkout.here()
BOX = bubblewrap.find()
SECONDS = 5.0
PLAIN = "['/bin/sh', '-c', 'sleep {0} & sleep {0}']"
DETACHED = "['/bin/sh', '-c', 'setsid sleep {0} & sleep {0}']"
IN_THE_SANDBOX = f"bubblewrap.find().command({DETACHED}, [], 1)"
UNTOLD = "process.ends_with_us = contextlib.nullcontext"
ENDS_ITSELF = "process.ends_with_us = lambda group: os.kill(os.getpid(), 9)"
GRADER = """
import contextlib, os, subprocess, sys
from grader.base import process, scratch
from grader.sandbox import bubblewrap
{prepare}
with scratch.scratch_folder() as folder:
    print(folder, flush=True)
    process.run({command})
"""


def running(marker: str) -> int:
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return listed.stdout.splitlines().count(f"sleep {marker}")


def wait_until(marker: str, wanted: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while running(marker) != wanted:
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def kill_a_grader(command: str, marker: str, prepare: str = "") -> Path:
    """Ends a grader that runs two programs. Returns the folder that it had."""
    text = GRADER.format(command=command.format(marker), prepare=prepare)
    grader = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True,
                              cwd=CHECKOUT.root)  # fmt: skip
    assert grader.stdout
    folder = Path(grader.stdout.readline().strip())
    assert wait_until(marker, 2, 60)
    grader.kill()
    grader.wait()
    return folder


def marker(number: int) -> str:
    """A duration that no other test sleeps for."""
    return f"{5000 + os.getpid() % 1000}.{number}"


@pytest.mark.parametrize("command", [PLAIN, DETACHED, pytest.param(
    IN_THE_SANDBOX, marks=pytest.mark.skipif(not BOX, reason=BOX.text))])  # fmt: skip
def test_programs_end_with_a_killed_grader(command: str) -> None:
    name = marker(1000 + len(command))
    kill_a_grader(command, name)
    assert wait_until(name, 0, SECONDS)


MANY = "['/bin/sh', '-c', 'i=0; while [ $i -lt 300 ]; do sleep {0} & i=$((i+1)); done; wait']"


@pytest.mark.parametrize("command", [PLAIN, "['sleep', '{0}']", DETACHED, MANY])
def test_a_program_ends_whose_number_was_never_told(command: str) -> None:
    """The grader ends itself as soon as the program has started, which may start others."""
    name = marker(5 + len(command))
    text = GRADER.format(command=command.format(name), prepare=ENDS_ITSELF)
    grader = subprocess.run([sys.executable, "-c", text], stdout=subprocess.DEVNULL,
                            cwd=CHECKOUT.root)  # fmt: skip
    assert grader.returncode == -signal.SIGKILL
    assert wait_until(name, 0, SECONDS)
    time.sleep(0.3)  # the program may be there only now
    assert running(name) == 0


def test_without_the_reaper_they_would_stay() -> None:
    name = marker(3)
    kill_a_grader(PLAIN, name, f"{UNTOLD}; process.start = subprocess.Popen")
    try:
        assert not wait_until(name, 0, 1)
    finally:
        subprocess.run(["pkill", "-9", "-f", f"^sleep {name}$"], check=True)


@pytest.mark.parametrize("ends_all", [True, False])
def test_a_stopped_program_takes_along_what_left_its_group(
    monkeypatch: pytest.MonkeyPatch, ends_all: bool
) -> None:
    """As a sandbox that has only begun when its judge is stopped."""
    if not ends_all:
        monkeypatch.setattr(process, "end_all_of", lambda number: None)
    name = marker(7 + ends_all)
    command = ["/bin/sh", "-c", f"setsid sleep {name} & sleep {name}"]
    stopped = process.run(command, stop=lambda _: running(name) == 2, limit=SECONDS)
    try:
        assert stopped.stopped and running(name) == (0 if ends_all else 1)
    finally:
        subprocess.run(["pkill", "-9", "-f", f"^sleep {name}$"], check=False)


def is_removed_by(start: Callable[[], object], folder: Path) -> bool:
    """Tries for a few seconds: a child between fork and exec has its parent's lock, too."""
    end = time.monotonic() + SECONDS
    while True:
        start()
        if not folder.exists() or time.monotonic() > end:
            return not folder.exists()
        time.sleep(0.05)


POLITE = """
import subprocess, sys
from grader.base.reaper import ends_with_us
words = ["/bin/sh", "-c", "trap 'echo asked > {said}; exit' TERM; echo on; sleep {name} & wait"]
with subprocess.Popen(words, start_new_session=True) as one:
    with ends_with_us(-one.pid, is_asked={asked}):
        one.wait()
"""


@pytest.mark.parametrize("asked", [True, False])
def test_what_has_work_elsewhere_is_asked_to_end(asked: bool, tmp_path: Path) -> None:
    """Slurm keeps a GPU for an srun that was killed."""
    said, name = tmp_path / "said", f"98{os.getpid()}.{int(asked)}"
    text = POLITE.format(said=said, name=name, asked=asked)
    grader = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE,
                              cwd=CHECKOUT.root)  # fmt: skip
    assert grader.stdout and grader.stdout.readline()
    assert wait_until(name, 1, 60)
    grader.kill()
    assert wait_until(name, 0, SECONDS)
    time.sleep(0.2)
    assert said.exists() == asked


def test_the_folder_of_a_killed_grader_goes_with_the_next_start(
    capfd: pytest.CaptureFixture[str],
) -> None:
    abandoned = kill_a_grader(PLAIN, marker(4))
    assert abandoned.is_dir()
    with scratch.scratch_folder("room") as living, scratch.scratch_folder() as other:
        assert is_removed_by(lambda: main(["list"], CHECKOUT), abandoned)
        assert living.is_dir() and other.is_dir()
    assert not living.exists() and not other.exists()


def test_a_living_process_keeps_its_folder() -> None:
    """The owner is another process, stopped, so that nothing but its lock speaks for it."""
    text = GRADER.format(command="['sleep', '60']", prepare="")
    owner = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True,
                             cwd=CHECKOUT.root)  # fmt: skip
    assert owner.stdout
    folder = Path(owner.stdout.readline().strip())
    try:
        owner.send_signal(signal.SIGSTOP)
        scratch.remove_abandoned()
        assert folder.is_dir()
    finally:
        owner.kill()
        owner.wait()
    assert is_removed_by(scratch.remove_abandoned, folder)


def test_only_own_folders_of_the_kit_are_removed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "kept").mkdir(parents=True)
    place = tmp_path / "place"
    place.mkdir()
    for name in ("warpwise.older", "somebody-else", f"{scratch.MARK}.abandoned"):
        (place / name).mkdir()
    (place / f"{scratch.MARK}.link").symlink_to(outside)
    (place / f"{scratch.MARK}.file").write_text("a file")
    if os.geteuid() == 0:
        (place / f"{scratch.MARK}.foreign").mkdir()
        os.chown(place / f"{scratch.MARK}.foreign", 12345, 12345)
    scratch.remove_abandoned([place])
    left = {path.name for path in place.iterdir()}
    assert left >= {"warpwise.older", "somebody-else", f"{scratch.MARK}.link"}
    assert (outside / "kept").is_dir() and f"{scratch.MARK}.abandoned" not in left
    assert os.geteuid() != 0 or f"{scratch.MARK}.foreign" in left


def test_a_compilers_folder_among_finished_ones(tmp_path: Path) -> None:
    with scratch.scratch_folder("compiling", tmp_path) as fresh:
        (fresh / "made").touch()
        fresh.rename(tmp_path / "finished")
    assert [path.name for path in tmp_path.iterdir()] == ["finished"]
