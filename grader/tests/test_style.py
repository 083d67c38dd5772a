"""The house style, as far as programs can see it: ruff, the rooms' import order, spelling."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from grader.base.checkout import Checkout

ROOT = Checkout.here().root
LINT_IMPORTS = (
    "import sys; from importlinter.cli import lint_imports_command as lint;"
    "sys.exit(lint(['--no-cache']))"
)
SPELLED = ["grader", "labs", "reference", "datasets", "report", "README.md", "CONTRIBUTING.md",
           "SECURITY.md", "TEACHING.md"]  # fmt: skip

CPP, MOST_COLUMNS = {".cpp", ".hpp", ".cu"}, 100
UNBROKEN = re.compile(r"^ *// BEGIN STAGE \d|\b_ZN\w{40}")
# Not here: programs that are data, whose lines are known to tests and records.
NARROW = ["grader/judge", "grader/worker", "grader/wire", "grader/clock", "grader/trials",
          "grader/tests/judge", "grader/tests/datasets", "grader/tests/figures", "report/figures",
          "datasets", "labs", "grader/cpu"]  # fmt: skip


def needs(module: str) -> pytest.MarkDecorator:
    missing = not importlib.util.find_spec(module)
    return pytest.mark.skipif(missing, reason=f"{module} is not installed")


def run(*command: str, text: str = "", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    full = [sys.executable, *command]
    return subprocess.run(full, cwd=cwd, capture_output=True, text=True, input=text, check=False)


@needs("ruff")
def test_ruff_finds_nothing() -> None:
    finished = run("-m", "ruff", "check", "--no-cache", ".")
    assert finished.returncode == 0, finished.stdout + finished.stderr


@needs("ruff")
def test_ruff_would_find_something() -> None:
    options = ["check", "--no-cache", "--stdin-filename", "a.py", "-"]
    assert run("-m", "ruff", *options, text="import os").returncode == 1


def too_wide(text: str) -> list[int]:
    """The lines with more columns than .clang-format allows. The mark of a stage is one line, and a
    mangled name is one word."""
    return [n for n, line in enumerate(text.splitlines(), 1)
            if len(line) > MOST_COLUMNS and not UNBROKEN.search(line)]  # fmt: skip


@pytest.mark.parametrize("room", NARROW)
def test_cpp_is_as_wide_as_clang_format_allows(room: str) -> None:
    files = [path for path in sorted((ROOT / room).rglob("*")) if path.suffix in CPP]
    assert files
    wide = {str(path.relative_to(ROOT)): too_wide(path.read_text()) for path in files}
    assert {name: lines for name, lines in wide.items() if lines} == {}


def test_a_line_that_is_too_wide_is_found() -> None:
    assert too_wide("/" * MOST_COLUMNS + "\n\n" + "/" * (MOST_COLUMNS + 1)) == [3]
    assert too_wide("// BEGIN STAGE 1 a: " + "x" * MOST_COLUMNS) == []
    assert f"ColumnLimit: {MOST_COLUMNS}\n" in (ROOT / ".clang-format").read_text()


@needs("importlinter")
def test_rooms_import_downwards_only() -> None:
    finished = run("-c", LINT_IMPORTS)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "Contracts: 3 kept, 0 broken." in finished.stdout


@needs("importlinter")
def test_an_import_upwards_would_be_found(tmp_path: Path) -> None:
    for room in ("grader", "grader/base", "grader/commands"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text("")
    (tmp_path / "grader/base/errors.py").write_text("from ..commands import __doc__ as text\n")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.importlinter]\nroot_package = "grader"\n[[tool.importlinter.contracts]]\n'
        'name = "down"\ntype = "layers"\nlayers = ["grader.commands", "grader.base"]\n'
    )
    finished = run("-c", LINT_IMPORTS, cwd=tmp_path)
    assert finished.returncode == 1 and "grader.base.errors" in finished.stdout


def test_every_room_has_its_place_in_the_order_and_says_what_belongs_there() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = " | ".join(settings["contracts"][0]["layers"]).split(" | ")
    rooms = [path.parent for path in (ROOT / "grader").glob("*/__init__.py")]
    assert sorted(f"grader.{room.name}" for room in rooms) == sorted(
        layer for layer in layers if layer.startswith("grader.")
    )
    assert all((room / "__init__.py").read_text().startswith('"""') for room in rooms)


def wrong_way_includes(runtime: Path) -> list[str]:
    """What files of the CPU backend's runtime include from a room below theirs in its table."""
    table = (runtime / "README.md").read_text(encoding="utf-8")
    rooms = re.findall(r"^\| `(\w+)/`", table, re.MULTILINE)
    return [f"{path.name} includes {room}/{name}"
            for path in sorted(runtime.rglob("*.[ch]pp"))
            for room, name in re.findall(r'#include "(\w+)/(.+)"', path.read_text(encoding="utf-8"))
            if room in rooms and rooms.index(room) > rooms.index(path.parent.name)]  # fmt: skip


def test_the_runtimes_rooms_include_upwards_only(tmp_path: Path) -> None:
    runtime = ROOT / "grader/cpu/runtime"
    assert wrong_way_includes(runtime) == []
    for room in ("base", "api"):
        (tmp_path / room).mkdir()
    (tmp_path / "README.md").write_text("| `base/` | |\n| `api/` | |\n")
    (tmp_path / "base/lock.hpp").write_text('#include "api/memory.hpp"\n')
    (tmp_path / "api/memory.hpp").write_text('#include "base/lock.hpp"\n')
    assert wrong_way_includes(tmp_path) == ["lock.hpp includes api/memory.hpp"]


def _unmapped(text: str, headers: list[str]) -> list[str]:
    """The headers that a map does not name."""
    named = set(re.findall(r"`(\w+)`", text))
    return [name for name in headers if name not in named]


def test_every_header_of_the_cpu_backend_is_in_its_map() -> None:
    folder = ROOT / "grader" / "cpu" / "include"
    text = (folder / "README.md").read_text()
    headers = sorted(path.stem for path in (folder / "cuda_on_cpu").glob("*.hpp"))
    assert headers and not _unmapped(text, headers)
    assert _unmapped(text.replace("`warp`", ""), headers) == ["warp"]


@needs("codespell_lib")
def test_spelling() -> None:
    options = ["--builtin", "clear,rare", "--skip", "*.svg,*.json,*.gz,*.wsg,*.png,*/gallery/*"]
    words = str(ROOT / "grader" / "tests" / "spelling.txt")
    finished = run("-m", "codespell_lib", *options, "--ignore-words", words, *SPELLED)
    assert finished.returncode == 0, finished.stdout


@needs("codespell_lib")
def test_a_misspelt_word_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("the " + "recie" + "ved keys\n")
    assert run("-m", "codespell_lib", str(tmp_path)).returncode != 0
