"""Every seeded bug and twin of check/*.cu under compute-sanitizer, in three steps on two machines.

    python3 -m grader.tests.hardware.bugs --build DIR    # needs nvcc and g++, no GPU
    python3 -m grader.tests.hardware.bugs --run DIR      # needs compute-sanitizer and a GPU
    python3 -m grader.tests.hardware.bugs --keep DIR     # needs nothing: writes the table

The first compiles the programs, and asks check mode about each case. DIR is then taken to the GPU.
The second runs memcheck, racecheck, initcheck and synccheck on each, many at a time, and ends in
time: what it had no time for is "not measured", and a second call goes on there. The third writes
the result into nvidia-h200.json and into the table of grader/cpu/README.md. `--build DIR --new`
takes only the cases that are not in nvidia-h200.json yet; the third step adds them to the others.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from grader.base.files import make_folder, write_atomically
from grader.tests.hardware import compare, programs, sanitizer, tables
from grader.tests.hardware.running import Clock
from grader.tests.seeded import marks

RECORDED = Path(__file__).with_name("nvidia-h200.json")
ALL = "all"  # all twins of a program in one process


def build(folder: Path, arch: str, jobs: int, only_new: bool) -> int:
    """Programs for the GPU, and what check mode says of every case, in `folder`."""
    make_folder(folder)
    builder = programs.Builder(folder, arch, jobs)
    recorded = json.loads(RECORDED.read_text())["bugs"] if only_new else []
    known = {_key(case) for case in recorded}
    wanted = [
        (source, case, form, marks(source.path).get(case, ("none", [])))
        for source in programs.checked()
        for case in source.runs
        for form in ("bug", "twin")
        if (form == "twin" or case in marks(source.path)) and (source.name, case, form) not in known
    ]
    built = builder.both(list(dict.fromkeys(source for source, *_ in wanted)), "check")
    wanted = [one for one in wanted if one[0].name in built]
    clock = Clock(60, time.monotonic() + 3600)

    def one(job: tuple[programs.Source, str, str, tuple[str, list[str]]]) -> sanitizer.Case:
        source, case, form, mark = job
        ours = sanitizer.our_word(built[source.name][0], case, form, mark, clock)
        return sanitizer.Case(source.name, case, form, mark[0], ours, {})

    with ThreadPoolExecutor(jobs) as pool:
        cases = sanitizer.as_json(list(pool.map(one, wanted)))
    for here, _ in built.values():
        here.unlink()
    write_atomically(folder / "bugs.json", compare.as_text({"bugs": cases}))
    for name, text in builder.errors.items():
        print(f"bugs: {name} did not compile: {text[-1000:]}", file=sys.stderr)
    return 3 if builder.errors else 0


def run(folder: Path, jobs: int, seconds: float, limit: float) -> int:
    """Adds each tool's word to the cases of `folder`/bugs.json."""
    measured = folder / "measured.json"
    document = json.loads((measured if measured.exists() else folder / "bugs.json").read_text())
    cases = document["bugs"]
    known = _known(cases)
    clock = Clock(seconds, time.monotonic() + limit)
    started = time.monotonic()

    def word(job: tuple[str, str, str, str]) -> str:
        program, case, form, tool = job
        return sanitizer.their_word(folder / f"{program}.gpu", case, form, tool, clock)

    def measure(wanted: list[tuple[str, str, str]]) -> dict[tuple[str, str, str, str], str]:
        asked = [(*one, tool) for one in wanted for tool in sanitizer.TOOLS]
        todo = [one for one in asked if one not in known]
        return dict(zip(todo, pool.map(word, todo), strict=True))

    with ThreadPoolExecutor(jobs) as pool:
        names = [] if known else sorted({case["program"] for case in cases})
        words = known | measure([(name, ALL, "twin") for name in names])
        words |= measure([_key(case) for case in cases if case["form"] == "bug"])
        # Where all twins together are not clean, each says for itself which one it was.
        twins = [case for case in cases if case["form"] == "twin"]
        words |= measure([_key(c) for c in twins if known or not _clean(words, c["program"])])
    for case in cases:
        together = (case["program"], ALL, "twin")
        case["tools"] = {
            tool: words.get((*_key(case), tool)) or words[(*together, tool)]
            for tool in sanitizer.TOOLS
        }
    document["machine"] = compare.machine()
    document["seconds"] = round(time.monotonic() - started)
    write_atomically(measured, compare.as_text(document))
    print(tables.bug_summary(cases))
    return 0


def _known(cases: list[dict]) -> dict[tuple[str, str, str, str], str]:
    """What an earlier call measured. A bug may hang; a twin only waited for a GPU that one had."""
    said = (sanitizer.CLEAN, sanitizer.NOT_SUPPORTED, "reported")
    final = {"bug": (*said, sanitizer.TIMED_OUT)}
    return {
        (*_key(case), tool): word
        for case in cases
        for tool, word in case["tools"].items()
        if word in final.get(case["form"], said)
    }


def _key(case: dict) -> tuple[str, str, str]:
    return case["program"], case["case"], case["form"]


def _clean(words: dict[tuple[str, str, str, str], str], program: str) -> bool:
    quiet = (sanitizer.CLEAN, sanitizer.NOT_SUPPORTED)
    return all(words[(program, ALL, "twin", tool)] in quiet for tool in sanitizer.TOOLS)


def keep(folder: Path) -> int:
    measured = json.loads((folder / "measured.json").read_text())
    document = json.loads(RECORDED.read_text())
    fresh = {_key(case): case for case in measured["bugs"]}
    machine = measured["machine"]
    if any(_key(case) not in fresh for case in document["bugs"]):
        before, new = document["bugs_machine"], sum(form == "bug" for *_, form in fresh)
        machine = before | {"gpu": f"{before['gpu']}; {new} bugs: {machine['gpu']}"}
    bugs = [fresh.pop(_key(case), case) for case in document["bugs"]]
    document |= {"bugs": [*bugs, *fresh.values()], "bugs_machine": machine}
    write_atomically(RECORDED, compare.as_text(document))
    return compare.write_readme(RECORDED)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    step = parser.add_mutually_exclusive_group(required=True)
    for name in ("build", "run", "keep"):
        step.add_argument(f"--{name}", type=Path, metavar="DIR")
    parser.add_argument("--new", action="store_true", help="with --build: what is not recorded")
    parser.add_argument("--arch", default="sm_90", help="of nvcc; sm_90 by default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=20, help="for each run of a tool; 20")
    parser.add_argument("--limit", type=float, default=140, help="seconds for everything; 140")
    chosen = parser.parse_args(arguments)
    tools = ["nvcc", "g++"] if chosen.build else ["compute-sanitizer"] if chosen.run else []
    if absent := [tool for tool in tools if not shutil.which(tool)]:
        print(f"bugs: {', '.join(absent)} missing.", file=sys.stderr)
        return 3
    if chosen.build:
        return build(chosen.build, chosen.arch, chosen.jobs, chosen.new)
    folder, needed = (chosen.run, "bugs.json") if chosen.run else (chosen.keep, "measured.json")
    if not (folder / needed).is_file():
        print(f"bugs: {folder} has no {needed}, which the step before writes.", file=sys.stderr)
        return 2
    if chosen.run:
        return run(folder, chosen.jobs, chosen.seconds, chosen.limit)
    return keep(folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
