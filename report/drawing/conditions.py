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


def caption(points: Iterable[Mapping[str, Any]]) -> str:
    """`2026-11-23, kit 0.1.0, CUDA 13.0`, and whether the machine was loaded; "" if not known."""
    taken = [point["taken"] for point in points if "taken" in point]
    parts = []
    for key, word in (("date", ""), ("kit", "kit "), ("cuda", "CUDA ")):
        values = sorted({one[key] for one in taken if one.get(key)})
        parts += [word + " and ".join(values)] if values else []
    if busy := [one["load_average"] for one in taken if loaded(one)]:
        parts.append(f"ON A LOADED MACHINE (load average up to {max(busy):.1f} on "
                     f"{taken[0]['processors']} processors)")  # fmt: skip
    return ", ".join(parts)
