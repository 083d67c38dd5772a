"""What the shell asks when somebody presses Tab: commands, flags, labs, students, folders."""

import argparse
import contextlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, LabError
from ..lab_file import manifest

WORDS = re.compile(r"[a-z]+(\|[a-z]+)+")  # run|check|count: a value is one of them
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
        return lambda prefix, parsed_args, **_: names(
            known_labs(checkout, parsed_args), prefix, with_stages
        )
    if action.dest == "student":
        return lambda prefix, parsed_args, **_: students(checkout, parsed_args)
    if WORDS.fullmatch(shown):
        return lambda prefix, **_: shown.split("|")
    if shown in ("DIR", "FOLDER"):
        return lambda prefix, **_: folders(prefix)
    return None


def known_labs(checkout: Checkout, arguments: argparse.Namespace) -> dict[str, list[str]]:
    """The stages of each lab; for `./lab class` those that count in the course."""
    from ..course.course import Course

    with contextlib.suppress(LabError):  # the course may be named later in the line
        if hasattr(arguments, "course"):
            course = Course.find(checkout, arguments.course)
            return {one.lab.name: [stage.name for stage in one.stages]
                    for one in course.settings.labs}  # fmt: skip
    try:
        return {lab.name: list(lab.stage_names) for lab in manifest.discover(checkout)}
    except LabError:
        return {}


def names(labs: dict[str, list[str]], prefix: str, with_stages: bool = True) -> list[str]:
    """Labs; and the stages of a lab once its name or number and a dot are typed."""
    typed, dot, _ = prefix.partition(".")
    if not dot:
        return list(labs)
    known = {word: stages for name, stages in labs.items()
             for word in (name, name[3:], name[:2], name[:2].lstrip("0"))}  # fmt: skip
    return [f"{typed}.{stage}" for stage in known.get(typed, []) if with_stages]


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
