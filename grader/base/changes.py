"""The files that differ from the main branch, according to git."""

import subprocess
from pathlib import Path

BRANCHES = ("origin/main", "main")


def changed_files(root: Path) -> set[str]:
    """Files of the checkout that differ from the main branch, or from HEAD if that is the same.

    Names are relative to `root`; files that git does not know yet count. Empty outside of git.
    """
    base = next((found[0] for branch in BRANCHES if (found := _common(root, branch))), "HEAD")
    unknown = _git(root, "ls-files", "--others", "--exclude-standard")
    return {*_git(root, "diff", "--name-only", base), *unknown}


def _common(root: Path, branch: str) -> list[str]:
    return _git(root, "merge-base", "HEAD", branch)


def _git(root: Path, *words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []
