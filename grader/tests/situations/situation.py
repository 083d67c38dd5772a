"""A situation of the catalogue, and how one is prepared."""

import json
import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.tests.fakes import LAB, plan

Prepare = Callable[[Checkout], None]


def nothing(_: Checkout) -> None:
    pass


@dataclass(frozen=True)
class Situation:
    """Commands, one a line, after what was done before; `name` is the file in the catalogue.

    `{labs}` is the checkout's folder of labs, `{given}` a folder outside of the checkout.
    `faked` replaces what the machine would say, by dotted names.
    """

    name: str
    commands: str
    before: Prepare = field(default=nothing)
    faked: Mapping[str, object] = field(default_factory=dict)

    def lines(self, checkout: Checkout) -> list[tuple[str, list[str]]]:
        """Each command as the catalogue shows it, and its words."""
        found = []
        for line in self.commands.strip("\n").split("\n"):
            shown = f"$ ./lab {line.strip()}".rstrip()
            words = line.format(labs=checkout.labs, given=given(checkout))
            for place, instead in (("{labs}", "labs"), ("{given}/", ""), ("{given}", "given")):
                shown = shown.replace(place, instead)
            found.append((shown, shlex.split(words)))
        return found


def given(checkout: Checkout) -> Path:
    """Where files and folders lie that somebody gave."""
    return checkout.root.parent / "given"


def file(text: str) -> Prepare:
    """The student's file has this text."""
    return lambda checkout: (checkout.labs / LAB / "demo.cu").write_text(text) and None


def gone(checkout: Checkout) -> None:
    """The student's file is not there."""
    (checkout.labs / LAB / "demo.cu").unlink()


def renamed(checkout: Checkout) -> None:
    """The student's file was saved under another name, and an older copy is there, too."""
    file = checkout.labs / LAB / "demo.cu"
    shutil.copy(file, older := file.with_suffix(".cpp"))
    os.utime(older, (1, 1))
    file.rename(file.with_name("demo (1).cu"))


def lab(*words: str) -> Prepare:
    """A command was called."""
    return lambda checkout: main([*words], checkout) and None


def both(*steps: Prepare) -> Prepare:
    def prepared(checkout: Checkout) -> None:
        for step in steps:
            step(checkout)

    return prepared


def files(**contents: str | bytes) -> Prepare:
    """Files in `given`; `_` in a name stands for `.`, `__` for `/`."""

    def prepared(checkout: Checkout) -> None:
        for name, content in contents.items():
            path = given(checkout) / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    return prepared


def judged(*stages: str) -> Prepare:
    """The student's file gets these verdicts, made with `stage`."""
    return file("// mine\n" + "".join(stages))


def stage(verdict: str, message: str = "", name: str = "global") -> str:
    """A line of a submission: what the fake judge says of a stage."""
    case = {"name": "global sorts small arrays", "verdict": verdict, "message": message}
    document = {"verdict": verdict, "message": message, "case": case["name"], "cases": [case],
                "exit": 1}  # fmt: skip
    return plan(name, "any", json.dumps(document))


def raises(error: BaseException) -> Callable[..., object]:
    def broken(*_: object, **__: object) -> object:
        raise error

    return broken


def says(value: object) -> Callable[..., object]:
    return lambda *_, **__: value


def script(folder: Path, name: str, text: str) -> None:
    """A program for the fakes to find."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def in_path(checkout: Checkout, name: str, text: str) -> None:
    """A program of this name comes first in PATH, which the fixture `checkout` puts back."""
    folder = checkout.root.parent / "tools"
    script(folder, name, text)
    if str(folder) not in os.environ["PATH"]:
        os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
