"""The figure of a result: speedup over the baseline, and time, against problem size, one curve per
stage. If the machine's ceilings were measured, another panel shows the share that a stage reaches.

All stages with the same baseline have the same seconds of it at a size: those of all of them
together. Equal results give equal bytes: fixed seeds, fixed fonts, no dates but the result's own.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.base.checkout import OWN
from grader.base.errors import UsageError
from grader.timing.roofline import reached

from . import looks
from .draw import FORMATS, Sheet, write
from .lines import Line, Panel, exact, middle, ratio

Measured = dict[str, Any]
LIMIT = ("Limit: one launch, all input and output at the speed of a copy, or all operations at "
         "their peak, whichever takes longest.")  # fmt: skip


def draw(result: dict[str, Any], folder: Path) -> list[Path]:
    """Write speedup.svg and speedup.png. Raises UsageError if nothing was measured."""
    return draw_to(result, [folder / "speedup.svg", folder / "speedup.png"])


def draw_to(result: dict[str, Any], paths: Sequence[Path]) -> list[Path]:
    """Write the figure to files; their suffixes, of FORMATS, say what they become. Raises
    UsageError if nothing was measured."""
    assert all(path.suffix.lower() in FORMATS for path in paths)
    return write(sheet(result), paths)


def sheet(result: dict[str, Any]) -> Sheet:
    """A column of panels for each baseline: speedups, times, shares of the limit."""
    measured = [one for one in result["measured"] if one["points"]]
    if not measured:
        raise UsageError(f"{result['lab']}: nothing was measured, so there is no figure to draw.")
    groups = _groups(measured)
    columns = [_column(result, baseline, members) for baseline, members in groups]
    deepest = max(map(len, columns))
    if len(columns) == 1:  # side by side, the shares below
        rows = [columns[0][:2], *([panel] for panel in columns[0][2:])]
    else:
        rows = [[column[i] for column in columns if i < len(column)] for i in range(deepest)]
    name = result["submission"]["name"].replace("$", r"\$")  # no formula begins there
    whose = "" if name == OWN else f" ({name})"
    title = f"{result['lab']}, {result['title']}{whose}"
    return Sheet(f"{title}\n{_clock(result)}", rows, _foot(result, groups, deepest > 2))


def _groups(measured: Sequence[Measured]) -> list[tuple[str, list[Measured]]]:
    """The measurements by baseline. One without a baseline joins the largest group: it is drawn
    among the times only."""
    groups: dict[str, list[Measured]] = {}
    for one in measured:
        groups.setdefault(one["baseline"], []).append(one)
    alone = groups.pop("", [])
    if not groups:
        return [("", alone)]
    most = max(groups, key=lambda baseline: len(groups[baseline]))
    in_order = {one["stage"]: i for i, one in enumerate(measured)}
    groups[most] = sorted(groups[most] + alone, key=lambda one: in_order[one["stage"]])
    return list(groups.items())


def pooled(members: Sequence[Measured], baseline: str) -> dict[int, list[float]]:
    """The baseline's seconds at each size, of all stages that have it; each sample counts once."""
    samples: dict[int, list[list[float]]] = {}
    for one in members:
        for point in one["points"] if one["baseline"] == baseline and baseline else ():
            known = samples.setdefault(point["n"], [])
            if point["baseline_seconds"] not in known:
                known.append(point["baseline_seconds"])
    return {n: [second for sample in known for second in sample] for n, known in samples.items()}


def _column(result: dict[str, Any], baseline: str, members: Sequence[Measured]) -> list[Panel]:
    base, unit = pooled(members, baseline), f"n ({members[0]['unit']})"
    faster, times, shares = [], [], []
    for one in members:
        points = sorted(one["points"], key=lambda point: point["n"])
        stage, look = one["stage"], looks.of_stage(one["stage"], _stages(result))
        times.append(Line(stage, [middle(p["n"], p["seconds"]) for p in points], look))
        if one["baseline"]:
            values = [ratio(p["n"], p["seconds"], base[p["n"]]) for p in points]
            faster.append(Line(stage, values, look))
        found = [known for p in points if (known := reached(p, result["machine"].get("ceilings")))]
        shares.append(Line(stage, [exact(one.n, one.share) for one in found], look, bars=False))
    if base:
        values = [middle(n, base[n]) for n in sorted(base)]
        times.append(Line("baseline", values, looks.PROCESSOR))
    panels = [
        Panel(f"Over {baseline}", faster, "speedup", "times", unit, at_one="baseline"),
        Panel("Time", times, "time", "seconds", unit),
    ]
    if any(line.values for line in shares):
        panels.append(Panel("Share of the machine's limit", shares, "share", "share", unit,
                            at_one="limit"))  # fmt: skip
    return panels


def _stages(result: dict[str, Any]) -> list[str]:
    """The lab's stages in its order, from the result alone."""
    named = [stage["name"] for stage in result.get("stages", ())]
    return named or [one["stage"] for one in result["measured"]]


def _clock(result: dict[str, Any]) -> str:
    """What the times are, in the title."""
    if result["backend"] == "cpu":
        return "time on the CPU backend, not GPU time"
    gpu = result["machine"]["gpu"] or {"name": "GPU", "driver": "unknown"}
    return f"{gpu['name']}, driver {gpu['driver']}, clock: {result['measured'][0]['clock']}"


def _foot(
    result: dict[str, Any], groups: Sequence[tuple[str, list[Measured]]], limited: bool
) -> list[str]:
    drawn = {one["stage"] for _, members in groups for one in members if one["baseline"]}
    without = [stage for stage in _stages(result) if stage not in drawn]
    lines = ["Points: medians; bars: their 95 % intervals. Baselines: on one core of "
             f"{result['machine']['cpu']}."]  # fmt: skip
    if without:
        why = "not passed, not timed, or not what the baseline does"
        lines.append(f"Without a speedup: {', '.join(without)} ({why}).")
    lines.append(LIMIT if limited else "The machine's limit was not measured.")
    kit = result.get("grader", {}).get("version")
    cuda = (result.get("toolchain") or {}).get("cuda") if result["backend"] == "gpu" else None
    known = [result.get("started", "")[:10], kit and f"kit {kit}", cuda and f"CUDA {cuda}"]
    return [*lines, ", ".join(filter(None, known))]
