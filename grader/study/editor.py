"""What makes an editor and a shell understand the labs: compile_commands.json, and completion."""

import json
import shlex
from pathlib import Path
from typing import Any

from ..base.checkout import Checkout
from ..base.files import to_json, write_atomically
from ..compiling.worker import WARNINGS as compiler_warnings
from ..lab_file.manifest import Lab
from ..programs.lint import FLAGS, kit_headers

FILE = "compile_commands.json"
# An editor reads a file as ./lab run --mode lint does, and warns as ./lab check does.
WARNINGS = (*compiler_warnings, "-Wno-unknown-cuda-version")


def entry(checkout: Checkout, file: Path, include: list[Path]) -> dict[str, Any]:
    """How clangd reads one file."""
    headers = [word for folder in include for word in ("-I", str(folder))]
    return {
        "directory": str(checkout.root),
        "file": str(file),
        "arguments": ["clang++", *FLAGS, *WARNINGS, *kit_headers(checkout), *headers, str(file)],
    }


def write(checkout: Checkout, labs: list[Lab]) -> Path:
    """Write the file at the checkout's root: one entry for each lab's source. Other entries that
    the build has made (tests, the kit's own parts) are taken over."""
    own = [entry(checkout, checkout.labs / lab.name / lab.source,
                 [checkout.labs / "kit", checkout.labs / lab.name]) for lab in labs]  # fmt: skip
    path = checkout.root / FILE
    write_atomically(path, to_json([*own, *_of_the_build(checkout)]))
    return path


def _of_the_build(checkout: Checkout) -> list[dict[str, Any]]:
    try:
        listed = json.loads((checkout.build("cpu") / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return listed if isinstance(listed, list) else []


def completion(checkout: Checkout, shell: str) -> str:
    """What a shell evaluates to complete commands, labs and stages of `lab` and `./lab`."""
    import argcomplete  # installed only after bootstrap has run

    if shell == "fish":  # it knows commands by their last name, and would look for it on the PATH
        own = shlex.quote(str(checkout.root / "lab"))
        return str(argcomplete.shellcode(["lab"], shell=shell, argcomplete_script=own))
    return str(argcomplete.shellcode(["lab", "./lab"], shell=shell))
