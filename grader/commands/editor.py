"""`./lab editor` and `./lab completion`: what an editor and a shell need to know of the labs."""

import argparse

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED
from ..base.outcome import Outcome
from ..base.text import counted
from ..lab_file import manifest
from ..study import editor
from .parser import Commands


def add(commands: Commands) -> None:
    commands.add("editor", run, "write compile_commands.json for clangd; needs no CUDA toolkit")
    made = commands.add("completion", complete, "print what makes your shell complete ./lab")
    made.add_argument("shell", nargs="?", default="bash", choices=("bash", "zsh", "fish"))


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Any editor with clangd then shows errors, types and definitions in the labs' .cu files."""
    labs = manifest.discover(checkout)
    path = editor.write(checkout, labs)
    written = f"{checkout.shown(path)}, for {counted(len(labs), 'lab')}"
    text = f"Written: {written}. Now open the checkout."
    return Outcome(ALL_PASSED, {"written": str(path), "labs": len(labs)}, text)


def complete(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """For ~/.bashrc: eval "$(/path/to/lab completion)"."""
    code = editor.completion(checkout, arguments.shell)
    return Outcome(ALL_PASSED, {"shell": arguments.shell, "code": code}, code.rstrip())
