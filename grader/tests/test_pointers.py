"""What kernels enter through pointers: a library's function, or one that calls it, is found."""

import platform
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.intake.elf import read_program
from grader.intake.pointers import objection_to_entered
from grader.judging import judge
from grader.judging.judge import Bench
from grader.lab_file import manifest

pytestmark = [
    pytest.mark.reads("judging", "labs"),
    pytest.mark.skipif(
        not shutil.which("g++") or platform.machine() != "x86_64",
        reason="there is no g++ that makes calls through pointers as the checker wants",
    ),
]
SOURCE = """#include <cstring>
extern "C" void first() {}
static void copy(char* to) { stpncpy(to, to, 4); }
static void through(char* to) { copy(to + 1); }
static void plain(char* to) { *to = 1; }
void (*volatile kept[])(char*) = {through, plain};
void call(char* to) { kept[0](to); }
int main() {}
"""
THUNKS = "-mindirect-branch=thunk-extern", "-mindirect-branch-register"


def made(folder: Path, *flags: str) -> tuple[Path, Path]:
    """A program with its submission's code from `first` on, and the object file."""
    (folder / "demo.cpp").write_text(SOURCE)
    apart = ("-O0", "-ffunction-sections", "-fno-inline")
    subprocess.run(["g++", *apart, *flags, "-c", "demo.cpp"], cwd=folder, check=True)
    link = "-Wl,--unresolved-symbols=ignore-all,--defsym=warpwise_first_code=first"
    subprocess.run(["g++", link, "demo.o", "-o", "demo"], cwd=folder, check=True)
    return folder / "demo", folder / "demo.o"


def place(program: Path, name: str, beyond: int = 0) -> str:
    at = {symbol.name: symbol.value for symbol in read_program(program).symbols}
    return f"+{at[name] - at['first'] + beyond:x}"


def objection(program: Path, object_file: Path, entered: Sequence[str]) -> str | None:
    lab = manifest.discover(Checkout.here())[0]
    return objection_to_entered(lab, program, object_file, (), entered)


def test_what_a_kernel_enters_decides(tmp_path: Path) -> None:
    program, file = made(tmp_path, *THUNKS)
    plain, through = "_ZL5plainPc", "_ZL7throughPc"
    assert objection(program, file, []) == ""
    assert objection(program, file, [place(program, plain), "printf", "sqrtf"]) == ""
    for beyond in (0, 4):  # whoever jumps past its beginning
        said = objection(program, file, [place(program, plain), place(program, through, beyond)])
        assert said and "`stpncpy`: a kernel calls this function of the host" in said


@pytest.mark.parametrize("name", ["_ZNSo5writeEPKcl", "rand", "?", "+ffffff"])
def test_no_other_code_is_entered(tmp_path: Path, name: str) -> None:
    program, file = made(tmp_path, *THUNKS)
    said = objection(program, file, [name])
    assert said and "not in your file" in said


def test_without_the_checkers_calls_nothing_is_known(tmp_path: Path) -> None:
    assert objection(*made(tmp_path), []) is None


@pytest.mark.parametrize(
    ("said", "reason"), [("", ""), ("seen", "seen"), (None, "suspected")], ids=str
)
def test_what_is_suspected_counts_where_nobody_sees(said: str | None, reason: str) -> None:
    bench = Bench(Path(), Path(), 1.0, "cpu", 1, suspected={"global": "suspected"})
    checked = replace(bench, suspected={}, entered=lambda *_: said)
    assert judge.objection(bench, "global", ()) == "suspected"  # nothing ran under a checker
    assert judge.objection(replace(bench, checked=checked), "global", ()) == reason
    assert judge.objection(replace(bench, checked=checked), "strided", ()) == ""
