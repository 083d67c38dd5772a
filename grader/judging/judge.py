"""Asking a lab's judge for a verdict. The judge answers in a file; its output is not trusted."""

import json
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from ..base import process
from ..base.scratch import scratch_folder
from ..base.steps import step, took
from ..base.text import escaped_bytes, escaped_values
from ..base.verdict import (
    CRASHED,
    INFRASTRUCTURE,
    PASSED,
    RACE,
    REJECTED,
    TIMED_OUT,
    WRONG_ANSWER,
    WROTE_OUTSIDE,
    Run,
    merge,
    settles,
    with_check,
)
from ..lab_file.manifest import HOST_WORK, HOST_WORK_BUT_FLAGS
from ..machine import hardware
from ..machine.gpu_share import file_of_turns, share_of_gpu, whole_gpu
from ..machine.load import overload
from ..sandbox import memory
from ..sandbox.bubblewrap import OWN_RIGHTS, Sandbox
from .judge_report import BadReport, TooMuchMemory, read_run

ORDERS = {"cpu": ("forward", "reverse", "random"), "gpu": ("forward",)}
STAGE_SECONDS = 300.0  # a judge that takes longer has hung, because it limits its workers' time
BUDGET_SECONDS = 240.0  # for all calls of a stage; if they take longer, the submission is at fault
HOST_BYTES = 64  # the bytes that a call may copy to the host: flags and counters, no keys
# Every launch allows this many more bytes. It depends on what the stage forbids: 16 if flags end a
# loop.
HOST_BYTES_PER_LAUNCH = {HOST_WORK: 0, HOST_WORK_BUT_FLAGS: 16}
MEMORY_SHARE = 4  # a worker may use one part in this many of the machine's memory ...
LARGEST_MEMORY_GIB = 12  # ... but at most this
# The verdicts that the checker may change. A race that only the orders show has no lines.
LOOKED_INTO = (PASSED, WRONG_ANSWER, RACE)
CHECK = "check"
FAULTS = (WRONG_ANSWER, RACE, CRASHED, TIMED_OUT, WROTE_OUTSIDE)
CHECK_LARGEST = 1100  # more than the largest block, but only a few seconds under the checker
# The first order tries inputs of every size. In the others only the order of the threads is new;
# mistakes that depend on it show when a few blocks meet.
AFTER_A_PASS = ("--largest", str(1 << 14))
WELL_SECONDS = 60.0  # the machine that was well is asked again after so long
CHECK_SLOWDOWN = 6  # under the checker a call may take this many times its limit


@dataclass(frozen=True)
class Bench:
    """The judge of a lab and the worker that it judges; `seconds` limits one call."""

    judge: Path
    worker: Path
    seconds: float
    backend: str
    seed: int
    control: Path | None = None  # a worker that is known to be good
    sandbox: Sandbox = OWN_RIGHTS
    rejected: Mapping[str, str] = field(default_factory=dict)  # stage: what it must not reach
    on_device: Mapping[str, int] = field(default_factory=dict)  # stage: HOST_BYTES_PER_LAUNCH
    checked: "Bench | None" = None  # the same submission under the CPU backend's checker
    races: dict[str, tuple[str, ...]] = field(default_factory=dict)  # stage: its expected races
    refused: str = ""  # why no stage counts: a name that the file may not have
    text: str = ""  # a hash of what the CPU backend's compiler has read
    suspected: Mapping[str, str] = field(default_factory=dict)  # stage: what it may reach
    # of the checker: why a stage does not count whose kernels entered these functions
    entered: Callable[[str, Sequence[str]], str | None] = lambda stage, entered: None
    not_needed: threading.Event | None = None  # ends a run whose result nobody waits for
    # of the CPU backend, if threads of a block are a loop in this worker: one without loops
    with_threads: "Callable[[], Bench | None] | None" = None


PartOfGpu = Callable[[], AbstractContextManager[None]]
Start = Callable[..., "Future[Any]"]  # starts a function with arguments, as an Executor's submit


