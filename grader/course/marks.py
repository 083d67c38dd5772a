"""From a result to a mark, line by line: stages, decisions, what nobody can measure, lateness.

Every line says what it is and what it adds; the lines of a mark add up to it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from ..base.local_time import local_time
from ..base.text import counted
from .ledger import Decision
from .settings import CourseLab, LatePolicy, Settings

SECONDS_PER_DAY = 86400


@dataclass(frozen=True)
class Line:
    """`kind`: stage, decision, weight, late or grace. `points` is what it adds."""

    text: str
    points: float
    kind: str


@dataclass(frozen=True)
class Mark:
    """`points` is None while nothing is known. `open_points` wait for a person, or for a machine
    that can measure them."""

    points: float | None
    possible: float
    lines: tuple[Line, ...] = ()
    open_points: float = 0

    @property
    def is_open(self) -> bool:
        return self.open_points > 0

    @property
    def running(self) -> list[tuple[Line, float]]:
        """Each line, with what the lines add up to so far."""
        return [(line, _sum(self.lines[: end + 1])) for end, line in enumerate(self.lines)]

    @property
    def penalty(self) -> float:
        """What was taken away because it came late."""
        taken = sum(line.points for line in self.lines if line.kind == "late")
        return round(0 - taken, 2)  # not -taken, which is -0 if nothing was taken


@dataclass(frozen=True)
class Basis:
    """What a mark is made from. `handed_in` and `due` have time zones; `due` is the student's."""

    lab: CourseLab
    document: dict[str, Any] | None
    decisions: tuple[Decision, ...]  # those in force for this source, the oldest first
    handed_in: datetime | None
    due: datetime | None
    is_late_by_unknown: bool = False


def mark(settings: Settings, basis: Basis) -> Mark:
    """The mark for one student and lab."""
    if basis.document is None:
        return Mark(None, possible_without_result(settings, basis.lab))
    stages = _counting(basis)
    possible = round(sum(_possible(stage, settings) for stage in stages), 2)
    lines, still_open = _stage_lines(stages, basis, settings)
    whole = last_decision(basis.decisions, None)
    if is_refused := basis.document["verdict"] == "refused":
        possible = still_open = _lab_points(settings, basis.lab)
        reason = basis.document["refusal"]["reason"]
        lines = [Line(f"not graded: {reason}", 0, "stage")]
    part = share(whole, possible) if whole else 0
    if basis.lab.weight is not None and possible:
        weighted = _weighted(lines, possible, basis.lab.weight)
        lines += [weighted] if possible != basis.lab.weight and not is_refused else []
        still_open = still_open / possible * basis.lab.weight
        possible = basis.lab.weight
    if whole:
        added = round(part * possible - _sum(lines), 2)
        lines.append(Line(_said(whole, settings.zone), added, "decision"))
        still_open = 0
    if late := _late_line(settings, basis, lines, possible):
        lines.append(late)
    elif asks_how_late(settings, basis):
        lines.append(Line("marked late, and nobody knows by how much: nothing is taken off yet", 0,
                          "late"))  # fmt: skip
        still_open = still_open if whole else still_open + _sum(lines)
    return Mark(_sum(lines), possible, tuple(lines), round(still_open, 2))


def possible_without_result(settings: Settings, lab: CourseLab) -> float:
    return lab.weight if lab.weight is not None else _lab_points(settings, lab)


def without_hand_in(settings: Settings, lab: CourseLab, decision: Decision | None) -> Mark:
    """The mark where nothing was handed in: only a person's decision can give one."""
    possible = possible_without_result(settings, lab)
    if decision is None:
        return Mark(None, possible)
    points = round(share(decision, possible) * possible, 2)
    said = f"no hand-in; {_said(decision, settings.zone)}"
    return Mark(points, possible, (Line(said, points, "decision"),))


