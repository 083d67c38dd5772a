"""Whatever is handed in: graded, or refused with its code; the next one is graded in any case."""

import bz2
import hashlib
import io
import json
import lzma
import os
import shutil
import socket
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import Refusal
from grader.commands.cli import main
from grader.intake.container import Archive
from grader.intake.submission import name_of, take_in
from grader.lab_file.manifest import Lab
from grader.tests.fakes import LAB, plan

pytestmark = pytest.mark.reads()
SOURCE = b"int main() {}\n"
Captured = pytest.CaptureFixture[str]
Make = Callable[[Path], Path]


def zipped(path: Path, files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def corrupted(path: Path, method: int) -> Path:
    """A zip whose packed bytes were changed; its headers are as they were."""
    zipped(path, {"demo.cu": SOURCE * 100}, method)
    data = bytearray(path.read_bytes())
    begin = 30 + len("demo.cu")
    for at in range(begin + 12, begin + 30):
        data[at] ^= 0x5A
    path.write_bytes(data)
    return path


def greedy_lzma(path: Path) -> Path:
    """LZMA data that ask the decoder for 4 GiB."""
    zipped(path, {"demo.cu": SOURCE * 100}, zipfile.ZIP_LZMA)
    data = bytearray(path.read_bytes())
    at = 30 + len("demo.cu") + 5
    data[at : at + 4] = struct.pack("<I", 0xFFFFFFFF)
    path.write_bytes(data)
    return path


def bomb(path: Path, method: int) -> Path:
    """Few packed bytes that are 64 MiB, and a header that says 500."""
    zipped(path, {"demo.cu": b" " * (64 << 20)}, method)
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 500)
    path.write_bytes(data)
    return path


def flagged(path: Path, flag: int, name: bytes | None = None) -> Path:
    """A zip with this flag set in its entry's headers, and with another name of equal length."""
    zipped(path, {"demo.cu": SOURCE})
    data = bytearray(path.read_bytes())
    head = data.index(b"PK\x01\x02")
    for at in (6, head + 8):
        data[at : at + 2] = struct.pack("<H", struct.unpack_from("<H", data, at)[0] | flag)
    text = bytes(data)
    path.write_bytes(text.replace(b"demo.cu", name) if name else text)
    return path


def twice(path: Path) -> Path:
    return zipped(path, {"a/demo.cu": SOURCE, "./a//demo.cu": SOURCE})


def written(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def in_folder(make: Callable[[Path], Any]) -> Make:
    def made(path: Path) -> Path:
        folder = path / "hand-in"
        folder.mkdir()
        make(folder / "demo.cu")
        return folder

    return made


def sparse(path: Path) -> Path:
    path.touch()
    os.truncate(path, 1 << 40)
    return path


def bind(path: Path) -> Path:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)
    return path


def done(path: Path, make: Callable[[Path], Any]) -> Path:
    make(path)
    return path


INNER = io.BytesIO()
with zipfile.ZipFile(INNER, "w") as _archive:
    _archive.writestr("x/demo.cu", SOURCE)


def nested(folder: Path, deep: int) -> Path:
    """So many zips, each but the last around the next."""
    content = INNER.getvalue()
    for _ in range(deep - 1):
        content = zipped(folder / "s.zip", {"a/t.zip": content}).read_bytes()
    return folder / "s.zip"


