"""Intake: every hostile or careless form is one sentence, and its harmless twin is accepted."""

import dataclasses
import io
import os
import re
import stat
import threading
import tracemalloc
import zipfile
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from grader.base.errors import Refusal
from grader.intake.container import read_regular
from grader.intake.submission import SOURCE_BYTES, Submission, take_in
from grader.lab_file.manifest import Lab

pytestmark = [pytest.mark.reads("labs"), pytest.mark.unit]

SOURCE = b"int main() {}\n"


def make_zip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def refused(path: Path, lab: Lab, said: str, only: Lab | None = None) -> None:
    taken = take_in(path, [lab], only)
    [refusal] = taken.refused
    assert re.search(said, str(refusal)), refusal
    assert "\n" not in str(refusal) and re.fullmatch("[a-z0-9-]+", refusal.code)
    assert not taken.submissions


def accepted(path: Path, lab: Lab, only: Lab | None = None) -> list[Submission]:
    taken = take_in(path, [lab], only)
    assert not taken.refused
    return taken.submissions


def test_a_file_of_the_labs_name_is_taken(tmp_path: Path, lab: Lab) -> None:
    (tmp_path / "demo.cu").write_bytes(SOURCE)
    [submission] = accepted(tmp_path / "demo.cu", lab)
    assert (submission.lab, submission.source, submission.name) == (lab, SOURCE, "demo")


def test_a_file_of_another_name_needs_the_lab(tmp_path: Path, lab: Lab) -> None:
    (tmp_path / "mine.cu").write_bytes(SOURCE)
    refused(tmp_path / "mine.cu", lab, "add --lab")
    assert accepted(tmp_path / "mine.cu", lab, lab)[0].lab is lab


def test_the_file_nearest_to_the_top_is_taken(tmp_path: Path, lab: Lab) -> None:
    for place in ("a/old", "a"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "demo.cu").write_text(place)
    assert accepted(tmp_path, lab)[0].source == b"a"


def test_two_equally_near_files_are_listed(tmp_path: Path, lab: Lab) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "demo.cu").write_bytes(SOURCE)
    refused(tmp_path, lab, r"a/demo\.cu, b/demo\.cu")


@pytest.mark.parametrize("name", [
    "My Solution demo.cu", "demo_final.cu", "Copy of demo.cu", "ann-demo v2.CU", "demo.cu.txt",
    "demo.cu.cu", "01-demo.cu", "Übung demo.cu",
])  # fmt: skip
def test_a_name_among_other_words_is_taken_with_a_note(
    tmp_path: Path, lab: Lab, name: str
) -> None:
    [one] = accepted(make_zip(tmp_path / "ann.zip", {name: SOURCE}), lab)
    assert one.notes == (f"the file was named {name}; it was taken as demo.cu",)
    (tmp_path / name).write_bytes(SOURCE)
    assert accepted(tmp_path / name, lab)[0].source == SOURCE


def test_words_in_a_name_below_the_file_itself_mean_nothing(tmp_path: Path, lab: Lab) -> None:
    other = dataclasses.replace(lab, name="02-other", source="other.cu")
    files = {"demo.cu": SOURCE, "tests/no_other.cu": SOURCE, "tests/one_other.cu": SOURCE}
    below = take_in(make_zip(tmp_path / "ann.zip", files), [lab, other], None)
    assert [one.lab for one in below.submissions] == [lab] and not below.refused
    files = {"demo.cu": SOURCE, "my other.cu": SOURCE}
    beside = take_in(make_zip(tmp_path / "bob.zip", files), [lab, other], None)
    assert [one.lab for one in beside.submissions] == [lab, other] and not beside.refused


@pytest.mark.parametrize("name", [
    "solution.cu", "demonstration.cu", "mydemo.cu", "demo.cpp", "demo", "demo.txt", "de mo.cu",
])  # fmt: skip
def test_another_name_is_not_taken(tmp_path: Path, lab: Lab, name: str) -> None:
    """What there is instead is named: the person who looks at it need not open the zip."""
    said = rf"holds none of the files.*\. It has {re.escape(name)}\.$"
    refused(make_zip(tmp_path / "s.zip", {name: SOURCE, ".DS_Store": b"x"}), lab, said)


