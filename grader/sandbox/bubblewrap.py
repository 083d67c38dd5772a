"""The sandbox: bubblewrap around a submission, and around the compiler that reads it.

Inside there is the system's /usr, read-only, and nothing else of this machine: no home, no
checkout, no other submission, no network, no processes but those of the submission. Its input comes
in through open files; its output leaves as bytes on a channel. `SECURITY.md` says what this
protects against.
"""

import itertools
import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ..base import process, reaper
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..machine import devices, hardware, requirements
from . import seccomp

PACKAGE = "bubblewrap"
NAMESPACES = ("user", "pid", "net", "ipc", "uts", "mount")
INSIDE = "60001"  # user and group, as seen from inside
# If root starts the sandbox, the processes inside run as another user outside, too. It is from the
# range that systemd reserves for users that exist only while a service runs.
FIRST_UID, UIDS = 61184, 4000
SCRATCH_BYTES = 64 << 20  # /tmp and /dev/shm of a worker, in memory
COMPILER_SCRATCH_BYTES = 1 << 30
EXTRA_PROCESSES = 64  # in addition to two per core: CUDA's threads, and what a program may start
PROBE_SECONDS = 20.0
PATH = "/usr/local/bin:/usr/bin:/bin"  # of every program inside, whatever the grader's is
LIBRARIES = "LD_LIBRARY_PATH"
# Nothing of the grader's environment, which holds the secret seed: a submission's text reaches the
# compiler, and what the compiler reads reaches the submission's program.
NO_ENVIRONMENT = ("/usr/bin/env", "-i", f"PATH={PATH}", "LC_ALL=C.UTF-8")
# bwrap reads its filter at this descriptor. The shell opens the file for every start anew.
FILTER_DESCRIPTOR = 9
WITH_FILTER = ("/bin/sh", "-c", f'exec "$@" {FILTER_DESCRIPTOR}<"$0"')

NOT_INSTALLED = "none: bwrap is not installed"
WITHOUT_SECCOMP = "without seccomp"

_uids = itertools.count(os.getpid())


@dataclass(frozen=True)
class Sandbox:
    """How submissions run here. result.json contains `text`. Without `bwrap`: no sandbox."""

    text: str
    bwrap: str = ""
    tool: tuple[str, ...] = ()  # a command that starts the worker and watches it from inside
    logs: str = ""  # a folder outside that is /logs inside
    seccomp: bool = False  # programs inside have an allow-list of system calls

    def __bool__(self) -> bool:
        return bool(self.bwrap)

    def worker_command(self, backend: str) -> list[str]:
        """Starts the program that is open as descriptor 4; bwrap reports on 5. [] without bwrap."""
        if not self:
            return []
        inside = [
            "--setenv", "CUDA_CACHE_PATH", "/tmp/cuda", "--unsetenv", reaper.MARK,
            "--json-status-fd", "5", "--perms", "0555", "--file", "4", "/worker",
        ]  # fmt: skip
        if self.tool:
            inside += [*_toolchain(), "--bind", self.logs, "/logs"]
        gpu = devices.arguments() if backend == "gpu" else []
        program = [*self.tool, "/worker"]
        return self.command(program, inside, SCRATCH_BYTES, gpu=gpu, use=backend,
                            environment=_worker_environment())  # fmt: skip

    def compiler_command(
        self, room: Path, shell_line: str, headers: Path | None = None
    ) -> list[str]:
        """Runs a shell line in `room`, mounted read-only as /room; `headers` is a folder in it."""
        inside = [*_toolchain(), "--ro-bind", str(room), "/room"]
        if headers:
            inside += ["--ro-bind", str(headers), "/room/headers"]
        program = ["/bin/sh", "-c", shell_line]
        scratch = COMPILER_SCRATCH_BYTES
        return self.command(program, inside, scratch, folder="/room", use="compiler")

    def command(
        self,
        program: Sequence[str],
        inside: Sequence[str],
        scratch: int,
        folder: str = "/tmp",
        gpu: Sequence[str] = (),
        use: str = "cpu",
        environment: Sequence[str] = NO_ENVIRONMENT,
    ) -> list[str]:
        """bwrap's command line for `program`, started in `folder`.

        `inside` are further arguments of bwrap, `scratch` the bytes that /tmp and /dev/shm hold,
        `use` chooses the system calls. `environment` prepares the environment before bwrap starts:
        a program inside can read bwrap's in /proc/1/environ.
        """
        processes = EXTRA_PROCESSES + 2 * len(os.sched_getaffinity(0))
        # prlimit runs inside, so that it counts only this sandbox's processes.
        limits = ["/usr/bin/prlimit", f"--nproc={processes}:{processes}", "--core=0:0"]
        opened = [*WITH_FILTER, seccomp.filter_file(use)] if self.seccomp else []
        filtered = ["--add-seccomp-fd", str(FILTER_DESCRIPTOR)] if self.seccomp else []
        return [*opened, *environment, *_own_user(), self.bwrap, *_namespaces(), *filtered,
                *_system(), *_devices(scratch, gpu), *inside, "--remount-ro", "/",
                "--chdir", folder, "--", *limits, "--", *program]  # fmt: skip


OWN_RIGHTS = Sandbox("none: started with the grader's own rights")


