"""What `./lab bench` is asked to time: which stages, at which sizes, of whose file."""

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

from . import console, manifest, marks, sandbox
from .checkout import Checkout
from .errors import UsageError
from .files import make_folder, require_place_for_file
from .manifest import Lab, Stage
from .sandbox import Sandbox
from .submission import read_source, take_in

LARGEST = 2**30  # the labs' kernels count in int
SIZE = re.compile(r"(?:(\d{1,10})|2\^(\d{1,2}))", re.ASCII)


@dataclass(frozen=True)
class Chosen:
    """What is timed, in words and as source, and how it runs."""

    name: str
    source: bytes
    box: Sandbox


def stages_of(checkout: Checkout, arguments: argparse.Namespace) -> tuple[Lab, tuple[Stage, ...]]:
    """The lab, and those of its stages that are asked for."""
    lab, stage = manifest.find_target(manifest.discover(checkout), arguments.target)
    if arguments.stage:
        if stage and stage.name != arguments.stage:
            raise UsageError(f"which stage is meant: {stage.name} or {arguments.stage}?")
        stage = manifest.find_stage(lab, arguments.stage)
    return lab, (stage,) if stage else lab.stages


def read_sizes(text: str) -> tuple[int, ...]:
    """`1000,2^20`. Raises UsageError."""
    sizes = []
    for word in text.split(","):
        match = SIZE.fullmatch(word.strip())
        n = int(match[1]) if match and match[1] else 2 ** int(match[2]) if match else 0
        if not 1 <= n <= LARGEST:
            raise UsageError(
                f"--sizes: '{word}' is no size from 1 to 2^30; give some as 1000,4096,2^20."
            )
        sizes.append(n)
    return tuple(sizes)


def choose(checkout: Checkout, lab: Lab, arguments: argparse.Namespace) -> Chosen:
    """A file or submission that is named; else the student's own, unless it is untouched."""
    if arguments.source:
        source = read_source(Path(arguments.source))
        return Chosen(arguments.source, source, sandbox.for_others(arguments.trust))
    if arguments.submission:
        [taken] = take_in(Path(arguments.submission), [lab], lab)
        return Chosen(arguments.submission, taken.source, sandbox.for_others(arguments.trust))
    own = checkout.labs / lab.name / lab.source
    reference = checkout.reference / lab.name / lab.source
    if not reference.is_file():  # a copy handed to students may come without
        return Chosen(checkout.shown(own), read_source(own), sandbox.for_own_file())
    solved = reference.read_text(encoding="utf-8")
    skeleton = marks.cut(solved, str(reference), lab.stage_names).encode()
    if arguments.reference or not own.is_file() or own.read_bytes() == skeleton:
        if not arguments.reference:
            console.note(f"{checkout.shown(own)} is still the skeleton: timing the reference.")
        return Chosen("the reference", solved.encode(), sandbox.for_own_file())
    return Chosen(checkout.shown(own), read_source(own), sandbox.for_own_file())


def place_for(text: str | None) -> Path | None:
    """Where the document goes; known to be writable before minutes are spent. Raises UsageError."""
    if text is None:
        return None
    path = Path(text)
    require_place_for_file(path)
    make_folder(path.parent)
    return path
