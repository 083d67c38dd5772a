"""The pages for maintainers hold what they promise: tables are up to date, links lead somewhere."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.tests import contents

pytestmark = [pytest.mark.reads("grader", "labs", "CONTRIBUTING.md", "README.md", "SECURITY.md",
                                "TEACHING.md", "report", "datasets"), pytest.mark.unit]  # fmt: skip
CHECKOUT = Checkout.here()
ROOT = CHECKOUT.root
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "TEACHING.md")] + [
    path
    for folder in ("grader", "labs", "report", "datasets")
    for path in sorted((ROOT / folder).rglob("README.md"))
    if "@" not in str(path)
]
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def broken(page: Path, text: str) -> list[str]:
    """Links of a page to files that do not exist."""
    links = [link for link in LINK.findall(FENCED.sub("", text)) if "://" not in link]
    return [link for link in links if not (page.parent / link).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken(page, page.read_text(encoding="utf-8")) == []


def test_a_link_to_nowhere_is_found() -> None:
    text = "[a](nowhere.md), [b](README.md#x), [c](https://example.org/d), ![e](no.svg)"
    text += "\n```\n[a link](of-another.md)\n```\n"
    assert broken(ROOT / "README.md", text) == ["nowhere.md", "no.svg"]


@pytest.mark.longer
@pytest.mark.parametrize(
    ("page", "table"),
    [(contents.ROOMS_PAGE, contents.rooms), (contents.TESTS_PAGE, contents.tests)],
)
def test_the_tables_of_contents_are_up_to_date(page: Path, table) -> None:  # type: ignore[no-untyped-def]
    text = page.read_text(encoding="utf-8")
    assert text == contents.filled(page, table()), "run python3 grader/tests/contents.py"


def test_every_room_has_a_row() -> None:
    table = contents.rooms()
    names = re.findall(r"\| \[`(\w+)/`\]", table)
    assert {"judge", "worker", "wire", "clock", "trials", "base", "cpu"} < set(names)
    assert len(names) == len(set(names)) >= 18
    assert names.index("commands") < names.index("grading") < names.index("base")


def test_a_file_that_says_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "ROOT", tmp_path)
    silent, says = tmp_path / "a.py", tmp_path / "b.py"
    silent.write_text("x = 1\n")
    says.write_text('"""One thing\nand another.\n\nMore."""\n')
    assert contents.docstring(says) == "One thing and another."
    with pytest.raises(ValueError, match="a.py: says nothing"):
        contents.docstring(silent)


def test_the_shelf_has_a_row_for_every_header() -> None:
    page = (CHECKOUT.labs / "kit" / "README.md").read_text(encoding="utf-8")
    headers = {path.name for path in (CHECKOUT.labs / "kit").glob("*.hpp")}
    assert set(re.findall(r"^\| \[`(\S+\.hpp)`\]\(\1\)", page, re.MULTILINE)) == headers


# C++ has no contract of imports: a reader finds a file of these rooms by the page's table.
LISTED = ["grader/judge", "grader/worker", "grader/wire", "grader/clock", "grader/trials",
          "report/figures"]  # fmt: skip
SOURCES = {".cpp", ".hpp", ".cu"}


def unlisted(page: str, names: list[str]) -> list[str]:
    """The files that no row of the page names: `judge.*` names judge.cpp and judge.hpp."""
    rows = [line for line in page.splitlines() if line.startswith("|")]
    patterns = [word for row in rows for word in re.findall(r"`([\w.*]+)`", row)]
    return [name for name in names if not any(fnmatch(name, one) for one in patterns)]


@pytest.mark.parametrize("room", LISTED)
def test_a_page_names_every_source_of_its_room(room: str) -> None:
    names = sorted(path.name for path in (ROOT / room).iterdir() if path.suffix in SOURCES)
    assert names
    assert unlisted((ROOT / room / "README.md").read_text(encoding="utf-8"), names) == []


def test_a_source_without_a_row_is_found() -> None:
    page = "| `judge.*` `lent_*` | x |\nSee `batch.hpp`.\n"
    assert unlisted(page, ["judge.hpp", "lent_file.cpp", "batch.hpp"]) == ["batch.hpp"]
