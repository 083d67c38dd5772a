"""What the shell asks when somebody presses Tab: commands, flags, labs, students, folders."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, LabError
from ..lab_file import manifest

Completer = Callable[..., list[str]]


def answer(parser: argparse.ArgumentParser, checkout: Checkout) -> int:
    """Answer the shell, which reads from a descriptor of its own. Without argcomplete: nothing."""
    try:
        import argcomplete
    except ImportError:
        return ALL_PASSED
    _add_completers(parser, checkout)
    argcomplete.autocomplete(parser)  # ends the process
    return ALL_PASSED


def _add_completers(parser: argparse.ArgumentParser, checkout: Checkout) -> None:
    """To every argument whose values are known; any other one is completed with files."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _add_completers(command, checkout)
        elif found := _completer(action, checkout):
            completed: Any = action
            completed.completer = found


def _completer(action: argparse.Action, checkout: Checkout) -> Completer | None:
    shown = str(action.metavar)
    if shown.startswith("LAB") or action.dest in ("lab", "labs"):
        with_stages = "STAGE" in shown
        return lambda prefix, **_: names(checkout, prefix, with_stages)
    if action.dest == "student":
        return lambda prefix, parsed_args, **_: students(checkout, parsed_args)
    if shown in ("DIR", "FOLDER"):
        return lambda prefix, **_: folders(prefix)
    return None


def names(checkout: Checkout, prefix: str, with_stages: bool = True) -> list[str]:
    """Labs; and the stages of a lab once its name and a dot are typed."""
    try:
        labs = manifest.discover(checkout)
    except LabError:
        return []
    if "." not in prefix:
        return [lab.name for lab in labs]
    found = [f"{lab.name}.{stage}" for lab in labs for stage in lab.stage_names]
    return found if with_stages else []


def students(checkout: Checkout, arguments: argparse.Namespace) -> list[str]:
    """The ids of the course that was named, or that we are in."""
    from ..course.course import Course

    try:
        course = Course.find(checkout, getattr(arguments, "course", None))
    except LabError:
        return []
    return [student.id for student in course.students]


def folders(prefix: str) -> list[str]:
    """Those that begin with `prefix`, each with a slash; hidden ones if they are asked for."""
    above, _, begin = prefix.rpartition("/")
    place = Path(f"{above}/" if "/" in prefix else ".").expanduser()
    try:
        found = sorted(path.name for path in place.iterdir() if path.is_dir())
    except OSError:
        return []
    stem = f"{above}/" if "/" in prefix else ""
    return [f"{stem}{name}/" for name in found
            if name.startswith(begin) and (begin.startswith(".") or not name.startswith("."))]
