"""Baselines: the serial code that a figure's speedup refers to, measured once per machine and lab.

No submission changes them, and some take longer than all that is measured of a submission. Stages
that name the same baseline share what was measured of it: a lab has one baseline at a size.
"""

import contextlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base.errors import LabError
from ..base.files import sha256, to_json, write_atomically
from ..judging.judge import Bench
from ..machine import hardware


class Baselines:
    """The measured seconds of a lab's baselines, by name and size, in a file in the build folder.

    They hold for one judge, to the byte, on one processor. A file that is damaged, or of another
    judge or processor, counts as empty.
    """

    def __init__(self, bench: Bench) -> None:
        self.file = bench.judge.parent.parent / "baselines" / f"{bench.judge.stem}.json"
        self.of = {"judge": sha256(bench.judge.read_bytes()), "cpu": hardware.describe().cpu}
        self._names: dict[str, str] | None = None

    def name_of(self, stage: str, list_benches: Callable[[], Sequence[Mapping[str, Any]]]) -> str:
        """The name of a stage's baseline; "" without one. `list_benches` is asked once."""
        if self._names is None:
            self._names = {one["stage"]: str(one.get("baseline", "")) for one in list_benches()}
        return self._names.get(stage, "")

    def seconds_of(self, name: str) -> dict[int, list[float]]:
        """The seconds of each repetition, by size; empty if nothing is known."""
        try:
            listed = self._read()[name]
            known = {int(n): [float(value) for value in seconds] for n, seconds in listed.items()}
        except (KeyError, TypeError, ValueError, AttributeError):
            return {}
        return known if all(map(_possible, known.values())) else {}

    def keep(self, name: str, points: Sequence[Mapping[str, Any]]) -> None:
        """Keep what was measured. A full disk costs the next figure some seconds."""
        known = {str(n): seconds for n, seconds in self.seconds_of(name).items()}
        measured = {str(point["n"]): point["baseline_seconds"] for point in points}
        document = {"of": self.of, "seconds": {**self._read(), name: known | measured}}
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
