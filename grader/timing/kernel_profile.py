"""What a stage's kernels use on a GPU: launches, registers, shared memory, occupancy, spills.

A profiled worker records its launches (worker/launch_profile.cpp) and asks the runtime about the
kernels. ptxas reports during compilation how many bytes of registers it spilled. The submission
could falsify all of this: these are figures to learn from, never marks.
"""

import re
from dataclasses import dataclass
from typing import Any

from ..base import process
from ..base.checkout import Checkout
from ..compiling.worker import compile_submission
from ..judging.judge import Bench, ask
from ..judging.judge_report import BadReport
from ..judging.technique import source_name
from ..lab_file.manifest import Lab
from ..sandbox.bubblewrap import Sandbox

PROFILE_SECONDS = 300.0
PROFILED = "profiled"  # the judge's word for a run that ended well
NUMBERS = ("launches", "grid", "block", "registers", "static_shared", "dynamic_shared", "local",
           "resident_threads", "most_threads")  # fmt: skip
SPILLS = re.compile(
    r"Function properties for (\S+)\s+\d+ bytes stack frame, "
    r"(\d+) bytes spill stores, (\d+) bytes spill loads"
)


@dataclass(frozen=True)
class Kernel:
    """A kernel as one call of the stage launched it, in one shape.

    `grid` is the number of blocks in its largest launch. `spilled` is the bytes of registers that a
    thread stores to memory and loads again, None if ptxas did not say. `occupancy` is the threads
    that fit on a multiprocessor, given registers, shared memory and block size, over the threads
    that it could hold. Shared memory is in bytes per block.
    """

    name: str
    launches: int
    grid: int
    block: int
    registers: int
    static_shared: int
    dynamic_shared: int
    local: int
    spilled: int | None
    occupancy: float


def profile(
    checkout: Checkout, lab: Lab, source: bytes, stage: str, n: int, seed: int, box: Sandbox
) -> list[Kernel]:
    """The kernels that one call on the bench's input of size `n` launches. Raises BadReport."""
    compiled = compile_submission(checkout, lab, source, "gpu", mode="profile", box=box)
    if compiled.worker is None:
        raise BadReport(f"does not compile for a profile: {compiled.message}")
    options = ["--profile", "--stage", stage, "--n", str(n), "--seed", str(seed),
               "--time-limit", f"{lab.seconds:g}"]  # fmt: skip
    judge, control = checkout.judge("gpu", lab.name), checkout.control("gpu", lab.name)
    bench = Bench(judge, compiled.worker, lab.seconds, "gpu", seed, control, box)
    finished, report = ask(bench, options, PROFILE_SECONDS)
    if finished.returncode != 0 or report.get("verdict") != PROFILED:
        why = report.get("message") or f"exit status {finished.returncode}"
        raise BadReport(f"the judge's profile: {report.get('verdict')}: {why}")
    return kernels(report.get("kernels"), spills(compiled.said))


def kernels(reported: Any, spilled: dict[str, int]) -> list[Kernel]:
    """The judge's list with readable names and the spilled bytes. Raises BadReport."""
    try:
        rows = [{key: entry[key] for key in ("kernel", *NUMBERS)} for entry in reported]
    except (TypeError, KeyError) as error:
        raise BadReport(f"the judge's profile lacks something: {error}") from error
    if not all(type(row[key]) is int and row[key] >= 0 for row in rows for key in NUMBERS):
        raise BadReport("the judge's profile contains a value that is not a whole number")
    names = readable([str(row["kernel"]) for row in rows])
    return [_kernel(row, names[str(row["kernel"])], spilled) for row in rows]


def _kernel(row: dict[str, Any], name: str, spilled: dict[str, int]) -> Kernel:
    resident, most = row["resident_threads"], row["most_threads"]
    return Kernel(
        name,
        **{key: row[key] for key in NUMBERS if not key.endswith("_threads")},
        spilled=spilled.get(row["kernel"]),
        occupancy=resident / most if most else 0.0,
    )


def spills(said: str) -> dict[str, int]:
    """Bytes spilled by each function, stores and loads together, from what `ptxas -v` says."""
    return {name: int(stores) + int(loads) for name, stores, loads in SPILLS.findall(said)}


def readable(symbols: list[str]) -> dict[str, str]:
    """`merge_rows<Keys>` for a mangled symbol: without scopes and parameters."""
    found = process.run(["c++filt", "--", *symbols], limit=30) if symbols else None
    lines = found.output.splitlines() if found and found.ok else []
    if len(lines) != len(symbols):
        return {symbol: source_name(symbol) for symbol in symbols}
    return {symbol: _short(line) for symbol, line in zip(symbols, lines, strict=True)}


def _short(name: str) -> str:
    """`f<A>` for `void lab::(anonymous namespace)::f<lab::A>(int)`."""
    name = name.replace("(anonymous namespace)::", "")
    depth = 0
    for at, character in enumerate(name):
        depth += (character == "<") - (character == ">")
        if character == "(" and depth == 0 and at > 0:
            name = name[:at]
            break
    return re.sub(r"\b\w+::", "", name).removeprefix("void ").strip()
