"""The sandbox holds what it promises; where there is none, that is said and nothing is run."""

import os
import subprocess
from pathlib import Path

import pytest

from grader.base import process
from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError
from grader.commands.cli import main
from grader.machine import devices
from grader.sandbox import bubblewrap, canary
from grader.sandbox.bubblewrap import OWN_RIGHTS, Sandbox

pytestmark = pytest.mark.reads("grader/trials")

CHECKOUT = Checkout.here()
BOX = bubblewrap.find()
needs_sandbox = pytest.mark.skipif(not BOX, reason=BOX.text)


@needs_sandbox
def test_the_canary_can_do_nothing_in_the_sandbox() -> None:
    assert canary.failures(CHECKOUT, BOX) == []


def test_the_canary_finds_what_is_open_without_one() -> None:
    """A canary that is silent everywhere would prove nothing."""
    found = " ".join(canary.failures(CHECKOUT, OWN_RIGHTS))
    for words in ("reads the checkout", "reads /etc/passwd", "sees other processes",
                  "fills /tmp", "compiler includes", "compiler embeds"):  # fmt: skip
        assert words in found


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
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True)
    assert f"sleep {name}" not in listed.stdout


def test_a_broken_bwrap_is_no_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho bwrap: setting up uid map: Permission denied >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "_own_user", list)  # who could not see this folder
    problem = bubblewrap.fault(Sandbox("bubblewrap", str(program)))
    assert "setting up uid map" in problem and "apparmor" in problem


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
