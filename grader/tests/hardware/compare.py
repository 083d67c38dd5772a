"""The CPU backend beside an NVIDIA GPU: counters beside ncu, findings beside compute-sanitizer.

    python3 -m grader.tests.hardware.compare --out DIR     # measure: comparison.json, comparison.md
    python3 -m grader.tests.hardware.compare --again JSON --out DIR
    python3 -m grader.tests.hardware.compare --readme JSON

The second counts anew beside ncu's numbers of an earlier run, and takes the bugs from there; the
third writes the tables of a run into grader/cpu/README.md. Neither needs a GPU.

Needs nvcc, ncu, compute-sanitizer, g++ and an NVIDIA GPU. Exit code 0: every difference is
explained, and check mode reported every bug and no twin; 1: not so; 2: the command line makes no
sense; 3: something is missing, or did not compile or run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from grader.base.errors import InfrastructureError, UsageError
from grader.base.files import make_folder, write_atomically
from grader.tests.hardware import counters, programs, sanitizer, tables
from grader.tests.hardware.running import Clock

ROOT = Path(__file__).resolve().parents[3]

README = ROOT / "grader" / "cpu" / "README.md"


def options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the results go")
    parser.add_argument("--again", type=Path, metavar="JSON", help="ncu's part of an earlier run")
    parser.add_argument("--readme", type=Path, metavar="JSON", help="the run whose tables to write")
    parser.add_argument("--only", choices=["counters", "bugs"], help="one of the two halves")
    parser.add_argument("--match", default="", help="only programs whose name contains this")
    parser.add_argument("--arch", default="native", help="of nvcc; native by default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=20, help="for each program; 20")
    parser.add_argument("--limit", type=float, default=450, help="seconds for everything; 450")
    parser.add_argument("--build-only", action="store_true", help="compile all of it, run nothing")
    chosen = parser.parse_args(arguments)
    if (chosen.out is None) == (chosen.readme is None) or (chosen.again and not chosen.out):
        parser.error("give either --out DIR or --readme JSON")
    return chosen


def missing(chosen: argparse.Namespace) -> list[str]:
    tools = ["g++"] if chosen.again else ["nvcc", "g++"]
    if not chosen.build_only and not chosen.again:
        tools += ["ncu"] * (chosen.only != "bugs") + ["compute-sanitizer"] * (
            chosen.only != "counters"
        )
    return [tool for tool in tools if not shutil.which(tool)]


def first_line(command: list[str], pattern: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(pattern, done.stdout)
    return found[0].strip() if found else "unknown"


def machine() -> dict[str, str]:
    query = ["nvidia-smi", "--format=csv,noheader"]
    smi = [*query, "--query-gpu=name,driver_version"]
    said = first_line(smi, r"[^\n]+") if shutil.which("nvidia-smi") else "an unknown GPU"
    name, _, driver = said.partition(", ")
    version = first_line(["nvcc", "--version"], r"V[\d.]+").removeprefix("V")
    return {"gpu": name, "driver": driver or "unknown", "nvcc": f"nvcc {version}"}


def build_all(builder: programs.Builder, sources: dict[str, list[programs.Source]]) -> None:
    for mode, some in sources.items():
        builder.both(some, mode)
    if sources.get("count"):
        for source in sources["count"]:
            builder.nvcc(source, *programs.UNOPTIMISED)


def measure(chosen: argparse.Namespace, builder: programs.Builder) -> tuple[dict, list[str]]:
    clock = Clock(chosen.seconds, time.monotonic() + chosen.limit)
    wanted = {
        "count": programs.counted() if chosen.only != "bugs" else [],
        "check": programs.checked() if chosen.only != "counters" else [],
    }
    wanted = {mode: [s for s in some if chosen.match in s.name] for mode, some in wanted.items()}
    if not any(wanted.values()):
        raise UsageError(f"no program has {chosen.match} in its name.")
    if chosen.build_only:
        build_all(builder, wanted)
        return {}, []
    if chosen.again:
        document = read(chosen.again)
        recorded = document["counters"]
        rows, problems = counters.measure_again(wanted["count"], builder, clock, recorded)
        return document | {"counters": counters.as_json(rows)}, problems
    rows, problems = counters.measure(wanted["count"], builder, clock)
    cases = sanitizer.measure(wanted["check"], builder, clock)
    document = {
        "schema": 1,
        "machine": machine(),
        "counters": counters.as_json(rows),
        "bugs": sanitizer.as_json(cases),
        "left_out": programs.labs_left_out(),
    }
    return document, problems


def complaints(document: dict) -> Iterable[str]:
    """What makes the comparison fail."""
    for row in document["counters"]:
        if row["verdict"] in ("unexplained", "not measured"):
            plain = row["unoptimised"]
            without = "" if plain is None else f", without nvcc's optimiser {plain}"
            yield (
                f"{row['program']}: {row['kernel']}: {row['counter']}: "
                f"here {row['here']}, ncu {row['ncu']}{without}"
            )
    for case in document["bugs"]:
        name = f"{case['program']}: {case['case']} ({case['form']})"
        if case["form"] == "bug" and case["ours"] != "reported":
            yield f"{name}: check mode does not report it: {case['ours']}"
        if case["form"] == "twin" and case["ours"] != "clean":
            yield f"{name}: check mode: {case['ours']}"


def read(path: Path) -> dict:
    try:
        document = json.loads(path.read_text())
        tables.markdown(document)  # everything that is needed is there
        return document
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: {error!r}; give the comparison.json of a run.") from error


def as_text(document: dict) -> str:
    """JSON with a line for each row, so that two runs can be compared by eye."""

    def part(value: object) -> str:
        if not isinstance(value, list):
            return json.dumps(value)
        return "[\n" + ",\n".join(f"  {json.dumps(item)}" for item in value) + "\n ]"

    parts = [f" {json.dumps(key)}: {part(value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_readme(path: Path) -> int:
    try:
        text = tables.insert(README.read_text(), tables.markdown(read(path)))
    except ValueError as error:
        raise UsageError(f"{README}: {error}.") from error
    write_atomically(README, text)
    return 0


def run_comparison(chosen: argparse.Namespace) -> int:
    if absent := missing(chosen):
        raise InfrastructureError(
            f"{', '.join(absent)} missing; they come with the CUDA toolkit and build-essential."
        )
    make_folder(chosen.out)
    with tempfile.TemporaryDirectory(prefix="warpwise.") as folder:
        os.environ.setdefault("XDG_CACHE_HOME", folder)
        builder = programs.Builder(Path(folder), chosen.arch, chosen.jobs)
        document, problems = measure(chosen, builder)
    problems += [f"{name} did not compile: {text[-2000:]}" for name, text in builder.errors.items()]
    for problem in problems:
        print(f"compare: {problem}", file=sys.stderr)
    if chosen.build_only:
        return 3 if problems else 0
    write_atomically(chosen.out / "comparison.json", as_text(document))
    table = tables.markdown(document)
    write_atomically(chosen.out / "comparison.md", table + "\n")
    print(table)
    failed = list(complaints(document))
    for line in failed:
        print(f"compare: {line}", file=sys.stderr)
    for stage in document["left_out"]:
        print(f"compare: left out: {stage} has no STAGE in {programs.STAGES}", file=sys.stderr)
    return 3 if problems else 1 if failed else 0


def main(arguments: list[str]) -> int:
    chosen = options(arguments)
    try:
        return write_readme(chosen.readme) if chosen.readme else run_comparison(chosen)
    except (UsageError, InfrastructureError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
