"""Draws labs/05-sssp/relaxation.svg: sweeps over a small graph until nothing changes.

    python3 reference/05-sssp/relaxation.py

It writes only whole numbers and plain text, so it writes the same bytes everywhere. The script
computes the distances that it draws; in its sweeps all threads read before any thread writes. It
refuses to draw distances that are not the shortest.
"""

from pathlib import Path

PICTURE = Path(__file__).resolve().parents[2] / "labs" / "05-sssp" / "relaxation.svg"

PLACES = {"s": (0, 60), "a": (62, 0), "b": (62, 120), "c": (124, 60), "d": (186, 60)}
# In the order of the list: if two threads write one distance, the value of the later one stays.
EDGES = (("s", "a", 4), ("s", "b", 1), ("a", "b", 2), ("b", "c", 5), ("a", "c", 3), ("c", "d", 1))
INFINITY = 10**9

LEFT, TOP = 30, 62  # of the first panel's graph
PANEL = 254  # from one panel to the next
RADIUS = 16
INK, FAINT, NEW, LOST = "#1f2933", "#b8c0c8", "#0b6e99", "#b4540a"
FONT = "font-family='Helvetica, Arial, sans-serif'"

Distances = dict[str, int]
Writes = list[tuple[int, str, int]]  # the edge, the vertex whose distance is written, the value


def sweep(dist: Distances) -> tuple[Distances, Writes]:
    """The distances after a sweep, and all that its threads wrote, in the order of the edges."""
    writes: Writes = []
    for e, (u, v, weight) in enumerate(EDGES):
        if dist[v] + weight < dist[u]:
            writes.append((e, u, dist[v] + weight))
        elif dist[u] + weight < dist[v]:
            writes.append((e, v, dist[u] + weight))
    return dist | {vertex: value for _, vertex, value in writes}, writes


def are_shortest(dist: Distances) -> bool:
    """No edge is violated, and some edge explains every distance but the source's."""
    both = [*EDGES, *((v, u, weight) for u, v, weight in EDGES)]
    tight = {v for u, v, weight in both if dist[u] + weight == dist[v]}
    return all(dist[u] + w >= dist[v] for u, v, w in both) and tight | {"s"} == set(PLACES)


def text(x: int, y: int, words: str, colour: str = INK, size: int = 13, anchor: str = "middle",
         weight: str = "normal") -> str:  # fmt: skip
    """One line of text whose baseline is at y."""
    return (f"<text x='{x}' y='{y}' fill='{colour}' font-size='{size}' text-anchor='{anchor}' "
            f"font-weight='{weight}' {FONT}>{words}</text>")  # fmt: skip


def lost_writes(dist: Distances, writes: Writes) -> set[int]:
    """The edges whose thread wrote a value that another thread replaced."""
    return {e for e, vertex, value in writes if dist[vertex] != value}


def edge_marks(x: int, y: int, writes: Writes, lost: set[int]) -> list[str]:
    """The edges with their weights; those whose thread wrote something stand out."""
    marks = []
    wrote = {e for e, _, _ in writes}
    for e, (u, v, weight) in enumerate(EDGES):
        (ux, uy), (vx, vy) = PLACES[u], PLACES[v]
        colour = LOST if e in lost else NEW if e in wrote else FAINT
        width = 3 if e in wrote else 1
        dashes = " stroke-dasharray='5 4'" if e in lost else ""
        marks.append(f"<line x1='{x + ux}' y1='{y + uy}' x2='{x + vx}' y2='{y + vy}' "
                     f"stroke='{colour}' stroke-width='{width}'{dashes}/>")  # fmt: skip
        right = 10 if ux == vx else 13 if (ux < vx) == (uy < vy) else -13
        up = -6 if uy == vy else 0
        middle = (x + (ux + vx) // 2 + (0 if uy == vy else right), y + (uy + vy) // 2 + 4 + up)
        marks.append(text(*middle, str(weight), INK if e in wrote else "#66707a", 12))
    return marks


def vertex_marks(x: int, y: int, dist: Distances, before: Distances) -> list[str]:
    """The vertices with their distances; those that changed are filled."""
    marks = []
    for name, (dx, dy) in PLACES.items():
        new = dist[name] != before[name]
        marks.append(f"<circle cx='{x + dx}' cy='{y + dy}' r='{RADIUS}' stroke='{INK}' "
                     f"fill='{NEW if new else 'white'}'/>")  # fmt: skip
        value = "∞" if dist[name] == INFINITY else str(dist[name])
        marks.append(text(x + dx, y + dy + 5, value, "white" if new else INK, 15, weight="bold"))
        side = -RADIUS - 6 if dy == 0 else RADIUS + 15
        marks.append(text(x + dx, y + dy + side, name, "#66707a", 12))
    return marks


def panel(number: int, title: str, dist: Distances, before: Distances, writes: Writes) -> list[str]:
    """One state of the graph, and what the sweep before it wrote; three panels in a row."""
    x, y = LEFT + PANEL * (number % 3), TOP + 226 * (number // 3)
    lost = lost_writes(dist, writes)
    marks = [text(x - RADIUS, y - 36, title, size=14, anchor="start", weight="bold")]
    marks += edge_marks(x, y, writes, lost) + vertex_marks(x, y, dist, before)
    for _, vertex, value in (write for write in writes if write[0] in lost):
        words = (f"{value} for {vertex} is lost:", f"{dist[vertex]} came later")
        marks += [
            text(x + 132, y + 112 + 15 * i, w, LOST, 12, "start") for i, w in enumerate(words)
        ]
    return marks


def picture() -> str:
    """The whole SVG. Raises ValueError if the sweeps do not end at the shortest distances."""
    dist = {name: 0 if name == "s" else INFINITY for name in PLACES}
    marks = panel(0, "Before", dist, dist, [])
    for number in range(1, 6):
        after, writes = sweep(dist)
        quiet = "" if writes else ": nothing changes"
        marks += panel(number, f"Sweep {number}{quiet}", after, dist, writes)
        dist = after
    if writes or not are_shortest(dist):
        raise ValueError(f"these are not the shortest distances: {dist}")
    width, height = LEFT + 3 * PANEL - 20, TOP + 226 + 190
    words = ("Numbers in circles are distances from s. Thick edges are those whose thread wrote a "
             "distance in the sweep.")  # fmt: skip
    return "\n".join([
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}'>",
        "<title>Five sweeps over a graph of five vertices</title>",
        f"<rect width='{width}' height='{height}' fill='white'/>",
        *marks, text(14, height - 14, words, size=12, anchor="start"), "</svg>", "",
    ])  # fmt: skip


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
