"""Summing up: a runner that dies, says nothing or runs nothing is a failure."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.base.suites import NO_TEST, read_junit, run_suite
from grader.commands import test

pytestmark = [pytest.mark.reads("grader/tests"), pytest.mark.unit]

JUNIT = """<testsuites><testsuite>
<testcase classname="a" name="fine"/><testcase name="ctest" status="run"/>
<testcase name="bad"><failure message="no"/></testcase>
<testcase name="worse"><error/></testcase>
<testcase name="later"><skipped message="no GPU"/></testcase>
<testcase name="gone" status="notrun"/>
</testsuite></testsuites>"""


def suite(tmp_path: Path, xml: str, code: int) -> str:
    junit = tmp_path / "junit.xml"
    program = (
        f"import sys, pathlib; t = {xml!r}; "
        f"t and pathlib.Path({str(junit)!r}).write_text(t); sys.exit({code})"
    )
    return run_suite("runner", [sys.executable, "-c", program], junit, tmp_path).line


def test_each_kind_of_case_is_counted(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text(JUNIT)
    total = read_junit(tmp_path / "junit.xml")
    assert total.line == "2 passed, 3 failed, 1 skipped" and total.skips == ["later: no GPU"]


@pytest.mark.parametrize(
    ("xml", "code", "line"),
    [
        ('<testsuite><testcase name="a"/></testsuite>', 0, "1 passed, 0 failed, 0 skipped"),
        ('<testsuite><testcase name="a"/></testsuite>', 1, "1 passed, 1 failed, 0 skipped"),
        ("", 0, "0 passed, 1 failed, 0 skipped"),
        ("<testsuite", 0, "0 passed, 1 failed, 0 skipped"),
        ("<testsuite/>", 0, "0 passed, 1 failed, 0 skipped"),
    ],
)
def test_a_runner_that_dies_counts_as_failed(
    tmp_path: Path, xml: str, code: int, line: str
) -> None:
    assert suite(tmp_path, xml, code) == line


def test_nothing_that_is_chosen_is_said_as_that(tmp_path: Path) -> None:
    command = [sys.executable, "-c", f"import sys; sys.exit({NO_TEST})"]
    junit = tmp_path / "junit.xml"
    assert "died" in run_suite("chosen", command, junit, tmp_path).failures[0]
    command[2] = command[2].replace("sys;", "sys, pathlib; pathlib.Path('junit.xml').write_text("
                                    "'<testsuite/>');")  # fmt: skip
    [said] = run_suite("chosen", command, junit, tmp_path).failures
    assert said == "chosen: no test is chosen by these words"


@pytest.mark.parametrize(("given", "found", "said"), [
    ("grader/tests/test_a.py", "grader/tests/test_a.py", ""),
    ("test_a.py", "grader/tests/test_a.py", ""),
    ("test_a.py::test_one", "grader/tests/test_a.py::test_one", ""),
    ("test_a.py::test_one[2-x::y]", "grader/tests/test_a.py::test_one[2-x::y]", ""),
    ("test_a.py::Group::test_one", "grader/tests/test_a.py::Group::test_one", ""),
    ("grader/tests", "grader/tests", ""),
    ("grader/test_a.py", "", "no such file or folder; did you mean grader/tests/test_a.py?"),
    ("zzz", "", "zzz: there is no such file or folder."),
    ("test_a.py::test_onn", "", "test_a.py: has no test test_onn (did you mean test_one?)."),
])  # fmt: skip
def test_a_test_is_named_by_its_file(tmp_path: Path, given: str, found: str, said: str) -> None:
    checkout = Checkout(tmp_path)
    checkout.tests.mkdir(parents=True)
    (checkout.tests / "test_a.py").write_text("def test_one() -> None: ...\n")
    if not said:
        assert test._place(checkout, given) == found
        return
    with pytest.raises(UsageError) as error:
        test._place(checkout, given)
    assert said in str(error.value)


def test_a_report_of_an_earlier_run_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text('<testsuite><testcase name="a"/></testsuite>')
    assert suite(tmp_path, "", 0) == "0 passed, 1 failed, 0 skipped"


@pytest.mark.parametrize(("free", "flag", "room"), [
    (test.ROOM, 0, True), (test.ROOM - 1, 0, False), (test.ROOM, os.ST_NOEXEC, False),
])  # fmt: skip
def test_tests_use_memory_that_has_room_and_takes_programs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free: int, flag: int, room: bool
) -> None:
    system = SimpleNamespace(f_bavail=free, f_frsize=1, f_flag=flag)
    monkeypatch.setattr(os, "statvfs", lambda _: system)
    assert test._has_room(tmp_path) is room
    assert not test._has_room(tmp_path / "missing")


def test_the_clocks_are_read_without_the_other_tests() -> None:
    files = test._files_with(Checkout.here(), "alone")
    assert "grader/tests/test_comparison.py" in files and "grader/tests/test_cli.py" not in files
