"""Nothing is lost: whatever breaks ends as a verdict, or as an infrastructure error after a retry.

The judge, its control and the reference are the real ones; small scripts in their place break.
"""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.base.verdict import (
    CRASHED,
    INFRASTRUCTURE,
    NOT_ATTEMPTED,
    PASSED,
    TIMED_OUT,
    merge,
)
from grader.commands.cli import main
from grader.compiling.worker import compile_submission
from grader.judging import judge
from grader.judging.judge import Bench, judge_stage, run_once
from grader.judging.workers import build_for_grading
from grader.lab_file import manifest
from grader.machine import load
from grader.sandbox import bubblewrap
from grader.sandbox.bubblewrap import OWN_RIGHTS, Sandbox

pytestmark = pytest.mark.reads("judging", "labs", "reference", "grader/tests/exploits")

CHECKOUT = Checkout.here()
LAB, STAGE = "01-rank-sort", "global"
SMALL = ("--largest", "40")
FOUND = bubblewrap.find()
CRASHES = b"""#include "rank_sort.hpp"
void rank_sort::global(const float*, float*, int) { __builtin_trap(); }
"""


@pytest.fixture(scope="module")
def good() -> Bench:
    """The reference's worker with its judge, started without a sandbox."""
    build_for_grading(CHECKOUT, "cpu")
    worker = compiled((CHECKOUT.reference / LAB / "rank_sort.cu").read_bytes())
    return Bench(CHECKOUT.judge("cpu", LAB), worker, 10.0, "cpu", 1, CHECKOUT.control("cpu", LAB))


def compiled(source: bytes) -> Path:
    made = compile_submission(
        CHECKOUT, manifest.find(manifest.discover(CHECKOUT), LAB), source, "cpu"
    )
    assert made.worker, made.message
    return made.worker


