"""What makes an editor and a shell understand the labs: compile_commands.json, and completion."""

import json
from pathlib import Path
from typing import Any

from ..base.checkout import Checkout
from ..base.files import to_json, write_atomically
from ..lab_file.manifest import Lab

FILE = "compile_commands.json"
# clang's CUDA front end with the kit's headers instead of a toolkit's, as ./lab run --mode lint.
FLAGS = """-x cuda --cuda-host-only -nocudainc -nocudalib -std=c++20 -D__CUDACC__=1 -Wall -Wextra
    -Wshadow -Wno-unused-parameter -Wno-unused-function -Wno-unknown-cuda-version
    -Xclang -fno-cuda-host-device-constexpr -Xclang -fcuda-allow-variadic-functions""".split()


def entry(checkout: Checkout, file: Path, include: list[Path]) -> dict[str, Any]:
    """How clangd reads one file."""
    kit = checkout.root / "grader" / "cpu"
    headers = [word for folder in include for word in ("-I", str(folder))]
    return {
        "directory": str(checkout.root),
        "file": str(file),
        "arguments": ["clang++", *FLAGS, "-isystem", str(kit / "include"), "-include",
                      str(kit / "lint" / "cuda_lint.h"), *headers, "-fsyntax-only", str(file)],
    }  # fmt: skip


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


def completion(shell: str) -> str:
    """What a shell evaluates to complete commands, labs and stages of `lab` and `./lab`."""
    import argcomplete  # installed only after bootstrap has run

    return str(argcomplete.shellcode(["lab", "./lab"], shell=shell))