def worth(settings: Settings, basis: Basis, stage: str | None) -> float:
    """What a stage, or with None the lab, is worth in this course: as much can be decided. 0 for a
    stage that does not count, or whose points nobody can measure here."""
    weight = basis.lab.weight
    if basis.document is None or basis.document["verdict"] == "refused":
        return possible_without_result(settings, basis.lab) if stage is None else 0.0
    stages = _counting(basis)
    lab = sum(_possible(one, settings) for one in stages)
    if stage is None:
        return weight if weight is not None else round(lab, 2)
    own = sum(_possible(one, settings) for one in stages if one["name"] == stage)
    return round(own / lab * weight, 2) if weight is not None and lab else round(own, 2)


def decided(settings: Settings, basis: Basis) -> list[dict[str, Any]]:
    """The decisions about stages as a result has them: in the lab's own points."""
    found = []
    for stage in _counting(basis):
        if decision := last_decision(basis.decisions, stage["name"]):
            possible = _possible(stage, settings)
            found.append({
                "stage": stage["name"], "points": round(share(decision, possible) * possible, 2),
                "because": decision.because, "who": decision.who, "time": decision.time,
                "instead": True,
            })  # fmt: skip
    return found


def share(decision: Decision, possible: float) -> float:
    """The part of a stage or lab that a decision gives, 0 to 1. It keeps its meaning if the weight
    in course.toml is changed later. An earlier kit did not write down of how many points it was."""
    most = decision.about.get("of") or possible
    return min(1.0, decision.about["points"] / most) if most else 0.0


def _lab_points(settings: Settings, lab: CourseLab) -> float:
    """The points of the stages that count, as the lab's file has them."""
    left_out = settings.without_gpu == "leave-out" and settings.backend == "cpu"
    return sum(stage.correct + (0 if left_out else stage.fast)
               + sum(rule.points for rule in stage.counters) for stage in lab.stages)  # fmt: skip


def _counting(basis: Basis) -> list[dict[str, Any]]:
    assert basis.document is not None
    names = [stage.name for stage in basis.lab.stages]
    return [stage for stage in basis.document["stages"] if stage["name"] in names]


def _no_gpu(stage: dict[str, Any]) -> float:
    """The points of a stage that wait for a GPU."""
    fast = stage["points"]["fast"]
    is_open = fast and fast["earned"] is None and fast["code"] == "no-gpu"
    return float(fast["possible"]) if is_open else 0.0


def counting_parts(settings: Settings, stage: dict[str, Any]) -> dict[str, Any]:
    """A stage of a result without the points that only a GPU measures, if they do not count."""
    if settings.without_gpu != "leave-out" or not _no_gpu(stage):
        return stage
    return {**stage, "points": {**stage["points"], "fast": None}}


def _possible(stage: dict[str, Any], settings: Settings) -> float:
    left_out = _no_gpu(stage) if settings.without_gpu == "leave-out" else 0
    return float(stage["points"]["possible"]) - left_out


def _stage_lines(
    stages: Iterable[dict[str, Any]], basis: Basis, settings: Settings
) -> tuple[list[Line], float]:
    """A line for each stage, and one for its decision; and the points that are still open."""
    lines: list[Line] = []
    still_open = 0.0
    for stage in stages:
        earned, possible = stage["points"]["earned"], _possible(stage, settings)
        text = f"{stage['name']}: {stage['verdict']}, {earned:g} of {possible:g}"
        is_open = stage["points"]["not_measured"]
        if settings.without_gpu == "leave-out":
            is_open -= _no_gpu(stage)
        decision = last_decision(basis.decisions, stage["name"])
        if is_open and not decision:
            text += f", {is_open:g} open"
            still_open += is_open
        lines.append(Line(text, earned, "stage"))
        if decision:
            added = round(share(decision, possible) * possible - earned, 2)
            lines.append(Line(_said(decision, settings.zone), added, "decision"))
    return lines, still_open


