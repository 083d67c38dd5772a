"""Whatever breaks, the user gets one line and an exit code; a defect's details go to a file."""

import argparse
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.base import process
from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError
from grader.commands import cli, standing
from grader.commands.cli import main
from grader.compiling import build
from grader.course.trouble import trouble_here
from grader.machine import bootstrap
from grader.machine.lock_files import lock_path
from grader.tests import choice

BASE = choice.inputs.ROOT / "grader" / "base"

pytestmark = pytest.mark.reads("lab", "labs")
LAB = Checkout.here().root / "lab"
Captured = pytest.CaptureFixture[str]


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["/bin/sh", "-c", re.sub("^lab ", f"{LAB} ", line)], cwd=folder,
                          capture_output=True, text=True)  # fmt: skip


@pytest.mark.exhaustive("lab", "grader/__main__.py")
def test_half_a_file_that_a_full_disk_left_ends_no_call(tmp_path: Path) -> None:
    """Python keeps what it compiles, and on a full disk half of it."""
    call = f"WARPWISE_BUILD={tmp_path} exec {LAB} list"
    assert shell(call, tmp_path).returncode == 0
    [kept] = (tmp_path / "build" / "python").rglob("commands/cli.*.pyc")
    kept.write_bytes(kept.read_bytes()[:200])
    for _ in range(2):
        done = shell(call, tmp_path)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("free", "keeps"), [("100", False), ("9000000", True)])
def test_on_a_full_disk_nothing_compiled_is_kept(tmp_path: Path, free: str, keeps: bool) -> None:
    (tmp_path / "df").write_text(f"#!/bin/sh\necho head\necho tmpfs 6144 6144 {free} 99% /x\n")
    (tmp_path / "df").chmod(0o755)
    done = shell(f"PATH={tmp_path}:$PATH WARPWISE_BUILD={tmp_path} exec {LAB} list", tmp_path)
    assert done.returncode == 0
    assert any((tmp_path / "build").rglob("cli.*.pyc")) is keeps


def test_the_caller_s_wish_for_warnings_is_not_about_the_kit(tmp_path: Path) -> None:
    done = shell("PYTHONWARNINGS=nonsense exec lab list".replace("lab ", f"{LAB} "), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "words", choice.first_of(2, ["list", "--help", "list --json", "hint --help", "next"], BASE)
)
def test_a_full_disk_behind_stdout_is_one_line_and_exit_code_3(tmp_path: Path, words: str) -> None:
    done = shell(f"lab {words} >/dev/full", tmp_path)
    assert done.returncode == 3 and done.stderr.count("\n") == 1
    assert "cannot be written: No space left on device" in done.stderr


@pytest.mark.parametrize(
    ("line", "code"),
    choice.first_of(4, [
        ("lab list | head -1", 0),
        ("lab check 99 2>/dev/full", 2),
        ("lab list >&-", 0),
        ("lab --help | true", 0),
        ("lab list 2>/dev/full", 0),
        ("lab bogus 2>/dev/full", 2),
        ("lab check 99 2>&-", 2),
    ], BASE),
)  # fmt: skip
def test_closed_and_full_streams_do_not_change_the_exit_code(
    tmp_path: Path, line: str, code: int
) -> None:
    done = shell(line, tmp_path)
    assert done.returncode == code
    assert "Traceback" not in done.stdout + done.stderr and "Exception" not in done.stderr


@pytest.mark.parametrize("locale", ["C", "de_DE.ISO-8859-1", "POSIX"])
def test_a_name_of_any_bytes_is_shown_in_any_locale(tmp_path: Path, locale: str) -> None:
    (tmp_path / b"\xff\xe2\x80\xae\x1b[31m\xf0\x9f\x98\x80.txt".decode("utf-8", "surrogateescape")
     ).write_text("x")  # fmt: skip
    done = shell(f"LC_ALL={locale} PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 {LAB} grade *.txt "
                 "--backend cpu", tmp_path)  # fmt: skip
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr and "\\x1b[31m" in done.stderr


@pytest.mark.parametrize("error", [ValueError("a \x1b[31m b"), RecursionError(), MemoryError()])
def test_a_defect_is_one_line_with_the_path_of_its_details(
    checkout: Checkout, capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    error: Exception,
) -> None:  # fmt: skip
    def broken(*_: object) -> argparse.Namespace:
        raise error

    monkeypatch.setattr(bootstrap, "ensure", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(["list"], checkout) == 3
    shown = capsys.readouterr()
    assert not shown.out and shown.err.count("\n") == 1 and "\x1b" not in shown.err
    path = re.search(r"with (/\S+\.log)\.$", shown.err.strip())
    assert path and "Traceback" in Path(path[1]).read_text()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    assert main(["list"], checkout) == 3
    assert "cannot be kept" in capsys.readouterr().err


def test_an_error_while_the_command_line_is_read_is_caught_too(
    checkout: Checkout, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "parser", lambda *_: 1 / 0)
    assert main([], checkout) == 3 and "ZeroDivisionError" in capsys.readouterr().err


def test_an_interrupt_is_one_line(
    checkout: Checkout, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(standing, "standing", interrupted)
    assert main(["list"], checkout) == 3
    assert capsys.readouterr().err.startswith("lab: interrupted")


@pytest.mark.parametrize(("free", "words"), [(1 << 40, "this makes it anew: rm -r "),
                                             (2 << 20, "^only 2 MiB are free in ")])  # fmt: skip
def test_a_build_that_failed_says_what_to_do(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, free: int, words: str
) -> None:
    usage = SimpleNamespace(free=free)
    monkeypatch.setattr(build.shutil, "disk_usage", lambda _: usage)
    build._step(checkout, ["true"])
    with pytest.raises(InfrastructureError, match=words):
        build._step(checkout, ["false"])


def test_ctrl_c_ends_what_other_threads_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_interrupted", threading.Event())
    with ThreadPoolExecutor() as others:
        waiting = others.submit(process.run, ["sleep", "60"])
        while not process._running:
            time.sleep(0.01)
        began = time.monotonic()
        process.interrupt()
        with pytest.raises(KeyboardInterrupt):
            waiting.result()
        with pytest.raises(KeyboardInterrupt):
            others.submit(process.run, ["true"]).result()
    assert time.monotonic() - began < 30
    assert process.run(["true"]).ok  # the main thread clears up
    process.forget_interrupt()
    with ThreadPoolExecutor() as others:
        assert others.submit(process.run, ["true"]).result().ok


def test_ctrl_c_while_modules_are_loaded_says_nothing(tmp_path: Path) -> None:
    package = tmp_path / "grader"
    (package / "commands").mkdir(parents=True)
    shutil.copy(Checkout.here().root / "grader" / "__main__.py", package)
    loads = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
    (package / "commands" / "cli.py").write_text(loads)
    (package / "__init__.py").touch()

    def hear() -> None:  # also where a script that ignores Ctrl-C runs the tests
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    done = subprocess.run([sys.executable, "-m", "grader"], cwd=tmp_path, preexec_fn=hear,
                          capture_output=True, env={"PYTHONPATH": str(tmp_path)})  # fmt: skip
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")


def test_without_a_place_for_temporary_files_the_way_out_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def nowhere() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    assert main(["list"]) == 0
    capsys.readouterr()
    monkeypatch.setattr("tempfile.gettempdir", nowhere)
    assert main(["list"]) == 3
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "set TMPDIR" in told and "defect" not in told
    with pytest.raises(InfrastructureError, match="set TMPDIR"):
        lock_path("gpu", "0")
    assert "set TMPDIR" in trouble_here(Path(), Checkout.here(), "cpu")
