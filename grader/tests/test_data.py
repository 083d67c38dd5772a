"""`./lab data` as its users meet it: sentences, JSON, exit codes."""

import json
import os
import stat
import struct
import time
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.commands.data import GRAPHS

pytestmark = pytest.mark.reads("datasets")

HERE = Checkout.here()
TINY = HERE.root / "datasets" / "tiny"
KEY_SHAPES = ("uniform", "shuffled", "sorted", "reversed", "nearly-sorted", "all-equal",
              "few-keys", "zipf", "organ-pipe", "runs", "stretches", "two-keys", "not-negative",
              "extremes", "nan")  # fmt: skip
OTHER_SHAPE = pytest.mark.exhaustive("datasets", "grader/commands/data.py")
Captured = pytest.CaptureFixture[str]


def data(capsys: Captured, *words: str | Path) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["data", *map(str, words)], HERE)
    said = capsys.readouterr()
    return code, said.out, said.err


def facts(capsys: Captured, *words: str | Path) -> dict[str, Any]:
    code, out, said = data(capsys, *words, "--json")
    assert code == 0, said
    document: dict[str, Any] = json.loads(out)
    return document


def test_info_of_a_graph_in_words(capsys: Captured) -> None:
    code, out, _ = data(capsys, "info", TINY / "loops.gr")
    assert code == 0
    assert out == (
        f"{TINY / 'loops.gr'}: 3 vertices, 10 arcs, undirected\n"
        "  degree      from 2 to 5, mean 3.333\n"
        "  weights     whole numbers from 0 to 6\n"
        "  components  1, 0 of them a single vertex\n"
        "  self-loops  2\n"
        "  parallel    4 arcs beyond the first between two vertices\n"
        "  checksum    06bcc35d34b9d4c5\n"
    )


def test_info_says_directed_made_up_and_none(capsys: Captured) -> None:
    assert "4 vertices, 5 arcs, directed" in data(capsys, "info", TINY / "one-way.gr")[1]
    assert "generated, because the file has none" in data(capsys, "info", TINY / "diamond.el")[1]
    assert "weights     none" in data(capsys, "info", TINY / "one-vertex.gr")[1]


def test_undirected_adds_the_opposites(capsys: Captured) -> None:
    info = facts(capsys, "info", TINY / "one-way.wel", "--undirected")
    assert (info["arcs"], info["undirected"]) == (10, True)


@pytest.mark.parametrize("kind", [
    *GRAPHS[:2], *(pytest.param(kind, marks=OTHER_SHAPE) for kind in GRAPHS[2:])
])  # fmt: skip
def test_every_kind_of_graph_is_made(capsys: Captured, tmp_path: Path, kind: str) -> None:
    out = tmp_path / "g.gr"
    made = facts(capsys, "make", kind, "--scale", "5", "--out", out)
    assert made == {"file": str(out), "vertices": 32, "arcs": made["arcs"]}
    info = facts(capsys, "info", out)
    assert (info["vertices"], info["arcs"], info["undirected"]) == (32, made["arcs"], True)
    assert (made["arcs"] > 0) == (kind != "no-edges")


