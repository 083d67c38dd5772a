"""Grades a made class twice on the real machine, once killed again and again, and compares.

    python3 grader/tests/show_class.py FOLDER [--students 300] [--lab LAB] [--kills 5] [--unique]
                                       [-- options of ./lab class grade, such as --gpus all]

It prints the wall time, submissions per minute, and whether both classes have the same results (but
for times and addresses) and the same sheet for Canvas, byte by byte. With --kills 0 there is only
one class.
"""

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from grader.base.checkout import Checkout  # noqa: E402
from grader.base.errors import LabError  # noqa: E402
from grader.lab_file import manifest  # noqa: E402
from grader.tests.make_class import make  # noqa: E402

# What no two runs share: times, the cores that a grading got, and addresses in memory.
OF_ONE_RUN = ("started", "finished", "seconds", "profile", "cores")
ADDRESS = re.compile(r"0x[0-9a-f]+")


def lab(folder: Path, *words: str) -> "subprocess.Popen[bytes]":
    """Start `./lab class ...` about the course in `folder`."""
    environment = {**os.environ, "WARPWISE_COURSE": str(folder)}
    command = [str(ROOT / "lab"), "class", *words]
    return subprocess.Popen(command, env=environment, stdout=sys.stderr, stderr=sys.stderr)


def must(process: "subprocess.Popen[bytes]") -> None:
    if code := process.wait():
        raise SystemExit(f"{process.args}: ended with {code}")


def make_course(folder: Path, made: Path, labs: Sequence[str]) -> None:
    """A course of these labs, with everything imported that was made for them."""
    must(lab(folder, "new", str(folder)))
    head, *parts = (folder / "course.toml").read_text().split("[[lab]]")
    kept = [part for part in parts if any(f'"{name}"' in part for name in labs)]
    (folder / "course.toml").write_text("[[lab]]".join([head, *kept]))
    must(lab(folder, "roster", str(made / "canvas.csv")))
    for name in labs:
        must(lab(folder, "import", "--lab", name, str(made / f"{name}.zip")))


def grade(folder: Path, kills: int, options: Sequence[str], longest: float) -> float:
    """Grade to the end, after so many kills at random moments. Returns the seconds of it all."""
    chance, started = random.Random(5), time.monotonic()
    for number in range(kills):
        process = lab(folder, "grade", *options)
        time.sleep(chance.uniform(1, longest))
        ended = process.poll()
        process.send_signal(signal.SIGKILL)
        process.wait()
        print(f"kill {number + 1}: {'too late' if ended is not None else 'done'}", file=sys.stderr)
    must(lab(folder, "grade", *options))
    return time.monotonic() - started


def results(folder: Path) -> dict[str, Any]:
    """Every result without what two runs cannot share."""
    return {path.parent.name: of_any_run(json.loads(path.read_text()))
            for path in (folder / "results").glob("*/result.json")}  # fmt: skip


def of_any_run(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: of_any_run(v) for k, v in value.items() if k not in OF_ONE_RUN}
    if isinstance(value, str):
        return ADDRESS.sub("0x...", value)
    return [of_any_run(one) for one in value] if isinstance(value, list) else value


def where_time_went(folder: Path, most: int = 40) -> str:
    """The longest steps of all gradings together. Steps run beside each other."""
    seconds, times = Counter[str](), Counter[str]()
    for path in (folder / "results").glob("*/result.json"):
        for step in json.loads(path.read_text())["profile"]:
            seconds[step["name"]] += step["seconds"]
            times[step["name"]] += step["times"]
    return "\n".join(f"  {spent:8.1f} s  {name} ({times[name]})"
                     for name, spent in seconds.most_common(most))  # fmt: skip


def sheets(folder: Path, made: Path, labs: Sequence[str]) -> dict[str, bytes]:
    """Canvas's sheet of each lab."""
    for name in labs:
        must(lab(folder, "export", "canvas", str(made / "canvas.csv"), "--lab", name))
    return {path.name: path.read_bytes() for path in (folder / "exports").iterdir()}


def main(arguments: Sequence[str]) -> int:
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--lab", action="append")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--longest", type=float, default=120.0, help="seconds before a kill")
    parser.add_argument("--unique", action="store_true")
    given = parser.parse_args(words[:end])
    known = manifest.discover(Checkout.here())
    try:
        labs = [manifest.find(known, name) for name in given.lab] if given.lab else known
    except LabError as error:
        parser.error(str(error))
    made, names = given.folder / "made", [one.name for one in labs]
    if made.exists():
        parser.error(f"{made} is already there; name a new folder.")
    made.mkdir(parents=True)
    make(made, labs, given.students, given.unique)
    return compare(given, made, names, words[end + 1 :])


def compare(
    given: argparse.Namespace, made: Path, labs: Sequence[str], options: Sequence[str]
) -> int:
    quiet, disturbed = given.folder / "quiet", given.folder / "disturbed"
    make_course(quiet, made, labs)
    seconds = grade(quiet, 0, options, given.longest)
    found = results(quiet)
    hand_ins = len(list(quiet.glob("submitted/*/*/*.json")))
    print(f"{hand_ins} hand-ins, {len(found)} results, {seconds:.0f} s: "
          f"{60 * hand_ins / seconds:.1f} hand-ins, {60 * len(found) / seconds:.1f} gradings "
          "per minute")  # fmt: skip
    print(where_time_went(quiet))
    one = sheets(quiet, made, labs)
    if not given.kills:
        return 0
    make_course(disturbed, made, labs)
    seconds = grade(disturbed, given.kills, options, given.longest)
    same_results = results(disturbed) == found
    same_sheets = sheets(disturbed, made, labs) == one
    print(f"killed {given.kills} times: {seconds:.0f} s; results "
          f"{'are the same' if same_results else 'DIFFER'}, Canvas's sheets "
          f"{'are the same, byte by byte' if same_sheets else 'DIFFER'}")  # fmt: skip
    return 0 if same_results and same_sheets else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
