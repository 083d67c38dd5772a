"""compute-sanitizer around a worker: NVIDIA's check of memory and races, on a GPU only.

`sanitizers` of a stage in lab.toml names the tools that must find nothing. Each tool first runs on
a program of the kit with a fault that it should find. A tool that reports nothing there is not
trusted.

The tool runs beside the submission, in the same sandbox. A submission that knows of it can silence
it. It gains nothing by that: its answers and the CPU backend's checker still judge it.
"""

import re
import shutil
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ..base import process
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..base.files import sha256, write_atomically
from ..base.scratch import scratch_folder
from ..base.steps import step
from ..base.verdict import INFRASTRUCTURE, NOT_MEASURED, PASSED, Run
from ..lab_file.manifest import Stage
from ..lab_file.rules import SANITIZERS
from ..machine import hardware
from ..machine.gpu_share import file_of_turns, share_of_gpu
from . import judge
from .judge_report import BadReport

CALL_SECONDS = 120.0
STAGE_SECONDS = 600.0
CONTROL_SECONDS = 60.0
# Where kernels read and write depends on the size; what they read hardly matters. So a few inputs
# of each list are tried, of one kind each; the CPU backend's checker has seen all. Under racecheck
# a call takes 21 ms on an H200, with one element or with 520; in 02 those of up to 1100 take three
# times as long. So racecheck tries the largest of each list alone.
LARGEST = {"racecheck": 520}  # just above 512 and its neighbours
FEW, FEWER = 3, {"racecheck": 1}  # inputs of each list

# "ERROR SUMMARY: 3 errors", and racecheck's "RACECHECK SUMMARY: 1 hazard displayed (1 error, ...)"
SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:error|hazard)")


@dataclass(frozen=True)
class Sanitized:
    """What one tool said about one stage or several: how many errors, and its first report.

    `passed`: the judge got right answers meanwhile.
    """

    tool: str
    errors: int
    report: str
    passed: bool = True


def find_tool() -> str | None:
    """The path of compute-sanitizer, or None; it comes with the CUDA toolkit."""
    return shutil.which("compute-sanitizer")


@dataclass(frozen=True)
class Watch:
    """A tool that watches stages before anyone knows that they pass; `not_needed` ends it."""

    stages: list[Stage]
    clean: "Future[bool]"
    not_needed: threading.Event


Group = tuple[str, int]  # a tool, and the largest size that it tries
Watches = Mapping[Group, Watch]


def begin(
    checkout: Checkout, bench: judge.Bench, stages: Sequence[Stage], start: judge.Start
) -> Watches:
    """Start the tools of all stages, beside the runs that show which of them pass. A hand-in whose
    stages all pass has its verdict earlier: in 03 the tools take as long as those runs."""
    watches = {}
    for (tool, size), group in groups_of(stages).items():
        not_needed = threading.Event()
        watched = replace(bench, not_needed=not_needed)
        clean = start(_is_clean, checkout, watched, group, tool)
        watches[tool, size] = Watch(group, clean, not_needed)
    return watches


def examine_all(
    checkout: Checkout, bench: judge.Bench, stages: Sequence[Stage], start: judge.Start,
    begun: Watches | None = None,
) -> dict[str, list[Run]]:  # fmt: skip
    """By the stage's name, the verdict of each of its tools. Only for stages that passed.

    A tool and a program that begins on a GPU take longer to start than the calls of a stage. So a
    tool first watches one worker that makes the calls of all stages. Only if it reports anything,
    or an answer is wrong, it watches each stage alone. `start` starts a run, perhaps beside others.
    A call under a tool takes its turn like any other (judge/call_turn.hpp). What takes as long, to
    attach the tool and to start the program in it, does not wait.

    What has `begun` with a stage that did not pass is ended, and begins again without that stage.
    """
    begun, groups = begun or {}, groups_of(stages)
    for key, watch in begun.items():
        if watch.stages != groups.get(key):
            watch.not_needed.set()
    started = []
    for (tool, size), group in groups.items():
        watch = begun.get((tool, size))
        clean = watch.clean if watch and watch.stages == group else None
        runs = start(_examine_group, checkout, bench, group, tool, clean)
        started.append((tool, group, runs))
    said = {(stage.name, tool): run for tool, group, runs in started
            for stage, run in zip(group, runs.result(), strict=True)}  # fmt: skip
    return {stage.name: [said[stage.name, tool] for tool in stage.sanitizers] for stage in stages}


