"""Readers and writers of graph files: round trips, malformed files, full disks, other readers."""

import gzip
import json
import resource
import shutil
import struct
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.compiling.build import build

pytestmark = pytest.mark.reads("datasets")

HERE = Checkout.here()
TINY = HERE.root / "datasets" / "tiny"
REGRESSIONS = HERE.root / "grader" / "tests" / "fuzz" / "regressions"
FORMATS = ("gr", "mtx", "wel", "txt", "wsg")
Facts = dict[str, Any]

# What each tiny graph is: vertices, arcs, undirected, components, isolated, largest weight.
KNOWN = {
    "diamond": (5, 12, True, 1, 0, 8),
    "disconnected": (6, 8, True, 3, 1, 9),
    "loops": (3, 10, True, 1, 0, 6),
    "one-vertex": (1, 0, True, 1, 1, 0),
    "one-way": (4, 5, False, 1, 0, 5),
    "reals": (3, 6, True, 1, 0, 1),
    "zero-weights": (4, 10, True, 1, 0, 5),
}
PATTERNS = ("diamond-pattern.mtx", "diamond.el")  # without weights: these are made up


@pytest.fixture(scope="session")
def tool() -> Path:
    build(HERE, "cpu", "warpwise-data")
    return HERE.build("cpu") / "bin" / "warpwise-data"