def _own_user() -> list[str]:
    """Processes inside must not belong to root outside, whatever the user is called inside."""
    if os.geteuid() != 0:
        return []
    uid = FIRST_UID + next(_uids) % UIDS
    return ["/usr/bin/setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]


def _worker_environment() -> list[str]:
    """The judge chose a worker's environment; this takes the machine's folders out of it.

    Of LD_LIBRARY_PATH the folders that exist inside stay: a container may have its GPU's driver in
    one of them.
    """
    folders = os.environ.get(LIBRARIES, "").split(":")
    inside = ":".join(folder for folder in folders if Path(folder).is_relative_to("/usr"))
    unset = ["-u", "HOME", "-u", "PWD", *([] if inside else ["-u", LIBRARIES])]
    return ["/usr/bin/env", *unset, f"PATH={PATH}", *([f"{LIBRARIES}={inside}"] if inside else [])]


def _namespaces() -> list[str]:
    return ["--unshare-user", "--disable-userns", "--uid", INSIDE, "--gid", INSIDE,
            "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
            "--unshare-cgroup-try", "--hostname", "sandbox", "--cap-drop", "ALL",
            "--die-with-parent", "--new-session"]  # fmt: skip


def _system() -> list[str]:
    """/usr, and what the loader and the compilers look up in /etc; nothing from elsewhere."""
    arguments = ["--ro-bind", "/usr", "/usr"]
    for name in ("lib", "lib32", "lib64", "bin", "sbin"):
        path = Path("/", name)
        if path.is_symlink():
            arguments += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            arguments += ["--ro-bind", str(path), str(path)]
    for name in ("/etc/ld.so.cache", "/etc/alternatives"):
        arguments += ["--ro-bind-try", name, name]
    for folder in (Checkout.here().root, Path.home()):  # a checkout may be in /usr/local
        if folder.is_relative_to("/usr"):
            arguments += ["--tmpfs", str(folder), "--remount-ro", str(folder)]
    return arguments


@cache
def python() -> str:
    """A Python to use inside: the system's if it is new enough, otherwise the one running now."""
    system = "/usr/bin/python3"
    new_enough = "import sys; sys.exit(sys.version_info < (3, 11))"
    tried = process.run([system, "-c", new_enough], limit=PROBE_SECONDS)
    return system if tried.ok else str(Path(sys.executable).resolve())


@cache
def _toolchain() -> tuple[str, ...]:
    """bwrap's arguments for compilers and Python if they are not in /usr."""
    programs = [python(), *filter(None, [hardware.find_nvcc()])]
    folders = [Path(program).resolve().parents[1] for program in programs]
    outside = [str(folder) for folder in folders if not folder.is_relative_to("/usr")]
    return tuple(itertools.chain(*(("--ro-bind", folder, folder) for folder in outside)))


def _devices(scratch: int, gpu: Sequence[str]) -> list[str]:
    """A separate /proc and /dev; the only writable places are two small ones in memory."""
    arguments = ["--proc", "/proc", "--dev", "/dev", *gpu]
    for place in ("/dev/shm", "/tmp"):
        arguments += ["--size", str(scratch), "--tmpfs", place]
    return [*arguments, "--remount-ro", "/dev"]


@cache
def find() -> Sandbox:
    """This machine's sandbox, or one without `bwrap` whose `text` gives the reason."""
    bwrap = shutil.which("bwrap", path="/usr/bin:/usr/local/bin")
    if not bwrap:
        return Sandbox(NOT_INSTALLED)
    made = re.search(r"\d+(\.\d+)+", process.run([bwrap, "--version"], limit=PROBE_SECONDS).output)
    version = made[0] if made else "of unknown version"
    sandbox = Sandbox(f"bubblewrap {version}: {', '.join(NAMESPACES)}", bwrap)
    problem = fault(sandbox)
    if problem:
        return Sandbox(f"none: bwrap does not work here: {problem}")
    return _with_seccomp(sandbox)


def _with_seccomp(sandbox: Sandbox) -> Sandbox:
    """The sandbox with filters of system calls; where there can be none, `text` says why."""
    try:
        filtered = replace(sandbox, seccomp=True, text=f"{sandbox.text}; {seccomp.described()}")
        problem = fault(filtered)
    except seccomp.Unavailable as error:
        problem = str(error)
    if problem:
        return replace(sandbox, text=f"{sandbox.text}; {WITHOUT_SECCOMP}: {problem}")
    return filtered


def fault(sandbox: Sandbox) -> str:
    """Why the sandbox does not start now; "" if it does."""
    command = sandbox.command(["/bin/true"], _toolchain(), SCRATCH_BYTES)
    tried = process.run(command, limit=PROBE_SECONDS)
    return "" if tried.ok else _reason(tried)


def _reason(tried: process.Finished) -> str:
    """What bwrap said, with the cause if it is known."""
    said = tried.last_line
    if "uid map" in said:  # Ubuntu 24.04
        return f"{said} (kernel.apparmor_restrict_unprivileged_userns forbids user namespaces)"
    return said


def for_own_file() -> Sandbox:
    """For a file that its author checks: the sandbox if there is one."""
    return find()


def for_others(trust: bool) -> Sandbox:
    """For other people's submissions. Raises InfrastructureError if there is no sandbox, unless
    `trust` is set."""
    if trust:
        return Sandbox("none (--trust)")
    sandbox = find()
    if not sandbox:
        line = requirements.install_line([PACKAGE])
        remedy = f"\n  Install it with: {line}" if sandbox.text == NOT_INSTALLED else ""
        raise InfrastructureError(
            f"there is no sandbox here ({sandbox.text.removeprefix('none: ')}), and without one a "
            f"submission can do whatever you can.{remedy}\n"
            "  Or add --trust to run it with your own rights."
        )
    return sandbox