def test_of_many_files_a_few_are_named(tmp_path: Path, lab: Lab) -> None:
    files = {f"page{number}.png": b"x" for number in range(9)}
    said = r"It has page0\.png, page1\.png, page2\.png and 6 more\.$"
    refused(make_zip(tmp_path / "s.zip", files), lab, said)


def test_the_exact_name_comes_first_and_two_likely_ones_are_listed(
    tmp_path: Path, lab: Lab
) -> None:
    files = {"old/demo.cu": b"old", "my demo.cu": b"mine", "demo v2.cu": b"2"}
    assert accepted(make_zip(tmp_path / "a.zip", files), lab)[0].source == b"old"
    del files["old/demo.cu"]
    refused(make_zip(tmp_path / "b.zip", files), lab, r"which demo\.cu is meant.*demo v2\.cu, my")


def test_a_name_of_two_labs_is_neither_ones(tmp_path: Path, lab: Lab) -> None:
    other = dataclasses.replace(lab, name="02-other", source="other_one.cu")
    for name, expected in (("demo other-one.cu", []), ("my other one.cu", ["02-other"])):
        taken = take_in(make_zip(tmp_path / "s.zip", {name: SOURCE}), [lab, other])
        assert [one.lab.name for one in taken.submissions] == expected
        (tmp_path / name).write_bytes(SOURCE)
        taken = take_in(tmp_path / name, [lab, other])
        assert [one.lab.name for one in taken.submissions] == expected


def test_hidden_and_linked_files_are_not_taken(tmp_path: Path, lab: Lab) -> None:
    folder = tmp_path / "ann"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "demo.cu").write_bytes(SOURCE)
    (folder / "x.cu").write_bytes(SOURCE)
    refused(folder, lab, "holds none of the files")
    (folder / "demo.cu").symlink_to("/etc/hostname")
    refused(folder, lab, "is a symbolic link")


def test_what_a_mac_adds_to_a_zip_is_not_taken(tmp_path: Path, lab: Lab) -> None:
    added = {"__MACOSX/demo.cu": b"forks", "__MACOSX/a/demo.cu": b"forks"}
    refused(make_zip(tmp_path / "s.zip", added), lab, "is empty")
    path = make_zip(tmp_path / "t.zip", {"a/b/demo.cu": SOURCE, **added})
    assert take_in(path, [lab]).submissions[0].source == SOURCE


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"x" * (SOURCE_BYTES + 1), "larger than 1 MiB"),
        (b"// caf\xe9\n", "not UTF-8"),
        (b"int x;\0", "NUL"),
    ],
)
def test_bad_text_is_refused(tmp_path: Path, lab: Lab, data: bytes, said: str) -> None:
    (tmp_path / "demo.cu").write_bytes(data)
    refused(tmp_path / "demo.cu", lab, said)
    refused(make_zip(tmp_path / "s.zip", {"demo.cu": data}), lab, said)


@pytest.mark.parametrize("data", ["// café\n".encode(), b"x" * SOURCE_BYTES])
def test_good_text_is_taken(tmp_path: Path, lab: Lab, data: bytes) -> None:
    [submission] = accepted(make_zip(tmp_path / "ann.zip", {"d/demo.cu": data}), lab)
    assert (submission.source, submission.name) == (data, "ann")


@pytest.mark.parametrize("name", ["../demo.cu", "/demo.cu", "a/../../x", "..\\demo.cu", "C:/x"])
def test_a_zip_that_points_outside_is_refused(tmp_path: Path, lab: Lab, name: str) -> None:
    refused(make_zip(tmp_path / "s.zip", {"demo.cu": SOURCE, name: b"x"}), lab, "outside itself")


def test_a_zip_bomb_is_refused(tmp_path: Path, lab: Lab) -> None:
    bomb = make_zip(tmp_path / "s.zip", {"demo.cu": SOURCE, "zeros": bytes(11 << 20)})
    assert bomb.stat().st_size < 1 << 20
    refused(bomb, lab, "unpacks to more than 10 MiB")


