"""What a person names on the command line: a lab, a stage, a lab's folder, or the file in it.

    01-rank-sort    rank-sort    1    01-rank-sort.stable    1.3
    01-rank-sort stable    (as two words)
    labs/01-rank-sort    labs/01-rank-sort/rank_sort.cu    rank_sort.cu    .
    stable    (in the lab's folder)
"""

from pathlib import Path

from ..base.checkout import Checkout
from ..base.errors import UsageError
from ..base.text import close_to
from .manifest import Lab, Stage, find, find_stage, find_target, like

Target = tuple[Lab, Stage | None]


def named(checkout: Checkout, labs: list[Lab], text: str) -> Target:
    """The lab and stage that `text` names, as a name or as a path. Raises UsageError."""
    if " " in text and (one := joined(labs, text.split())) and len(one) == 1:
        text = one[0]  # both words in quotes
    inside = here(checkout, labs)
    if inside and text in inside.stage_names and not _lab(labs, text):
        return inside, find_stage(inside, text)
    is_path = "/" in text or text.endswith(".cu") or text in (".", "..") or Path(text).is_file()
    if not is_path:
        return find_target(labs, text)
    path = Path(text).resolve()
    found = _containing(checkout, labs, path)
    is_other = found and path.name != found.source
    if not found or (is_other and (path.suffix == ".cu" or not path.exists())):
        if not path.exists():
            near = _close(labs, text, found)
            hint = f" (did you mean {near}?)" if near else ""
            raise UsageError(f"{text}: there is no such file{hint}. A lab is named so: 01; a stage "
                             "so: 01.global.")  # fmt: skip
        raise UsageError(
            f"{text}: is not the file of any lab in {checkout.shown(checkout.labs)}; "
            f"any other file is graded with: ./lab grade {text}"
        )
    return found, None


def _close(labs: list[Lab], text: str, inside: Lab | None) -> str:
    """What was meant by a path that does not exist; "" if nothing is like it."""
    if inside:  # in a lab's folder there is one file to check
        return str(Path(text).with_name(inside.source)) if close_to(
            Path(text).name, [inside.source]) else ""  # fmt: skip
    if of := [lab for lab in labs if lab.source == Path(text).name]:
        return str(Path("labs") / of[0].name / of[0].source)
    lab, _, stage = text.partition("/")  # 01/global
    meant = _lab(labs, lab) if "/" not in stage else None
    near = close_to(stage, meant.stage_names) if meant else ""
    return f"{lab}.{near}" if near else ""


def here(checkout: Checkout, labs: list[Lab]) -> Lab | None:
    """The lab whose folder is the current directory, or contains it."""
    return _containing(checkout, labs, Path.cwd())


def joined(labs: list[Lab], words: list[str]) -> list[str]:
    """A command's words, in which `rank-sort global`, a lab and a stage of it, is one target."""
    made: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        lab = _lab(labs, made[-1]) if made and not word.startswith("-") else None
        if lab and rest and f"{word}-{rest[0]}" in lab.stage_names:  # `in place`
            word += f"-{rest.pop(0)}"
        # A number may also be an option's value; after a name any mistyped stage is meant.
        is_stage_of_it = lab and (close_to(word, lab.stage_names) or not made[-1].isdecimal())
        is_mistyped = len(made) > 1 and "." not in made[-1] and not word.startswith("-")
        if is_stage_of_it or (is_mistyped and like(labs, made[-1], word)):
            made[-1] += f".{word}"
        else:
            made.append(word)
    return made


def _lab(labs: list[Lab], word: str) -> Lab | None:
    if word.startswith("-") or "." in word:
        return None
    try:
        return find(labs, word)
    except UsageError:
        return None


def _containing(checkout: Checkout, labs: list[Lab], path: Path) -> Lab | None:
    for lab in labs:
        if path.is_relative_to((checkout.labs / lab.name).resolve()):
            return lab
    return None
