"""Files are written whole or not at all; hashes see names and contents."""

from pathlib import Path

import pytest

from grader.base import files
from grader.base.errors import InfrastructureError

pytestmark = [pytest.mark.reads(), pytest.mark.unit]


def test_a_written_file_is_whole_and_alone(tmp_path: Path) -> None:
    files.write_atomically(tmp_path / "new" / "a.json", "text\n")
    assert (tmp_path / "new" / "a.json").read_text() == "text\n"
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["a.json"]


def test_a_failing_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.json").write_text("old")

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(InfrastructureError, match="a.json: No space left on device; free some"):
        files.write_atomically(tmp_path / "a.json", "new")
    assert (tmp_path / "a.json").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_json_has_no_nan() -> None:
    assert files.to_json({"ä": 1}) == '{\n  "ä": 1\n}\n'
    with pytest.raises(ValueError, match="JSON"):
        files.to_json(float("nan"))


def test_the_hash_sees_names_and_contents_but_not_the_order(tmp_path: Path) -> None:
    one, two = tmp_path / "1", tmp_path / "2"
    one.write_text("a")
    two.write_text("b")
    before = files.sha256_of_files([one, two], tmp_path)
    assert files.sha256_of_files([two, one, one], tmp_path) == before
    two.write_text("c")
    assert files.sha256_of_files([one, two], tmp_path) != before
    two.write_text("b")
    odd = two.rename(tmp_path / "2\udcff")  # a name that is no UTF-8
    assert files.sha256_of_files([one, odd], tmp_path) != before
    odd.rename(tmp_path / "3")
    assert files.sha256_of_files([one, tmp_path / "3"], tmp_path) != before
