"""Writes the two tables of contents: the rooms of grader/, and what each test file proves.

    python3 grader/tests/contents.py

A Python room says what it is in the docstring of its __init__.py, a C++ room in the first paragraph
of its README.md, a test file in the first paragraph of its docstring. Nothing is written twice.
"""

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS_PAGE, TESTS_PAGE = ROOT / "grader" / "README.md", ROOT / "grader" / "tests" / "README.md"
BEGIN, END = "<!-- contents.py: begin -->\n", "<!-- contents.py: end -->\n"


def docstring(path: Path) -> str:
    """The first paragraph of a Python file's docstring, as one line. Raises ValueError."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return _paragraph(text, path)


def _paragraph(text: str, path: Path) -> str:
    words = " ".join(text.split("\n\n")[0].split())
    if not words:
        raise ValueError(f"{path.relative_to(ROOT)}: says nothing about what it is")
    return words.replace("|", "\\|")


def _readme(path: Path) -> str:
    """The first paragraph after the title."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return _paragraph(text.partition("\n\n")[2], path)


def layers() -> list[str]:
    """The Python rooms of grader/, the highest first, as the import contract has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = project["tool"]["importlinter"]["contracts"][0]
    names = [name.strip() for layer in contract["layers"] for name in layer.split("|")]
    return [name.removeprefix("grader.") for name in names if name.startswith("grader.")]


def rooms() -> str:
    """One row per folder of grader/ that holds code."""
    python = {path.parent.name for path in (ROOT / "grader").glob("*/__init__.py")}
    ordered = [name for name in layers() if name in python]
    rows = [(name, docstring(ROOT / "grader" / name / "__init__.py"))
            for name in [*ordered, *sorted(python - set(ordered))]]  # fmt: skip
    others = {path.parent.name for path in (ROOT / "grader").glob("*/*.hpp")} - python
    rows += [(name, _readme(ROOT / "grader" / name / "README.md")) for name in sorted(others)]
    lines = [f"| [`{name}/`]({name}) | {words} |\n" for name, words in rows]
    return "| room | what belongs there |\n|---|---|\n" + "".join(lines)


def tests() -> str:
    """One row per test file."""
    paths = sorted((ROOT / "grader" / "tests").glob("test_*.py"))
    lines = [f"| [`{path.name}`]({path.name}) | {docstring(path)} |\n" for path in paths]
    return "| file | what it proves |\n|---|---|\n" + "".join(lines)


def filled(page: Path, table: str) -> str:
    """The page with this table between its marks."""
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n" + table + "\n" + END + rest.split(END)[1]


if __name__ == "__main__":
    for page, table in ((ROOMS_PAGE, rooms()), (TESTS_PAGE, tests())):
        page.write_text(filled(page, table), encoding="utf-8")
        print(page)