REFUSED: dict[str, tuple[str, Make]] = {
    "pipe": ("not-a-file", lambda p: done(p / "demo.cu", os.mkfifo)),
    "socket": ("not-a-file", lambda p: bind(p / "demo.cu")),
    "link to a device": ("not-a-file", lambda p: done(p / "demo.cu",
                                                      lambda q: q.symlink_to("/dev/zero"))),
    "link to itself": ("link", lambda p: done(p / "demo.cu", lambda q: q.symlink_to(q))),
    "pipe in a folder": ("not-a-file", in_folder(os.mkfifo)),
    "link in a folder": ("link", in_folder(lambda q: q.symlink_to("/etc/hostname"))),
    "loop in a folder": ("link", in_folder(lambda q: q.symlink_to(q))),
    "folder of that name": ("not-a-file", in_folder(lambda q: (q.mkdir(), written(q / "x", b"")))),
    "empty folder": ("empty", lambda p: done(p / "hand-in", Path.mkdir)),
    "folder of folders": ("empty", lambda p: done(p / "hand-in", lambda q: (q / "a").mkdir(
        parents=True))),
    "empty zip": ("empty", lambda p: zipped(p / "s.zip", {})),
    "nothing": ("nothing-to-grade",
                      lambda p: zipped(p / "s.zip", {"x.cu": SOURCE, "y.cu": SOURCE})),
    "corrupt stored": ("zip-damaged", lambda p: corrupted(p / "s.zip", zipfile.ZIP_STORED)),
    "corrupt deflate": ("zip-damaged", lambda p: corrupted(p / "s.zip", zipfile.ZIP_DEFLATED)),
    "corrupt bzip2": ("zip-damaged", lambda p: corrupted(p / "s.zip", zipfile.ZIP_BZIP2)),
    "corrupt lzma": ("zip-damaged", lambda p: corrupted(p / "s.zip", zipfile.ZIP_LZMA)),
    "bzip2 bomb": ("zip-damaged", lambda p: bomb(p / "s.zip", zipfile.ZIP_BZIP2)),
    "lzma bomb": ("zip-damaged", lambda p: bomb(p / "s.zip", zipfile.ZIP_LZMA)),
    "greedy lzma": ("zip-damaged", lambda p: greedy_lzma(p / "s.zip")),
    "cut off": ("zip-damaged", lambda p: written(p / "s.zip", INNER.getvalue()[:-9])),
    "RAR": ("not-a-zip", lambda p: written(p / "s.zip", b"Rar!\x1a\x07\x01\x00 and more")),
    "7-Zip": ("not-a-zip", lambda p: written(p / "s.zip", b"7z\xbc\xaf\x27\x1c\x00\x04")),
    "gzip": ("not-a-zip", lambda p: written(p / "s.zip", b"\x1f\x8b\x08\x00")),
    "web page": ("not-a-zip", lambda p: written(p / "s.zip", b"\n<!DOCTYPE html><html>")),
    "RAR inside": ("not-a-zip", lambda p: zipped(p / "s.zip", {"a.zip": b"Rar!\x1a\x07\x00"})),
    "only a RAR": ("nothing-to-grade", lambda p: zipped(p / "s.zip", {"a.rar": b"Rar!\x1a\x07"})),
    "encrypted": ("zip-encrypted", lambda p: flagged(p / "s.zip", 0x1)),
    "strongly encrypted": ("zip-encrypted", lambda p: flagged(p / "s.zip", 0x41)),
    "patched": ("zip-method", lambda p: flagged(p / "s.zip", 0x20)),
    "name that is not UTF-8": ("zip-names", lambda p: flagged(p / "s.zip", 0x800,
                                                              b"d\xff\xfe\x80.cu")),
    "absolute": ("zip-outside", lambda p: zipped(p / "s.zip", {"/etc/demo.cu": SOURCE})),
    "way up": ("zip-outside", lambda p: zipped(p / "s.zip", {"a/../../demo.cu": SOURCE})),
    "two of one name": ("ambiguous", lambda p: twice(p / "s.zip")),
    "two copies": ("ambiguous", lambda p: zipped(p / "s.zip", {"demo (1).cu": SOURCE,
                                                              "demo (2).cu": SOURCE})),
    "two zips": ("zip-nested", lambda p: zipped(p / "s.zip", {"a.zip": b"", "b.zip": b""})),
    "zips too deep": ("nothing-to-grade", lambda p: nested(p, 5)),
    "UTF-16": ("not-utf-8", lambda p: written(p / "demo.cu", SOURCE.decode().encode("utf-16"))),
    "UTF-16 without a mark": ("nul-byte", lambda p: written(p / "demo.cu",
                                                            SOURCE.decode().encode("utf-16-le"))),
    "only a mark": ("empty", lambda p: written(p / "demo.cu", b"\xef\xbb\xbf\n")),
    "huge": ("too-large", lambda p: sparse(p / "demo.cu")),
    "huge zip": ("too-large", lambda p: sparse(p / "s.zip")),
}  # fmt: skip

