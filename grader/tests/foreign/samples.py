"""Foreign code on the CPU backend: builds and runs NVIDIA's CUDA samples, and says what became of
them. The samples are not part of this repository: clone NVIDIA/cuda-samples and give its path.

    python3 -m grader.tests.foreign.samples CHECKOUT --out DIR [--only named|NAME] [--no-check]
    python3 -m grader.tests.foreign.samples --readme DIR/samples.json

A sample runs on two workers and has 120 seconds of processor time, which are a minute on two cores
that do nothing else. The second form writes the table into grader/cpu/FOREIGN.md. Exit code 1: one
of the ten named samples does not build or pass, or check mode reports what is no fault.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.base.errors import LabError, UsageError
from grader.base.files import make_folder, write_atomically

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CUCC = ROOT / "grader" / "cpu" / "cucc.py"
FOREIGN = ROOT / "grader" / "cpu" / "FOREIGN.md"
BEGIN = "<!-- begin: written by grader/tests/foreign/samples.py -->"
END = "<!-- end -->"
PROCESSOR_SECONDS = 120
EXIT_WITH_FINDINGS = 86


@dataclass(frozen=True)
class Outcome:
    """What became of a sample: `passes` and `check` are a word, `seconds` of processor time."""

    name: str
    named: bool
    modified: bool
    builds: bool
    passes: str
    seconds: float | None
    check: str
    cause: str
    said: str  # the last lines of whatever failed


def find(checkout: Path, name: str) -> Path:
    folders = [path for path in checkout.glob(f"Samples/*/{name}") if path.is_dir()]
    if not folders:
        raise UsageError(f"{checkout}: no Samples/*/{name} in it; give a clone of cuda-samples.")
    return folders[0]


def build(folder: Path, checkout: Path, program: Path, flags: list[str]) -> str:
    """Empty when it went well, else what the compiler said."""
    rooms = [folder, folder / "src"]
    sources = [path for room in rooms for kind in ("*.cu", "*.cpp")
               for path in sorted(room.glob(kind))]  # fmt: skip
    headers = [f"-I{room}" for room in (checkout / "Common", folder / "inc")]
    command = [sys.executable, str(CUCC), "-O2", "-w", *headers, *flags]
    done = subprocess.run([*command, *map(str, sources), "-o", str(program)],
                          capture_output=True, text=True, check=False)  # fmt: skip
    return "" if done.returncode == 0 else (done.stdout + done.stderr)[-1500:]


def run(program: Path, folder: Path, arguments: str) -> tuple[int, float, str]:
    """Exit code, seconds of processor time, and the last words."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 5))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        done = subprocess.run(
            [str(program), *arguments.split()],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "WARPWISE_WORKERS": "2"},
            preexec_fn=limit,
            check=False,
        )
        output.seek(0)
        said = output.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, seconds, said[-1500:]


def checked(program: Path, folder: Path, arguments: str) -> tuple[str, str]:
    code, _, said = run(program, folder, arguments)
    if code == EXIT_WITH_FINDINGS:
        return "reports", said
    return ("silent", "") if code == 0 else (f"exit code {code}", said)


def try_sample(name: str, entry: dict, checkout: Path, work: Path, check: bool) -> Outcome:
    """Build, run, and run in check mode, in a copy of the sample's folder."""
    folder = work / name
    shutil.copytree(find(checkout, name), folder)
    if edit := entry.get("edit"):
        path = folder / edit[0]
        text = path.read_text()
        if text.count(edit[1]) != 1:
            raise UsageError(
                f"{path.name} of {name}: {edit[1]} is not there once; see samples.toml."
            )
        path.write_text(text.replace(edit[1], edit[2]))
    flags = entry.get("flags", "").split()
    passes, seconds, found = "no", None, "not tried"
    said = build(folder, checkout, work / f"{name}.run", flags)
    builds = not said
    if builds:
        arguments = entry.get("arguments", "")
        code, seconds, said = run(work / f"{name}.run", folder, arguments)
        passes = "yes" if code == 0 else "time" if code in (-24, -9) else f"no: exit code {code}"
        said = "" if code == 0 else said
    if check and builds and "check" in entry:
        said = said or build(folder, checkout, work / f"{name}.check", ["--mode", "check", *flags])
        if not said:
            found, said = checked(work / f"{name}.check", folder, entry["check"])
    return Outcome(name, entry.get("named", False), bool(edit), builds, passes, seconds, found,
                   entry.get("cause", ""), said)  # fmt: skip