def run(tool: Path, *words: str | Path, **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([tool, *words], capture_output=True, text=True, timeout=60, check=False,
                          **options)  # fmt: skip


def facts(tool: Path, *words: str | Path) -> Facts:
    done = run(tool, *words)
    assert done.returncode == 0, done.stderr
    pairs = (line.split("\t", 1) for line in done.stdout.splitlines())
    return {name: json.loads(value) for name, value in pairs}


@pytest.mark.parametrize("name", KNOWN)
def test_a_tiny_graph_is_the_same_in_every_format(tool: Path, name: str) -> None:
    files = [path for path in sorted(TINY.glob(f"{name}.*")) if path.name not in PATTERNS]
    assert len(files) >= 3
    described = [facts(tool, "info", path) for path in files]
    assert all(other == described[0] for other in described)
    first = described[0]
    assert KNOWN[name] == (first["vertices"], first["arcs"], first["undirected"],
                           first["components"], first["isolated"],
                           first["weight_max"])  # fmt: skip


def test_every_tiny_graph_is_known() -> None:
    names = {path.name.split(".")[0] for path in TINY.iterdir() if path.name not in PATTERNS}
    assert names == set(KNOWN)


def test_made_up_weights_are_the_same_from_every_format(tool: Path) -> None:
    pattern, edges = (facts(tool, "info", TINY / name) for name in PATTERNS)
    assert pattern == edges and not pattern["weights_in_file"]
    assert (pattern["vertices"], pattern["arcs"], pattern["undirected"]) == (5, 12, True)
    other = facts(tool, "info", TINY / PATTERNS[0], "--seed", "2")
    assert other["checksum"] != pattern["checksum"]
    unit = facts(tool, "info", TINY / PATTERNS[0], "--weights", "unit")
    assert (unit["weight_min"], unit["weight_max"]) == (1, 1)


@pytest.mark.parametrize("kind", ["rmat", "road", "chain", "disconnected", "complete"])
@pytest.mark.parametrize("directed", [(), ("--directed",)])
def test_round_trips_through_every_format(
    tool: Path, tmp_path: Path, kind: str, directed: tuple[str, ...]
) -> None:
    """The first conversion leaves out isolated last vertices that a .wel cannot hold."""
    first = tmp_path / "first.wel"
    run(tool, "make", kind, "--scale", "6", "--out", first, *directed)
    expected = facts(tool, "info", first)
    before = first
    for suffix in ("gr", "mtx", "wel", "txt", "wsg", "gr.gz", "mtx.gz", "wel.gz", "wsg.gz"):
        after = tmp_path / f"g.{suffix}"
        facts(tool, "convert", before, after)
        assert facts(tool, "info", after) == expected, suffix
        before = after
    assert expected["arcs"] > 0


def test_reals_survive_text_exactly(tool: Path, tmp_path: Path) -> None:
    first = tmp_path / "a.wel"
    facts(tool, "make", "complete", "--vertices", "50", "--weights", "reals", "--out", first)
    for suffix in ("mtx", "txt", "wel"):
        facts(tool, "convert", first, tmp_path / f"b.{suffix}")
        assert facts(tool, "info", tmp_path / f"b.{suffix}") == facts(tool, "info", first)


@pytest.mark.parametrize("suffix", ["gr", "wsg", "gr.gz"])
def test_whole_weights_are_not_made_of_reals(tool: Path, tmp_path: Path, suffix: str) -> None:
    done = run(tool, "convert", TINY / "reals.mtx", tmp_path / f"a.{suffix}")
    assert done.returncode == 2
    assert "holds only whole weights" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_a_format_cannot_hold_is_said(tool: Path, tmp_path: Path) -> None:
    graph = tmp_path / "g.gr"
    graph.write_text("p sp 9 1\na 1 2 3\n")
    done = run(tool, "convert", graph, tmp_path / "g.el")
    assert done.returncode == 0
    assert "holds no weights" in done.stderr
    assert "it has 2 of 9" in done.stderr
    assert run(tool, "convert", graph, tmp_path / "g.mtx").stderr == ""


def wsg(directed: int, arcs: int, offsets: list[int], pairs: list[int]) -> bytes:
    return struct.pack(f"<Bqq{len(offsets)}q{len(pairs)}i", directed, arcs, len(offsets) - 1,
                       *offsets, *pairs)  # fmt: skip


MTX = "%%MatrixMarket matrix coordinate "
MALFORMED: list[tuple[str, str | bytes, str]] = [
    ("gr", "", "the file is empty"),
    ("gr", "c only\n", ":1: there is no header `p sp"),
    ("gr", "a 1 2 3\n", ":1: an arc comes before the header"),
    ("gr", "p max 3 1\n", ":1: the header must be `p sp"),
    ("gr", "p sp 3\n", ":1: the number of arcs is missing"),
    ("gr", "p sp 3 0\np sp 3 0\n", ":2: this is a second header"),
    ("gr", "p sp -3 0\n", ":1: the number of vertices '-3' is too small"),
    ("gr", "p sp x 0\n", ":1: the number of vertices 'x' is not a whole number"),
    ("gr", "p sp 3 2\na 1 2 3\n", ":2: the file ends after 1 of the 2 arcs"),
    ("gr", "p sp 3 1\na 1 2 3\na 2 3 1\n", ":3: the header promises 1 arcs"),
    ("gr", "p sp 3 1\na 1 4 3\n", ":2: the end vertex 4 is beyond the header's 3"),
    ("gr", "p sp 3 1\na 0 1 3\n", ":2: the start vertex '0' is too small"),
    ("gr", "p sp 3 1\na 1 2 -3\n", ":2: the weight '-3' is negative"),
    ("gr", "p sp 3 1\na 1 2 nan\n", ":2: the weight 'nan' is not finite"),
    ("gr", "p sp 3 1\na 1 2 inf\n", ":2: the weight 'inf' is not finite"),
    ("gr", "p sp 3 1\na 1 2 1.5\n", ":2: the weight '1.5' is not a whole number"),
    ("gr", "p sp 3 1\na 1 2 1e999\n", ":2: the weight '1e999' is out of range"),
    ("gr", "p sp 3 1\na 1 2 3x\n", ":2: the weight '3x' is not a number"),
    ("gr", "p sp 3 1\na 1 2\n", ":2: the weight is missing"),
    ("gr", "p sp 3 1\na 1 2 3 4\n", ":2: unexpected '4' at the end"),
    ("gr", "p sp 3 1\na 1 2 3\nhello\n", "begins with `c`, `p` or `a`, not with 'hello'"),
    ("gr", "p sp 3 99999999999999999999\n", ":1: the number of arcs '99999999999999999999' is out"),
    ("gr", "p sp 3 3000000000\n", ":1: a graph has at most 2147483647 arcs"),
    ("gr", "p sp 3000000000 0\n", ":1: a graph has at most 2147483646 vert"),
    ("gr", "p sp 2000000000 1\na 1 2 3\n", "2000000000 vertices with only 1 arcs"),
    ("gr", b"\x7fELF\x00\x01\n", ":1: there is a zero byte"),
    ("gr", b"c \xff\xfe\nq\n", "begins with `c`, `p` or `a`, not with 'q'"),
    ("gr", b"x" * 300_000, ":1: this line is longer than 262144 bytes"),
    ("mtx", "", "the file is empty"),
    ("mtx", "3 3 1\n1 1 1\n", ":1: the file does not begin with %%MatrixMarket"),
    ("mtx", MTX + "complex general\n1 1 0\n", ":1: weights are real, integer or pattern"),
    ("mtx", MTX + "real hermitian\n1 1 0\n", ":1: a graph's matrix is general or symmetric"),
    ("mtx", MTX + "real skew-symmetric\n1 1 0\n", "not 'skew-symmetric'"),
    ("mtx", "%%MatrixMarket matrix array real general\n", ":1: a graph is a `matrix coordinate`"),
    ("mtx", MTX + "real general\n% and no more\n", ":2: the line `ROWS COLUMNS ENTRIES` is"),
    ("mtx", MTX + "real general\n2 3 1\n1 1 1\n", ":2: a graph's matrix must have as"),
    ("mtx", MTX + "real general\n2 2 2\n1 1 1\n", ":3: the file ends after 1 of the 2 entries"),
    ("mtx", MTX + "real general\n2 2 1\n1 1 1\n1 2 1\n", ":4: the header promises 1 entries"),
    ("mtx", MTX + "real general\n2 2 1\n1 3 1\n", ":3: the column 3 is beyond the matrix's last"),
    ("mtx", MTX + "real general\n2 2 1\n0 1 1\n", ":3: the row '0' is too small"),
    ("mtx", MTX + "real general\n2 2 1\n1 2 -0.5\n", ":3: the weight '-0.5' is negative"),
    ("mtx", MTX + "real general\n2 2 1\n1 2 NaN\n", ":3: the weight 'NaN' is not finite"),
    ("mtx", MTX + "integer general\n2 2 1\n1 2 0.5\n", ":3: the weight '0.5' is not a whole"),
    ("mtx", MTX + "pattern general\n2 2 1\n1 2 1\n", ":3: unexpected '1' at the end"),
    ("mtx", MTX + "real symmetric\n2 2 1\n1 2 1\n", ":3: a symmetric matrix lists its lower"),
    ("mtx", MTX + "real general\n2000000000 2000000000 1\n1 2 1\n", "2000000000 vertices with"),
    ("wel", "", "the file is empty"),
    ("wel", "# nothing\n", ":1: the file holds no edge"),
    ("wel", "1 2\n", ":1: the weight is missing"),
    ("wel", "1 2 3 4\n", ":1: unexpected '4' at the end"),
    ("wel", "-1 2 3\n", ":1: the start vertex '-1' is too small"),
    ("wel", "1 2 -1\n", ":1: the weight '-1' is negative"),
    ("wel", "0 4000000000 1\n", ":1: vertex 4000000000 exceeds"),
    ("wel", "0 2000000000 1\n", "2000000001 vertices with only 1 arcs"),
    ("wel", "0 1 1\n0 x 1\n", ":2: the end vertex 'x' is not a whole number"),
    ("el", "1 2 3\n", ":1: unexpected '3' at the end"),
    ("txt", "", "the file is empty"),
    ("txt", "# prose\n", ":1: the file holds no edge"),
    ("txt", "# Nodes: 3 Edges: 2\n0\t1\n", "the header promises 2 edges; the file has 1"),
    ("txt", "# Nodes: 2 Edges: 2\n0 1\n1 2\n", "the header promises 2 nodes; the file has 3"),
    ("txt", "# Nodes: 2000000000 Edges: 1\n0 1\n", "2000000000 vertices with only 1 arcs"),
    ("txt", "# Nodes: many\n0 1\n", ":1: the number of nodes 'many' is not a whole number"),
    ("txt", "0 1\n0 2 5\n", ":2: unexpected '5' at the end"),
    ("txt", "0 1 5\n0 2\n", ":2: the weight is missing"),
    ("wsg", b"", "it is empty"),
    ("wsg", b"\x02" + bytes(40), "neither 0 nor 1"),
    ("wsg", bytes(9), "it ends after byte 9, too early"),
    ("wsg", struct.pack("<Bqq", 0, -1, 1), "its number of arcs is impossible"),
    ("wsg", struct.pack("<Bqq", 0, 1, 2**40), "its number of vertices is impossible"),
    ("wsg", struct.pack("<Bqq", 0, 2**31 - 1, 2**31 - 2), "it ends after byte 17"),
    ("wsg", wsg(0, 2, [0, 2, 1], [1, 5, 0, 5]), "its offsets do not ascend"),
    ("wsg", wsg(0, 2, [0, 1, 2], [1, 5, 2, 5]), "an arc ends at vertex 2 of 2"),
    ("wsg", wsg(0, 2, [0, 1, 2], [1, 5, -1, 5]), "an arc ends at vertex -1"),
    ("wsg", wsg(0, 2, [0, 1, 2], [1, -5, 0, -5]), "the negative weight -5"),
    ("wsg", wsg(0, 2, [0, 1, 2], [1, 5, 0, 6]), "calls itself undirected"),
    ("wsg", wsg(1, 1, [0, 1, 1], [1, 5]), "it is truncated"),
    ("wsg", wsg(1, 1, [0, 1, 1], [1, 5]) + wsg(1, 1, [0, 1, 1], [1, 5])[17:],
     "the inverse graph at its end is that of another"),
    ("wsg", wsg(0, 2, [0, 1, 2], [1, 5, 0, 5]) + b"x", "there are more bytes after its end"),
    ("gr.gz", b"no gzip", "is not a valid gzip file"),
    ("gr.gz", gzip.compress(b"p sp 1 0\n", mtime=0)[:-6], "it is truncated"),
    ("gr.gz", gzip.compress(b"p sp 1 0\n", mtime=0) + b"tail", "is not a valid gzip file"),
    ("gr.gz", gzip.compress(b"p sp 1 1\n", mtime=0), ":1: the file ends after 0 of the 1"),
    ("gr.gz", b"", "it is truncated"),
]  # fmt: skip

SOUND: list[tuple[str, str | bytes, int]] = [
    ("gr", "p sp 3 1\r\na 1 2 3\r\n", 1),  # lines of Windows
    ("gr", "c x\n\np sp 3 1\na\t1  2 +3", 1),  # tabs, a blank line, no end of line
    ("gr", "p sp 3 0\n", 0),
    ("mtx", "%%MatrixMarket MATRIX Coordinate Real General\n\n%\n2 2 1\n1 2 1e-3\n\n", 1),
    ("mtx", MTX + "integer symmetric\n2 2 2\n1 1 1\n2 1 4\n", 3),
    ("mtx", MTX + "real general\n2 2 1\n1 2 -0.0\n", 1),
    ("wel", "# a comment\n0 1 0.5\n", 1),
    ("txt", "7 900000000000\n900000000000 7\n", 2),
    ("txt", "# Undirected graph: x\n# Nodes: 9 Edges: 1\n0 1\n", 2),
    ("wsg", wsg(0, 2, [0, 1, 2], [1, 5, 0, 5]), 2),
    ("wsg", wsg(1, 1, [0, 1, 1], [1, 5]) + wsg(1, 1, [0, 0, 1], [0, 5])[17:], 1),
    ("gr.gz", gzip.compress(b"p sp 2 1\n", mtime=0) + gzip.compress(b"a 1 2 3\n", mtime=0), 1),
]


def write(folder: Path, suffix: str, content: str | bytes) -> Path:
    path = folder / f"g.{suffix}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(("suffix", "content", "sentence"), MALFORMED)
def test_a_malformed_file_is_refused_with_its_reason(
    tool: Path, tmp_path: Path, suffix: str, content: str | bytes, sentence: str
) -> None:
    path = write(tmp_path, suffix, content)
    done = run(tool, "info", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert str(path) in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("suffix", "content", "arcs"), SOUND)
def test_a_sound_twin_is_read(
    tool: Path, tmp_path: Path, suffix: str, content: str | bytes, arcs: int
) -> None:
    assert facts(tool, "info", write(tmp_path, suffix, content))["arcs"] == arcs


@pytest.mark.parametrize("content", ["p sp 2000000000 2000000000\na 1 2 3\n",
                                     "p sp 2000000000 1\na 1 2 3\n"])  # fmt: skip
def test_a_header_that_lies_takes_no_memory(tool: Path, tmp_path: Path, content: str) -> None:
    def little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (64 << 20, 64 << 20))

    done = run(tool, "info", write(tmp_path, "gr", content), preexec_fn=little_memory)
    assert done.returncode == 2, done.stderr


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_shorter_file_is_refused_or_another_graph(
    tool: Path, tmp_path: Path, suffix: str
) -> None:
    """Cut anywhere, a file never passes for the whole one."""
    whole = (TINY / f"diamond.{suffix}").read_bytes()
    expected = facts(tool, "info", TINY / f"diamond.{suffix}")["checksum"]
    for length in range(0, len(whole) - 1, 7):  # without its last byte, a line's end, it is whole
        done = run(tool, "info", write(tmp_path, suffix, whole[:length]))
        assert done.returncode == 2 or expected not in done.stdout


