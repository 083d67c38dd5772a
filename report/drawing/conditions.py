"""The conditions of a measurement: when, with which kit and CUDA, and how busy the machine was."""

import os
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from grader import __version__
from grader.base import process
from grader.machine import hardware

RELEASE = re.compile(r"release (\d+\.\d+)")
LOADED = 0.5  # of the processors: from here on, others may slow a measurement


def now() -> dict[str, Any]:
    """The conditions here and now, before a measurement.

    `load_average` is of the last minute, so it knows of our own compilers; `running` is how many
    other threads want a processor at this moment. None: the system does not tell.
    """
    average, running = _load()
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"), "kit": __version__,
        "cuda": cuda_release(), "processors": os.cpu_count() or 1,
        "load_average": average, "running": running,
    }  # fmt: skip


@cache
def cuda_release() -> str | None:
    """The release of the CUDA compiler, for example 13.0; None without one."""
    nvcc = hardware.find_nvcc()
    found = RELEASE.search(process.run([nvcc, "--version"], limit=30).output) if nvcc else None
    return found[1] if found else None


def _load() -> tuple[float | None, int | None]:
    try:
        words = Path("/proc/loadavg").read_text(encoding="utf-8").split()
        return float(words[0]), max(0, int(words[3].partition("/")[0]) - 1)
    except (OSError, ValueError, IndexError):
        return None, None


def loaded(taken: Mapping[str, Any]) -> bool:
    """Whether others kept half of the processors busy. The load average alone does not say so right
    after a build."""
    known = [taken.get(key) for key in ("load_average", "running")]
    return all(value is not None and value >= LOADED * taken["processors"] for value in known)


def foot(document: Mapping[str, Any]) -> list[str]:
    """A figure's last line: when, with what, on which machine."""
    points = [point for point in document["points"] if "measured" in point]
    here = document["machine"]
    same = len({point["made_from"] for point in points}) == 1
    run = "one run" if same else "several runs: some sizes have other sources or settings"
    if document["backend"] == "cpu":
        where = [f"time on the CPU backend, not GPU time; {here['cpu']}"]
    else:
        gpu = here["gpu"] or {"name": "GPU", "driver": "unknown"}
        where = [f"{gpu['name']}, driver {gpu['driver']}", points[0]["measured"]["clock"]]
    return ["; ".join([*where, caption(points, document["backend"]), run]) + "."]


def caption(points: Iterable[Mapping[str, Any]], backend: str) -> str:
    """`2026-11-23, kit 0.1.0, CUDA 13.0`, and whether the machine was loaded."""
    taken = [point["taken"] for point in points]
    parts = []
    for key, word in (("date", ""), ("kit", "kit "), ("cuda", "CUDA "))[
        : 3 if backend == "gpu" else 2
    ]:
        values = sorted({one[key] for one in taken if one.get(key)})
        parts += [word + " and ".join(values)] if values else []
    if busy := [one["load_average"] for one in taken if loaded(one)]:
        parts.append(f"on a LOADED machine (load average up to {max(busy):.1f} on "
                     f"{taken[0]['processors']} processors)")  # fmt: skip
    return ", ".join(parts)
