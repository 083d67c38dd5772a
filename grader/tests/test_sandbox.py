"""The sandbox holds what it promises; where there is none, that is said and nothing is run."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base import process
from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError
from grader.base.scratch import scratch_folder
from grader.commands import doctor
from grader.commands.cli import main
from grader.machine import devices
from grader.sandbox import bubblewrap, canary, memory, seccomp
from grader.sandbox.bubblewrap import OWN_RIGHTS, Sandbox
from grader.tests.choice import first_of

pytestmark = pytest.mark.reads("grader/trials")

CHECKOUT = Checkout.here()
BOX = bubblewrap.find()
needs_seccomp = pytest.mark.skipif(not BOX.seccomp, reason=BOX.text)
needs_sandbox = pytest.mark.skipif(not BOX, reason=BOX.text)


def test_where_bwrap_works_at_all_there_is_a_sandbox() -> None:
    """Otherwise a fault of our command line would only make the tests below be skipped."""
    plain = ["bwrap", "--unshare-user", "--ro-bind", "/", "/", "/bin/true"]
    if not process.run(plain, limit=20).ok:
        pytest.skip("bwrap does not work on this machine")
    assert BOX, BOX.text


@needs_sandbox
def test_the_canary_can_do_nothing_in_the_sandbox() -> None:
    assert canary.failures(CHECKOUT, BOX) == []


def test_the_canary_finds_what_is_open_without_one() -> None:
    """A canary that is silent everywhere would prove nothing."""
    found = " ".join(canary.failures(CHECKOUT, OWN_RIGHTS))
    for words in ("reads the checkout", "reads /etc/passwd", "sees other processes",
                  "reads the grader's environment", "knows this machine's name",
                  "fills /tmp", "compiler includes", "compiler embeds"):  # fmt: skip
        assert words in found
    for call in ("ptrace", "kcmp", "unshare", "clone(CLONE_NEW...)", "socket(2)", "shmget"):
        assert f" {call} " in found


def allowing(monkeypatch: pytest.MonkeyPatch, *allowed: seccomp.Rule) -> Sandbox:
    """A sandbox whose filters allow these calls as well."""
    made = seccomp.rules
    monkeypatch.setattr(seccomp, "rules", lambda use: [*made(use), *allowed])
    monkeypatch.setattr(seccomp, "filter_file", seccomp.filter_file.__wrapped__)
    return BOX


@needs_seccomp
@pytest.mark.parametrize("call", first_of(2, [
    "userfaultfd", "ptrace", "keyctl", "unshare", "pidfd_getfd", "process_vm_readv",
    "name_to_handle_at"], CHECKOUT.root / "grader" / "sandbox",
    CHECKOUT.root / "grader" / "trials"))  # fmt: skip
def test_the_canary_finds_a_call_that_a_filter_lets_through(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = allowing(monkeypatch, (call, None))
    assert canary.failures(CHECKOUT, box) == [f"the kernel answers its calls: {call}"]


@needs_seccomp
def test_the_canary_finds_conditions_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    box = allowing(monkeypatch, ("socket", None), ("ioctl", None), ("clone", None),
                          ("personality", None))  # fmt: skip
    (found,) = [line for line in canary.failures(CHECKOUT, box) if "calls" in line]
    for words in ("personality", "clone(CLONE_NEW...)", "socket(2)", "ioctl(TIOCSTI)"):
        assert words in found


@needs_seccomp
@pytest.mark.parametrize("use", seccomp.USES)
def test_honest_programs_run_with_every_filter(use: str) -> None:
    """Threads, processes, pipes, files, local sockets, memory, clocks, and what Python itself asks
    for: no call of theirs is refused."""
    program = """
import array, mmap, os, resource, select, signal, socket, subprocess, tempfile, threading, time
threads = [threading.Thread(target=time.sleep, args=(0.01,)) for _ in range(8)]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
assert subprocess.run("sort | uniq", input=b"b\\na\\n", shell=True, capture_output=True).stdout
ours, theirs = socket.socketpair()
with tempfile.TemporaryFile() as file:
    file.truncate(1 << 16)
    socket.send_fds(ours, [b"x"], [file.fileno()])
    _, (fd,), *_ = socket.recv_fds(theirs, 1, 1)
    mmap.mmap(fd, 1 << 16)[:2] = b"ab"
    assert os.pread(file.fileno(), 2, 0) == b"ab"
