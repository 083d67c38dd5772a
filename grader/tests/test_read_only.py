"""A checkout that this user may not write to: one sentence that says what to set, from every
command that makes something there; what was typed wrong, and a full disk, are other sentences."""

import errno
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.base import files
from grader.base.checkout import ELSEWHERE, Checkout
from grader.base.errors import InfrastructureError
from grader.base.process import Finished
from grader.commands.cli import main
from grader.machine import requirements
from grader.machine.bootstrap import Bootstrap
from grader.tests.fakes import LAB

pytestmark = [pytest.mark.reads("grader/base", "grader/commands"), pytest.mark.unit]

Captured = pytest.CaptureFixture[str]
COMMANDS = ("save 01", "check 01.global", "why 01.global", "run labs/01-demo/demo.cu",
            "grade labs/01-demo/demo.cu", "demo")  # fmt: skip


class Closed:
    """Whatever is made in `root` fails with `code`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, root: Path, code: int) -> None:
        self.root, self.code = root, code
        self.really = {"write": files._write_and_rename, "mkdir": Path.mkdir,
                       "file": tempfile.TemporaryFile}  # fmt: skip
        monkeypatch.setattr(files, "_write_and_rename", lambda path, *more: (
            self.refuse(path), self.really["write"](path, *more)))  # fmt: skip
        monkeypatch.setattr(Path, "mkdir", lambda path, *more, **named: (
            path.exists() or self.refuse(path), self.really["mkdir"](path, *more, **named)))
        monkeypatch.setattr(tempfile, "TemporaryFile", lambda dir=None, **named: (
            self.refuse(Path(dir or "/tmp")), self.really["file"](dir=dir, **named))[1])

    def refuse(self, path: Path) -> None:
        if path.is_relative_to(self.root):
            raise OSError(self.code, os.strerror(self.code), str(path))


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
@pytest.mark.parametrize("command", COMMANDS)
def test_one_sentence_says_what_to_set(
    checkout: Checkout, command: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(checkout.root)
    monkeypatch.delenv(ELSEWHERE, raising=False)
    solved = checkout.reference / LAB / "demo.cu"  # of an untouched stage `why` writes nothing
    (checkout.labs / LAB / "demo.cu").write_text(solved.read_text())
    Closed(monkeypatch, checkout.root, code)
    assert main(command.split(), checkout) == 3
    said = capsys.readouterr().err
    assert f"set {ELSEWHERE} to a folder of yours" in said and said.count("\n") == 1, said


def test_with_a_folder_of_ones_own_it_works(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv(ELSEWHERE, str(tmp_path / "mine"))
    Closed(monkeypatch, checkout.root, errno.EROFS)
    assert main(["save", "01"], checkout) == 0, capsys.readouterr().err
    assert list((tmp_path / "mine" / "report" / "out" / "saved" / LAB).glob("*.cu"))


def test_a_full_disk_and_a_place_that_was_typed_are_other_sentences(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    with monkeypatch.context() as patch:
        Closed(patch, checkout.root, errno.ENOSPC)
        assert main(["save", "01"], checkout) == 3
    assert ELSEWHERE not in (said := capsys.readouterr().err) and "free some space" in said
    Closed(monkeypatch, tmp_path / "theirs", errno.EACCES)
    words = ["class", "new", str(tmp_path / "theirs" / "cs101")]
    assert main(words, checkout) == 2
    assert ELSEWHERE not in capsys.readouterr().err


def test_no_packages_are_tried_where_they_cannot_be_put(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ELSEWHERE, raising=False)
    monkeypatch.setattr(requirements, "can_make_venv", lambda: True)
    asked: list[list[str]] = []
    for modules, is_needed in ((["matplotlib?"], False), (["watchfiles"], True)):
        def run(words: Sequence[str]) -> Finished:
            asked.append(list(words))
            return Finished(0, "", False, 0.0)

        machine = Bootstrap(Checkout(tmp_path), run, lambda _: [], lambda _, found=modules: found)
        with monkeypatch.context() as patch:
            Closed(patch, tmp_path, errno.EACCES)
            if is_needed:
                with pytest.raises(InfrastructureError, match=f"set {ELSEWHERE}"):
                    machine.ensure("watch")
            else:
                assert machine.ensure("check") is None
    assert asked == []


# ---- one file or folder that is closed ----


class Locked:
    """These paths are closed to this user, as the kernel would have it; root cannot be shut out."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, path: Path, owner: int) -> None:
        really, ask = os.open, os.access

        def refuse(one: object) -> None:
            if isinstance(one, str | Path) and Path(one).is_relative_to(path):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(one))

        monkeypatch.setattr(os, "access", lambda one, mode: Path(one) != path and ask(one, mode))
        monkeypatch.setattr(os, "open", lambda one, *more, **named: (
            refuse(one), really(one, *more, **named))[1])  # fmt: skip
        for name, read in (("read_text", Path.read_text), ("read_bytes", Path.read_bytes)):
            monkeypatch.setattr(Path, name, lambda one, *more, _read=read, **named: (
                refuse(one), _read(one, *more, **named))[1])  # fmt: skip
        monkeypatch.setattr(os, "geteuid", lambda: os.stat(path).st_uid + (owner != 0))


@pytest.mark.parametrize(("closed", "commands"), [
    ("01-demo/lab.toml", ("list", "hint 01.global", "check 01.global", "save 01")),
    ("01-demo/demo.cu", ("list", "check 01.global", "save 01")),
    ("01-demo", ("list", "hint 01.global", "check 01.global")),
    (".", ("list", "check 01.global")),
])  # fmt: skip
def test_a_closed_file_or_folder_is_named_with_what_opens_it(
    checkout: Checkout, closed: str, commands: Sequence[str], monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:  # fmt: skip
    monkeypatch.chdir(checkout.root)
    path = checkout.labs / closed
    for command in commands:
        assert main(command.split(), checkout) in (0, 1)
        assert "is closed" not in capsys.readouterr().err
    Locked(monkeypatch, path, owner=0)
    for command in commands:
        assert main(command.split(), checkout) in (2, 3)
        said = capsys.readouterr().err
        assert said.endswith(f"open it with: chmod u+rwX {path}\n") and said.count("\n") == 1


def test_what_belongs_to_another_user_is_said_to(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    path = checkout.labs / LAB / "demo.cu"
    Locked(monkeypatch, path, owner=1)
    assert main(["list"], checkout) == 3
    said = capsys.readouterr().err
    assert "it belongs to " in said and said.endswith(f'sudo chown -R "$USER" {path}\n')


def test_a_file_that_cannot_be_replaced_names_its_folder(tmp_path: Path) -> None:
    def closed(*_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(tmp_path / "x"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_write_and_rename", closed)
        with pytest.raises(InfrastructureError, match=f"chmod u.rwX {tmp_path} or name another"):
            files.write_atomically(tmp_path / "x", "text")


@pytest.mark.parametrize(("error", "remedy"), [
    (errno.EROFS, "make that file system writable or name another place"),
    (errno.ENOSPC, "free some space or name another place"),
])  # fmt: skip
def test_space_is_asked_for_only_where_it_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int, remedy: str
) -> None:
    def fails(*_: object) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(files, "_write_and_rename", fails)
    with pytest.raises(InfrastructureError, match=remedy):
        files.write_atomically(tmp_path / "class.html", "text")
