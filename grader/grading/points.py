"""From verdicts to points. A value that is not known is None, never zero."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..base.verdict import (
    INCONCLUSIVE,
    INFRASTRUCTURE,
    NOT_MEASURED,
    PASSED,
    TOO_SLOW,
    WITHOUT_POINTS,
)
from ..lab_file.manifest import Stage
from ..lab_file.rules import RECORD, CounterRule, SpeedRule


@dataclass(frozen=True)
class CorrectPoints:
    """Points for right answers; `earned` is None if nothing is known."""

    earned: float | None
    possible: float


@dataclass(frozen=True)
class Bar:
    """Where full points end and where none begin: ratios `against` a yardstick, or plain counts."""

    against: str | None
    n: int
    full: float
    none: float

    @classmethod
    def of(cls, rule: SpeedRule | CounterRule) -> "Bar":
        return cls(rule.against, rule.n, rule.full, rule.none)


@dataclass(frozen=True)
class FastPoints:
    """Points for speed. `ratio` is the time over the yardstick's time; low..high is its interval.

    `measured` says how it was measured: see result.schema.json.
    """

    earned: float | None
    possible: float
    verdict: str
    ratio: float | None
    low: float | None
    high: float | None
    reason: str
    measured: dict[str, Any] | None = None
    bar: Bar | None = None


@dataclass(frozen=True)
class CounterPoints:
    """Points for the memory accesses of one call of a stage, counted on the CPU backend.

    `reference` is the reference's count on the same input, and `ratio` is the value over it; both
    are None if the rule is a fixed number. `line` is the costliest line of the source.
    """

    counter: str
    n: int
    earned: float | None
    possible: float
    verdict: str
    value: float | None
    reference: float | None
    ratio: float | None
    reason: str
    advice: str
    line: str
    bar: Bar | None = None


@dataclass(frozen=True)
class StagePoints:
    correct: CorrectPoints
    fast: FastPoints | None
    counters: tuple[CounterPoints, ...] = ()


@dataclass(frozen=True)
class Total:
    """`not_measured` is the part of `possible` that is neither earned nor lost."""

    earned: float
    possible: float
    not_measured: float


def correct_points(stage: Stage, verdict: str) -> CorrectPoints:
    """All points or none; open if the verdict says nothing about the solution."""
    if verdict in WITHOUT_POINTS:
        return CorrectPoints(None, stage.correct)
    return CorrectPoints(stage.correct if verdict == PASSED else 0, stage.correct)


def share(rule: SpeedRule | CounterRule, ratio: float) -> float:
    """0..1: 1 up to `full`, 0 from `none` on, linear in the logarithm of the ratio between them.

    If more is better, `none` is below `full`, and the directions are reversed.
    """
    sign = 1 if rule.full < rule.none else -1
    if sign * ratio <= sign * rule.full:
        return 1.0
    if sign * ratio >= sign * rule.none:
        return 0.0
    if rule.full == 0:  # zero has no logarithm, so the share is linear in the ratio
        return 1 - ratio / rule.none
    return math.log(rule.none / ratio) / math.log(rule.none / rule.full)


def fast_points(stage: Stage, comparison: dict[str, Any]) -> FastPoints:
    """Points for a comparison that `speed.compare` returned, to a hundredth of a point."""
    assert stage.speed is not None
    figures = (comparison["ratio"], comparison["low"], comparison["high"])
    bar = Bar.of(stage.speed)
    if comparison["verdict"] not in ("decided", INCONCLUSIVE):
        earned = None if comparison["verdict"] in WITHOUT_POINTS else 0
        return FastPoints(
            earned, stage.fast, comparison["verdict"], *figures, comparison["message"], bar=bar
        )
    measured = comparison["measured"]
    if measured and measured["anomalies"]:
        reason = f"a person should look at this: {'; '.join(measured['anomalies'])}"
        return FastPoints(None, stage.fast, INCONCLUSIVE, *figures, reason, measured, bar)
    if comparison["verdict"] != "decided":
        reason = comparison["message"] or "the times scatter too much to decide"
        return FastPoints(None, stage.fast, INCONCLUSIVE, *figures, reason, measured, bar)
    part = share(stage.speed, comparison["ratio"])
    reason = (
        f"{comparison['ratio']:.3g} times the {_yardstick(stage.speed)} at n = {stage.speed.n}"
        f"{_of_the_record(stage.speed, comparison['ratio'])}; "
        f"full marks up to {stage.speed.full:g}, none from {stage.speed.none:g}"
    )
    verdict = PASSED if part == 1.0 else TOO_SLOW
    earned = round(stage.fast * part, 2)
    return FastPoints(earned, stage.fast, verdict, *figures, reason, measured, bar)


def _of_the_record(rule: SpeedRule, ratio: float) -> str:
    """How far from the fastest known form: ", 38 % of the record"; "" for other yardsticks."""
    return f", {100 / ratio:.0f} % of the record" if rule.against == RECORD else ""


def _yardstick(rule: SpeedRule) -> str:
    """ "record's time", or "time of the reference's stage relax"."""
    whose, stage = rule.against.partition(".")[0], rule.yardstick_stage("")
    return f"time of the {whose}'s stage {stage}" if stage else f"{whose}'s time"


def unmeasured(stage: Stage, reason: str) -> FastPoints | None:
    """Speed that was not measured, with the reason; None if the stage has no speed rule."""
    if stage.speed is None:
        return None
    bar = Bar.of(stage.speed)
    return FastPoints(None, stage.fast, NOT_MEASURED, None, None, None, reason, bar=bar)


def broken(stage: Stage, reason: str) -> FastPoints | None:
    """Speed that could not be measured because the kit failed; None if the stage has no rule."""
    open_points = unmeasured(stage, reason)
    return open_points and replace(open_points, verdict=INFRASTRUCTURE)


def lost(stage: Stage, verdict: str) -> FastPoints | None:
    """Speed of a stage whose answers are not right: a wrong answer earns nothing by being fast."""
    if stage.speed is None:
        return None
    if verdict in WITHOUT_POINTS:
        return unmeasured(stage, f"the stage's verdict is '{verdict}'")
    bar = Bar.of(stage.speed)
    reason = "only a correct stage is timed"
    return FastPoints(0, stage.fast, verdict, None, None, None, reason, bar=bar)


def counter_points(
    rule: CounterRule, value: float, reference: float | None, line: str
) -> CounterPoints:
    """Points for `value`, to a hundredth; `reference` is the reference's value if the rule needs
    it."""
    ratio = None
    reason = f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"
    reason += f" at n = {rule.n}"
    if rule.against:
        assert reference is not None
        ratio = value / reference if reference else 1.0 if value == 0 else math.inf
        text = f"{reference:,.4g}" if reference < 1000 else f"{reference:,.0f}"
        reason += f", {ratio:.3g} times the {rule.against}'s {text}"
    part = share(rule, value if ratio is None else ratio)
    reason += f"; full marks {_up_to(rule)} {rule.full:g}, none from {rule.none:g}"
    full = part == 1.0
    return CounterPoints(
        rule.counter, rule.n, round(rule.points * part, 2), rule.points,
        PASSED if full else TOO_SLOW, value, reference,
        ratio if ratio is None or math.isfinite(ratio) else None,
        reason, "" if full else rule.advice, "" if full else line, Bar.of(rule),
    )  # fmt: skip


def _up_to(rule: CounterRule) -> str:
    return "up to" if rule.full < rule.none else "from"


def open_counter(rule: CounterRule, reason: str, verdict: str = NOT_MEASURED) -> CounterPoints:
    """A counter without a count: open or zero points, depending on the verdict."""
    earned = None if verdict in WITHOUT_POINTS else 0
    return CounterPoints(
        rule.counter, rule.n, earned, rule.points, verdict, None, None, None, reason, "", "",
        Bar.of(rule),
    )  # fmt: skip


def lost_counters(stage: Stage, verdict: str) -> tuple[CounterPoints, ...]:
    """Counters of a stage whose answers are not right; such a stage is not counted."""
    reason = "only a correct stage is counted"
    return tuple(open_counter(rule, reason, verdict) for rule in stage.counters)


def total(stages: Iterable[StagePoints]) -> Total:
    """The sum over all stages; open points count as possible and as not measured."""
    parts: list[CorrectPoints | FastPoints | CounterPoints] = []
    for stage in stages:
        all_of_it = (stage.correct, stage.fast, *stage.counters)
        parts += [part for part in all_of_it if part is not None]
    return Total(
        round(sum(part.earned or 0 for part in parts), 2),
        round(sum(part.possible for part in parts), 2),
        round(sum(part.possible for part in parts if part.earned is None), 2),
    )