def groups_of(stages: Sequence[Stage]) -> dict[Group, list[Stage]]:
    """The stages that one process of a tool can watch together."""
    groups = defaultdict[Group, list[Stage]](list)
    for stage in stages:
        for tool in stage.sanitizers:
            groups[tool, _largest(tool, stage)].append(stage)
    return groups


def tools_of(stages: Sequence[Stage]) -> list[str]:
    """The tools that watch any of the stages."""
    return sorted({tool for stage in stages for tool in stage.sanitizers})


def _examine_group(
    checkout: Checkout, bench: judge.Bench, stages: Sequence[Stage], tool: str,
    begun: "Future[bool] | None",
) -> list[Run]:  # fmt: skip
    if begun:
        clean = begun.result()
    else:
        clean = len(stages) > 1 and _is_clean(checkout, bench, stages, tool)
    if clean:
        return [Run(tool, PASSED, "") for _ in stages]
    return [examine(checkout, bench, stage, tool) for stage in stages]


def _is_clean(checkout: Checkout, bench: judge.Bench, stages: Sequence[Stage], tool: str) -> bool:
    """Whether a tool that is there, and can be trusted, reports nothing about all these stages."""
    try:
        if control_fault(checkout, tool):
            return False
        with step(f"judge: under {tool}"):
            found = sanitize(bench, stages, tool)
    except InfrastructureError:
        return False
    return found.passed and found.errors == 0


def examine(checkout: Checkout, bench: judge.Bench, stage: Stage, tool: str) -> Run:
    """The verdict of one tool on a stage, as one more run. Only for a stage that passed."""
    if find_tool() is None:
        return Run(tool, NOT_MEASURED, f"{tool} not measured: compute-sanitizer is missing")
    try:
        if problem := control_fault(checkout, tool):
            return Run(tool, INFRASTRUCTURE, problem)
        with step(f"judge: under {tool}"):
            found = sanitize(bench, [stage], tool)
    except InfrastructureError as error:
        return Run(tool, INFRASTRUCTURE, str(error))
    if found.errors == 0:
        return Run(tool, PASSED, "")
    return Run(tool, SANITIZERS[tool], f"right answers, but {tool} reports:\n{found.report}")


@cache
def control_fault(checkout: Checkout, tool: str) -> str:
    """Why the tool cannot be trusted; "" if it reports the control's fault, and nothing in the
    healthy control. What the same tool, driver and control have proved once is not asked again: it
    takes six seconds."""
    proof = _proof(checkout, tool)
    if proof and proof.is_file():
        return ""
    sick, healthy = (_watch_control(checkout, tool, words) for words in ((), ("healthy",)))
    if sick.errors == 0:
        return f"{tool} reports nothing about a program with the fault that it should find"
    if healthy.errors:
        return f"{tool} reports an error in a program that has none: {healthy.report}"
    if proof:
        with suppress(OSError):
            proof.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(proof, "")
    return ""


def _proof(checkout: Checkout, tool: str) -> Path | None:
    """The file that is there once the tool has proved itself on this machine, in this state."""
    program, control, gpu = find_tool(), checkout.sanitizer_control(), hardware.find_gpu()
    if not program or not control.is_file() or not gpu:
        return None
    found = Path(program).resolve()
    state = (str(found), found.stat().st_size, found.stat().st_mtime_ns, gpu.driver, gpu.uuid)
    key = sha256(repr(state).encode() + control.read_bytes())
    return checkout.build("gpu") / "tools" / f"{tool}-{key[:32]}"


