"""Checks lab 05's reference against the GAP Benchmark Suite, which is independent code.

    python3 reference/05-sssp/gapbs/compare.py GAPBS [GRAPH ...]

GAPBS is a checkout of github.com/sbeamer/gapbs; no part of it is kept here. A GRAPH is rmat:SCALE,
grid:VERTICES or a file that `./lab data info` can read, undirected and with whole weights. With
nvcc and a GPU the searches run on the GPU, otherwise on the CPU backend. Exit status 0: all agree.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
GRAPHS = ("rmat:16", "rmat:18", "grid:65536")
SOURCES = 3
DELTA = 16  # of gapbs, in units of weight


def compile_both(gapbs: Path, folder: Path) -> tuple[Path, Path]:
    """The two programs: the suite's searches and the reference's."""
    theirs, ours = folder / "theirs", folder / "ours"
    driver = HERE / "distances_of_gapbs.cpp"
    run("g++", "-std=c++17", "-O3", "-fopenmp", "-I", gapbs / "src", driver, "-o", theirs)
    gpu = shutil.which("nvcc") and shutil.which("nvidia-smi")
    compiler = ["nvcc", "-arch=native"] if gpu else [sys.executable, ROOT / "grader/cpu/cucc.py"]
    folders = ("labs/kit", "labs/05-sssp", "datasets", "datasets/formats")
    includes = [f"-I{ROOT / name}" for name in folders]
    sources = [HERE / "distances_of_reference.cu", HERE.parent / "sssp.cu",
               *sorted((ROOT / "datasets" / "formats").glob("*.cpp"))]  # fmt: skip
    run(*compiler, "-std=c++20", "-O3", *includes, *sources, "-lz", "-o", ours)
    return theirs, ours


def run(*command: str | Path) -> str:
    """Run a program, and return what it printed. If it fails, this script fails."""
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE,
                          text=True).stdout  # fmt: skip


def read(path: Path) -> array:
    """The distances that a program wrote."""
    numbers = array("i")
    numbers.frombytes(path.read_bytes())
    return numbers


def compare(graph: str, theirs: Path, ours: Path, folder: Path) -> bool:
    """Whether both programs find the same distances in a graph. Prints how many differ."""
    wsg, out = folder / "graph.wsg", folder / "distances"
    sources = run(ours, graph, wsg, f"{out}.ours", str(SOURCES)).split()
    run(theirs, wsg, str(DELTA), f"{out}.theirs", *sources)
    mine, other = read(Path(f"{out}.ours")), read(Path(f"{out}.theirs"))
    differ = sum(a != b for a, b in zip(mine, other, strict=True))
    reached = sum(d >= 0 for d in mine)
    print(f"{graph}: sources {', '.join(sources)}: {len(mine)} distances, {reached} of them "
          f"finite, the largest {max(mine)}; {differ} differ")  # fmt: skip
    return differ == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gapbs", type=Path, help="a checkout of the suite")
    parser.add_argument("graph", nargs="*", default=GRAPHS, help="default: %(default)s")
    arguments = parser.parse_args()
    if not (arguments.gapbs / "src" / "sssp.cc").is_file():
        print(f"{arguments.gapbs} is not a checkout of gapbs: src/sssp.cc is missing.")
        return 2
    with tempfile.TemporaryDirectory(prefix="warpwise.") as name:
        folder = Path(name)
        try:
            programs = compile_both(arguments.gapbs, folder)
            same = [compare(graph, *programs, folder) for graph in arguments.graph]
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"compare.py: {error}", file=sys.stderr)
            return 3
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
