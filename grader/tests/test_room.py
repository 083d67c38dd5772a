"""The compiler's room: what is in it, what may leave it, and whose fault a failure is."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from grader.base import scratch
from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError
from grader.compiling import room
from grader.compiling.room import LOG, Beside, furnished, run_compiler
from grader.lab_file import manifest
from grader.sandbox.bubblewrap import Sandbox

pytestmark = pytest.mark.reads("labs", "grader/cpu")
CHECKOUT = Checkout.here()
MADE = ("worker",)
MAKES = ["sh", "-c", 'echo made > "$0"', "$OUT/worker"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "room").mkdir()
    (tmp_path / "out").mkdir()
    return tmp_path


def compiled(place: Path, *steps: list[str] | Beside, box: Sandbox | None = None) -> str:
    """What the student reads after these steps, run without a sandbox."""
    run_compiler(place / "out", place / "room", list(steps), MADE, box)
    return (place / "out" / "compiler.txt").read_text()


def test_what_the_steps_say_does_not_get_into_what_they_make(place: Path) -> None:
    assert compiled(place, ["echo", "a warning"], MAKES) == "a warning"
    assert (place / "out" / "worker").read_text() == "made\n"
    assert os.access(place / "out" / "worker", os.X_OK)


def test_words_of_a_step_are_not_read_by_the_shell(place: Path) -> None:
    evil = f"a; touch {place}/evil; $(touch {place}/evil)"
    assert compiled(place, ["echo", evil], MAKES) == evil
    assert not (place / "evil").exists()


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [(0, 0, "late"), (1, 0, "exit status 1"), (0, 1, "exit status 1"), (1, 1, "exit status 1")],
)
def test_steps_beside_each_other_all_end_and_each_must_succeed(
    place: Path, first: int, last: int, said: str
) -> None:
    slow = ["sh", "-c", f"sleep 0.2; echo late > late; exit {first}"]
    both = Beside((slow, ["sh", "-c", f"exit {last}"]))
    assert said in compiled(place, both, ["cat", "late"], MAKES)
    assert (place / "room" / "late").is_file()


@pytest.mark.parametrize(
    "words", [["no-such-compiler"], ["sh", "-c", '"$@"; exit $?', "", "nowhere"]]
)
@pytest.mark.parametrize("is_last", [True, False])
def test_a_step_beside_others_that_cannot_be_started_is_the_machines_fault(
    place: Path, words: list[str], is_last: bool
) -> None:
    steps = (["true"], words) if is_last else (words, ["true"])
    with pytest.raises(InfrastructureError, match="could not be started"):
        compiled(place, Beside(steps), MAKES)


def test_steps_run_under_limits(place: Path) -> None:
    said = compiled(place, ["cat", "/proc/self/limits"], ["false"])
    whole = (place / "out" / LOG).read_text()
    assert f"Max data size             {room._memory_kib() << 10} " in whole
    assert f"Max file size             {room.OUTPUT_BLOCKS << 9} " in whole
    assert "Max core file size        0 " in whole and said


def test_only_the_files_that_are_wanted_leave_the_archive(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in ("../evil", "compiler.txt", "worker"):
            entry = tarfile.TarInfo(name)
            entry.size = 4
            archive.addfile(entry, io.BytesIO(b"made"))
        link = tarfile.TarInfo("symbols")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    folder = tmp_path / "out"
    folder.mkdir()
    room._unpack(packed, ("worker", "symbols"), folder)
    assert sorted(os.listdir(folder)) == ["worker"] and os.listdir(tmp_path) == ["out"]


def test_the_student_reads_the_first_errors_without_folder_names(place: Path) -> None:
    lines = ["In file included from x", *(f"{place}/room/a.cu:{i}: error" for i in range(40))]
    said = compiled(place, ["printf", "%s\\n", *lines], ["false"]).splitlines()
    assert said == [f"a.cu:{i}: error" for i in range(room.MESSAGE_LINES)]
    assert len((place / "out" / LOG).read_text().splitlines()) == 41
    assert "exit status 1" in compiled(place, ["false"])


def test_a_compiler_that_cannot_be_started_is_the_machines_fault(place: Path) -> None:
    with pytest.raises(InfrastructureError, match="could not be started"):
        compiled(place, ["there-is-no-such-compiler"])
    broken = place / "bwrap"
    broken.write_text("#!/bin/sh\necho no luck today >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(InfrastructureError, match="the sandbox does not come up.*"):
        compiled(place, MAKES, box=Sandbox("bubblewrap", str(broken)))


def test_a_compiler_that_hangs_once_is_tried_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "ATTEMPT_SECONDS", (1.0, 1.0))
    flag = place / "flag"
    slow = ["sh", "-c", f"[ -e {flag} ] || {{ touch {flag}; sleep 60; }}"]
    compiled(place, slow, MAKES)
    assert (place / "out" / "worker").is_file()
    with pytest.raises(room.CompilerTimeout):
        compiled(place, ["sleep", "60"])


@pytest.mark.parametrize("small", [True, False])
def test_a_room_holds_the_contract_and_the_shelf_and_no_tests(
    small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "MEMORY", tmp_path)
    lab = manifest.find(manifest.discover(CHECKOUT), "01-rank-sort")
    before = os.umask(0o077)
    try:
        with furnished(CHECKOUT, lab, b"// mine", "cpu", [], small) as made:
            found = {str(path.relative_to(made)) for path in made.rglob("*")}
            modes = {path.stat().st_mode & 0o777 for path in (made, *made.rglob("*"))}
            assert (made / lab.source).read_bytes() == b"// mine"
    finally:
        os.umask(before)
    assert modes == {0o755, 0o644} and not made.exists()
    assert (made.parent == tmp_path) == small
    assert {"labs/01-rank-sort/rank_sort.hpp", "labs/kit/ceil_div.hpp", "cpu/cucc.py"} <= found
    hidden = ("oracle", "test.cpp", "bench.cpp", "reference", "lab.toml", "02-in-place")
    assert [name for name in found if any(word in name for word in hidden)] == []