poll = select.epoll(); poll.register(ours, select.EPOLLIN); poll.poll(0.01)
signal.setitimer(signal.ITIMER_REAL, 0.01); signal.signal(signal.SIGALRM, lambda *_: None)
signal.pause(); os.sched_yield(); os.sched_setaffinity(0, os.sched_getaffinity(0))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); os.urandom(8); os.isatty(1)
os.rename(tempfile.mkdtemp(), "/tmp/renamed"); os.listdir("/tmp"); os.statvfs("/tmp")
child = os.fork()
os._exit(7) if child == 0 else None
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
print("honest")
"""
    arguments = [bubblewrap.python(), "-c", program]
    command = BOX.command(arguments, bubblewrap._toolchain(), 1 << 20, use=use)
    assert process.run(command, limit=60).output == "honest\n"


@needs_seccomp
@pytest.mark.parametrize(("use", "refused"), [("compiler", []), ("cpu", [1, 2]), ("gpu", [1, 2])])
def test_a_worker_does_not_learn_where_its_output_ends(use: str, refused: list[int]) -> None:
    program = """
import errno, os
file = os.open("/tmp/file", os.O_RDWR | os.O_CREAT)
for number in range(3, 40):
    os.dup2(file, number)
found = []
for number in range(40):
    try:
        os.lseek(number, 0, os.SEEK_CUR)
    except OSError as error:
        found += [number] if error.errno == errno.ENOSYS else []