def table(outcomes: list[dict]) -> str:
    built = [o for o in outcomes if o["builds"]]
    passed = [o for o in built if o["passes"] == "yes"]
    silent = [o for o in outcomes if o["check"] == "silent"]
    tried = [o for o in outcomes if o["check"] != "not tried"]
    lines = [
        f"{len(outcomes)} tried: {len(built)} build, {len(passed)} also pass in time. In check "
        f"mode {len(silent)} of {len(tried)} are silent.",
        "",
        "| sample | builds | passes | s | check mode | remark |",
        "|---|---|---|---|---|---|",
    ]
    for one in outcomes:
        name = f"**{one['name']}**" if one["named"] else one["name"]
        passes = one["passes"] + (", edited" if one["modified"] else "") if one["builds"] else ""
        seconds = "" if one["seconds"] is None else f"{one['seconds']:.1f}"
        check = "" if one["check"] == "not tried" else one["check"]
        builds = "yes" if one["builds"] else "no"
        cells = [name, builds, passes, seconds, check, one["cause"]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def write_readme(path: Path) -> int:
    try:
        text = FOREIGN.read_text()
        before, rest = text.split(BEGIN)
        behind = rest.split(END, 1)[1]
        new = table(json.loads(path.read_text()))
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise UsageError(f"{path}: {error}; give the samples.json of a run.") from error
    write_atomically(FOREIGN, f"{before}{BEGIN}\n{new}\n{END}{behind}")
    return 0


def try_all(chosen: argparse.Namespace) -> int:
    entries = tomllib.loads((HERE / "samples.toml").read_text())
    if chosen.only:
        wanted = set(chosen.only)
        entries = {
            name: entry
            for name, entry in entries.items()
            if name in wanted or ("named" in wanted and entry.get("named"))
        }
    make_folder(chosen.out)
    outcomes, bad = [], 0
    with tempfile.TemporaryDirectory(prefix="warpwise.") as work:
        os.environ.setdefault("XDG_CACHE_HOME", work)
        for name, entry in entries.items():
            one = try_sample(name, entry, chosen.checkout, Path(work), not chosen.no_check)
            outcomes.append(asdict(one))
            write_atomically(chosen.out / "samples.json", json.dumps(outcomes, indent=1) + "\n")
            print(f"{name}: builds {one.builds}, passes {one.passes}, {one.seconds or 0:.1f} s, "
                  f"check mode: {one.check}", flush=True)  # fmt: skip
            if one.said:
                print("  " + one.said.strip().replace("\n", "\n  "), file=sys.stderr, flush=True)
            bad += one.named and one.passes != "yes"
            bad += one.check not in ("silent", "not tried") and not entry.get("reports")
    print(table(outcomes))
    return 1 if bad else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkout", type=Path, nargs="?")
    parser.add_argument("--out", type=Path, metavar="DIR")
    parser.add_argument("--only", nargs="*", metavar="NAME")
    parser.add_argument("--no-check", action="store_true")
    parser.add_argument("--readme", type=Path, metavar="JSON")
    chosen = parser.parse_args(arguments)
    if not chosen.readme and not (chosen.checkout and chosen.out):
        parser.error("give a checkout and --out DIR, or --readme JSON")
    try:
        return write_readme(chosen.readme) if chosen.readme else try_all(chosen)
    except LabError as error:
        print(f"samples: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