def at_once(run: Callable[..., Any], *arguments: Any, **options: Any) -> "Future[Any]":
    """Runs it now and returns the finished result."""
    done: Future[Any] = Future()
    done.set_result(run(*arguments, **options))
    return done


@dataclass(frozen=True)
class Begun:
    """A run beside others, before anyone knows that it is needed; `not_needed` ends it."""

    run: "Future[Run]"
    not_needed: threading.Event


def begin_check(checked: Bench, stage: str, start: Start) -> Begun:
    """Start the run under the checker of one stage."""
    not_needed = threading.Event()
    return Begun(start(check_once, checked, stage, not_needed), not_needed)


def judge_stage(
    bench: Bench, stage: str, start: Start = at_once, begun: Begun | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> tuple[Run, dict[str, str]]:  # fmt: skip
    """The verdict of one stage, and the verdict of each of its runs by the run's name.

    On the CPU backend the stage runs with its threads in three orders; a GPU chooses the order
    itself. One more run under the checker finds what right answers hide: races, reads of memory
    that was never written, accesses outside. A stage that passes but reaches something that it
    forbids is `rejected`. A file with names that it may not have is not run at all.

    A fault that only a program has whose threads are loops is not the submission's: what the
    checker does not confirm is judged once more, with threads.

    `start` starts a run, perhaps beside others. The run under the checker waits for the first one,
    which may show that it is not needed, unless it has `begun`; then there are cores to spare, and
    the other orders do not wait either. `meanwhile` is called when the first run has been started.
    """
    run, orders = _judge(bench, stage, start, begun, meanwhile)
    if run.verdict not in FAULTS or orders.get(CHECK, PASSED) != PASSED or not bench.with_threads:
        return run, orders
    if (plain := bench.with_threads()) is None:
        return run, orders
    plain = replace(plain, checked=bench.checked, refused=bench.refused or plain.refused)
    again, orders = _judge(plain, stage, start, None)
    if again.verdict != run.verdict:
        again = replace(again, retried=again.retried or run.message)
    return again, orders


def _judge(
    bench: Bench, stage: str, start: Start, begun: Begun | None,
    meanwhile: Callable[[], None] = lambda: None,
) -> tuple[Run, dict[str, str]]:  # fmt: skip
    """The same by one worker."""
    if bench.refused:
        if begun:
            begun.not_needed.set()
        return Run("", REJECTED, bench.refused), {}
    first = start(_run_in_order, bench, stage, ORDERS[bench.backend][0])
    meanwhile()
    others, not_needed = list["Future[Run]"](), threading.Event()
    if begun:
        others = _other_orders(replace(bench, not_needed=not_needed), stage, start, passed=True)
    runs = [first.result()]
    passed = runs[0].verdict == PASSED
    if not passed:
        not_needed.set()
    if bench.checked and not begun and runs[0].verdict in LOOKED_INTO:
        begun = begin_check(bench.checked, stage, start)
    if not settles(runs[0]):
        if not (others and passed):
            others = _other_orders(bench, stage, start, passed)
        runs += [other.result() for other in others]
    verdict = merge(runs)
    if verdict.verdict in LOOKED_INTO and bench.checked:
        begun = begun or begin_check(bench.checked, stage, start)
        runs.append(begun.run.result())
        verdict = with_check(verdict, runs[-1])
    elif begun:
        begun.not_needed.set()
    if verdict.verdict == PASSED and (reason := objection(bench, stage, verdict.entered)):
        verdict = replace(verdict, verdict=REJECTED, message=reason)
    launched = tuple(sorted({name for run in runs for name in run.launched}))
    retried = next((run.retried for run in runs if run.retried), "")
    verdict = replace(verdict, launched=launched, retried=retried)
    if verdict.verdict == RACE and verdict.order == CHECK:  # what other runs said of it is chance
        return verdict, {CHECK: RACE}
    return verdict, {run.order: run.verdict for run in runs}


def _other_orders(bench: Bench, stage: str, start: Start, passed: bool) -> "list[Future[Run]]":
    """Start the stage with its threads in the other orders.

    If the first run was wrong, they try everything, too: otherwise a mistake at a large size would
    look like a race. Only whether they fail matters.
    """
    extra = AFTER_A_PASS if passed else ("--to-first-failure",)
    return [start(_run_in_order, bench, stage, order, extra)
            for order in ORDERS[bench.backend][1:]]  # fmt: skip


def objection(bench: Bench, stage: str, entered: Sequence[str]) -> str:
    """Why a stage with right answers does not count; "" if it does. `entered`: what its kernels
    called through pointers, if the checker ran."""
    if reason := bench.rejected.get(stage, ""):
        return reason
    suspected = bench.suspected.get(stage, "")
    if not bench.checked or not (suspected or entered):
        return suspected
    said = bench.checked.entered(stage, entered)
    return suspected if said is None else said


def _run_in_order(bench: Bench, stage: str, order: str, extra: tuple[str, ...] = ()) -> Run:
    with step(f"judge: {order}"):
        return run_once(bench, stage, order, extra=extra)


def check_once(bench: Bench, stage: str, not_needed: threading.Event | None = None) -> Run:
    """One run under the checker, on inputs up to CHECK_LARGEST. Its name is "check"."""
    slower = replace(bench, seconds=bench.seconds * CHECK_SLOWDOWN, not_needed=not_needed)
    races = [word for race in bench.races.get(stage, ()) for word in ("--race", race)]
    extra = ("--largest", str(CHECK_LARGEST), *races)
    with step("judge: under the checker"):
        run = run_once(slower, stage, "forward", extra=extra)
    return replace(run, order=CHECK)


def run_once(
    bench: Bench,
    stage: str,
    order: str,
    limit: float = STAGE_SECONDS,
    extra: tuple[str, ...] = (),
) -> Run:
    """One run of the judge, and a second one if the machine may have been at fault.

    The machine may be at fault after an infrastructure error, or if SIGKILL ended a worker: the
    kernel sends it when memory runs out. The second run decides, with one exception: if the machine
    was well before both runs and failed in both, the submission is the cause.
    """
    options = ["--stage", stage, "--seed", str(bench.seed), "--order", order,
               "--time-limit", f"{bench.seconds:g}", "--together", f"{BUDGET_SECONDS:g}",
               *extra]  # fmt: skip
    if bench.backend == "gpu":
        options += ["--turns", str(file_of_turns())]
    if stage in bench.on_device:
        options += ["--host-bytes", str(HOST_BYTES)]
        options += ["--host-bytes-per-launch", str(bench.on_device[stage])]
    known_well = ["--known-well"] if _was_well(bench) else []
    first = _attempt(bench, [*options, *known_well], stage, order, limit)
    if bench.not_needed and bench.not_needed.is_set():
        return first
    if first.verdict == INFRASTRUCTURE and known_well:  # it was well a while ago: ask once more
        unasked, first = first, _attempt(bench, options, stage, order, limit)
        first = replace(first, retried=unasked.message)
    if first.verdict != INFRASTRUCTURE and not first.was_killed:
        return _with_the_gpu_alone(bench, options, stage, limit, first)
    second = _attempt(bench, options, stage, order, limit)
    second = _with_the_gpu_alone(bench, options, stage, limit, second)
    if second.verdict == INFRASTRUCTURE and first.machine_was_well and second.machine_was_well:
        message = f"failed in both attempts: {second.message}"
        return replace(second, verdict=CRASHED, message=message, retried=first.message)
    return replace(second, retried=first.message)


def _with_the_gpu_alone(
    bench: Bench, options: list[str], stage: str, limit: float, run: Run
) -> Run:
    """The run, or another one if time ran out while others may have worked on the same GPU."""
    if bench.backend != "gpu" or run.verdict != TIMED_OUT:
        return run
    alone = _attempt(bench, options, stage, run.order, limit, whole_gpu)
    return alone if alone.verdict == TIMED_OUT else replace(alone, retried=run.message)


# When each control last showed that the machine was well. On a GPU to ask it takes a third of the
# time of a short stage.
_seen_well: dict[Path, float] = {}


def _was_well(bench: Bench) -> bool:
    seen = _seen_well.get(bench.control, -math.inf) if bench.control else -math.inf
    return time.monotonic() - seen < WELL_SECONDS


def _attempt(
    bench: Bench, options: list[str], stage: str, order: str, limit: float,
    part_of_gpu: PartOfGpu = share_of_gpu,
) -> Run:  # fmt: skip
    """One run of the judge; without a proper report it is an infrastructure error."""
    try:
        with part_of_gpu() if bench.backend == "gpu" else nullcontext():
            finished, report = ask(bench, options, limit)
        run = read_run(report, stage, order, finished)
        note_calls(report, f"on the {bench.backend.upper()}")
    except TooMuchMemory as error:
        return Run(order, CRASHED, str(error), machine_was_well=True)
    except BadReport as error:
        run = Run(order, INFRASTRUCTURE, str(error))
    if run.verdict == TIMED_OUT and not run.had_its_time and (busy := overload()):
        return Run(order, INFRASTRUCTURE, f"{run.message}, but the machine is too busy: {busy}")
    if bench.control is None:
        return run
    if run.verdict == INFRASTRUCTURE:
        _seen_well.pop(bench.control, None)
    elif run.machine_was_well and "--known-well" not in options:
        _seen_well[bench.control] = time.monotonic()
    return run


def note_calls(report: Mapping[str, Any], where: str) -> None:
    """How much of a run was the submission's own, for --profile; the rest is the judge's: it makes
    inputs, computes expected answers and compares."""
    for key, what in (("seconds_in_calls", "calls"), ("seconds_of_waiting", "wait for a turn")):
        seconds = report.get(key, 0.0)
        if isinstance(seconds, int | float) and seconds > 0.001:
            took(f"judge: {what} {where}", seconds)


def ask(
    bench: Bench, options: list[str], limit: float, pass_fds: Sequence[int] = ()
) -> tuple[process.Finished, dict[str, Any]]:
    """Run the judge and read the JSON document that it wrote. Raises BadReport."""
    with scratch_folder() as folder:
        report = folder / "report.json"
        control = ["--control", bench.control] if bench.control else []
        command = [bench.judge, *options, "--worker", bench.worker, *control,
                   "--memory", str(_memory()), "--report", report,
                   *_launcher(bench, folder)]  # fmt: skip
        too_much = memory.takes_more_than(_memory())
        ended = bench.not_needed.is_set if bench.not_needed else lambda: False
        finished = process.run(command, cwd=folder, limit=limit, pass_fds=pass_fds,
                               stop=lambda root: ended() or too_much(root))  # fmt: skip
        if finished.stopped and ended():
            raise BadReport("the judge was stopped, because nobody needs its report")
        if finished.stopped:
            raise TooMuchMemory(_memory())
        if finished.timed_out:
            raise BadReport(f"the judge did not finish within {limit:g} s")
        if not report.is_file():
            problem = f"the judge wrote no report: {finished.last_line}"
            raise BadReport(problem, finished.returncode)
        try:
            document = escaped_values(json.loads(report.read_bytes()), escaped_bytes)
        except ValueError as error:
            raise BadReport(f"the judge's report is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise BadReport("the judge's report is not a JSON object")
    return finished, document


def _launcher(bench: Bench, folder: Path) -> list[str]:
    """The judge's option for how to start a worker: a file with one argument per line."""
    command = bench.sandbox.worker_command(bench.backend)
    if not command:
        return []
    file = folder / "launcher"
    file.write_text("\n".join(command) + "\n", encoding="utf-8")
    return ["--launcher", str(file)]


@cache
def _memory() -> int:
    """The bytes of memory that a worker may use, and all processes that it starts with it."""
    gibibytes = hardware.describe().memory_gib / MEMORY_SHARE
    return int(max(1.0, min(LARGEST_MEMORY_GIB, gibibytes)) * 2**30)
