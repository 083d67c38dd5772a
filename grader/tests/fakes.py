"""Names that the tests share, and results made by hand."""

from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parent / "fixtures"
LAB = "01-demo"


# Round numbers near those of an H200.
CEILINGS = {
    "copied_bytes_per_second": 4e12,
    "cached_bytes_per_second": 8e12,
    "compares_per_second": 16e12,
    "exchanges_per_second": 8e12,
    "l2_gathers_per_second": 160e9,
    "memory_gathers_per_second": 40e9,
    "launch_seconds": 2.5e-6,
    "barrier_seconds": 1e-6,
}


def plan(stage: str, order: str, text: str) -> str:
    """A submission's line that makes the fake judge answer `text` (JSON)."""
    return f"// PLAN {stage} {order}: {text}\n"


def result(backend: str = "cpu", stages: int = 2) -> dict[str, Any]:
    """A result document with as much in it as figures need."""
    gpu = {"name": "NVIDIA H200", "driver": "570.1", "compute_capability": "9.0",
           "uuid": "GPU-0"}
    names = ("global", "strided", "stable", "descending", "strings", "tiled")[:stages]
    return {
        "schema": 2,
        "lab": LAB,
        "title": "Demo sort",
        "submission": {"name": "ann", "sha256": "0" * 64},
        "backend": backend,
        "machine": {"cpu": "A CPU", "cores": 2, "memory_gib": 4.0, "os": "Debian",
                    "gpu": gpu if backend == "gpu" else None},
        "measured": [measured(name, factor) for factor, name in enumerate(names, 1)],
    }  # fmt: skip


def measured(stage: str, factor: float) -> dict[str, Any]:
    points = [
        {"n": n, "seconds": [n * 1e-6 / factor * f for f in (1.0, 1.1, 1.3)],
         "baseline_seconds": [n * 2e-6 * f for f in (1.0, 1.2, 1.4)]}
        for n in (1000, 1024, 4096)
    ]  # fmt: skip
    return {"stage": stage, "unit": "keys", "baseline": "one CPU core", "clock": "judge",
            "points": points}  # fmt: skip
