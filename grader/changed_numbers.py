"""The numbers of the page on what changed: each by a name, from measurements, as text.

A gain is the time without over the time with. What was not measured is None, and reads so.
"""

import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from . import series, series_sssp
from .errors import UsageError
from .series_lines import measured, method

NOT_MEASURED = "not measured"
PAYS, COSTS = 1.10, 0.95  # from here on it pays; below this it costs

Point = dict[str, Any]


class Numbers:
    """What the page says, by name."""

    def __init__(self, folder: Path) -> None:
        found = {name: series.load(folder / f"{name}.json", name) for name in series.FAMILIES}
        documents = [document for document in found.values() if document]
        if not documents:
            raise UsageError(f"{folder}: holds no measurements; ./lab figures sssp makes some.")
        if any(document["backend"] != "gpu" for document in documents):
            raise UsageError(
                f"{folder}: was measured on the CPU backend, which cannot tell what pays on a GPU."
            )
        self._points = {name: measured(one) if one else [] for name, one in found.items()}
        self._machine = documents[0]["machine"]
        self._known: dict[str, Callable[[], str | None]] = {
            "gpu": self._gpu,
            "cpu": lambda: f"{self._machine['cpu']}, {self._machine['cores']} cores",
            "table.searches": self._search_table,
            "table.segments": self._segment_table,
            "table.sorts": self._sort_table,
            "best.rate": lambda: self._best_rate("both"),
            "best.scale": lambda: self._best_scale("both"),
            "speedup.range": lambda: self._speedup_range("both", (20, 21, 22)),
            "speedup.cores": self._over_all_cores,
            "restrict": lambda: _range(self._gains("neither", "restrict", "float")),
            "restrict.double": lambda: _range(self._gains("neither", "restrict", "double")),
            "restrict.verdict": lambda: _verdict(self._gains("neither", "restrict", "float")),
            "locality": lambda: _range(self._gains("neither", "locality", "float")),
            "locality.double": lambda: _range(self._gains("neither", "locality", "double")),
            "locality.verdict": lambda: _verdict(self._gains("neither", "locality", "float")),
            "locality.largest": lambda: _last(self._gains("neither", "locality", "float")),
            "locality.sweeps": lambda: self._rounds("locality"),
            "locality.sweep": lambda: self._sweep("locality"),
            "neither.sweeps": lambda: self._rounds("neither"),
            "neither.sweep": lambda: self._sweep("neither"),
            "segment.worst": lambda: self._segment(min),
            "segment.best": lambda: self._segment(max),
            "segment.worst.sweep": self._worst_sweep,
            "locality.stage": lambda: _range(self._gains("neither", "stage locality", "float")),
            "atomic": lambda: _range(self._gains("neither", "atomic", "float")),
            "atomic.sweeps": lambda: self._rounds("atomic"),
            "atomic.verdict": lambda: _verdict(self._gains("neither", "atomic", "float")),
            "delta": lambda: _range(self._gains("both", "delta", "float")),
            "delta.verdict": lambda: _verdict(self._gains("both", "delta", "float")),
            "texture": lambda: _range(self._sorts("sort", "04 records", "04 texture")),
            "texture.verdict": lambda: _verdict(self._sorts("sort", "04 records", "04 texture")),
            "launch": self._launch,
            "launches": lambda: _range(self._sorts("sort", "04 phases", "04 tiled")),
            "launches.verdict": lambda: _verdict(self._sorts("sort", "04 phases", "04 tiled")),
            "flag": lambda: _range(self._sorts("sort", "04 early-exit", "04 phases")),
            "shared": lambda: _range(self._sorts("sort", "03 global", "03 shared")),
            "shared.verdict": lambda: _verdict(self._sorts("sort", "03 global", "03 shared")),
            "registers": lambda: _range(self._sorts("sort", "03 shared", "03 registers")),
            "registers.verdict": lambda: _verdict(
                self._sorts("sort", "03 shared", "03 registers")),
            "radix": lambda: _range(self._sorts("sort", "03 registers", "CUB radix")),
            "tiles": lambda: _range(self._sorts("rank", "01 global", "01 tiled")),
            "tiles.verdict": lambda: _verdict(self._sorts("rank", "01 global", "01 tiled")),
        }  # fmt: skip

    def names(self) -> list[str]:
        """Every name that a template may use, but `images`."""
        return sorted(self._known)

    def text(self, name: str) -> str:
        """A number in words. Raises UsageError for a name nobody knows."""
        if name not in self._known:
            raise UsageError(f"{{{{{name}}}}} is no number of the page.")
        return self._known[name]() or NOT_MEASURED

    def _gpu(self) -> str | None:
        gpu = self._machine["gpu"]
        return f"{gpu['name']}, driver {gpu['driver']}" if gpu else None

    def _gains(self, slow: str, fast: str, kind: str) -> dict[int, float]:
        """By scale: the mean time of one search over another's, from sources both have."""
        gains = {}
        for point in self._points["sssp"]:
            a, b = method(point, slow, kind), method(point, fast, kind)
            if a and b:
                both = min(len(a["seconds"]), len(b["seconds"]))
                gains[point["scale"]] = sum(a["seconds"][:both]) / sum(b["seconds"][:both])
        return gains

    def _sorts(self, family: str, slow: str, fast: str) -> dict[int, float]:
        gains = {}
        for point in self._points[family]:
            a, b = method(point, slow), method(point, fast)
            if a and b:
                gains[point["scale"]] = _mean(a) / _mean(b)
        return gains

    def _best(self, name: str) -> Point | None:
        found = [p for p in self._points["sssp"] if method(p, name, "float")]
        return max(found, key=lambda p: _rate(p, name), default=None)

    def _best_rate(self, name: str) -> str | None:
        best = self._best(name)
        return f"{_rate(best, name) / 1e9:.1f} G arcs/s" if best else None

    def _best_scale(self, name: str) -> str | None:
        best = self._best(name)
        return f"2^{best['scale']}" if best else None

    def _speedup_range(self, name: str, scales: Iterable[int]) -> str | None:
        means = {p["scale"]: statistics.fmean(found) for p in self._points["sssp"]
                 if p["scale"] in scales and (found := series_sssp.speedups(p, name))}  # fmt: skip
        return _range(means, digits=0, where=False)

    def _over_all_cores(self) -> str | None:
        return _range(self._gains("cpu delta-stepping", "delta", "float"), digits=0)

    def _rounds(self, name: str) -> str | None:
        """Mean rounds at the largest scale."""
        points = [p for p in self._points["sssp"] if method(p, name, "float")]
        if not points:
            return None
        return f"{statistics.fmean(method(points[-1], name, 'float')['rounds']):.0f}"

    def _sweep(self, name: str) -> str | None:
        """Mean time of one sweep at the largest scale."""
        points = [p for p in self._points["sssp"] if method(p, name, "float")]
        if not points:
            return None
        found = method(points[-1], name, "float")
        return f"{1e3 * sum(found['seconds']) / sum(found['rounds']):.2f} ms"

    def _segment(self, choose: Callable[..., Any]) -> str | None:
        """The length of segments that gains the most or the least at the largest scale."""
        if not self._points["sssp"]:
            return None
        point = self._points["sssp"][-1]
        gains = _segment_gains(point)
        if not gains:
            return None
        length = choose(gains, key=gains.__getitem__)
        return f"P = {length:,} vertices: {gains[length]:.2f} times"

    def _worst_sweep(self) -> str | None:
        """Mean time of a sweep at the largest scale with the length that gains the least."""
        if not self._points["sssp"] or not (gains := _segment_gains(self._points["sssp"][-1])):
            return None
        segments = self._points["sssp"][-1]["measured"]["segments"]
        worst = segments["tried"][segments["lengths"].index(min(gains, key=gains.__getitem__))]
        return f"{1e3 * sum(worst['seconds']) / sum(worst['rounds']):.2f} ms"

    def _launch(self) -> str | None:
        """Of an odd-even phase on few keys nothing is left but its launch."""
        found = [(m, p["measured"]["n"]) for p in self._points["sort"]
                 if (m := method(p, "04 phases"))]  # fmt: skip
        return f"{1e6 * _mean(found[0][0]) / found[0][1]:.1f} us" if found else None

    def _search_table(self) -> str:
        names = ("neither", "restrict", "locality", "both")
        head = ["vertices", "Dijkstra, one core"]
        head += [f"{name}, {kind}" for kind in ("float", "double") for name in names]
        rows = []
        for point in self._points["sssp"]:
            cells = [f"2^{point['scale']}", _cell(point, "dijkstra", "float")]
            cells += [_cell(point, name, kind) for kind in ("float", "double") for name in names]
            rows.append(cells)
        return _table(head, rows)

    def _segment_table(self) -> str:
        rows = []
        for point in self._points["sssp"]:
            gains = _segment_gains(point)
            if gains:
                cells = ", ".join(f"{_power(length)}: {gain:.2f}" for length, gain in gains.items())
                chosen = _power(point["measured"]["segments"]["chosen"])
                rows.append([f"2^{point['scale']}", chosen, cells])
        return _table(["vertices", "P chosen", "gain by P"], rows)

    def _sort_table(self) -> str:
        names = ("03 global", "03 shared", "03 registers", "04 phases", "04 tiled",
                 "04 merge-split", "CUB radix", "CUB merge", "std::sort")  # fmt: skip
        rows = []
        for point in self._points["sort"]:
            found = [method(point, name) for name in names]
            n = point["measured"]["n"]
            cells = [f"{n / _mean(m) / 1e6:,.1f}" if m else NOT_MEASURED for m in found]
            rows.append([f"2^{point['scale']}", *cells])
        return _table(["keys", *names], rows)