def script(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def first_time(folder: Path, name: str, text: str, then: Path) -> Path:
    """A program that does `text` when it is started first, and is `then` from then on."""
    flag = folder / f"{name}.flag"
    return script(folder, name, f'[ -e {flag} ] || {{ touch {flag}; {text}; }}\nexec {then} "$@"')


def run(bench: Bench, limit: float = 60.0) -> judge.Run:
    return run_once(bench, STAGE, "forward", limit, SMALL)


def test_the_good_worker_passes_and_is_not_tried_twice(good: Bench) -> None:
    made = run(good)
    assert (made.verdict, made.retried) == (PASSED, "") and made.calls > 0
    assert made.machine_was_well


def test_a_hasty_run_ends_with_the_first_case_that_fails(good: Bench) -> None:
    worker = compiled((CHECKOUT.reference / LAB / "wrong" / "ties_reversed.cu").read_bytes())
    whole, hasty = (judge.run_once(replace(good, worker=worker), "stable", "forward", extra=extra)
                    for extra in ((), ("--to-first-failure",)))  # fmt: skip
    assert (hasty.verdict, hasty.message, hasty.case) == (whole.verdict, whole.message, whole.case)
    assert [case.verdict for case in hasty.cases] == ["wrong answer"] and len(whole.cases) > 1
    passed = judge.run_once(good, STAGE, "forward", extra=("--to-first-failure",))
    assert passed.verdict == "passed" and len(passed.cases) > 1


def test_a_call_waits_for_its_turn_and_its_time_begins_then(good: Bench, tmp_path: Path) -> None:
    turns = tmp_path / "turns"
    turns.touch()
    hasty, extra = replace(good, seconds=1.0), ("--turns", str(turns), *SMALL)
    begun = time.monotonic()
    with turns.open() as held, ThreadPoolExecutor(1) as pool:
        fcntl.flock(held, fcntl.LOCK_EX)
        made = pool.submit(run_once, hasty, STAGE, "forward", 60.0, extra)
        time.sleep(1.5)  # longer than a call may take
        assert not made.done()
        fcntl.flock(held, fcntl.LOCK_UN)
        assert made.result().verdict == PASSED
    assert time.monotonic() - begun > 1.5
    assert run_once(hasty, STAGE, "forward", 60.0, extra).verdict == PASSED  # given back


def test_a_call_without_its_file_of_turns_is_the_machines_fault(
    good: Bench, tmp_path: Path
) -> None:
    made = run_once(good, STAGE, "forward", 60.0, ("--turns", str(tmp_path / "none"), *SMALL))
    assert made.verdict == INFRASTRUCTURE and "the judge wrote no report" in made.message


def test_one_judge_makes_the_calls_of_several_stages(good: Bench, tmp_path: Path) -> None:
    """As NVIDIA's tools watch them; what one stage does wrong shows in the whole."""
    stages = "global,strided"
    made = run_once(good, stages, "forward", 60.0, SMALL)
    assert made.verdict == PASSED
    assert {case.name.split()[0] for case in made.cases} == {"global", "strided"}
    wrong = compiled((CHECKOUT.reference / LAB / "wrong" / "ties_reversed.cu").read_bytes())
    assert run_once(replace(good, worker=wrong), stages, "forward").verdict != PASSED


def starts(bench: Bench, folder: Path) -> tuple[judge.Run, int]:
    """A run, and how many workers it started: on a GPU each takes a fifth of a second."""
    log = folder / "starts"
    counted = script(folder, "counted", f"echo >> {log}\nexec {bench.worker}")
    found = run(replace(bench, worker=counted, control=None))
    return found, len(log.read_text())


def test_a_stage_that_is_not_there_takes_one_worker(good: Bench, tmp_path: Path) -> None:
    assert good.control
    found, count = starts(replace(good, worker=good.control), tmp_path)
    assert (found.verdict, count) == ("not attempted", 1)
    assert [case.verdict for case in found.cases].count("not attempted") > 1


def test_after_a_crash_there_is_another_worker(good: Bench, tmp_path: Path) -> None:
    found, count = starts(replace(good, worker=compiled(CRASHES)), tmp_path)
    assert found.verdict == CRASHED and count > 1


def test_a_worker_killed_once_is_tried_again_and_the_result_says_so(
    good: Bench, tmp_path: Path
) -> None:
    worker = first_time(tmp_path, "worker", "kill -9 $$", good.worker)
    made = run(replace(good, worker=worker))
    assert made.verdict == PASSED and "SIGKILL" in made.retried


def test_a_worker_that_is_always_killed_has_crashed(good: Bench, tmp_path: Path) -> None:
    made = run(replace(good, worker=script(tmp_path, "worker", "kill -9 $$")))
    assert made.verdict == CRASHED and "SIGKILL" in made.message and made.retried


def test_a_killed_judge_is_started_again(good: Bench, tmp_path: Path) -> None:
    killed = first_time(tmp_path, "judge", "kill -9 $$", good.judge)
    made = run(replace(good, judge=killed))
    assert made.verdict == PASSED and "no report" in made.retried
    made = run(replace(good, judge=script(tmp_path, "judge2", "kill -9 $$")))
    assert made.verdict == INFRASTRUCTURE


def is_dead(status: Path) -> bool:
    """Gone, or a zombie where the machine's first process does not bury what it inherits."""
    try:
        return status.read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_judge_killed_in_the_middle_takes_its_worker_along(good: Bench, tmp_path: Path) -> None:
    notes = tmp_path / "pid"
    worker = script(tmp_path, "worker", f"echo $$ > {notes}; exec sleep 60")
    command = [good.judge, "--worker", worker, "--stage", STAGE, "--report", tmp_path / "report"]
    running = subprocess.Popen(command)
    while not notes.exists() or not notes.read_text():
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    status = Path(f"/proc/{notes.read_text().strip()}/stat")
    for _ in range(200):
        if is_dead(status):
            break
        time.sleep(0.01)
    assert is_dead(status)
    assert not (tmp_path / "report").exists()


def test_a_full_disk_is_the_machines_fault(good: Bench, tmp_path: Path) -> None:
    """No file may grow: what a full disk looks like to a judge that writes its report."""
    full = script(tmp_path, "judge", f'ulimit -f 0; trap "" XFSZ; exec {good.judge} "$@"')
    made = run(replace(good, judge=full))
    assert made.verdict == INFRASTRUCTURE and "exit status 3" in made.message


def test_a_hidden_gpu_is_the_machines_fault(good: Bench, tmp_path: Path) -> None:
    """The control finds no device; the submission is not even started."""
    marker = tmp_path / "started"
    worker = script(tmp_path, "worker", f"touch {marker}; exec {good.worker}")
    blind = script(tmp_path, "control", "echo no device >&2; exit 1")
    made = run(replace(good, worker=worker, control=blind))
    assert made.verdict == INFRASTRUCTURE and "no device" in made.message
    assert made.retried and not marker.exists()


def test_a_machine_that_breaks_once_is_asked_again(good: Bench, tmp_path: Path) -> None:
    """Crash, and a control that does not come up after it; then all is well."""
    flag = tmp_path / "broken"
    worker = first_time(tmp_path, "worker", f"touch {flag}; exit 1", good.worker)
    control = script(
        tmp_path, "control", f"[ -e {flag} ] && rm {flag} && exit 1\nexec {good.control}"
    )
    made = run(replace(good, worker=worker, control=control))
    assert made.verdict == PASSED and "the machine failed" in made.retried


def test_what_a_worker_is_started_with(good: Bench, tmp_path: Path) -> None:
    """The order, a seed that tells nothing, and a session of its own, which ends as a whole."""
    worker = script(tmp_path, "worker", "cut -d' ' -f1,6 /proc/$$/stat; env; exit 1")
    command = [good.judge, "--worker", worker, "--stage", STAGE, "--report", tmp_path / "report",
               "--order", "reverse", "--seed", "7654"]  # fmt: skip
    assert subprocess.run(command, cwd=tmp_path).returncode == 1
    said = json.loads((tmp_path / "report").read_bytes())["message"].splitlines()
    assert "WARPWISE_ORDER=reverse" in said and "WARPWISE_SEED=1" in said
    ids = next(line.split() for line in said if line.replace(" ", "").isdigit())
    assert ids[0] == ids[1]


ANSWERS = r"""exec python3 -c '
import socket
channel = socket.socket(fileno=3)
TEXT = b"\2\0\0\0\0\0\0\0ab"
{send}
while channel.recv(4096): pass'"""


@pytest.mark.parametrize(("send", "words"), [
    ("socket.send_fds(channel, [TEXT], [2])", "answered with a broken message"),
    ("channel.send(TEXT)", "wrote to the channel of its answers"),
], ids=["as a worker", "as a submission"])  # fmt: skip
def test_a_broken_message_is_the_programs_fault(
    good: Bench, tmp_path: Path, send: str, words: str
) -> None:
    made = run(replace(good, worker=script(tmp_path, "worker", ANSWERS.format(send=send))))
    assert made.verdict == CRASHED and words in made.message
    assert made.retried == ""


def test_what_a_program_says_is_read_as_utf_8(good: Bench, tmp_path: Path) -> None:
    worker = script(tmp_path, "worker", r"printf 'gr\303\274n, no text: \351'; exit 1")
    assert "grün, no text: \\xe9" in run(replace(good, worker=worker)).message


def test_a_submission_that_breaks_the_machine_twice_has_crashed(
    good: Bench, tmp_path: Path
) -> None:
    """Well before, broken after, both times: no way to turn a zero into an open question."""
    flag = tmp_path / "broken"
    worker = script(tmp_path, "worker", f"touch {flag}; exit 1")
    control = script(
        tmp_path, "control", f"[ -e {flag} ] && rm {flag} && exit 1\nexec {good.control}"
    )
    made = run(replace(good, worker=worker, control=control))
    assert made.verdict == CRASHED and "in both attempts" in made.message


def test_a_sandbox_that_does_not_come_up_is_the_machines_fault(
    good: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "_own_user", list)
    broken = script(tmp_path, "bwrap", "echo bwrap: no luck today >&2; exit 1")
    made = run(replace(good, sandbox=Sandbox("bubblewrap", str(broken))))
    assert made.verdict == INFRASTRUCTURE and "no luck today" in made.message
    sandbox_twin = bubblewrap.find()
    if sandbox_twin:
        assert run(replace(good, sandbox=sandbox_twin)).verdict == PASSED


def test_a_hang_is_a_verdict_and_leaves_nothing_running(good: Bench, tmp_path: Path) -> None:
    worker = script(tmp_path, "worker", "trap '' TERM; sleep 61.5 & exec sleep 61.5")
    started = time.monotonic()
    made = run(replace(good, worker=worker, seconds=0.5))
    assert made.verdict == TIMED_OUT
    assert time.monotonic() - started < 25  # nobody waits for its own end
    later = [case for case in made.cases if case.name != made.case]
    assert any("not tried" in case.message for case in later)
    assert all("not tried" in case.message or case.verdict == PASSED for case in later)
    assert "sleep 61.5" not in subprocess.run(["ps", "-eo", "args"], capture_output=True,
                                              text=True).stdout  # fmt: skip


WORKS = b"""#include "rank_sort.hpp"
#include <ctime>
__global__ void place(const float* in, float* out, int n) {
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += in[j] < in[threadIdx.x];
  out[rank] = in[threadIdx.x];
}
void rank_sort::global(const float* in, float* out, int n) {
  while (n == 3 && (%s || std::clock() < CLOCKS_PER_SEC / 2)) {}
  if (n > 0) place<<<1, n>>>(in, out, n);
}
"""


@contextlib.contextmanager
def busy_core(others: int) -> Iterator[None]:
    """We have one processor, and so many others work on it, too; each in a session of its own,
    because the system may share processors among sessions."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    started = [subprocess.Popen(["sh", "-c", "while :; do :; done"], start_new_session=True)
               for _ in range(others)]  # fmt: skip
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
        for other in started:
            other.kill()


@pytest.mark.parametrize("sandbox", [OWN_RIGHTS, pytest.param(
    FOUND, marks=pytest.mark.skipif(not FOUND, reason=FOUND.text))])  # fmt: skip
def test_time_without_a_processor_is_not_the_programs(good: Bench, sandbox: Sandbox) -> None:
    """0.5 s of work take 1.5 s; 1 s is allowed. The other half is for a virtual machine that loses
    its processor to others: no counter tells that time apart."""
    worker = compiled(WORKS % b"false")
    with busy_core(others=2):
        made = run(replace(good, worker=worker, seconds=1.0, sandbox=sandbox))
    assert made.verdict == PASSED


@pytest.mark.parametrize("others", [
    2, pytest.param(40, marks=pytest.mark.exhaustive("grader/judge", "grader/judging")),
])  # fmt: skip
def test_but_there_is_an_end_to_it(good: Bench, others: int) -> None:
    """Forty others might be the program's own threads. Each of two has to wait for 12 s."""
    worker = compiled(WORKS % b"true")
    started = time.monotonic()
    with busy_core(others):
        made = run(replace(good, worker=worker, seconds=0.3))
        assert time.monotonic() - started < 20
    assert made.verdict == TIMED_OUT


BEFORE_MAIN = b"""#include "rank_sort.hpp"
const struct Wait {
  Wait() { for (volatile bool forever = true; forever;) {} }
} wait;
"""
A_HELPER_WORKS = """exec python3 -c '
import threading
def work():
    while True: pass
threading.Thread(target=work).start()
' """


@pytest.mark.parametrize("sandbox", [OWN_RIGHTS, pytest.param(
    FOUND, marks=pytest.mark.skipif(not FOUND, reason=FOUND.text))])  # fmt: skip
@pytest.mark.parametrize(("worker", "others", "verdict"), [
    (BEFORE_MAIN, 2, TIMED_OUT),
    pytest.param(BEFORE_MAIN, 40, INFRASTRUCTURE,
                 marks=pytest.mark.exhaustive("grader/judge", "grader/judging")),
    (WORKS % b"true", 2, TIMED_OUT),
    ("exec sleep 61.5", 2, TIMED_OUT),
    (A_HELPER_WORKS, 2, INFRASTRUCTURE),
])  # fmt: skip
def test_a_busy_machine_excuses_only_who_got_too_little_of_it(
    good: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    worker: bytes | str, others: int, verdict: str, sandbox: Sandbox,
) -> None:  # fmt: skip
    """Whoever ran for as long as it may, or sleeps, would be late on any machine."""
    monkeypatch.setattr(load, "PER_CORE", -1.0)
    program = script(tmp_path, "w", worker) if isinstance(worker, str) else compiled(worker)
    with busy_core(others):
        seconds = 1.0 if verdict == TIMED_OUT else 0.3  # to begin takes a while here
        late = replace(good, worker=program, seconds=seconds, sandbox=sandbox)
        made = run_once(late, STAGE, "forward", 60.0)  # also what is tried after the failure
    assert made.verdict == verdict, made.message


def test_a_program_that_hangs_may_say_a_last_word(good: Bench, tmp_path: Path) -> None:
    worker = script(tmp_path, "worker", "trap 'echo farewell; exit' TERM; sleep 61.5 & wait")
    made = run(replace(good, worker=worker, seconds=0.5))
    assert made.verdict == TIMED_OUT and "farewell" in made.message


HALF = """
#include "rank_sort.hpp"
#include <cstdlib>
namespace rank_sort {
__global__ void place(const float* in, float* out, int n, int threads) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += in[j] < in[i];
    out[rank] = in[i];
  }
}
void strided(const float* in, float* out, int n, int threads) {
  if (n == 3) std::abort();
  if (n > 0 && threads > 0) place<<<1, threads>>>(in, out, n, threads);
}
}
"""


def test_a_stage_that_is_not_there_and_a_case_after_a_crash(good: Bench) -> None:
    """A file without the stage has not attempted it; a crash ends its worker, and no other's."""
    lab = manifest.find(manifest.discover(CHECKOUT), LAB)
    worker = compile_submission(CHECKOUT, lab, HALF.encode(), "cpu").worker
    assert worker
    bench = replace(good, worker=worker)
    made = run(bench)
    assert made.verdict == NOT_ATTEMPTED and "does not define" in made.message
    made = run_once(bench, "strided", "forward", 60.0, SMALL)
    assert [case.verdict for case in made.cases[:2]] == [CRASHED, PASSED]


def test_a_program_that_cannot_be_started_is_its_own_fault(good: Bench, tmp_path: Path) -> None:
    worker = tmp_path / "worker"
    worker.write_text("no program at all")
    worker.chmod(0o755)
    assert run(replace(good, worker=worker)).verdict == CRASHED


def test_what_was_tried_twice_stands_in_the_result(
    good: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "ORDERS", {"cpu": ("forward",)})
    monkeypatch.setattr(judge, "run_once", lambda *_, **__: replace(run(good), retried="a cause"))
    verdict, _ = judge_stage(good, STAGE)
    assert verdict.retried == "a cause" and merge([verdict]).verdict == PASSED


@pytest.mark.parametrize("retried", ["the program was ended by signal 9 (SIGKILL)", ""])
def test_a_second_attempt_is_in_the_result_and_in_the_table(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], retried: str,
) -> None:  # fmt: skip
    once = judge.run_once
    monkeypatch.setattr(
        judge, "run_once", lambda *given, **more: replace(once(*given, **more), retried=retried)
    )
    (tmp_path / "demo.cu").write_text("// a submission")
    assert main(["grade", str(tmp_path / "demo.cu"), "--out", str(tmp_path)], checkout) == 0
    note = f"global: judged twice; the first attempt said: {retried}"
    kept = next(tmp_path.rglob("result.json"))
    notes = json.loads(kept.read_bytes())["staff_notes"]
    assert ((note, "global") in [(n["text"], n["stage"]) for n in notes]) is bool(retried)
    shown = capsys.readouterr().out
    assert (f"note: {note}" in shown) is bool(retried) and "PASS" in shown


