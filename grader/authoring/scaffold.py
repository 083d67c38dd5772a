"""The files of a new lab, from the folder template/: a lab that already builds, to be extended."""

import tomllib
from pathlib import Path

from ..lab_file import marks

TEMPLATE = Path(__file__).parent / "template"


def contents(name: str) -> dict[str, str]:
    """The files of lab `name`, with the skeleton: path from the checkout's root -> text."""
    space = name[3:].replace("-", "_")
    words = {"@LAB@": name, "@NUMBER@": name[:2], "@SPACE@": space,
             "@TITLE@": name[3:].replace("-", " ").capitalize()}  # fmt: skip
    files: dict[str, str] = {}
    for path in sorted(TEMPLATE.rglob("*")):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            files[_filled(str(path.relative_to(TEMPLATE)), words)] = _filled(text, words)
    solved = f"reference/{name}/{space}.cu"
    stages = [stage["name"] for stage in tomllib.loads(files[f"labs/{name}/lab.toml"])["stage"]]
    files[f"labs/{name}/{space}.cu"] = marks.cut(files[solved], solved, stages)
    return files


def _filled(text: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text
