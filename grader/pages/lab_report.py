"""A student's report on one lab: what a page shows of a result.json, and the page."""

import math
import statistics
from collections.abc import Sequence
from datetime import UTC
from typing import Any

from markupsafe import Markup

from ..base.verdict import PASSED, WITHOUT_POINTS
from ..grading.decisions import in_force, total
from ..study.causes import ADDED
from ..timing.statistics import speedup
from .chart import Line, Point, line_chart
from .page import render

BACKENDS = {"cpu": "CPU backend", "gpu": "GPU"}
CPU_TIME = "Times are those of the CPU backend on this machine. They say nothing about a GPU."
MESSAGE_LINES = 16


def report(
    result: dict[str, Any], questions: Sequence[Markup], is_stale: bool = False, missing: int = 0,
    author: str = "",
) -> str:  # fmt: skip
    """The page of one result. `is_stale`: the file was edited after it was checked. `missing`: so
    many stages were not checked then."""
    facts = {**overview(result), "questions": questions, "is_stale": is_stale, "missing": missing,
             "author": author, "zone": UTC}  # fmt: skip
    if missing:  # the first stage here need not be the lab's first
        facts["stages"] = [{**stage, "number": ""} for stage in facts["stages"]]
    return render("report.html", "report.js", **facts)


def overview(result: dict[str, Any], for_staff: bool = False) -> dict[str, Any]:
    """What both pages show of a result: points, stages, counters, times, where it is from.

    `for_staff`: also what the grader does not tell the student.
    """
    stages = [stage["name"] for stage in result["stages"]]
    return {
        "lab": result["lab"],
        "title": result["title"],
        "points": total(result),
        "stages": [_stage(number, stage, result, for_staff) for number, stage
                   in enumerate(result["stages"], 1)],
        "counters": [{"stage": stage["name"], **counter} for stage in result["stages"]
                     for counter in stage["points"].get("counters", ())],
        "speed": [{"chart": speedup_chart(measured, stages, with_intervals=not for_staff),
                   "ladder": ladder(measured, stages), "baseline": measured[0]["baseline"]}
                  for measured in by_baseline(result)],
        "times": times(result),
        "untimed": [stage["name"] for stage in result["stages"] if stage["verdict"] != PASSED],
        "where": where(result),
        "time_note": CPU_TIME if result["backend"] == "cpu" else "",
        "notes": [_note(note) for note in result["notes"]],
        "staff_notes": [_note(n) for n in result.get("staff_notes", ())] if for_staff else [],
        "submission": result["submission"],
        "grader": result["grader"],
        "seed": result["seed"],
        "started": result["started"],
        "seconds": result["seconds"],
    }  # fmt: skip


def where(result: dict[str, Any]) -> str:
    """The machine, in a few words."""
    machine = result["machine"]
    if result["backend"] == "gpu" and machine["gpu"]:
        return f"{machine['gpu']['name']}, driver {machine['gpu']['driver']}"
    cores = f"{machine['cores']} core{'s' * (machine['cores'] != 1)}"
    return f"{BACKENDS[result['backend']]} on {machine['cpu']}, {cores}"


def mood(verdict: str) -> str:
    """What colour a verdict has: good, open or bad; idle if nothing was handed in."""
    if verdict == PASSED:
        return "good"
    if verdict in WITHOUT_POINTS:
        return "open"
    return "idle" if verdict == "not attempted" else "bad"


def _note(note: Any) -> str:
    """A note with its place, if it has one."""
    if isinstance(note, str):
        return note
    place = f"{note['file']}:{note['line']}: " if note.get("line") else ""
    return note["text"] if place and place in note["text"] else place + note["text"]


def _as_sentence(line: str) -> str:
    """What the judge adds to a message, such as how many launches there were, as a sentence."""
    return f"{line[0].upper()}{line[1:]}." if ADDED.fullmatch(line) else line