def test_the_same_words_make_the_same_bytes(capsys: Captured, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        data(capsys, "make", "rmat", "--scale", "6", "--seed", str(seed), "--out",
             tmp_path / f"{name}.wsg")  # fmt: skip
    first, same, other = ((tmp_path / f"{name}.wsg").read_bytes() for name in "abc")
    assert first == same != other
    assert facts(capsys, "info", tmp_path / "a.wsg")["checksum"] == "0ea3a95744759178"


@pytest.mark.parametrize("shape", [
    *KEY_SHAPES[:2], *(pytest.param(shape, marks=OTHER_SHAPE) for shape in KEY_SHAPES[2:])
])  # fmt: skip
def test_every_shape_of_keys_is_made(capsys: Captured, tmp_path: Path, shape: str) -> None:
    described = []
    for suffix in ("f32", "npy"):
        out = tmp_path / f"k.{suffix}"
        words = ("make", "keys", "--shape", shape, "--count", "1000", "--out", out)
        assert facts(capsys, *words)["keys"] == 1000
        info = facts(capsys, "info", out)
        assert info.pop("file") == str(out)
        described.append(info)
    assert described[0] == described[1]
    assert described[0]["ascending"] == (shape in ("sorted", "all-equal"))
    assert described[0]["descending"] == (shape in ("reversed", "all-equal"))
    assert (described[0]["nan"] > 0) == (shape == "nan")
    assert (described[0]["distinct"] == 1000) == (
        shape in ("shuffled", "sorted", "reversed", "nearly-sorted", "runs", "uniform")
    )
    assert data(capsys, "info", out)[1].startswith(f"{out}: 1000 keys")


def test_numpy_reads_our_keys(capsys: Captured, tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    for suffix in ("f32", "npy", "txt"):
        data(capsys, "make", "keys", "--count", "777", "--out", tmp_path / f"k.{suffix}")
    keys = numpy.load(tmp_path / "k.npy")
    assert keys.dtype == numpy.float32 and keys.shape == (777,)
    assert (numpy.fromfile(tmp_path / "k.f32", "<f4") == keys).all()
    assert (numpy.loadtxt(tmp_path / "k.txt", dtype="f4") == keys).all()


@pytest.mark.parametrize(("content", "name"), [(b"12345", "k.f32"), (b"no array", "k.npy")])
def test_broken_key_files(capsys: Captured, tmp_path: Path, content: bytes, name: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert data(capsys, "info", tmp_path / name)[0] == 2


@pytest.mark.parametrize(("words", "sentence"), [
    (("make", "rmat", "--out", "g.gr"), "give either --scale S or --vertices N"),
    (("make", "rmat", "--scale", "3", "--vertices", "8", "--out", "g.gr"), "give either"),
    (("make", "rmat", "--scale", "3"), "--out is missing"),
    (("make", "rmat", "--scale", "31", "--out", "g.gr"), "--scale 31 is not a number from 0 to 30"),
    (("make", "rmat", "--scale", "x", "--out", "g.gr"), "--scale x is not a number"),
    (("make", "rmat", "--vertices", "7", "--out", "g.gr"), "power of two"),
    (("make", "rmat", "--scale", "30", "--out", "g.gr"), "more than 2147483647 arcs"),
    (("make", "rmat", "--scale", "3", "--a", "0.9", "--out", "g.gr"), "a, b and c"),
    (("make", "rmat", "--scale", "3", "--a", "nan", "--out", "g.gr"), "--a nan is not a number"),
    (("make", "rmat", "--scale", "3", "--weights", "heavy", "--out", "g.gr"), "choose from unit"),
    (("make", "uniform", "--scale", "3", "--weights", "lengths", "--out", "g.gr"), "has lengths"),
    (("make", "tree", "--scale", "3", "--out", "g.gr"), "kind tree is unknown; choose from rmat"),
    (("make", "chain", "--scale", "3", "--degree", "4", "--out", "g.gr"), "--degree is not an"),
    (("make", "keys", "--out", "k.f32"), "--count is missing"),
    (("make", "keys", "--count", "9", "--out", "k.wav"), "unknown suffix; for keys use"),
    (("make", "keys", "--count", "9", "--shape", "odd", "--out", "k.f32"), "choose from uniform"),
    (("info", "nowhere.gr"), "no such file"),
    (("info", str(TINY.parent / "README.md")), "unknown suffix; use .gr"),
    (("info", "nowhere.xyz"), "nowhere.xyz: no such file; check the path."),
    (("convert", "nowhere.gr", "g.mtx"), "no such file"),
    (("convert", str(TINY / "diamond.el"), "g.mtx", "--weights", "lengths"), "a file has none"),
    (("convert", str(TINY / "loops.wsg"), "g.mtx", "--undirected"), "says whether it is"),
])  # fmt: skip
def test_what_cannot_be_done_is_said(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...],
    sentence: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    code, out, said = data(capsys, *words)
    assert (code, out) == (2, "")
    assert said.startswith("lab: ") and sentence in said and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [(), ("make",), ("info",), ("convert", "a.gr"), ("burn",)])
def test_half_a_command_is_a_usage_error(capsys: Captured, words: tuple[str, ...]) -> None:
    assert data(capsys, *words)[0] == 2


def sparse(path: Path, head: bytes) -> Path:
    path.write_bytes(head)
    os.truncate(path, 1 << 40)
    return path


@pytest.mark.parametrize("name", ["g.gr", "g.wsg", "g.mtx.gz", "keys.f32", "keys.npy"])
def test_a_pipe_or_a_device_is_not_waited_for(capsys: Captured, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    code, out, said = data(capsys, "info", tmp_path / name)
    assert (code, out) == (2, "") and "pipe" in said
    (tmp_path / f"link-{name}").symlink_to("/dev/zero")
    assert data(capsys, "info", tmp_path / f"link-{name}")[0] == 2
    code, _, said = data(capsys, "convert", TINY / "loops.gr", tmp_path / name, "--force")
    assert code == 2 and len(said.splitlines()) == 1
    assert stat.S_ISFIFO((tmp_path / name).stat().st_mode)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("g.wsg", b"\1" + struct.pack("<qq", (1 << 40) // 17, 1 << 20)),
        ("g.wsg", b"\0" + struct.pack("<qq", 0, 1 << 31)),
        ("keys.f32", b""),
        ("keys.npy", b"\x93NUMPY\x01\x00"),
        ("g.gr", b"p sp 2147483647 2147483647\n"),
        ("g.mtx", b"%%MatrixMarket matrix coordinate pattern general\n"),
        ("g.gr.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\3"),
    ],
)
def test_a_sparse_file_of_a_tebibyte_ends_in_a_sentence(
    capsys: Captured, tmp_path: Path, name: str, head: bytes
) -> None:
    started = time.monotonic()
    code, out, said = data(capsys, "info", sparse(tmp_path / name, head))
    sentences = [line for line in said.splitlines() if not line.startswith("building ")]
    assert (code, out, len(sentences)) == (2, "", 1)
    assert time.monotonic() - started < 60