FORGIVEN: dict[str, tuple[str, Make]] = {
    "wrong case": ("was named Demo.CU", lambda p: written(p / "Demo.CU", SOURCE)),
    "copy": (r"was named demo (1).cu", lambda p: written(p / "demo (1).cu", SOURCE)),
    "copy in a zip": ("was named a/demo(2).cu", lambda p: zipped(p / "s.ZIP",
                                                                 {"a/demo(2).cu": SOURCE})),
    "zip in a zip": ("a zip inside: a/t.zip", lambda p: zipped(p / "s.zip",
                                                             {"a/t.zip": INNER.getvalue()})),
    "zips in zips in a zip": ("a zip inside: a/t.zip", lambda p: nested(p, 4)),
    "zip in a folder": ("a zip inside: t.zip", lambda p: written(p / "hand-in" / "t.zip",
                                                               INNER.getvalue()).parent),
    "mark": ("byte order mark", lambda p: written(p / "demo.cu", b"\xef\xbb\xbf" + SOURCE)),
    "CRLF": ("", lambda p: written(p / "demo.cu", SOURCE.replace(b"\n", b"\r\n"))),
    "backslashes": ("", lambda p: zipped(p / "s.zip", {"a\\demo.cu": SOURCE})),
    "the original beside a copy": (
        "demo.cu was taken; beside it demo (1).cu was left out",
        lambda p: zipped(p / "s.zip", {"demo.cu": SOURCE, "demo (1).cu": b"old"})),
    "the original beside many copies": (
        "beside it a/demo-1.cu, a/demo-2.cu, a/demo-3.cu and 1 more was left out",
        lambda p: zipped(p / "s.zip", {"a/demo.cu": SOURCE,
                                       **{f"a/demo-{n}.cu": b"old" for n in (1, 2, 3, 4)}})),
    "others beside the original": ("", lambda p: zipped(p / "s.zip", {
        "demo.cu": SOURCE, "demo.cu.bak": b"old", "notes.txt": b"", "old/demo.cu": b"old"})),
    "bzip2": ("", lambda p: zipped(p / "s.zip", {"demo.cu": SOURCE}, zipfile.ZIP_BZIP2)),
    "lzma": ("", lambda p: zipped(p / "s.zip", {"demo.cu": SOURCE}, zipfile.ZIP_LZMA)),
    "stored": ("", lambda p: zipped(p / "s.zip", {"demo.cu": SOURCE}, zipfile.ZIP_STORED)),
}  # fmt: skip


@pytest.mark.parametrize("form", REFUSED)
def test_it_is_refused_with_its_code(tmp_path: Path, lab: Lab, form: str) -> None:
    code, make = REFUSED[form]
    taken = take_in(make(tmp_path), [lab])
    assert not taken.submissions and [refusal.code for refusal in taken.refused] == [code]
    assert len(str(taken.refused[0]).splitlines()) == 1


def test_lzma_data_are_refused_before_the_decoder_takes_memory(tmp_path: Path, lab: Lab) -> None:
    [refusal] = take_in(greedy_lzma(tmp_path / "s.zip"), [lab]).refused
    assert "Memory usage limit exceeded" in str(refusal)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_no_more_is_unpacked_than_the_header_says(tmp_path: Path, method: int) -> None:
    """Python's zip module unpacks 4 KiB at once: those of a bomb are gibibytes in memory."""
    archive = Archive(bomb(tmp_path / "s.zip", method).read_bytes(), "s.zip")
    tracemalloc.start()
    with pytest.raises(Refusal, match="CRC"):
        archive.read(PurePosixPath("demo.cu"), 1 << 20)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 16 << 20  # LZMA's dictionary is 8 MiB