@pytest.mark.longer
def test_a_bomb_with_a_forged_size_is_read_no_further_than_the_limit(
    tmp_path: Path, lab: Lab
) -> None:
    path = make_zip(tmp_path / "s.zip", {"demo.cu": b"a" * (80 << 20)})
    forged = path.read_bytes().replace((80 << 20).to_bytes(4, "little"), (99).to_bytes(4, "little"))
    path.write_bytes(forged)
    tracemalloc.start()
    try:
        refused(path, lab, "damaged|larger than")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 48 << 20


def test_too_many_entries_are_refused(tmp_path: Path, lab: Lab) -> None:
    many = {f"f{i}": b"" for i in range(1000)}
    refused(make_zip(tmp_path / "s.zip", {"demo.cu": SOURCE, **many}), lab, "more than 1000")
    many.popitem()
    assert accepted(make_zip(tmp_path / "t.zip", {"demo.cu": SOURCE, **many}), lab)


def test_a_link_in_a_zip_is_refused(tmp_path: Path, lab: Lab) -> None:
    link = zipfile.ZipInfo("demo.cu")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    refused(tmp_path / "s.zip", lab, "the zip holds a symbolic link")


def test_what_became_a_link_or_a_pipe_since_it_was_listed_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "other.cu").write_bytes(SOURCE)
    (tmp_path / "demo.cu").symlink_to("other.cu")
    os.mkfifo(tmp_path / "pipe.cu")
    for name, code in (("demo.cu", "link"), ("pipe.cu", "not-a-file")):
        with pytest.raises(Refusal) as refusal:  # with O_NONBLOCK a pipe is opened at once
            at_once(lambda path=tmp_path / name: read_regular(path, 10, follow=False))
        assert refusal.value.code == code
    assert read_regular(tmp_path / "demo.cu", 10) == SOURCE[:10]


def at_once(work: Callable[[], object]) -> object:
    """What `work` returns, if it ends within seconds."""
    done: Future[object] = Future()

    def finish() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    # A thread that waits for a pipe never ends, and must not keep the process from its end.
    threading.Thread(target=finish, daemon=True).start()
    try:
        return done.result(timeout=5)
    except TimeoutError:
        pytest.fail("does not end")


def test_an_encrypted_zip_is_refused(tmp_path: Path, lab: Lab) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("demo.cu", SOURCE)
    data = bytearray(buffer.getvalue())
    data[data.index(b"PK\x01\x02") + 8] |= 1  # the flag of the central directory
    (tmp_path / "s.zip").write_bytes(data)
    refused(tmp_path / "s.zip", lab, "hand it in without a password")


@pytest.mark.parametrize("data", [b"", b"not a zip", b"PK\x03\x04 cut off"])
def test_a_broken_zip_is_refused(tmp_path: Path, lab: Lab, data: bytes) -> None:
    (tmp_path / "s.zip").write_bytes(data)
    refused(tmp_path / "s.zip", lab, "zip file is damaged")


def test_what_is_said_of_a_damaged_zip_ends_with_one_full_stop(tmp_path: Path, lab: Lab) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("demo.cu", SOURCE)
    (tmp_path / "s.zip").write_bytes(buffer.getvalue().replace(b"demo.cu", b"memo.cu", 1))
    refused(tmp_path / "s.zip", lab, r"and header b'memo.cu' differ\.$")


@pytest.mark.parametrize(("more", "said"), [(1, "more than 1000 entries"), (0, "is damaged")])
def test_a_zip_of_very_many_entries_is_refused_before_they_are_read(
    tmp_path: Path, lab: Lab, more: int, said: str
) -> None:
    (tmp_path / "s.zip").write_bytes(b"PK\1\2" * (20_000 + more))
    refused(tmp_path / "s.zip", lab, said)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_text_of_wide_letters_is_named(tmp_path: Path, lab: Lab, encoding: str) -> None:
    (tmp_path / "demo.cu").write_bytes("// text\n".encode(encoding))
    refused(tmp_path / "demo.cu", lab, f"the file is {encoding.upper()}, not UTF-8")


def test_a_missing_path_and_another_kind_are_refused(tmp_path: Path, lab: Lab) -> None:
    refused(tmp_path / "no", lab, "no such file")
    (tmp_path / "demo.tar").write_bytes(SOURCE)
    refused(tmp_path / "demo.tar", lab, "a folder or a .zip")
