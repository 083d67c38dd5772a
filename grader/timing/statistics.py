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


def paired(n: int, seconds: Sequence[float], baseline: Sequence[float]) -> Speedup:
    """The baseline's sum over that of `seconds`, of pairs that belong together; whole pairs are
    resampled. Of the longer list only as many are used as the shorter one has."""
    pairs = list(zip(seconds, baseline, strict=False))
    generator = random.Random(f"{SEED} {n}")
    ratios = sorted(_sums(generator.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    cut = int(TAIL * RESAMPLES)
    ratio = _sums(pairs)
    return Speedup(n, ratio, min(ratios[cut], ratio), max(ratios[-cut - 1], ratio))


def _sums(pairs: Sequence[tuple[float, float]]) -> float:
    return sum(pair[1] for pair in pairs) / sum(pair[0] for pair in pairs)
