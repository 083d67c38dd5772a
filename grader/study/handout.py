"""The file as it was handed out: the skeleton of a lab."""

import subprocess

from ..base.checkout import Checkout
from ..base.errors import UsageError
from ..lab_file import marks
from ..lab_file.manifest import Lab

BRANCHES = ("origin/HEAD", "origin/main", "main", "HEAD")


def skeleton(checkout: Checkout, lab: Lab) -> str:
    """Cut from the reference; in a copy without references, from git. Raises UsageError."""
    reference = checkout.reference / lab.name / lab.source
    if reference.is_file():
        text = reference.read_text(encoding="utf-8")
        return marks.cut(text, str(reference), lab.stage_names)
    for branch in BRANCHES:
        name = f"{branch}:labs/{lab.name}/{lab.source}"
        found = subprocess.run(["git", "show", name], cwd=checkout.root, capture_output=True,
                               text=True, check=False)  # fmt: skip
        if found.returncode == 0:
            return found.stdout
    raise UsageError(
        f"the handout of {lab.name} is neither in reference/ nor in git; "
        f"take labs/{lab.name}/{lab.source} from the course's copy."
    )
