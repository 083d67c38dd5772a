"""What is installed, when, and what is said when it cannot be: on fake machines."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError
from grader.base.process import Finished
from grader.machine import requirements
from grader.machine.bootstrap import NEEDS, Bootstrap

pytestmark = [pytest.mark.reads("lab"), pytest.mark.unit]

OK, BAD = Finished(0, "", False, 0.0), Finished(1, "a lot\nno network here\n", False, 0.0)


class Machine:
    """A machine that notes what is run on it; `fails` are words of commands that fail."""

    def __init__(self, root: Path, tools: Sequence[str] = (), modules: Sequence[str] = (),
                 fails: Sequence[str] = (), is_root: bool = True) -> None:  # fmt: skip
        self.commands: list[str] = []
        self.fails = list(fails)
        (root / "pyproject.toml").write_text(
            '[project]\ndependencies = ["matplotlib>=3.6"]\n'
            '[project.optional-dependencies]\ntest = ["pytest"]\n'
        )
        self.root = root
        self.bootstrap = Bootstrap(
            Checkout(root), self.run, lambda _: list(tools), lambda _: list(modules), is_root
        )

    def run(self, command: Sequence[str]) -> Finished:
        line = " ".join(command)
        self.commands.append(line)
        if "-m venv" in line:
            python = self.root / ".venv" / "bin" / "python"
            python.parent.mkdir(parents=True)
            python.touch()
        return BAD if any(word in line for word in self.fails) else OK


@pytest.fixture(autouse=True)
def debian(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path=None: f"/usr/bin/{name}")
    monkeypatch.setattr(requirements, "can_make_venv", lambda: True)


def test_a_complete_machine_is_left_alone(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    assert machine.bootstrap.ensure("test") is None and not machine.commands


def test_root_installs_what_is_missing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, tools=["g++", "catch2"])
    machine.bootstrap.ensure("check")
    assert machine.commands == ["apt-get install -y --no-install-recommends g++ catch2"]


def test_old_package_lists_are_updated_once(tmp_path: Path) -> None:
    machine = Machine(tmp_path, tools=["cmake"], fails=["install"])
    with pytest.raises(InfrastructureError, match=r"no network here.*apt-get install -y"):
        machine.bootstrap.ensure("check")
    assert [c.split()[1] for c in machine.commands] == ["install", "update", "install"]


@pytest.mark.parametrize("ci", ["", "1"])
def test_servers_are_installed_for_tests_in_ci_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ci: str
) -> None:
    machine = Machine(tmp_path)
    monkeypatch.setenv("CI", ci)
    asked: list[str] = []
    machine.bootstrap.missing_tools = lambda groups: asked.extend(groups) or []
    machine.bootstrap.ensure("test")
    machine.bootstrap.ensure("check")
    assert asked.count("elsewhere?") == (1 if ci else 0)


def test_others_are_told_the_line(tmp_path: Path) -> None:
    machine = Machine(tmp_path, tools=["g++"], is_root=False, fails=["sudo"])
    with pytest.raises(InfrastructureError, match=r"sudo apt-get .* g\+\+$"):
        machine.bootstrap.ensure("check")
    assert machine.commands == ["sudo -n true"]


def test_sudo_without_a_password_is_used(tmp_path: Path) -> None:
    machine = Machine(tmp_path, tools=["g++"], is_root=False)
    machine.bootstrap.ensure("check")
    assert machine.commands[1].startswith("sudo -n apt-get install")


def test_missing_modules_make_a_venv_and_go_on_inside(tmp_path: Path) -> None:
    machine = Machine(tmp_path, modules=["matplotlib"])
    python = machine.bootstrap.ensure("demo")
    assert python == str(tmp_path / ".venv" / "bin" / "python")
    assert machine.commands[1].endswith("matplotlib>=3.6")


def test_the_tests_packages_are_installed_for_the_tests_alone(tmp_path: Path) -> None:
    machine = Machine(tmp_path, modules=["pytest", "xdist?"])
    machine.bootstrap.ensure("test")
    assert machine.commands[1].endswith("matplotlib>=3.6 pytest")
    machine.bootstrap.ensure("test")  # the .venv is there by now: only what it lacks
    assert machine.commands[2].endswith("pytest pytest-xdist")


def test_debians_missing_ensurepip_is_installed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requirements, "can_make_venv", lambda: False)
    machine = Machine(tmp_path, modules=["matplotlib"])
    machine.bootstrap.ensure("demo")
    assert machine.commands[0].endswith(" python3-venv") and "-m venv" in machine.commands[1]


def test_a_failing_pip_is_one_sentence_and_leaves_no_venv(tmp_path: Path) -> None:
    machine = Machine(tmp_path, modules=["matplotlib"], fails=["pip"])
    with pytest.raises(InfrastructureError, match="matplotlib cannot be installed: no network"):
        machine.bootstrap.ensure("demo")
    assert not (tmp_path / ".venv").exists()


BROKEN = "WARNING: Retrying after connection broken by '{}': /simple/matplotlib/\n"
NOTHING_FOUND = "ERROR: No matching distribution found for matplotlib>=3.6\n"


@pytest.mark.parametrize(("said", "words"), [
    (BROKEN.format("NewConnectionError('HTTPSConnection(port=443): Failed to establish a new "
                   "connection: [Errno -3] Temporary failure in name resolution')"),
     "Python packages (Temporary failure in name resolution). Connect "),
    (BROKEN.format("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] "
                   "certificate verify failed: self-signed certificate (_ssl.c:1000)'))"),
     "Python packages (certificate verify failed). Connect "),
    (BROKEN.format("ConnectTimeoutError('<a.b object at 0x7f>', 'Connection to a timed out.')"),
     "Python packages (Connection to a timed out). Connect "),
    (BROKEN.format("ProtocolError('Remote end closed')"), "Python packages. Connect "),
    ("", "matplotlib cannot be installed: ERROR: No matching distribution found"),
])  # fmt: skip
def test_an_index_that_pip_does_not_reach_is_told_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, words: str
) -> None:
    machine = Machine(tmp_path, modules=["matplotlib"], fails=["pip"])
    monkeypatch.setattr(f"{__name__}.BAD", Finished(1, said + NOTHING_FOUND, False, 0.0))
    with pytest.raises(InfrastructureError) as error:
        machine.bootstrap.ensure("demo")
    assert words in str(error.value)


def test_optional_modules_may_stay_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Machine(tmp_path, modules=["jsonschema?", "ruff?"], fails=["pip"])
    assert machine.bootstrap.ensure("test") is None
    assert "not installed: jsonschema ruff (no network here)" in capsys.readouterr().err
    assert not (tmp_path / ".venv").exists()


def test_an_existing_venv_survives_a_failing_pip(tmp_path: Path) -> None:
    machine = Machine(tmp_path, modules=["matplotlib"], fails=["pip"])
    machine.run(["python3", "-m", "venv"])
    with pytest.raises(InfrastructureError):
        machine.bootstrap.ensure("demo")
    assert (tmp_path / ".venv" / "bin" / "python").exists()


def test_every_need_is_known() -> None:
    for groups, packages in NEEDS.values():
        assert set(groups) <= {*requirements.SYSTEM, *requirements.OPTIONAL}
        assert set(packages) <= set(requirements.PYTHON)


def test_an_old_tool_counts_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(text: str) -> None:
        monkeypatch.setattr(requirements, "run", lambda *_, **__: Finished(0, text, False, 0.0))

    cmake = next(tool for tool in requirements.SYSTEM["cpp"] if tool.package == "cmake")
    version("cmake version 3.22.1\n")
    assert not cmake.present()
    version("cmake version 3.28.3\n")
    assert cmake.present()


def test_a_missing_sandbox_is_installed_where_that_is_possible(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.bootstrap.missing_tools = _only_the_sandbox
    machine.bootstrap.ensure("grade")
    assert machine.commands == ["apt-get install -y --no-install-recommends bubblewrap"]
    machine.bootstrap.ensure("check")  # one's own file needs none
    assert len(machine.commands) == 1


def test_a_sandbox_that_cannot_be_installed_is_left_to_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Machine(tmp_path, fails=["apt-get"])
    machine.bootstrap.missing_tools = _only_the_sandbox
    machine.bootstrap.ensure("grade")
    assert "no network here" in capsys.readouterr().err


def _only_the_sandbox(groups: Sequence[str]) -> list[str]:
    return ["bubblewrap"] if "sandbox?" in groups else []


def test_the_command_line_needs_no_package() -> None:
    """Bootstrap installs the packages, so every command must be there before they are."""
    hidden = "import sys; sys.modules.update(dict.fromkeys(('matplotlib', 'numpy', 'jsonschema')))"
    code = f"{hidden}; from grader.commands.cli import main; sys.exit(main(['list']))"
    root = Checkout.here().root
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("text", "snap", "browser", "missing"), [
    ("#!/bin/sh\nif ! [ -x {snap} ]; then echo snap install chromium; fi\n", False, False, True),
    ("#!/bin/sh\nif ! [ -x {snap} ]; then echo snap install chromium; fi\n", True, True, False),
    ("#!/bin/sh\necho snap install chromium; exec {snap}\n", False, False, True),
    ("#!/bin/sh\nexec /usr/lib/chromium/chromium\n", False, True, False),
    ("\x7fELF /snap/bin/chromium: snap install chromium", False, True, False),
    (None, False, False, False),
])  # fmt: skip
def test_a_script_in_place_of_the_browser_is_none(
    text: str | None, snap: bool, browser: bool, missing: bool, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Ubuntu's package of Chromium is a script that asks for the snap."""
    program, of_snap = tmp_path / "chromium-browser", tmp_path / "snap" / "bin" / "chromium"
    found = str(program) if text else None
    monkeypatch.setattr("shutil.which", lambda name: found if name == program.name else None)
    if text:
        program.write_text(text.format(snap=of_snap), encoding="latin-1")
    if snap:
        of_snap.parent.mkdir(parents=True)
        of_snap.touch(mode=0o755)
    assert bool(requirements.find_browser()) is browser
    assert requirements.missing_snap() == ("snap install chromium" if missing else "")