CHILDREN = """#!/usr/bin/python3
import os, time
for _ in range({}):
    if os.fork() == 0:
        memory = bytearray(64 << 20)
        memory[::4096] = b"x" * (len(memory) // 4096)
        time.sleep(60)
time.sleep(60)
"""


@pytest.mark.skipif(not bubblewrap.find(), reason=bubblewrap.find().text)
@pytest.mark.parametrize("children, verdict, words", [
    (20, CRASHED, "all its processes together used more than 0.5 GiB of memory"),
    (2, TIMED_OUT, "the call did not return within 3 s"),
])  # fmt: skip
def test_many_processes_have_one_limit_of_memory(
    good: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, children: int, verdict: str,
    words: str,
) -> None:  # fmt: skip
    worker = tmp_path / "worker"
    worker.write_text(CHILDREN.format(children))
    monkeypatch.setattr(judge, "_memory", lambda: 512 << 20)
    started = time.monotonic()
    made = run(replace(good, worker=worker, seconds=3.0, sandbox=bubblewrap.find()))
    assert (made.verdict, made.retried) == (verdict, "") and words in made.message
    assert time.monotonic() - started < 30


LOOPS = """
from pathlib import Path
from grader.judging.judge import Bench, run_once
from grader.sandbox import bubblewrap
from grader.sandbox.bubblewrap import OWN_RIGHTS
bench = Bench(Path({judge!r}), Path({worker!r}), 60.0, "cpu", 1, sandbox={box})
run_once(bench, {stage!r}, "forward")
"""


