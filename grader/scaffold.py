"""`./lab new NN-name`: a lab that already builds, with one stage, to be grown from there."""

import argparse
import shutil

from . import marks, scaffold_templates
from .checkout import Checkout
from .errors import ALL_PASSED, UsageError
from .files import write_atomically
from .manifest import LAB_NAME
from .outcome import Outcome


def new(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Write labs/NN-name and reference/NN-name. Raises UsageError; then nothing is left behind."""
    name = arguments.name
    if not LAB_NAME.fullmatch(name):
        raise UsageError(f"'{name}' is no name for a lab; it must look like 06-scan.")
    room, solved = checkout.labs / name, checkout.reference / name
    for folder in (room, solved):
        if folder.exists():
            raise UsageError(f"{folder.relative_to(checkout.root)} already exists.")
    if taken := sorted(path.name for path in checkout.labs.glob(f"{name[:2]}-*")):
        raise UsageError(f"the number {name[:2]} is taken by labs/{taken[0]}.")
    files = contents(name)
    try:
        for path, text in files.items():
            write_atomically(checkout.root / path, text)
    except BaseException:
        for folder in (room, solved):
            shutil.rmtree(folder, ignore_errors=True)
        raise
    text = "\n".join([*files, f"Prove it with: ./lab dev check {name}"])
    return Outcome(ALL_PASSED, {"lab": name, "files": list(files)}, text)


def contents(name: str) -> dict[str, str]:
    """The files of a new lab: path from the checkout's root -> text. The skeleton is cut, too."""
    space = name[3:].replace("-", "_")
    words = {"@LAB@": name, "@NUMBER@": name[:2], "@SPACE@": space,
             "@TITLE@": name[3:].replace("-", " ").capitalize()}  # fmt: skip
    templates = {
        f"labs/{name}/lab.toml": scaffold_templates.MANIFEST,
        f"labs/{name}/README.md": scaffold_templates.HANDOUT,
        f"labs/{name}/{space}.hpp": scaffold_templates.CONTRACT,
        f"labs/{name}/oracle.hpp": scaffold_templates.ORACLE,
        f"labs/{name}/test.cpp": scaffold_templates.TEST,
        f"labs/{name}/bench.cpp": scaffold_templates.BENCH,
        f"reference/{name}/{space}.cu": scaffold_templates.REFERENCE,
        f"reference/{name}/NOTES.md": scaffold_templates.NOTES,
        f"reference/{name}/wrong/nop.cu": scaffold_templates.WRONG,
    }
    files = {path: _filled(text, words) for path, text in templates.items()}
    solved = f"reference/{name}/{space}.cu"
    files[f"labs/{name}/{space}.cu"] = marks.cut(files[solved], solved, ["first"])
    return files


def _filled(text: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text
