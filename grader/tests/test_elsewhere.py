"""./lab check --on HOST: over a real sshd on the loopback; the same result, and nothing is left."""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.study import elsewhere
from grader.tests import choice
from grader.tests.fakes import LAB, plan

STUDY = choice.inputs.ROOT / "grader" / "study"

pytestmark = [pytest.mark.reads("grader/tests/lab_on_fakes.py")]

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"
DRIVER = Path(__file__).parent / "lab_on_fakes.py"
WRONG = plan("global", "any", '{"verdict": "wrong answer", "message": "index 3: got 5"}')
needs_sshd = pytest.mark.skipif(not Path(SSHD).is_file() or not shutil.which("ssh-keygen"),
                                reason="there is no sshd; CI installs it")  # fmt: skip
needs_slurm = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("slurmctld", path="/usr/sbin"),
    reason="there is no Slurm, which CI installs, or nobody who may start it",
)
SLURM_CONF = """\
ClusterName=test
SlurmctldHost={name}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,sched_min_interval=0
GresTypes=gpu
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
PropagateResourceLimits=NONE
KillWait=2
NodeName=n1 NodeHostname={name} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1 Gres=gpu:1
PartitionName=gpu Nodes=n1 Default=YES State=UP
"""
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def box(checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """`box`: a host that is this machine, with the fake checkout's `./lab` as its kit."""
    place = tmp_path / "ssh"
    (place / "bin").mkdir(parents=True)
    port = free_port()
    for key in ("host", "me"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place / key],
                       check=True)  # fmt: skip
    (place / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {place}/host\nPidFile {place}/pid\n"
        f"AuthorizedKeysFile {place}/me.pub\nPasswordAuthentication no\nStrictModes no\n"
    )
    (place / "config").write_text(
        f"Host box\n HostName 127.0.0.1\n Port {port}\n IdentityFile {place}/me\n"
        f" StrictHostKeyChecking no\n UserKnownHostsFile {place}/known\n LogLevel ERROR\n"
    )
    write(place / "bin" / "ssh", f'exec {shutil.which("ssh")} -F {place}/config "$@"')
    env = f"PATH={os.environ['PATH']}"
    write(checkout.root / "lab", f'{env} exec {sys.executable} {DRIVER} {checkout.root} "$@"')
    Path("/run/sshd").mkdir(exist_ok=True) if os.geteuid() == 0 else None
    server = subprocess.Popen([SSHD, "-D", "-f", place / "sshd_config"])
    monkeypatch.setenv("PATH", f"{place}/bin:{os.environ['PATH']}")
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    yield f"box:{checkout.root}"
    server.terminate()
    server.wait()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def write(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(("folder", "means"), [
    ("~/my kit", "/home/me/my kit"), ("~", "/home/me"), ("a b", "a b"),
    ("~/$(echo x)", "/home/me/$(echo x)"), ("~;echo", "~;echo"), ("~$(echo)/x", "~$(echo)/x"),
])  # fmt: skip
def test_a_folder_there_is_one_word_to_the_shell(folder: str, means: str) -> None:
    words = f"printf %s {elsewhere._quoted(folder)}"
    said = subprocess.run(["sh", "-c", words], env={"HOME": "/home/me"}, capture_output=True)
    assert said.stdout.decode() == means


@needs_sshd
def test_the_same_output_and_the_same_result(
    checkout: Checkout, box: str, capsys: Captured
) -> None:
    (checkout.labs / LAB / "demo.cu").write_text(WRONG)
    words = ["check", "01", "--backend", "cpu"]
    assert main(words, checkout) == 1
    here = capsys.readouterr().out.splitlines()
    result = checkout.out / "check" / LAB / "result.json"
    mine = json.loads(result.read_text())
    result.unlink()
    assert main([*words, "--on", box, "--again"], checkout) == 1
    there = capsys.readouterr().out.splitlines()
    theirs = json.loads(result.read_text())
    assert f"Judged on {box}." in there
    assert [line[:6] for line in there if line != f"Judged on {box}."] == [x[:6] for x in here]
    for key in ("submission", "points", "verdict", "backend", "seed"):
        assert mine[key] == theirs[key]


@needs_sshd
@pytest.mark.parametrize("sign", choice.first_of(1, [signal.SIGKILL, signal.SIGINT], STUDY))
def test_whoever_stops_waiting_stops_the_check_there(
    checkout: Checkout, box: str, sign: signal.Signals
) -> None:
    (checkout.labs / LAB / "demo.cu").write_text(plan("global", "any", '{"sleep": 120}'))
    words = [sys.executable, str(DRIVER), str(checkout.root), "check", "01.global", "--on", box]
    asking = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    guest = f"{checkout.root} check 01-demo.global"
    wait_for(lambda: running(guest) and running("fake_judge|01-demo.judge"))
    asking.send_signal(sign)
    said = asking.communicate(timeout=30)
    assert b"Traceback" not in said[1]
    assert asking.returncode == (3 if sign == signal.SIGINT else -9)
    wait_for(lambda: not running(guest))
    wait_for(lambda: not running(str(checkout.root / "build")))


def running(words: str) -> bool:
    return subprocess.run(["pgrep", "-f", words], capture_output=True).returncode == 0


def wait_for(what: object) -> None:
    end = time.monotonic() + 60
    while not what():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.2)