def test_the_regressions_of_the_fuzzer(tool: Path) -> None:
    """Inputs that once were hard: each is read or refused, and nothing else."""
    files = sorted(REGRESSIONS.iterdir())
    assert files
    for path in files:
        done = run(tool, "info", path)
        assert done.returncode in (0, 2), (path.name, done.stderr)


@pytest.mark.parametrize("suffix", [*FORMATS, "gr.gz"])
def test_a_full_disk_leaves_nothing_behind(tool: Path, tmp_path: Path, suffix: str) -> None:
    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    def make(force: tuple[str, ...] = (), **options: Any) -> "subprocess.CompletedProcess[str]":
        return run(tool, "make", "rmat", "--scale", "10", "--out", out, *force, **options)

    out = tmp_path / f"g.{suffix}"
    done = make(preexec_fn=small_disk)
    assert done.returncode == 3
    assert "cannot write" in done.stderr and "Nothing was left behind" in done.stderr
    assert list(tmp_path.iterdir()) == []
    assert make().returncode == 0  # the twin: with room it works
    before = out.read_bytes()
    assert make(("--force", "--seed", "2"), preexec_fn=small_disk).returncode == 3
    assert out.read_bytes() == before
    assert list(tmp_path.iterdir()) == [out]


def test_nothing_is_overwritten_without_force(tool: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.gr"
    out.write_text("mine")
    done = run(tool, "convert", TINY / "loops.gr", out)
    assert done.returncode == 2 and "--force" in done.stderr
    assert out.read_text() == "mine"
    assert run(tool, "convert", TINY / "loops.gr", out, "--force").returncode == 0
    assert out.read_text() != "mine"


@pytest.mark.parametrize(("out", "sentence"), [
    ("nowhere/g.gr", "does not exist"),
    ("g.xyz", "unknown suffix; use .gr"),
    ("/dev/null.gr/g.gr", "does not exist"),
])  # fmt: skip
def test_a_place_that_cannot_be_written(
    tool: Path, tmp_path: Path, out: str, sentence: str
) -> None:
    done = run(tool, "convert", TINY / "loops.gr", tmp_path / out, cwd=tmp_path)
    assert done.returncode == 2 and sentence in done.stderr


def arcs_of(tool: Path, path: Path, folder: Path) -> list[tuple[int, int, float]]:
    """The arcs in our simplest format, which these tests read themselves."""
    facts(tool, "convert", path, folder / "plain.wel", "--force")
    rows = (line.split() for line in (folder / "plain.wel").read_text().splitlines())
    return sorted((int(a), int(b), float(w)) for a, b, w in rows)


@pytest.mark.parametrize("flags", [(), ("--directed",), ("--weights", "reals"), ("--simple",)])
def test_scipy_reads_our_matrices_and_we_read_those_of_scipy(
    tool: Path, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    scipy_io = pytest.importorskip("scipy.io", reason="scipy is not installed")
    graph = tmp_path / "g.mtx"
    facts(tool, "make", "uniform", "--vertices", "100", "--out", graph, *flags)
    ours = arcs_of(tool, graph, tmp_path)
    matrix = scipy_io.mmread(graph).tocoo()
    read = zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True)
    assert sorted(read) == ours
    scipy_io.mmwrite(tmp_path / "theirs.mtx", matrix)
    assert arcs_of(tool, tmp_path / "theirs.mtx", tmp_path) == ours


def test_networkx_reads_our_edge_lists(tool: Path, tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    made: Callable[..., Any] = networkx.read_weighted_edgelist
    path = tmp_path / "g.txt"
    facts(tool, "make", "road", "--vertices", "400", "--out", path)
    graph = made(path, comments="#", nodetype=int)
    graph.add_nodes_from(range(400))
    info = facts(tool, "info", path)
    assert info["arcs"] == 2 * graph.number_of_edges()
    assert info["components"] == networkx.number_connected_components(graph)
    assert info["weight_max"] == max(weight for *_, weight in graph.edges.data("weight"))


def test_gzip_reads_what_we_compress(tool: Path, tmp_path: Path) -> None:
    facts(tool, "convert", TINY / "loops.gr", tmp_path / "a.gr")
    facts(tool, "convert", TINY / "loops.gr", tmp_path / "a.gr.gz")
    assert gzip.decompress((tmp_path / "a.gr.gz").read_bytes()) == (tmp_path / "a.gr").read_bytes()


@pytest.mark.exhaustive("datasets")
def test_an_interrupt_leaves_no_half_file(tool: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.gr"
    command = [tool, "make", "rmat", "--scale", "18", "--out", out]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        while child.poll() is None and not list(tmp_path.iterdir()):
            pass  # until it writes
        child.terminate()
    assert child.returncode != 0
    assert list(tmp_path.iterdir()) == []


def test_names_with_blanks_and_letters_of_any_language(tool: Path, tmp_path: Path) -> None:
    path = tmp_path / "größer als 1.gr"
    shutil.copy(TINY / "loops.gr", path)
    assert facts(tool, "info", path)["arcs"] == 10


def test_the_catalogue_is_complete_and_what_is_here_is_as_it_says(tool: Path) -> None:
    catalogue = tomllib.loads((HERE.root / "datasets" / "catalogue.toml").read_text())
    for name, entry in catalogue["packaged"].items():
        assert {"what", "source", "licence", "package", "version", "sha256"} <= entry.keys(), name
        obtained = HERE.root / "datasets" / "cache" / f"{name}.gr"
        if obtained.is_file():
            info = facts(tool, "info", obtained)
            assert all(info[key] == entry[key] for key in ("vertices", "arcs", "checksum")), name
    for name, entry in catalogue["download"].items():
        assert {"what", "source", "licence", "format", "vertices", "arcs"} <= entry.keys(), name


@pytest.mark.parametrize(("names", "code"), [((), 2), (("atlantis",), 2)])
def test_obtain_knows_only_the_catalogue(names: tuple[str, ...], code: int) -> None:
    script = HERE.root / "datasets" / "obtain.py"
    done = subprocess.run([sys.executable, script, *names], capture_output=True, text=True)
    assert done.returncode == code and "nauru, coquimbo" in done.stderr
