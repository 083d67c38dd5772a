"""What a GPU adds to ./lab why: a call's time, its share of the limit, what kernels use, and, where
ncu is allowed, what they wait for."""

from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from ..base.checkout import Checkout
from ..base.rows import aligned
from ..judging.judge_report import BadReport
from ..judging.workers import make_bench
from ..lab_file.manifest import Lab, Stage
from ..sandbox.bubblewrap import Sandbox
from ..timing import speed
from ..timing.bench_table import duration, percent
from ..timing.ceilings import NotMeasured, measure_ceilings
from ..timing.kernel_profile import Kernel, profile
from ..timing.locks import while_timing
from ..timing.roofline import LIMITS, reached
from . import ncu

NOTHING = "nothing stands out. How far ahead the record is: ./lab bench {} --good"
MUCH = 0.5  # of a call's time
LOW_OCCUPANCY = 0.25
FEW_BLOCKS = 64  # a large GPU has about 130 multiprocessors


@dataclass(frozen=True)
class OnGpu:
    """One call at the bench's largest size; `limits` is empty if they could not be measured.

    `profile` is None without ncu; then `refused` says why.
    """

    point: dict[str, Any]
    limits: dict[str, float]
    kernels: list[Kernel]
    profile: ncu.Profile | None = None
    refused: str = ""

    @property
    def seconds(self) -> float:
        return median(self.point["seconds"])

    @property
    def launch_share(self) -> float:
        """The part of the time that the launches alone would take."""
        launches = sum(kernel.launches for kernel in self.kernels)
        return launches * self.limits.get("launch_seconds", 0.0) / self.seconds

    @property
    def main_kernel(self) -> Kernel | None:
        """The kernel that takes longest, as ncu says; without ncu, that with the most threads."""
        if self.profile:
            same = [one for one in self.kernels if ncu.base_name(one.name) == self.profile.kernel]
            return same[0] if same else None
        return max(self.kernels, key=lambda one: one.launches * one.grid * one.block, default=None)


def measure(
    checkout: Checkout, lab: Lab, stage: Stage, source: bytes, seed: int, box: Sandbox, is_own: bool
) -> OnGpu:
    """Time and profile one stage on this machine's GPU, with ncu only if it `is_own`: a program
    under ncu has its user's rights. Raises BadReport."""
    bench, message = make_bench(checkout, lab, source, "gpu", seed, box, check=False)
    if bench is None:
        raise BadReport(f"does not compile for the GPU: {message}")
    with while_timing("gpu"):
        point = speed.measure_largest(bench, stage.name)
    try:
        limits = asdict(measure_ceilings(checkout, "gpu"))
    except NotMeasured:
        limits = {}
    asked = (checkout, lab, source, stage.name, point["n"], seed, box)
    kernels = profile(*asked)
    try:
        if not is_own:
            raise ncu.Refused("ncu runs without a sandbox, so only on your file in labs/")
        names = [kernel.name for kernel in kernels]
        return OnGpu(point, limits, kernels, ncu.profile(*asked, names))
    except ncu.Refused as reason:
        return OnGpu(point, limits, kernels, refused=str(reason))


def told(found: OnGpu) -> list[str]:
    """The time with its share of the limit, and a table of the kernels."""
    n = found.point["n"]
    said = f"On this GPU a call with n = {n:,} takes {duration(found.seconds)}"
    part = reached(found.point, found.limits)
    if part:
        said += f", {percent(part.share)} of what {LIMITS[part.bound_by]} allows"
    if found.launch_share >= 0.05:
        said += f"; its launches alone would take {percent(found.launch_share)} of that"
    rows = [["kernel", "launches", "blocks x threads", "registers", "spilled", "occupancy"]]
    for one in found.kernels:
        spilled = "not measured" if one.spilled is None else f"{one.spilled:,} B"
        shape = f"{one.grid:,} x {one.block:,}"
        rows.append([one.name, f"{one.launches:,}", shape, str(one.registers), spilled,
                     percent(one.occupancy)])  # fmt: skip
    waits = ncu.told(found.profile) if found.profile else [f"Not measured: {found.refused}."]
    return [f"{said}.", *aligned(rows), *(waits if found.profile or found.refused else [])]


def advice(found: OnGpu) -> str:
    """What the GPU alone can see, if it is the main thing; "" otherwise."""
    if found.launch_share > MUCH:
        return ("Most of the time goes into launches: do more of the work in one launch, with "
                "barriers inside the block, or record the launches as a graph.")  # fmt: skip
    one = found.main_kernel
    if one and one.spilled:
        return (f"{one.name} spills {one.spilled:,} bytes of registers per thread: keep fewer "
                "values at once, or use smaller arrays with indices known at compile "
                "time.")  # fmt: skip
    if one and one.grid < FEW_BLOCKS and one.launches == 1:
        blocks = "1 block" if one.grid == 1 else f"{one.grid:,} blocks"
        return (f"{one.name} has {blocks}, so most multiprocessors are idle: divide the work into "
                "more and smaller blocks.")  # fmt: skip
    if one and one.occupancy < LOW_OCCUPANCY:
        return (f"Only {percent(one.occupancy)} of the threads fit: use fewer registers or less "
                f"shared memory per block in {one.name}.")  # fmt: skip
    return ncu.advice(found.profile) if found.profile else ""
