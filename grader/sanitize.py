"""compute-sanitizer around a worker: NVIDIA's own opinion on memory and races, on a GPU only."""

import re
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from . import judge
from .errors import InfrastructureError
from .judge_report import BadReport

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
LARGEST_INPUT = 2049  # racecheck is slower than the kernel by a factor of a hundred and more
CALL_SECONDS = 120.0
STAGE_SECONDS = 600.0

# "ERROR SUMMARY: 3 errors", and racecheck's "RACECHECK SUMMARY: 1 hazard displayed (1 error, ...)"
SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:error|hazard)")


@dataclass(frozen=True)
class Sanitized:
    """What one tool said about one stage: how many errors, and its first report."""

    tool: str
    errors: int
    report: str


def find_tool() -> str | None:
    """Where compute-sanitizer is, or None; it comes with the CUDA toolkit."""
    return shutil.which("compute-sanitizer")


def sanitize(bench: judge.Bench, stage: str, tool: str) -> Sanitized:
    """Judge one stage with its worker under the tool. Raises InfrastructureError.

    Every worker the judge starts writes a log of its own; a log without a summary is a tool that
    did not finish, and never counts as clean.
    """
    program = find_tool()
    if program is None:
        raise InfrastructureError("compute-sanitizer is missing; it comes with the CUDA toolkit.")
    with tempfile.TemporaryDirectory(prefix="warpwise.") as folder:
        wrapper = Path(folder) / "worker"
        wrapper.write_text(
            f"#!/bin/sh\nexec {program} --tool {tool} --log-file {folder}/%p.log {bench.worker}\n"
        )
        wrapper.chmod(0o755)
        options = ["--stage", stage, "--seed", str(bench.seed), "--largest", str(LARGEST_INPUT),
                   "--time-limit", f"{CALL_SECONDS:g}",
                   "--together", f"{STAGE_SECONDS:g}"]  # fmt: skip
        try:
            judge.ask(replace(bench, worker=wrapper), options, STAGE_SECONDS)
        except BadReport as error:
            raise InfrastructureError(f"{stage} under {tool}: {error}") from error
        logs = [path.read_text(errors="replace") for path in sorted(Path(folder).glob("*.log"))]
    return read_logs(tool, logs)


def read_logs(tool: str, logs: list[str]) -> Sanitized:
    """Add up the logs of one run. Raises InfrastructureError when one has no summary."""
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
