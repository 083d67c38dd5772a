"""Which files of the checkout students receive. What is not named here stays at home."""

import subprocess
from collections.abc import Sequence
from pathlib import PurePosixPath

from ..base.checkout import Checkout
from ..base.errors import UsageError
from ..lab_file.manifest import Lab

FILES = ("lab", "LICENSE", "CMakeLists.txt", "CMakePresets.json", "pyproject.toml", ".gitignore",
         ".clang-format", "labs/README.md", "labs/timing.md", "labs/working.md",
         "report/__init__.py", "report/warpwise.mplstyle")  # fmt: skip
FOLDERS = ("grader", "datasets", "labs/kit", "report/drawing", ".vscode", ".devcontainer")
# The programs that try to cheat, the honest ones beside them and all other tests; pages that are
# for instructors.
WITHHELD = ("grader/tests", "grader/release/README.student.md")
RUBBISH = ("__pycache__", "cache", ".DS_Store")


def handed_out(checkout: Checkout, labs: Sequence[Lab]) -> list[str]:
    """The names of the files, relative to the checkout, in order.

    In a git checkout only what git tracks is handed out: notes and secrets that lie about are not.
    Raises UsageError if a lab's file is not tracked.
    """
    folders = (*FOLDERS, *(f"labs/{lab.name}" for lab in labs))
    tracked = _tracked(checkout)
    for lab in labs:
        if f"labs/{lab.name}/lab.toml" not in tracked:
            raise UsageError(f"labs/{lab.name}: git does not track it; commit it first.")
    return sorted(name for name in tracked if _is_wanted(name, folders))


def _is_wanted(name: str, folders: Sequence[str]) -> bool:
    path = PurePosixPath(name)
    if name in FILES:
        return True
    if any(path.is_relative_to(folder) for folder in WITHHELD) or set(path.parts) & set(RUBBISH):
        return False
    return any(path.is_relative_to(folder) for folder in folders)


def _tracked(checkout: Checkout) -> set[str]:
    """The files that git tracks; every file of a checkout that came without git."""
    command = ["git", "ls-files", "-z", "--cached"]
    if (checkout.root / ".git").exists():
        listed = subprocess.run(command, cwd=checkout.root, capture_output=True, check=False)
        if listed.returncode:
            raise UsageError(f"git cannot list this checkout's files: {_said(listed.stderr)}")
        names = listed.stdout.decode("utf-8", "surrogateescape").split("\0")
        return {name for name in names if name and (checkout.root / name).is_file()}
    paths = (path for path in checkout.root.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(checkout.root).as_posix() for path in paths}


def _said(output: bytes) -> str:
    return output.decode("utf-8", "replace").strip() or "no reason was given"
