"""Baselines: the serial code that a figure's speedup refers to, measured once per machine and lab.

No submission changes them, and some take longer than all that is measured of a submission.
"""

import contextlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base.errors import LabError
from ..base.files import sha256, to_json, write_atomically
from ..judging.judge import Bench
from ..machine import hardware


class Baselines:
    """The measured seconds of a lab's baselines, by stage and size, in a file in the build folder.

    They hold for one judge, to the byte, on one processor. A file that is damaged, or of another
    judge or processor, counts as empty.
    """

    def __init__(self, bench: Bench) -> None:
        self.file = bench.judge.parent.parent / "baselines" / f"{bench.judge.stem}.json"
        self.of = {"judge": sha256(bench.judge.read_bytes()), "cpu": hardware.describe().cpu}

    def of_stage(self, stage: str) -> dict[int, list[float]]:
        """The seconds of each repetition, by size; empty if nothing is known."""
        try:
            listed = self._read()[stage]
            known = {int(n): [float(value) for value in seconds] for n, seconds in listed.items()}
        except (KeyError, TypeError, ValueError, AttributeError):
            return {}
        return known if all(map(_possible, known.values())) else {}

    def keep(self, stage: str, points: Sequence[Mapping[str, Any]]) -> None:
        """Keep what was measured. A full disk costs the next figure some seconds."""
        measured = {str(point["n"]): point["baseline_seconds"] for point in points}
        document = {"of": self.of, "seconds": {**self._read(), stage: measured}}
        with contextlib.suppress(LabError):
            write_atomically(self.file, to_json(document))

    def _read(self) -> dict[str, Any]:
        try:
            document = json.loads(Path(self.file).read_text(encoding="utf-8"))
            seconds = document["seconds"] if document["of"] == self.of else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return seconds if isinstance(seconds, dict) else {}


def _possible(seconds: Sequence[float]) -> bool:
    return bool(seconds) and all(math.isfinite(value) and value > 0 for value in seconds)
