"""What the machine says: what it lacks, what is installed, another one that does not answer."""

import shutil
from dataclasses import replace

from grader.base.checkout import Checkout
from grader.base.process import Finished
from grader.machine import hardware
from grader.machine.bootstrap import Bootstrap
from grader.machine.requirements import SYSTEM
from grader.sandbox import bubblewrap

from .situation import Prepare, Situation, both, file, files, in_path, says, script

HERE = hardware.Machine("A CPU", 2, 4.0, None, "Debian")
ON_GPU = hardware.Machine("A CPU", 2, 4.0, hardware.Gpu("NVIDIA H200", "580.1", "9.0"), "Debian")
BOX = bubblewrap.Sandbox("bubblewrap 0.8.0: user, pid, net; seccomp 2.5.4", "bwrap", seccomp=True)


def tools(present: bool) -> dict[str, object]:
    """Every tool of the system is there, or none."""
    return {group: tuple(replace(tool, present=says(present)) for tool in known)
            for group, known in SYSTEM.items()}  # fmt: skip


WELL = {
    "grader.machine.hardware.describe": says(HERE),
    "grader.machine.hardware.find_nvcc": says(None),
    "grader.machine.requirements.SYSTEM": tools(True),
    "grader.machine.requirements.missing_tools": says([]),
    "grader.machine.requirements.missing_modules": says([]),
    "grader.machine.requirements.find_clang": says("clang++-16"),
    "grader.machine.requirements.has_asan": says(True),
    "grader.sandbox.bubblewrap.find": says(BOX),
    "grader.sandbox.canary.failures": says([]),
}
MISSING = {
    **WELL,
    "grader.machine.requirements.SYSTEM": tools(False),
    "grader.machine.requirements.missing_tools": says(["zlib1g-dev"]),
    "grader.machine.requirements.missing_modules":
        lambda groups: ["matplotlib"] if "figures" in groups else [],
    "grader.machine.requirements.find_clang": says(None),
    "grader.machine.requirements.has_asan": says(False),
    "grader.sandbox.bubblewrap.find": says(bubblewrap.Sandbox(bubblewrap.NOT_INSTALLED)),
}


def setting_up(**given: object) -> dict[str, object]:
    """The real setting-up, on a machine that is made up."""

    def ensure(checkout: Checkout, command: str, argv: object) -> None:
        Bootstrap(checkout, **given).ensure(command)  # type: ignore[arg-type]

    return {"grader.machine.bootstrap.ensure": ensure}


APT = {"shutil.which": says("/usr/bin/apt-get"),
       "grader.machine.requirements.can_make_venv": says(True),
       "grader.machine.requirements.project_packages": says(["matplotlib"])}  # fmt: skip


def failing(command: list[str], *_: object, **__: object) -> Finished:
    return Finished(100, "E: Unable to locate package", False, 0.1)


def ssh(status: int, said: str = "", answer: str = "") -> Prepare:
    """A host that answers so."""
    text = f"read -r size\necho '{said}' >&2\nprintf '%s' '{answer}'\nexit {status}"
    return both(file("// mine"), lambda checkout: in_path(checkout, "ssh", text))


def data(status: int, said: str = "", facts: str = "") -> Prepare:
    """The program of `./lab data` says so."""
    text = f"printf '%s' '{facts}'\necho '{said}' >&2\nexit {status}"
    return lambda checkout: script(checkout.build("cpu") / "bin", "warpwise-data", text)


BUILT = {"grader.commands.data._build": says(None)}
KEYS = ("keys\t1000\ndistinct\t900\nascending\tfalse\ndescending\tfalse\nleast\t0.5\n"
        "largest\t9\nnan\t0\n")  # fmt: skip

SITUATIONS = (
    Situation("doctor", "doctor", faked=WELL),
    Situation("doctor-of-students", "doctor",
              lambda checkout: shutil.rmtree(checkout.reference), faked=WELL),
    Situation("doctor-something-is-missing", "doctor", faked=MISSING),
    Situation("doctor-with-a-gpu", "doctor",
              faked={**WELL, "grader.machine.hardware.describe": says(ON_GPU)}),
    Situation("doctor-a-sandbox-that-leaks", "doctor",
              faked={**WELL, "grader.sandbox.canary.failures": says(["it could write to /home"])}),
    Situation("set-up-by-somebody-who-may-not", "check 01", faked=setting_up(
        missing_tools=says(["g++", "cmake"]), missing_modules=says([]), is_root=False,
        run=failing)),
    Situation("set-up-fails", "check 01", faked=APT | setting_up(
        missing_tools=says(["g++"]), missing_modules=says([]), is_root=True, run=failing)),
    Situation("set-up-without-the-python-index", "plot", faked=APT | setting_up(
        missing_tools=says([]), missing_modules=says(["matplotlib"]), run=failing)),
    Situation("on-no-host", "check 01 --on 'a b'\ncheck 01 --on=-oProxyCommand=x", file("// x")),
    Situation("on-a-host-that-does-not-answer", "check 01 --on box",
              ssh(255, "ssh: connect to host box port 22: Connection refused")),
    Situation("on-a-host-whose-key-is-not-known", "check 01 --on box",
              ssh(255, "Host key verification failed.")),
    Situation("on-a-host-that-lets-nobody-in", "check 01 --on box",
              ssh(255, "me@box: Permission denied (publickey).")),
    Situation("on-a-host-without-the-kit", "check 01 --on box:lab",
              ssh(90, "sh: 1: cd: cannot cd to lab")),
    Situation("on-a-host-with-another-folder", "check 01 --on box", ssh(91)),
    Situation("on-a-host-that-answers-strangely", "check 01 --on box", ssh(0, answer="hello")),
    Situation("on-a-host-whose-key-has-changed", "check 01 --on box", ssh(
        255, "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n"
        "Host key verification failed.")),
    Situation("on-a-host-with-an-old-kit", "check 01 --on box", ssh(
        2, "./lab: unrecognized arguments: --guest. Try ./lab --help.")),
    Situation("on-a-host-that-cannot-judge", "check 01 --on box", ssh(
        3, "lab: something is missing here; install it with: sudo apt-get install g++")),
    Situation("on-a-machine-without-ssh", "check 01 --on box", file("// x"),
              {"shutil.which": says(None)}),
    Situation("on-slurm-where-the-kit-cannot-judge", "check 01 --on slurm", both(
        file("// mine"), lambda checkout: in_path(
            checkout, "srun", "echo 'lab: the gpu backend needs nvcc, which this machine lacks; "
            "use --backend cpu.\nsrun: error: n1: task 0: Exited with exit code 2' >&2; exit 2"))),
    Situation("on-a-host-that-goes-away", "check 01 --on box",
              ssh(255, "Connection to box closed by remote host.")),
    Situation("on-slurm-without-a-gpu", "check 01 --on slurm", both(
        file("// mine"), lambda checkout: in_path(
            checkout, "srun", "echo 'srun: error: Unable to allocate resources: Requested node "
            "configuration is not available' >&2; exit 1"))),
    Situation("data-make", "data make keys --count 1000 --out keys.f32",
              data(0, facts=KEYS), BUILT),
    Situation("data-refused", "data make keys --count 0 --out keys.f32",
              data(2, "--count: 0 is not a number from 1 to 1073741824"), BUILT),
    Situation("data-ended", "data info {given}/graph.gr",
              both(data(9), files(graph_gr="x")), BUILT),
    Situation("data-of-no-file", "data info graph.xyz", data(2, "graph.xyz: unknown"), BUILT),
    Situation("data-of-an-unknown-action", "data show graph.gr"),
)  # fmt: skip
