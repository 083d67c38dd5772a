"""The counters of count mode beside those of ncu: equal, explained, or neither."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.tests.hardware.programs import UNOPTIMISED, Builder, Source
from grader.tests.hardware.running import Clock, run

Sums = dict[str, int]  # counter -> value
Kernels = dict[str, Sums]  # kernel -> its counters, summed over its launches

_L1 = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
_SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
METRICS = {
    "requests load": [_L1.format("requests", "ld")],
    "requests store": [_L1.format("requests", "st")],
    "sectors load": [_L1.format("sectors", "ld")],
    "sectors store": [_L1.format("sectors", "st")],
    "wavefronts load": [_SHARED.format("ld")],
    "wavefronts store": [_SHARED.format("st")],
}
ATOMICS = {"atomics": [_L1.format("requests", "atom"), _L1.format("requests", "red")]}
EXPLAINED = Path(__file__).with_name("explained.toml")


@dataclass(frozen=True)
class Row:
    """One counter of one kernel. `verdict` is equal, explained, unexplained or not measured."""

    program: str
    kernel: str
    counter: str
    here: int
    ncu: int | None
    unoptimised: int | None
    verdict: str
    why: str


def base_name(kernel: str) -> str:
    """`void (anonymous namespace)::sort<4>(float *, int)` and `sort<kKeys>` are both `sort`."""
    kernel = kernel.replace("(anonymous namespace)", "").replace("<unnamed>", "")
    return re.split(r"[<(]", kernel, maxsplit=1)[0].split("::")[-1].split()[-1]


def read_ours(document: dict) -> Kernels:
    """The sums of a document that count mode wrote."""
    kernels: Kernels = defaultdict(lambda: dict.fromkeys([*METRICS, *ATOMICS], 0))
    for kernel in document["kernels"]:
        sums = kernels[base_name(kernel["kernel"])]
        for line in kernel["lines"]:
            space, access = line["space"], line["access"]
            if access == "atomic":
                sums["atomics"] += line["requests"] if space == "global" else 0
            elif space == "global":
                sums[f"requests {access}"] += line["requests"]
                sums[f"sectors {access}"] += line["sectors"]
            else:
                sums[f"wavefronts {access}"] += line["wavefronts"]
    return dict(kernels)


def read_ncu(text: str) -> Kernels:
    """The sums of a log that `ncu --csv` wrote: a line for each launch and metric.

    Raises ValueError when there is no table in it.
    """
    start = text.find('"ID"')
    if start < 0:
        raise ValueError(text.strip()[-300:] or "ncu wrote nothing")
    counter_of = {m: name for name, all_ in (METRICS | ATOMICS).items() for m in all_}
    kernels: Kernels = {}
    for line in csv.DictReader(io.StringIO(text[start:])):
        counter = counter_of.get(line.get("Metric Name") or "")
        value = (line.get("Metric Value") or "").replace(",", "")
        if counter and re.fullmatch(r"[0-9]+(\.0*)?", value):
            sums = kernels.setdefault(base_name(line["Kernel Name"]), {})
            sums[counter] = sums.get(counter, 0) + int(float(value))
    if not kernels:
        raise ValueError("ncu's table has none of the metrics")
    return kernels


def profile(program: Path, argument: str, clock: Clock) -> Kernels | str:
    """What ncu counts, or why it could not."""
    said = "no time was left"
    for wanted in (METRICS | ATOMICS, METRICS):  # an ncu without the atomics' metrics is no reason
        metrics = ",".join(metric for all_ in wanted.values() for metric in all_)
        log = program.with_name(f"{program.name}.{argument}.{len(wanted)}.csv")
        command = ["ncu", "--csv", "--clock-control", "none", "--print-units", "base",
                   "--print-kernel-base", "function", "--metrics", metrics,
                   "--log-file", str(log), str(program), *argument.split()]  # fmt: skip
        done = run(command, clock)
        if done is None:
            break
        text = log.read_text(errors="replace") if log.is_file() else done.output + done.errors
        try:
            return read_ncu(text)
        except ValueError as error:
            said = str(error)
    return said


def count(program: Path, argument: str, clock: Clock) -> Kernels | str:
    path = program.with_name(f"{program.name}.{argument}.json")
    done = run([str(program), *argument.split()], clock, WARPWISE_COUNT_JSON=str(path))
    if done is None or done.code != 0:
        return done.errors.strip()[-300:] if done else "no time was left"
    return read_ours(json.loads(path.read_text()))


def explanations() -> list[dict]:
    return tomllib.loads(EXPLAINED.read_text()).get("explained", [])


def judge(name: str, kernel: str, counter: str, here: int, ncu: int | None, plain: int | None,
          known: list[dict]) -> Row:  # fmt: skip
    """`plain` is ncu's number for the build without nvcc's optimiser, where that was asked for."""
    verdict, why = "unexplained", ""
    known_why = next(
        (
            entry["why"]
            for entry in known
            if ncu is not None
            and (entry["program"], entry["kernel"]) == (name, kernel)
            and counter in entry["counters"]
            and entry["least"] * here <= ncu <= entry["most"] * here
        ),
        "",
    )
    if ncu is None:
        verdict, why = "not measured", "ncu has no such number"
    elif here == ncu:
        verdict = "equal"
    elif known_why:
        verdict, why = "explained", known_why
    elif here == plain:
        verdict, why = "explained", "nvcc's optimiser: equal when it is off"
    elif plain is not None and min(ncu, plain) < here < max(ncu, plain):
        verdict, why = "explained", "nvcc's optimiser: ours is between those with and without it"
    return Row(name, kernel, counter, here, ncu, plain, verdict, why)


def compare(name: str, here: Kernels, there: Kernels, plain: Kernels, known: list[dict]
            ) -> list[Row]:  # fmt: skip
    """One row for each counter that is not zero on both sides; kernels must be the same."""
    rows = []
    for kernel in sorted(here.keys() | there.keys()):
        for counter in (*METRICS, *ATOMICS):
            ours = here.get(kernel, {}).get(counter, 0)
            theirs = there.get(kernel, {}).get(counter)
            if ours or theirs:
                unoptimised = plain.get(kernel, {}).get(counter)
                rows.append(judge(name, kernel, counter, ours, theirs, unoptimised, known))
    return rows


def measure(sources: list[Source], builder: Builder, clock: Clock) -> tuple[list[Row], list[str]]:
    """All rows, and what went wrong. ncu takes turns by itself, so one after another."""
    built = builder.both(sources, "count")
    rows, problems, again = [], [], []
    for source in sources:
        for argument in source.runs if source.name in built else ():
            name = f"{source.name} {argument}".strip()
            here = count(built[source.name][0], argument, clock)
            there = profile(built[source.name][1], argument, clock)
            if isinstance(here, str) or isinstance(there, str):
                problems.append(f"{name}: {here if isinstance(here, str) else there}")
            else:
                again.append((source, argument, name, here, there))
    differ = [entry for entry in again if entry[3] != entry[4]]
    with ThreadPoolExecutor(builder.jobs) as pool:
        needed = list({entry[0].name: entry[0] for entry in differ}.values())
        slow = pool.map(lambda source: builder.nvcc(source, *UNOPTIMISED), needed)
        unoptimised = {s.name: program for s, program in zip(needed, slow, strict=True)}
    for source, argument, name, here, there in again:
        plain: Kernels | str = {}
        rows_ = compare(name, here, there, {}, explanations())
        if any(row.verdict == "unexplained" for row in rows_) and unoptimised.get(source.name):
            plain = profile(unoptimised[source.name], argument, clock)
            if isinstance(plain, str):
                problems.append(f"{name} (unoptimised): {plain}")
                plain = {}
        rows += compare(name, here, there, plain, explanations())
    return rows, problems


def measure_again(
    sources: list[Source], builder: Builder, clock: Clock, recorded: list[dict]
) -> tuple[list[Row], list[str]]:
    """As `measure`, with ncu's numbers from an earlier run: what a machine without a GPU can do."""
    built = builder.here(sources, "count")
    rows, problems = [], []
    for source in sources:
        for argument in source.runs if source.name in built else ():
            name = f"{source.name} {argument}".strip()
            there, plain = (_recorded(recorded, name, column) for column in ("ncu", "unoptimised"))
            if not there:
                continue  # it is newer than the record, as a kernel may be
            here = count(built[source.name], argument, clock)
            if isinstance(here, str):
                problems.append(f"{name}: {here}")
            else:
                known = {kernel: sums for kernel, sums in here.items() if kernel in there}
                rows += compare(name, known, there, plain, explanations())
    return rows, problems


def _recorded(rows: list[dict], name: str, column: str) -> Kernels:
    """ncu's numbers of one program; a counter without a row was zero on both sides."""
    kernels: Kernels = {}
    for row in rows:
        if row["program"] == name and row[column] is not None:
            zero = dict.fromkeys([*METRICS, *ATOMICS], 0) if column == "ncu" else {}
            kernels.setdefault(row["kernel"], zero)[row["counter"]] = row[column]
    return kernels


def as_json(rows: list[Row]) -> list[dict]:
    return [asdict(row) for row in rows]
