"""What the drawing of a small graph tells: a weight in place of a distance, a list that is
right but miscounted, a source that is not at 0."""

import re
from collections.abc import Mapping
from typing import Any

from ..base.verdict import WRONG_ANSWER

TOO_SHORT = re.compile(r"dist\[\d+\] = \S+, should be \S+: no path is this short")
SOURCE = re.compile(
    r"dist\[(?P<source>\d+)\] = (?P<got>inf|[\d.]+(?:e[+-]?\d+)?), should be 0: it is"
)
COUNTED = re.compile(r": returned (?P<got>-?\d+) edges, should be (?P<due>\d+)$")
ARRANGED = re.compile(r": arranged edge \d+, .*, is not an edge of the list")
EDGE = re.compile(r"\{(\d+), (\d+)\} ([^\s,]+)")
ROW = re.compile(r"^  (edges|got|expected) +(.*)$", re.MULTILINE)
UNWRITTEN = "unwritten"


def cause(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The likely cause of a wrong answer about a graph that is drawn."""
    if stage["verdict"] != WRONG_ANSWER or not stage["message"].startswith("sssp::"):
        return ()
    first, rows = stage["message"].partition("\n")[0], dict(ROW.findall(stage["message"]))
    if TOO_SHORT.search(first):
        return _weight_alone(rows)
    if counted := COUNTED.search(first):
        return _miscounted(int(counted["got"]), int(counted["due"]), rows)
    if ARRANGED.search(first):
        return _without_labels(rows)
    if lost := SOURCE.search(first):
        return (f"The source is at {lost['got']}. Either nobody sets dist[{lost['source']}] to 0 "
                "at the beginning, or a comparison is the wrong way round: a distance is stored "
                "only where it is less than what is there.",)  # fmt: skip
    return ()


def _weight_alone(rows: Mapping[str, str]) -> tuple[str, ...]:
    """If each wrong distance is the weight of an edge whose other end is not at 0."""
    got, due = rows.get("got", "").split(), rows.get("expected", "").split()
    edges = EDGE.findall(rows.get("edges", ""))
    both = [*edges, *((v, u, weight) for u, v, weight in edges)]
    if not len(got) == len(due) > max((int(u) for u, _, _ in both), default=0):
        return ()
    wrong = [v for v, (mine, right) in enumerate(zip(got, due, strict=True)) if mine != right]
    last = [[(u, v, weight) for u, v, weight in both
             if v == str(to) and weight == got[to] and due[int(u)] != "0"]
            for to in wrong]  # fmt: skip
    if not last or not all(last):
        return ()
    u, v, weight = last[0][0]
    return (f"dist[{v}] = {weight} is the weight of the edge {{{u}, {v}}} alone. The way over "
            f"it is the way to {u} and the edge: dist[{u}] + {weight}.",)  # fmt: skip


def _miscounted(got: int, due: int, rows: Mapping[str, str]) -> tuple[str, ...]:
    """Whether the list is right although its length is not, or nothing is in it."""
    listed, right = rows.get("got", ""), rows.get("expected", "")
    if not listed or not right:
        return ()
    if listed == right:
        return (f"The list is right: it has {_edges(due)}. But the call returned {got}. What it "
                "returns is the sum of all vertices' counts, the last one's too.",)  # fmt: skip
    if got == 0 and set(listed.split(", ")) == {UNWRITTEN}:
        return ("No arc was listed at all. Does the loop over a vertex's arcs begin at offsets[v] "
                "and end before offsets[v + 1], does vertex 0 have a thread, and is an arc kept if "
                "it leads to a larger vertex?",)  # fmt: skip
    return ()


def _without_labels(rows: Mapping[str, str]) -> tuple[str, ...]:
    """If the arranged edges are those of the list, under their old numbers."""
    given, got = (
        sorted((*sorted((u, v)), weight) for u, v, weight in EDGE.findall(rows.get(name, "")))
        for name in ("edges", "got")
    )
    if not given or given != got:
        return ()
    return ("The arranged edges still have the old numbers of their vertices: an end v of the list "
            "becomes label[v].",)  # fmt: skip


def _edges(count: int) -> str:
    return "its 1 edge" if count == 1 else f"all {count} edges"
