"""Which files a test file depends on: what `./lab test --changed` runs, and what is not repeated.

A test file depends on the Python modules that it imports, theirs included, on the commands of
`./lab` that its strings name, if it imports the command line, and on what it says
with `pytestmark = [pytest.mark.reads("labs", "grader/judge", ...)]`: files and folders of the
checkout, and the names of sets below. A test file that says nothing depends on every file.
"""

import ast
import hashlib
import re
import subprocess
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from grader.commands.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
ALWAYS = ("grader/tests/conftest.py", "grader/tests/fixtures", "pyproject.toml")
LAB = re.compile(r"test_labs.py.*\[\w+ (\d\d-[a-z0-9-]+):")
EXPLOIT = re.compile(r"test_exploits.py.*\[(\w+)-(?:cpu|gpu)\]")
EXPLOITS = "grader/tests/exploits"
CLI = "grader/commands/cli.py"
SETS: dict[str, tuple[str, ...]] = {
    # The CPU backend, as a program compiled by cucc.py sees it.
    "cpu backend": (
        "grader/cpu/include", "grader/cpu/runtime", "grader/cpu/compiler", "grader/cpu/cucc.py",
        "grader/cpu/checker", "grader/cpu/counter", "grader/cpu/asan", "grader/cpu/hot.txt",
        "labs/kit",
    ),
    # What turns a submission into a verdict: judge and worker on the CPU backend.
    "judging": (
        "cpu backend", "grader/judge", "grader/worker", "grader/wire", "grader/clock", "datasets",
        "grader/cpu/CMakeLists.txt", "grader/CMakeLists.txt", "grader/Kernels.cmake",
        "CMakeLists.txt", "CMakePresets.json",
    ),
}  # fmt: skip


@cache
def tracked() -> tuple[str, ...]:
    """Every file of the checkout that git knows or would add, relative to its root."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    names = listed.decode("utf-8", "surrogateescape").split("\0")
    return tuple(sorted(name for name in set(names) if name and (ROOT / name).is_file()))


@cache
def inputs(test_file: str) -> frozenset[str]:
    """The files that a test file (relative to the checkout) depends on."""
    reads = declared(test_file)
    if reads is None:
        return frozenset(tracked())
    folders = _folders(reads)
    read = {name for name in tracked() if any(is_in(name, folder) for folder in folders)}
    always = {name for name in tracked() if any(is_in(name, folder) for folder in ALWAYS)}
    return frozenset({*read, *reached(test_file), *always})


def narrowed(files: frozenset[str], node: str) -> frozenset[str]:
    """Without the other labs and exploits, where a test's name says which one it is about."""
    for kept, folders in ((LAB, ("labs", "reference")), (EXPLOIT, (EXPLOITS,))):
        named = kept.search(node)
        if named:
            files = frozenset(name for name in files if not _is_another(name, folders, named[1]))
    return files


def _is_another(name: str, folders: tuple[str, ...], wanted: str) -> bool:
    """Whether `name` belongs to a lab or exploit other than `wanted`."""
    for folder in folders:
        if name.startswith(folder + "/"):
            first = name.removeprefix(folder + "/").split("/")[0]
            return first != "kit" and first.removesuffix(".cu") != wanted
    return False


@cache
def declared(test_file: str) -> tuple[str, ...] | None:
    """What `pytest.mark.reads(...)` of the file names; None where it has no such mark."""
    for node in ast.walk(ast.parse((ROOT / test_file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.reads":
            return tuple(ast.literal_eval(argument) for argument in node.args)
    return None


def digest(files: frozenset[str]) -> str:
    """One hash over names and contents."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(f"{name}\0{_hash(name)}\0".encode("utf-8", "surrogateescape"))
    return total.hexdigest()


@cache
def _hash(name: str) -> str:
    return hashlib.sha256((ROOT / name).read_bytes()).hexdigest()


def _folders(reads: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    for name in reads:
        if name in SETS:
            found |= _folders(SETS[name])
        elif (ROOT / name).exists():
            found.add(name)
        else:
            raise ValueError(f"pytest.mark.reads({name!r}): there is no such file, folder or set")
    return found


def is_in(name: str, folder: str) -> bool:
    return name == folder or name.startswith(folder + "/")


@cache
def _imported(file: str) -> frozenset[str]:
    """The checkout's own Python files that a file imports directly."""
    package = file.removesuffix(".py").split("/")[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        names: list[list[str]] = []
        if isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = [*start, *(node.module.split(".") if node.module else [])]
            names = [module, *([*module, alias.name] for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        for parts in names:
            for path in ("/".join(parts) + ".py", "/".join([*parts, "__init__.py"])):
                if (ROOT / path).is_file():
                    found.add(path)
    return frozenset(found)


@cache
def reached(file: str) -> dict[str, int]:
    """A file, and every Python file of the checkout that it imports, directly or not; and how many
    imports are between."""
    found = _steps({file: 0})
    if CLI in found:  # it imports a command when the command is named
        commands = {name: found[CLI] + 1 for name in _named_commands(found)}
        for name, steps in _steps(commands).items():
            found[name] = min(steps, found.get(name, steps))
    return found


def _steps(first: dict[str, int]) -> dict[str, int]:
    """Breadth first from some files, which are so many imports away."""
    found: dict[str, int] = {}
    waiting = deque(sorted(first.items(), key=lambda item: item[1]))
    while waiting:
        name, steps = waiting.popleft()
        if name not in found:
            found[name] = steps
            waiting += ((other, steps + 1) for other in _imported(name))
    return found


def _named_commands(files: Iterable[str]) -> Iterator[str]:
    """The files of the commands that a string in one of the tests' own files names."""
    words: set[str] = set()
    for file in files:
        if is_in(file, "grader/tests"):
            words |= _words(file)
    for file, names in COMMANDS.items():
        if not words.isdisjoint(names):
            own = f"grader/commands/{file}"
            yield f"{own}.py" if (ROOT / f"{own}.py").is_file() else f"{own}/__init__.py"


@cache
def _words(file: str) -> frozenset[str]:
    """Every word of every string in a Python file."""
    texts = [node.value for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
             if isinstance(node, ast.Constant) and isinstance(node.value, str)]  # fmt: skip
    return frozenset(word for text in texts for word in text.split())