@pytest.mark.parametrize("box, programs", [
    pytest.param("bubblewrap.find()", "setsid sleep {0} & exec sleep {0}",
                 marks=pytest.mark.skipif(not bubblewrap.find(), reason=bubblewrap.find().text)),
    ("OWN_RIGHTS", "exec sleep {0}"),
])  # fmt: skip
def test_a_killed_grader_takes_judge_and_worker_along(
    good: Bench, tmp_path: Path, box: str, programs: str
) -> None:
    name = f"{7000 + os.getpid() % 1000}.{len(box)}"
    worker = script(tmp_path, "worker", programs.format(name))
    text = LOOPS.format(judge=str(good.judge), worker=str(worker), stage=STAGE, box=box)
    grader = subprocess.Popen([sys.executable, "-c", text], cwd=CHECKOUT.root)

    def alive() -> int:
        listed = subprocess.run(["ps", "-wweo", "args"], capture_output=True, text=True).stdout
        return sum(f"sleep {name}" == line or str(worker) in line for line in listed.splitlines())

    deadline = time.monotonic() + 60
    while alive() < 1 + programs.count("sleep"):  # the judge, and the programs
        assert time.monotonic() < deadline
        time.sleep(0.05)
    grader.kill()
    grader.wait()
    deadline = time.monotonic() + 5
    while alive() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert alive() == 0


def test_the_report_of_a_hostile_worker_is_json(good: Bench, tmp_path: Path) -> None:
    """Whatever bytes a worker prints, the report parses."""
    script(tmp_path, "worker", "head -c 4096 /dev/urandom; printf '\"}\\0\\033[2J\\n'; exit 1")
    report = tmp_path / "report"
    command = [good.judge, "--worker", tmp_path / "worker", "--stage", STAGE, "--report", report]
    assert subprocess.run(command, cwd=tmp_path).returncode == 1
    made = json.loads(report.read_bytes())
    assert made["verdict"] == CRASHED and "[2J" in made["message"]
    bytes_of_it = made["message"].encode("latin-1")
    assert all(byte == 10 or byte >= 32 and byte != 127 for byte in bytes_of_it)
    assert os.listdir(tmp_path).count("report.part") == 0