def _mean(found: dict[str, Any]) -> float:
    return statistics.fmean(found["seconds"])


def _rate(point: Point, name: str, kind: str = "float") -> float:
    arcs = point["measured"]["arcs"]
    return statistics.fmean(arcs / s for s in method(point, name, kind)["seconds"])


def _cell(point: Point, name: str, kind: str) -> str:
    found = method(point, name, kind)
    return f"{_rate(point, name, kind) / 1e6:,.0f}" if found else NOT_MEASURED


def _segment_gains(point: Point) -> dict[int, float]:
    segments = point["measured"]["segments"]
    return {
        length: statistics.fmean(series_sssp.segment_gains(point, tried))
        for length, tried in zip(segments["lengths"], segments["tried"], strict=True)
    }


def _power(n: int) -> str:
    exponent = n.bit_length() - 1
    return f"2^{exponent}" if n == 1 << exponent else f"{n:,}"


def _range(gains: dict[int, float], digits: int = 2, where: bool = True) -> str | None:
    """Least and largest gain, and where: "0.95 times (2^14) to 1.60 times (2^23)"."""
    if not gains:
        return None
    ends = [min(gains, key=gains.__getitem__), max(gains, key=gains.__getitem__)]
    at = [f"{gains[scale]:.{digits}f} times" + (f" (2^{scale})" if where else "") for scale in ends]
    return at[0] if ends[0] == ends[1] else f"{at[0]} to {at[1]}"


def _last(gains: dict[int, float]) -> str | None:
    return f"{gains[max(gains)]:.2f} times at 2^{max(gains)}" if gains else None


def _verdict(gains: dict[int, float]) -> str | None:
    """Whether it pays, from the gains at all sizes."""
    if not gains:
        return None
    low, high = min(gains.values()), max(gains.values())
    if low >= PAYS:
        return "yes"
    if high >= PAYS:
        return "depends on the size" if low < PAYS else "yes"
    return "it costs" if high < COSTS else "no"


def _table(head: list[str], rows: list[list[str]]) -> str:
    if not rows:
        return NOT_MEASURED + "."
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