def _stage(
    number: int, stage: dict[str, Any], result: dict[str, Any], for_staff: bool
) -> dict[str, Any]:
    points = stage["points"]
    parts = [points["correct"], points["fast"], *points.get("counters", ())]
    earned = [part["earned"] for part in parts if part]
    lines = [_as_sentence(line) for line in stage["message"].splitlines()]
    return {
        "number": number,
        "name": stage["name"],
        "title": stage["title"],
        "verdict": stage["verdict"],
        "mood": mood(stage["verdict"]),
        "message": "\n".join(lines[:MESSAGE_LINES]),
        "case": stage["case"] if stage["case"] not in stage["message"] else "",
        "staff_message": stage.get("staff_message", "") if for_staff else "",
        "task": (stage["handout"] or {}).get("text", ""),
        "correct": points["correct"],
        "fast": points["fast"],
        "counters": points.get("counters", ()),
        "earned": sum(part for part in earned if part is not None),
        "possible": sum(part["possible"] for part in parts if part),
        "is_open": None in earned,
        "cases": len(stage["cases"]),
        "calls": stage["calls"],
        "decision": in_force(result).get(stage["name"]),
    }


# ---- times --------------------------------------------------------------------------------------


def by_baseline(result: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The measurements that have times; those that a chart may compare have one baseline."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for measured in result["measured"]:
        if measured["points"] and measured["baseline"]:
            groups.setdefault(measured["baseline"], []).append(measured)
    return list(groups.values())


def times(result: dict[str, Any]) -> dict[str, Any] | None:
    """The median time of every stage at every size, also of those that have no baseline."""
    rows = {m["stage"]: {p["n"]: statistics.median(p["seconds"]) for p in m["points"]}
            for m in result["measured"] if m["points"]}  # fmt: skip
    sizes = sorted({n for row in rows.values() for n in row})
    units = list(dict.fromkeys(m["unit"] for m in result["measured"] if m["points"]))
    return {"sizes": sizes, "rows": rows, "units": " or ".join(units)} if rows else None


def _speedups(measured: dict[str, Any], with_intervals: bool) -> list[Point]:
    """Intervals take seconds for a lab: a class page has none."""
    points = []
    for p in sorted(measured["points"], key=lambda point: point["n"]):
        if with_intervals:
            found = speedup(p["n"], p["seconds"], p["baseline_seconds"])
            points.append(Point(p["n"], found.median, found.low, found.high))
        else:
            points.append(Point(p["n"], ratio := _ratio(p), ratio, ratio))
    return points


def _ratio(point: dict[str, Any]) -> float:
    return statistics.median(point["baseline_seconds"]) / statistics.median(point["seconds"])


def speedup_chart(
    measured: Sequence[dict[str, Any]], stages: Sequence[str], with_intervals: bool = True
) -> Markup:
    """Speedup over the baseline at each size, one line per stage, which has one colour in all."""
    lines = [Line(m["stage"], _speedups(m, with_intervals), stages.index(m["stage"]))
             for m in measured]  # fmt: skip
    if not lines:
        return Markup("")
    title = f"Speedup over {measured[0]['baseline']}, by size"
    return line_chart(lines, f"n ({measured[0]['unit']})", "speedup", title)


def ladder(measured: Sequence[dict[str, Any]], stages: Sequence[str]) -> dict[str, Any] | None:
    """Each stage's time at the largest size that all of them have, and its gain over the one
    before."""
    sizes = [{point["n"] for point in m["points"]} for m in measured]
    common = set.intersection(*sizes) if sizes else set()
    if not common:
        return None
    n = max(common)
    rungs: list[dict[str, Any]] = []
    for m in measured:
        [point] = [p for p in m["points"] if p["n"] == n]
        seconds = sorted(point["seconds"])
        middle = statistics.median(seconds)
        before = rungs[-1]["seconds"] if rungs else None
        rungs.append({
            "stage": m["stage"], "seconds": middle, "low": seconds[0], "high": seconds[-1],
            "speedup": _ratio(point), "colour": stages.index(m["stage"]),
            "gain": before / middle if before else None,
        })  # fmt: skip
    fastest, slowest = min(r["low"] for r in rungs), max(r["high"] for r in rungs)
    for rung in rungs:
        rung["place"] = _place(rung["seconds"], fastest, slowest)
        rung["low_place"] = _place(rung["low"], fastest, slowest)
        rung["high_place"] = _place(rung["high"], fastest, slowest)
    return {"n": n, "unit": measured[0]["unit"], "rungs": rungs}


def _place(seconds: float, fastest: float, slowest: float) -> float:
    """Where a time is on a logarithmic scale, in percent."""
    if slowest <= fastest:
        return 50.0
    return 100 * math.log(seconds / fastest) / math.log(slowest / fastest)