@pytest.mark.parametrize("form", FORGIVEN)
def test_it_is_taken_and_a_note_says_what_was_forgiven(
    tmp_path: Path, lab: Lab, form: str
) -> None:
    said, make = FORGIVEN[form]
    taken = take_in(make(tmp_path), [lab])
    assert not taken.refused
    [submission] = taken.submissions
    assert submission.source.replace(b"\r", b"") == SOURCE
    assert said in "; ".join(submission.notes) and bool(said) == bool(submission.notes)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_long_source_is_unpacked_to_its_end(tmp_path: Path, lab: Lab, method: int) -> None:
    """A decoder gives back what one read of the archive yields, unless it is asked for all."""
    lines = (f"// {hashlib.sha256(bytes([i % 256, i // 256])).hexdigest()}\n" for i in range(2000))
    source = SOURCE + "".join(lines).encode()
    taken = take_in(zipped(tmp_path / "s.zip", {"demo.cu": source}, method), [lab])
    assert [one.source for one in taken.submissions] == [source] and not taken.refused


@pytest.mark.parametrize(("files", "is_taken"), [
    ({"work/solution.cu": SOURCE, "notes.txt": b"", ".x.cu": b""}, True),
    ({"solution.cu": SOURCE, "other.cu": SOURCE}, False),
    ({"solution.cu": SOURCE, "more.rar": b"Rar!"}, False),
    ({"solution.cpp": SOURCE}, False),
    ({"other_lab.cu": SOURCE}, False),
])  # fmt: skip
def test_the_only_source_is_a_known_labs(
    tmp_path: Path, lab: Lab, files: dict[str, bytes], is_taken: bool
) -> None:
    other = replace(lab, name="02-other", source="other_lab.cu")
    path = zipped(tmp_path / "s.zip", files)
    taken = take_in(path, [lab, other], lab)
    if is_taken:
        [submission] = taken.submissions
        note = f"the file was named work/solution.cu; it was taken as {lab.source}"
        assert submission.lab == lab and submission.notes == (note,)
    else:
        [refusal] = taken.refused
        is_others = "other_lab.cu" in files
        assert refusal.code == "nothing-to-grade"
        assert ("other_lab.cu has the name of 02-other's file." in str(refusal)) == is_others
    assert [one.lab for one in take_in(path, [lab, other]).submissions] == [
        other for name in files if name == "other_lab.cu"
    ]


@pytest.mark.parametrize(("text", "is_others"), [
    (b'#include "other.hpp"\nint a;\n', True),
    (b'\t# include  "../02-other/other.hpp"  // mine\n', True),
    (b'#include "other.hpp"\n#include "demo.hpp"\n', False),  # it has both
    (b'#include <other.hpp>\n', False),
    (b'// #include "other.hpp"\n', False),
    (b'#include "another.hpp"\n', False),
])  # fmt: skip
def test_a_file_that_includes_another_labs_contract_gets_a_note(
    tmp_path: Path, lab: Lab, text: bytes, is_others: bool
) -> None:
    other = replace(lab, name="02-other", source="other_lab.cu", contract="other.hpp")
    assert lab.contract == "demo.hpp"
    (tmp_path / "work").mkdir()
    for name in (lab.source, "solution.cu"):
        (tmp_path / "work" / name).write_bytes(text)
        [submission] = take_in(tmp_path / "work", [lab, other], lab).submissions
        note = ("the file includes other.hpp and not demo.hpp: it looks like the file of 02-other",)
        assert submission.notes[-1:] == note if is_others else note[0] not in submission.notes
        (tmp_path / "work" / name).unlink()


def test_the_decoders_are_there() -> None:
    """Otherwise the damaged zips above would be refused for another reason."""
    assert all((zlib, bz2, lzma))


@pytest.mark.parametrize(
    ("given", "name"),
    [("ann.zip", "ann"), ("...cu", "submission"), (".cu", "submission"), ("....zip", "submission"),
     ("..", ""), (".hidden.zip", "_.hidden"), ("check.cu", "_check"), ("a\nb.cu", "a\\nb"),
     ("\x1b[2J.cu", "\\x1b[2J"), ("\udcff.cu", "\\xff"), ("ö漢😀.cu", "ö漢😀"), ("A.ZIP", "A")],
)  # fmt: skip
def test_a_name_is_always_the_name_of_a_folder(tmp_path: Path, given: str, name: str) -> None:
    made = name_of(tmp_path / given)
    assert made == (name or tmp_path.parent.name)
    assert "/" not in made and made.strip(". ")
    assert len(name_of(tmp_path / ("漢" * 80 + ".cu")).encode()) <= 200


