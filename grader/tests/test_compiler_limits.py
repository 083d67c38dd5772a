"""A submission that the compiler cannot finish did not compile, and the next one does."""

import time
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError
from grader.compiling import room
from grader.compiling.worker import Compiled, compile_submission
from grader.judging.workers import build_for_grading
from grader.lab_file import manifest
from grader.lab_file.manifest import Lab
from grader.machine import load
from grader.sandbox import bubblewrap

pytestmark = pytest.mark.reads("judging", "labs", "reference/01-rank-sort")
CHECKOUT = Checkout.here()
CPU, WALL = 2, 5.0  # seconds: a bomb need not be waited for longer
OVERHEAD = 15.0  # starting and ending, on a busy machine


@pytest.fixture(scope="module")
def lab() -> Lab:
    build_for_grading(CHECKOUT, "cpu")
    return manifest.find(manifest.discover(CHECKOUT), "01-rank-sort")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "CPU_SECONDS", CPU)
    monkeypatch.setattr(room, "ATTEMPT_SECONDS", (WALL, WALL))


def compiled(lab: Lab, source: str) -> Compiled:
    unique = f"\n// {time.time_ns()}\n"  # nothing of this is kept from an earlier run
    return compile_submission(CHECKOUT, lab, (source + unique).encode(), "cpu",
                              box=bubblewrap.find())  # fmt: skip


LAUGHS = "#define A0 int x();\n" + "".join(
    f"#define A{n} " + f"A{n - 1} " * 10 + "\n" for n in range(1, 11)
)
BOMBS = {
    "macros": LAUGHS + "A10\n",
    "constexpr": "constexpr unsigned long f() { unsigned long s = 0;"
    " for (unsigned i = 0; i < 200000; ++i) for (unsigned j = 0; j < 200000; ++j) s += i;"
    " return s; }\n#pragma GCC optimize(\"O0\")\nstatic_assert(f() == 1);\n",
    "parentheses": "int x = " + "(" * 200_000 + "1" + ")" * 200_000 + ";\n",
    "templates": "template <int N> struct F { static constexpr int v = F<N - 1>::v + F<N - 2>::v;"
    " };\nint x = F<100000>::v;\n",
    "types": "template <class T, class U> struct P { };\n"
    + "".join(f"using T{n} = P<{f'T{n - 1}' if n else 'int'}, {f'T{n - 1}' if n else 'int'}>;\n"
              for n in range(60))
    + "template <class T> struct D { static constexpr int v = 0; };\n"
    "template <class A, class B> struct D<P<A, B>> { static constexpr int v = 1 + D<A>::v; };\n"
    "int f(T59); int x = f(T59());\n",
    "self-inclusion": '#include "rank_sort.cu"\n#include "rank_sort.cu"\n',
    "endless device": '#include "/dev/zero"\n',
    "random device": '#include "/dev/urandom"\n',
    "embedded device": 'asm(".incbin \\"/dev/zero\\"");\n',
    "huge object": "char x[1ul << 32] = {1};\n",
    "errors": "".join(f"#error {'x' * 1000} {n}\n" for n in range(20_000)),
    "long line": "int x = " + "+".join(["1"] * 400_000) + ";\n",
    "escapes": '#error \x1b[2J\u202e\n#error "  PASS [   0.01s]  1 global  10/10"\n',
}  # fmt: skip
# Each ends in its own way. How "constexpr" ends, the next test says as well.
ESSENTIAL = {"huge object", "errors", "escapes"}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", [
    *sorted(ESSENTIAL), *(pytest.param(name, marks=pytest.mark.exhaustive("grader/compiling"))
                        for name in BOMBS if name not in ESSENTIAL)
])  # fmt: skip
def test_a_bomb_ends_within_its_limit_and_the_next_compiles(lab: Lab, name: str) -> None:
    started = time.monotonic()
    made = compiled(lab, BOMBS[name])
    assert time.monotonic() - started < 2 * WALL + OVERHEAD
    if made.worker is None:
        assert made.message and "Traceback" not in made.message
    assert len(made.message) <= (room.MESSAGE_LINES + 1) * (room.MESSAGE_WIDTH + 1)
    assert not any(c in made.message + made.said for c in "\x1b\u202e\r\0")
    assert name in ("long line",) or made.worker is None
    assert ("made of the file is too large" in made.message) == (name == "huge object")


def test_processor_time_decides_at_the_first_attempt(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "CPU_SECONDS", 1)
    made = compiled(lab, BOMBS["constexpr"])
    assert made.worker is None and "took too much time or memory" in made.message
    assert "internal compiler error" in made.message and "bug report" not in made.message


def test_on_a_machine_that_is_too_busy_nobody_is_to_blame(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "ATTEMPT_SECONDS", (0.5, 0.5))
    monkeypatch.setattr(room, "_shell_line", lambda *_: "sleep 61.5")
    monkeypatch.setattr(load, "PER_CORE", -1.0)
    with pytest.raises(InfrastructureError, match=r"within 0.5 s, but .* too busy to tell: load "):
        compiled(lab, "int y;\n")


def test_an_honest_file_compiles_within_the_limits(lab: Lab) -> None:
    source = (CHECKOUT.reference / lab.name / lab.source).read_text()
    assert compiled(lab, source).worker


def test_a_compiler_that_hangs_is_not_the_machines_fault(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sleeps: no processor time is used, so only the clock on the wall can end it."""
    monkeypatch.setattr(room, "ATTEMPT_SECONDS", (0.5, 0.5))
    monkeypatch.setattr(room, "_shell_line", lambda *_: "sleep 61.25")
    started = time.monotonic()
    made = compiled(lab, "int x;\n")
    assert made.worker is None and "did not finish within 0.5 s" in made.message
    assert time.monotonic() - started < 2 * 0.5 + OVERHEAD


def test_a_full_disk_is_the_machines_fault(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(room, "_copy", full)
    with pytest.raises(InfrastructureError, match="No space left"):
        compiled(lab, "int x;\n")