def last_decision(decisions: Iterable[Decision], stage: str | None) -> Decision | None:
    """The decision in force about a stage, or with None about the whole lab."""
    found = [one for one in decisions if one.kind == "decide" and one.about["stage"] == stage]
    return found[-1] if found and found[-1].about["points"] is not None else None


def _said(decision: Decision, zone: tzinfo) -> str:
    what = decision.about["stage"] or "the whole lab"
    return (f"{what}: decided {said_points(decision)}, by {decision.who} at "
            f"{local_time(decision.time, zone)}: {decision.because}")  # fmt: skip


def said_points(decision: Decision) -> str:
    """`7.5 of 10`, in the course's points."""
    points, most = decision.about["points"], decision.about.get("of")
    return f"{points:g} of {most:g}" if most else f"{points:g}"


def _sum(lines: Iterable[Line]) -> float:
    """What the lines add up to, in hundredths: 0 and not -0 or 4e-16, which would be exported."""
    return round(sum(line.points for line in lines), 2) + 0.0


def _weighted(lines: Iterable[Line], possible: float, weight: float) -> Line:
    earned = _sum(lines)
    worth = round(earned / possible * weight, 2)
    text = f"{earned:g} of {possible:g} are {worth:g} of {weight:g} in this course"
    return Line(text, round(worth - earned, 2), "weight")


def days_late(handed_in: datetime | None, due: datetime | None, grace_minutes: float) -> int:
    """Days begun after the due date and the grace; 0 if in time, or if nobody knows.

    A day ends when the clock of due's zone shows the same time again: when the clocks are put back
    that is after 25 hours.
    """
    if handed_in is None or due is None:
        return 0
    counted_from = handed_in.astimezone(UTC) - timedelta(minutes=grace_minutes)
    if counted_from <= due.astimezone(UTC):
        return 0
    shown = counted_from.astimezone(due.tzinfo).replace(tzinfo=None)
    over = (shown - due.replace(tzinfo=None)).total_seconds()
    return max(1, math.ceil(over / SECONDS_PER_DAY))


def asks_how_late(settings: Settings, basis: Basis) -> bool:
    """Whether a person must say how late it is, because neither the LMS nor a rule does."""
    policy = settings.late
    return _is_unknown(basis) and policy.has_effect and policy.unknown_days is None


def _is_unknown(basis: Basis) -> bool:
    return basis.is_late_by_unknown and basis.due is not None


def _late_line(
    settings: Settings, basis: Basis, lines: list[Line], possible: float
) -> Line | None:
    policy = settings.late
    days = days_late(basis.handed_in, basis.due, policy.grace_minutes)
    by_rule = _is_unknown(basis) and policy.unknown_days is not None
    if by_rule:
        days = math.ceil(policy.unknown_days or 0)
    if not days and not by_rule:
        return _in_grace(policy, basis)
    earned = _sum(lines)
    count = f"{counted(days, 'day')} late"
    count += " by unknown_days of course.toml, as the time is not known" if by_rule else ""
    if policy.last_day is not None and days > policy.last_day:
        text = f"{count}: nothing is earned after {counted(policy.last_day, 'day')}"
        return Line(text, -round(earned, 2), "late")
    percent = min(policy.percent_per_day * days, policy.most)
    base = earned if policy.of == "earned" else possible
    lost = round(min(base * percent / 100, earned), 2)
    text = f"{count}: {percent:g} % of {'what was earned' if policy.of == 'earned' else 'the lab'}"
    return Line(text, -lost, "late")


def _in_grace(policy: LatePolicy, basis: Basis) -> Line | None:
    """Why a hand-in after the due date lost nothing; None if it came before."""
    if basis.handed_in is None or basis.due is None or basis.handed_in <= basis.due:
        return None
    minutes = math.ceil((basis.handed_in - basis.due).total_seconds() / 60)
    grace = counted(policy.grace_minutes, "minute")
    text = f"{counted(minutes, 'minute')} late: within the grace of {grace}, nothing is taken off"
    return Line(text, 0, "grace")