print(found)
"""
    arguments = [bubblewrap.python(), "-c", program]
    command = BOX.command(arguments, bubblewrap._toolchain(), 1 << 20, use=use)
    assert process.run(command, limit=60).output == f"{refused}\n"


def test_without_libseccomp_the_sandbox_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp, "LIBSECCOMP", "libseccomp-that-is-not-here.so")
    monkeypatch.setattr(seccomp, "_library", seccomp._library.__wrapped__)
    monkeypatch.setattr(seccomp, "described", seccomp.described.__wrapped__)
    monkeypatch.setattr(bubblewrap, "fault", lambda _: "")
    box = bubblewrap._with_seccomp(Sandbox("bubblewrap 9", "/usr/bin/bwrap"))
    assert box.text == "bubblewrap 9; without seccomp: libseccomp2 is not installed"
    assert box and not box.seccomp and "--add-seccomp-fd" not in box.command(["x"], [], 1)


def test_a_kernel_without_filters_is_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "fault", lambda box: "prctl: EINVAL" if box.seccomp else "")
    monkeypatch.setattr(seccomp, "described", lambda: "seccomp 2")
    box = bubblewrap._with_seccomp(Sandbox("bubblewrap 9", "/usr/bin/bwrap"))
    assert box.text == "bubblewrap 9; without seccomp: prctl: EINVAL" and not box.seccomp


def test_doctor_says_how_to_get_the_filter() -> None:
    text = f"bubblewrap 9; {bubblewrap.WITHOUT_SECCOMP}: {seccomp.NOT_INSTALLED}"
    said = doctor._sandbox(Sandbox(text, "/usr/bin/bwrap"), [])
    assert "note" in said and said.endswith("install -y --no-install-recommends libseccomp2")
    said = doctor._sandbox(Sandbox("bubblewrap 9; seccomp 2", "/usr/bin/bwrap", seccomp=True), [])
    assert "have" in said and "install" not in said


@needs_seccomp
def test_a_result_names_the_filter() -> None:
    assert "; seccomp " in BOX.text


@needs_sandbox
def test_the_environment_of_the_grader_stays_outside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WARPWISE_SECRET_SEED", "secret-4711")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/usr/local/lib:/home/somebody/lib")
    line = "tr '\\0' '\\n' </proc/1/environ; env; uname -n; cat /etc/hostname"
    with scratch_folder("room") as room:
        room.chmod(0o755)
        seen = process.run(BOX.compiler_command(room, line), limit=20).output
    assert "PATH=/usr/local/bin:/usr/bin:/bin\n" in seen and "\nsandbox\n" in seen
    assert "secret-4711" not in seen and str(CHECKOUT.root) not in seen
    words = bubblewrap._worker_environment()
    command = [*words, "/usr/bin/env"]
    seen = process.run(command, env={"HOME": "/home/somebody", "WARPWISE_ORDER": "forward"}).output
    assert "somebody" not in seen and "LD_LIBRARY_PATH=/usr/local/lib\n" in seen
    assert "WARPWISE_ORDER=forward" in seen


CHILDREN = """
import os, time
for _ in range({0}):
    if os.fork() == 0:
        memory = bytearray({1} << 20)
        memory[::4096] = b"x" * (len(memory) // 4096)
        {2}
time.sleep(3)
print("done")
"""


@needs_sandbox
@pytest.mark.parametrize("children, mebibytes, detach, ends", [
    (20, 32, "time.sleep(60)", False),
    (20, 32, "os.setsid(); os.fork() or time.sleep(60); os._exit(0)", False),
    (2, 32, "time.sleep(60)", True),
])  # fmt: skip
def test_all_processes_of_a_sandbox_have_one_limit_of_memory(
    children: int, mebibytes: int, detach: str, ends: bool
) -> None:
    program = [bubblewrap.python(), "-c", CHILDREN.format(children, mebibytes, detach)]
    command = BOX.command(program, bubblewrap._toolchain(), 1 << 20)
    finished = process.run(command, limit=60, stop=memory.takes_more_than(256 << 20))
    assert finished.stopped is not ends and finished.ok is ends
    assert memory.used_below(os.getpid()) == 0


@needs_sandbox
def test_inside_there_is_another_user_without_any_capability() -> None:
    finished = process.run(BOX.command(["/bin/sh", "-c", "id -u; cat /proc/self/status"], [], 1))
    assert finished.output.startswith(f"{bubblewrap.INSIDE}\n")
    assert "CapEff:\t0000000000000000" in finished.output and "NoNewPrivs:\t1" in finished.output


@needs_sandbox
def test_a_daemon_dies_with_its_sandbox() -> None:
    name = f"{4000 + os.getpid() % 1000}"
    line = f"setsid sh -c 'sleep {name} & sleep {name}' & exit 0"
    assert process.run(BOX.command(["/bin/sh", "-c", line], [], 1), limit=20).ok
    end = time.monotonic() + 5  # the kernel ends what is in there, on a busy machine not at once
    while f"sleep {name}" in _all_commands():
        assert time.monotonic() < end


def _all_commands() -> str:
    return subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout


def inside(line: str) -> str:
    """What a line of shell says in the sandbox."""
    return process.run(BOX.command(["/bin/sh", "-c", line], [], 1 << 20), limit=20).output


@needs_sandbox
def test_every_namespace_is_one_of_its_own() -> None:
    for name in ("user", "pid", "net", "ipc", "uts", "mnt"):
        theirs = inside(f"readlink /proc/self/ns/{name}").strip()
        assert theirs.startswith(f"{name}:[")
        assert theirs != os.readlink(f"/proc/self/ns/{name}")
    assert inside("uname -n").strip() == "sandbox"
    assert inside("cut -d' ' -f6 /proc/self/stat").strip() != "0"  # the session is in there, too
    assert inside("unshare --user true && echo made one").count("made one") == 0


@needs_sandbox
def test_processes_and_core_files_are_limited() -> None:
    assert inside("ulimit -c").strip() == "0"
    most = bubblewrap.EXTRA_PROCESSES + 2 * len(os.sched_getaffinity(0))
    assert f"Max processes             {most} " in inside("cat /proc/self/limits")


@needs_sandbox
def test_places_to_write_are_small_and_few() -> None:
    written = inside("for f in / /usr /dev /etc /proc/sys/kernel; do touch $f/x && echo $f; done")
    assert not [line for line in written.splitlines() if line.startswith("/")]
    mounts = [line.split()[1:4:2] for line in inside("cat /proc/self/mounts").splitlines()]
    writable = {place for place, options in mounts if "ro" not in options.split(",")}
    assert {"/", "/usr", "/dev"} <= {place for place, _ in mounts}
    assert {place for place in writable if not place.startswith(("/proc", "/dev/"))} == {"/tmp"}
    for place in ("/tmp", "/dev/shm"):
        said = inside(f"touch {place}/x && echo wrote; head -c 2M /dev/zero > {place}/y || echo no")
        assert "wrote" in said and "no" in said.splitlines()


@needs_sandbox
def test_the_compiler_sees_a_room_it_cannot_write_to_and_no_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPWISE_SECRET_SEED", "4711")
    for folder in (tmp_path, *tmp_path.parents):  # the sandbox's user is another one
        if not folder.stat().st_mode & 0o001:
            folder.chmod(0o755)
    (tmp_path / "seen").write_text("here")
    tmp_path.chmod(0o777)
    (tmp_path / "headers").mkdir()
    (tmp_path / "lent").mkdir()
    (tmp_path / "lent" / "kept").write_text("lent")
    line = "pwd; cat seen headers/kept; env; touch x || touch headers/x || touch /room/x"
    said = process.run(BOX.compiler_command(tmp_path, line, tmp_path / "lent"), limit=20).output
    assert not process.run(BOX.compiler_command(tmp_path, "cat headers/kept"), limit=20).ok
    assert said.startswith("/room\nherelent") and "PATH=/usr/local/bin:/usr/bin:/bin" in said
    assert "4711" not in said and "HOME=" not in said
    assert not (tmp_path / "x").exists() and not (tmp_path / "lent" / "x").exists()


@needs_sandbox
def test_a_worker_has_no_home(tmp_path: Path) -> None:
    words = BOX.worker_command("cpu")
    place = words.index("/usr/bin/env")
    assert words[place + 1 : place + 3] == ["-u", "HOME"]
    assert words[-1] == "/worker" and "--die-with-parent" in words


@needs_sandbox
def test_a_sandbox_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    name = f"{5000 + os.getpid() % 1000}"
    words = BOX.command(["/bin/sleep", name], [], 1)
    program = f"import subprocess, time; subprocess.Popen({words!r}); time.sleep(60)"
    parent = subprocess.Popen([sys.executable, "-c", program])

    def runs() -> bool:
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
        return any(line.strip() == f"/bin/sleep {name}" for line in listed.splitlines())

    assert wait_until(runs)
    parent.kill()
    parent.wait()
    assert wait_until(lambda: not runs())


def wait_until(holds: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts sandboxes as other users")
def test_root_starts_each_sandbox_as_another_user() -> None:
    one, two = bubblewrap._own_user(), bubblewrap._own_user()
    assert one[1] != two[1] and "--clear-groups" in one
    assert int(one[1].removeprefix("--reuid=")) in range(61184, 65184)


def test_a_broken_bwrap_is_no_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho bwrap: setting up uid map: Permission denied >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "_own_user", list)  # who could not see this folder
    problem = bubblewrap.fault(Sandbox("bubblewrap", str(program)))
    assert "setting up uid map" in problem and "apparmor" in problem


def test_a_bwrap_that_does_not_work_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho bubblewrap 0.8.0\n[ $1 = --version ]\n")
    program.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "_own_user", list)
    monkeypatch.setattr("shutil.which", lambda *_, **__: str(program))
    broken = bubblewrap.find.__wrapped__()
    assert not broken and broken.text.startswith("none: bwrap does not work here")


def test_without_a_sandbox_grading_needs_trust(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "find", lambda: Sandbox(bubblewrap.NOT_INSTALLED))
    with pytest.raises(InfrastructureError) as error:
        bubblewrap.for_others(trust=False)
    assert "--trust" in str(error.value) and "apt-get install" in str(error.value)
    assert not bubblewrap.for_others(trust=True)
    assert not bubblewrap.for_own_file()


def test_grade_refuses_before_it_runs_anything(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.undo()  # the fixture's stand-ins
    monkeypatch.setattr(bubblewrap, "find", lambda: Sandbox("none: a reason"))
    monkeypatch.setattr("grader.machine.bootstrap.ensure", lambda *_: None)
    path = checkout.root.parent / "demo.cu"
    path.write_text("// a submission")
    assert main(["grade", str(path)], checkout) == 3
    assert "a reason" in capsys.readouterr().err


def test_the_minor_number_of_a_gpu_is_the_drivers_word(tmp_path: Path) -> None:
    file = tmp_path / "0000:1b:00.0" / "information"
    file.parent.mkdir()
    file.write_text("Model: \t A GPU\nDevice Minor: \t 3\n")
    assert devices._minor("00000000:1B:00.0", tmp_path) == "3"
    assert devices._minor("00000000:2C:00.0", tmp_path) is None
