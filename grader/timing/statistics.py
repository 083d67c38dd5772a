"""The speedup of a stage and its confidence interval."""

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

RESAMPLES = 2000
SEED = 20  # fixed, so that equal measurements give equal figures
TAIL = 0.025  # on each side: a 95 % interval


@dataclass(frozen=True)
class Speedup:
    """The baseline's median time over the stage's, with its 95 % bootstrap interval."""

    n: int
    median: float
    low: float
    high: float


def speedup(n: int, seconds: Sequence[float], baseline: Sequence[float]) -> Speedup:
    """The ratio of medians; both samples are resampled with replacement RESAMPLES times.

    With one measurement there is no interval: low, median and high are then equal.
    """
    median = statistics.median(baseline) / statistics.median(seconds)
    generator = random.Random(f"{SEED} {n}")
    ratios = sorted(
        statistics.median(generator.choices(baseline, k=len(baseline)))
        / statistics.median(generator.choices(seconds, k=len(seconds)))
        for _ in range(RESAMPLES)
    )
    cut = int(TAIL * RESAMPLES)
    # The median of all values can be outside the percentile interval of a tiny sample.
    return Speedup(n, median, min(ratios[cut], median), max(ratios[-cut - 1], median))