def _watch_control(checkout: Checkout, tool: str, words: Sequence[str]) -> Sanitized:
    """Run a tool on the control. Raises InfrastructureError if it writes no summary."""
    with scratch_folder() as folder:
        command = [*_command(tool, str(folder)), checkout.sanitizer_control(), tool, *words]
        process.run(command, limit=CONTROL_SECONDS)
        return _read_folder(tool, folder)


def sanitize(bench: judge.Bench, stages: Sequence[Stage], tool: str) -> Sanitized:
    """Judge stages with their worker under the tool. Raises InfrastructureError.

    The tool writes one log for every worker that the judge starts. A log without a summary means
    that the tool did not finish; it never counts as clean.
    """
    with scratch_folder() as folder:
        logs = folder / "logs"
        logs.mkdir()
        names = ",".join(stage.name for stage in stages)
        options = ["--stage", names, "--seed", str(bench.seed),
                   "--largest", str(_largest(tool, stages[0])),
                   "--every-kind", "0", "--at-most", str(FEWER.get(tool, FEW)),
                   "--time-limit", f"{CALL_SECONDS:g}",
                   "--together", f"{STAGE_SECONDS:g}",
                   "--turns", str(file_of_turns())]  # fmt: skip
        try:
            with share_of_gpu():
                _, report = judge.ask(_watched(bench, tool, logs), options, STAGE_SECONDS)
            judge.note_calls(report, f"on the GPU under {tool}")
        except BadReport as error:
            raise InfrastructureError(f"{names} under {tool}: {error}") from error
        return replace(_read_folder(tool, logs), passed=report.get("verdict") == PASSED)


def _largest(tool: str, stage: Stage) -> int:
    return min(stage.sanitizer_size, LARGEST.get(tool, stage.sanitizer_size))


def _watched(bench: judge.Bench, tool: str, logs: Path) -> judge.Bench:
    """The same bench with workers that the tool starts: inside the sandbox if there is one."""
    if bench.sandbox:
        logs.parent.chmod(0o711)  # the sandbox runs as another user
        logs.chmod(0o777)
        command = tuple(_command(tool, "/logs"))
        return replace(bench, sandbox=replace(bench.sandbox, tool=command, logs=str(logs)))
    wrapper = logs.parent / "worker"
    wrapper.write_text(f"#!/bin/sh\nexec {' '.join(_command(tool, str(logs)))} {bench.worker}\n")
    wrapper.chmod(0o755)
    return replace(bench, worker=wrapper)


def _command(tool: str, logs: str) -> list[str]:
    """The tool's command line. Raises InfrastructureError if compute-sanitizer is missing."""
    program = find_tool()
    if program is None:
        raise InfrastructureError("compute-sanitizer is missing; it comes with the CUDA toolkit.")
    return [program, "--tool", tool, "--log-file", f"{logs}/%p.log"]


def _read_folder(tool: str, folder: Path) -> Sanitized:
    return read_logs(tool, [p.read_text(errors="replace") for p in sorted(folder.glob("*.log"))])


def read_logs(tool: str, logs: list[str]) -> Sanitized:
    """Add up the logs of one run. Raises InfrastructureError if one has no summary."""
    errors, report = 0, ""
    for log in logs:
        found = SUMMARY.search(log)
        if not found:
            raise InfrastructureError(f"{tool} wrote no summary: {log.strip()[-300:]}")
        errors += int(found[1])
        if not report and int(found[1]):
            report = "\n".join(line.removeprefix("========= ") for line in log.splitlines()[1:12])
    if not logs:
        raise InfrastructureError(f"{tool} wrote no log.")
    return Sanitized(tool, errors, report)