@needs_sshd
@pytest.mark.parametrize(("place", "words"), [
    ("box:/not/there", "there is no folder /not/there"),
    ("127.0.0.1", "it cannot be reached"),
])  # fmt: skip
def test_a_host_that_does_not_answer_is_one_sentence(
    checkout: Checkout, box: str, capsys: Captured, place: str, words: str
) -> None:
    assert main(["check", "01", "--on", place], checkout) == 3
    said = capsys.readouterr().err
    assert words in said and "Traceback" not in said


@pytest.mark.parametrize("place", ["a b", "-oProxyCommand=x", "host:", "host:a b"])
def test_a_place_that_is_none_is_refused(
    checkout: Checkout, capsys: Captured, place: str
) -> None:
    assert main(["check", "01", f"--on={place}"], checkout) == 2
    assert "neither HOST" in capsys.readouterr().err


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A cluster of Slurm: this machine, as a node with one GPU that computes nothing."""
    name, ports = socket.gethostname().split(".")[0], [free_port(), free_port()]
    for folder in ("state", "spool"):
        (tmp_path / folder).mkdir()
    os.mknod(tmp_path / "gpu", stat.S_IFCHR | 0o600, os.makedev(1, 3))
    (tmp_path / "slurm.conf").write_text(SLURM_CONF.format(folder=tmp_path, name=name, ports=ports))
    (tmp_path / "gres.conf").write_text(f"NodeName=n1 Name=gpu File={tmp_path}/gpu\n")
    (tmp_path / "cgroup.conf").write_text("CgroupAutomount=no\n")
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "slurm.conf"))
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:/usr/sbin")
    programs = (["slurmctld", "-D"], ["slurmd", "-D", "-N", "n1"])
    servers = [subprocess.Popen(program) for program in programs]
    state = ["sinfo", "-h", "-o", "%T"]
    wait_for(lambda: subprocess.run(state, capture_output=True).stdout.strip() == b"idle")
    yield
    for server in reversed(servers):
        server.terminate()
        server.wait()


@needs_slurm
def test_a_real_slurm_judges_and_ctrl_c_gives_its_gpu_back(
    checkout: Checkout, cluster: None, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = f"PATH={os.environ['PATH']}"
    write(checkout.root / "lab", f'{env} exec {sys.executable} {DRIVER} {checkout.root} "$@"')
    (checkout.labs / LAB / "demo.cu").write_text(WRONG)
    assert main(["check", "01.global", "--on", "slurm", "--backend", "cpu"], checkout) == 1
    assert "index 3: got 5" in capsys.readouterr().out
    (checkout.labs / LAB / "demo.cu").write_text(plan("global", "any", '{"sleep": 120}'))
    words = [sys.executable, str(DRIVER), str(checkout.root), "check", "01.global", "--on", "slurm"]
    asking = subprocess.Popen(words, stderr=subprocess.PIPE)
    wait_for(lambda: running(f"{checkout.root} check 01-demo.global"))
    asking.send_signal(signal.SIGINT)
    assert b"Traceback" not in asking.communicate(timeout=30)[1]
    wait_for(lambda: not running(f"{checkout.root} check 01-demo.global"))
    wait_for(lambda: not subprocess.run(["squeue", "-h"], capture_output=True).stdout)


def test_slurm_is_asked_for_one_gpu_and_gets_the_file(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    (checkout.labs / LAB / "demo.cu").write_text(WRONG)
    (tmp_path / "bin").mkdir()
    env = f"PATH={os.environ['PATH']}"
    write(checkout.root / "lab", f'{env} exec {sys.executable} {DRIVER} {checkout.root} "$@"')
    shown = tmp_path / "srun.txt"
    without_options = 'while [ "${1#-}" != "$1" ]; do shift; done'
    write(tmp_path / "bin" / "srun", f'echo "$@" > {shown}; {without_options}; exec "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("WARPWISE_SRUN", "--partition=gpu --time=5")
    assert main(["check", "01.global", "--on", "slurm", "--backend", "cpu"], checkout) == 1
    assert "index 3: got 5" in capsys.readouterr().out
    assert shown.read_text().startswith("--gres=gpu:1 --ntasks=1 --partition=gpu --time=5 ")


@pytest.mark.parametrize(("options", "prints", "code", "words"), [
    ("", "srun: error: Node failure on n1", 143, "the job ended before the check did"),
    ("", "srun: error: n1: task 0: Terminated", 143, "the job ended before the check did"),
    ("", "srun: error: Unable to allocate resources: x", 1, "is there a partition with GPUs"),
    ("--foo", "srun: unrecognized option '--foo'", 255, "srun does not take WARPWISE_SRUN: --foo"),
    ("--comment='a", "", 0, "WARPWISE_SRUN: No closing quotation"),
])  # fmt: skip
def test_why_slurm_did_not_judge(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured,
    options: str, prints: str, code: int, words: str,
) -> None:  # fmt: skip
    (tmp_path / "bin").mkdir()
    write(tmp_path / "bin" / "srun", f'echo "{prints}" >&2; exit {code}')
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("WARPWISE_SRUN", options)
    assert main(["check", "01.global", "--on", "slurm"], checkout) == (3 if prints else 2)
    said = capsys.readouterr().err
    assert words in said and ("partition" in said) == ("partition" in words)
