"""What a person names on the command line: a lab, a stage, a lab's folder, or the file in it.

    01-rank-sort    rank-sort    1    01-rank-sort.stable    1.3
    labs/01-rank-sort    labs/01-rank-sort/rank_sort.cu    rank_sort.cu    .
"""

from pathlib import Path

from ..base.checkout import Checkout
from ..base.errors import UsageError
from .manifest import Lab, Stage, find_target

Target = tuple[Lab, Stage | None]


def named(checkout: Checkout, labs: list[Lab], text: str) -> Target:
    """The lab and stage that `text` names, as a name or as a path. Raises UsageError."""
    is_path = "/" in text or text.endswith(".cu") or text in (".", "..") or Path(text).is_file()
    if not is_path:
        return find_target(labs, text)
    path = Path(text).resolve()
    found = _containing(checkout, labs, path)
    if found is None or (path.suffix == ".cu" and path.name != found.source):
        raise UsageError(
            f"{text}: is not the file of any lab in {checkout.shown(checkout.labs)}; "
            f"any other file is graded with: ./lab grade {text}"
        )
    return found, None


def here(checkout: Checkout, labs: list[Lab]) -> Lab | None:
    """The lab whose folder is the current directory, or contains it."""
    return _containing(checkout, labs, Path.cwd())


def _containing(checkout: Checkout, labs: list[Lab], path: Path) -> Lab | None:
    for lab in labs:
        if path.is_relative_to((checkout.labs / lab.name).resolve()):
            return lab
    return None