def run(checkout: Checkout, capsys: Captured, *words: str | Path) -> tuple[int, Any]:
    capsys.readouterr()
    code = main(["grade", *map(str, words), "--lab", LAB, "--backend", "cpu", "--json"], checkout)
    return code, json.loads(capsys.readouterr().out)


def test_a_row_of_hostile_inputs_and_the_last_is_graded(
    checkout: Checkout, tmp_path: Path, capsys: Captured
) -> None:
    paths = []
    for number, (code, make) in enumerate(REFUSED.values()):
        (tmp_path / str(number)).mkdir()
        made = make(tmp_path / str(number))
        target = made.with_name(f"{number}{made.suffix}")
        if code != "link":  # these point to themselves
            made.rename(target)
            paths.append((code, target))
    good = written(tmp_path / "good.cu", SOURCE)
    code, document = run(checkout, capsys, *(path for _, path in paths), good)
    assert code == 4
    assert [row["code"] for row in document["refused"]] == [code for code, _ in paths]
    assert [row["path"] for row in document["refused"]] == [str(path) for _, path in paths]
    assert [result["verdict"] for result in document["results"]] == ["passed"]


def test_a_submission_named_dots_stays_below_out(
    checkout: Checkout, tmp_path: Path, capsys: Captured
) -> None:
    dots = written(tmp_path / "in" / "...cu", SOURCE)
    ann = written(tmp_path / "in" / "ann.cu", SOURCE)
    out = tmp_path / "deep" / "out"
    code, _ = run(checkout, capsys, dots, ann, "--out", out)
    assert code == 0
    assert {path.parent for path in (tmp_path / "deep").rglob("result.json")} == {
        out / "submission" / LAB,
        out / "ann" / LAB,
    }
    assert list((tmp_path / "deep").iterdir()) == [out]


def test_two_inputs_of_one_name_are_refused_before_anything_is_written(
    checkout: Checkout, tmp_path: Path, capsys: Captured
) -> None:
    one, other = written(tmp_path / "a" / "ann.cu", SOURCE), written(tmp_path / "b/ann.cu", SOURCE)
    bob = written(tmp_path / "a" / "bob.cu", SOURCE)
    out = tmp_path / "out"
    code, document = run(checkout, capsys, one, bob, other, "--out", out)
    assert code == 4 and [row["code"] for row in document["refused"]] == ["name-twice"] * 2
    assert [path.name for path in out.iterdir()] == ["bob"]
    shutil.rmtree(out)
    assert run(checkout, capsys, one, other, "--out", out)[0] == 4 and not out.exists()
    assert run(checkout, capsys, one, bob, "--out", out)[0] == 0


def test_one_input_that_is_refused_is_told_apart_from_a_slip(
    checkout: Checkout, tmp_path: Path, capsys: Captured
) -> None:
    code, document = run(checkout, capsys, written(tmp_path / "demo.cu", b""))
    assert code == 4 and document["refused"][0]["code"] == "empty"
    assert main(["grade", str(tmp_path / "nowhere"), "--backend", "cpu"], checkout) == 2


def test_a_submission_that_breaks_the_kit_does_not_stop_the_next(
    checkout: Checkout, tmp_path: Path, capsys: Captured
) -> None:
    deep = '{"verdict": "passed", "launched": ' + "[" * 5000 + "]" * 5000 + "}"
    broken = written(tmp_path / "a.cu", plan("global", "any", json.dumps({"text": deep})).encode())
    good = written(tmp_path / "b.cu", SOURCE)
    code, document = run(checkout, capsys, broken, good)
    assert code == 3
    assert [r["verdict"] for r in document["results"]] == ["infrastructure error", "passed"]


def test_what_was_forgiven_stands_in_the_result(
    checkout: Checkout, tmp_path: Path, capsys: Captured
) -> None:
    path = written(tmp_path / "Demo (1).CU", b"\xef\xbb\xbf" + SOURCE)
    capsys.readouterr()
    assert main(["grade", str(path), "--backend", "cpu", "--json"], checkout) == 0
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert [note for note in result["notes"] if "named Demo (1).CU" in note["text"]]
    assert [note for note in result["notes"] if "byte order mark" in note["text"]]
