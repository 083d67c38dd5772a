"""The hints that students find in lab.toml: all of them, the first few of each stage, or none.

What ./lab why advises is a hint, too, where it names what the good form does: `[stage.advice]`.
Where hints are cut, only the general advice is left.
"""

import json
import re
import tomllib

from ..base.errors import UsageError

BEGIN = re.compile(r"hints\s*=\s*\[")
ADVICE, TABLE = "[stage.advice]", re.compile(r"\s*\[")
NO_HINT = "Your course gives no hints here. Ask the staff."


def kept(text: str, most: int | None, where: str) -> str:
    """The text of a lab.toml with at most this many hints for each stage; None keeps all of them.

    Everything else stays as it is. Raises UsageError if the text cannot be changed safely.
    """
    if most is None:
        return text
    lines, made, index = text.split("\n"), [], 0
    while index < len(lines):
        if lines[index].strip() == ADVICE:
            index = next((at for at in range(index + 1, len(lines)) if TABLE.match(lines[at])),
                         len(lines))  # fmt: skip
            continue
        end = _end_of_array(lines, index)
        made += _shortened(lines[index:end], most) if end else [lines[index]]
        index = end or index + 1
    result = "\n".join(made)
    if tomllib.loads(result) != _expected(text, most):
        raise UsageError(f"{where}: its hints cannot be cut; write each as `hints = [ ... ]`, and "
                         f"advice below a line `{ADVICE}`.")  # fmt: skip
    return result


def _end_of_array(lines: list[str], begin: int) -> int | None:
    """The line after the array of hints that begins here; None if none does."""
    if not BEGIN.match(lines[begin]):
        return None
    for end in range(begin + 1, len(lines) + 1):
        try:
            tomllib.loads("\n".join(lines[begin:end]))
        except tomllib.TOMLDecodeError:
            continue
        return end
    return None


def _shortened(lines: list[str], most: int) -> list[str]:
    hints = tomllib.loads("\n".join(lines))["hints"]
    shown = [json.dumps(hint, ensure_ascii=False) for hint in _first(hints, most)]
    return ["hints = [", *(f"  {hint}," for hint in shown), "]"]


def _first(hints: list[str], most: int) -> list[str]:
    """A stage always has a hint, as lab.toml demands."""
    return hints[:most] or [NO_HINT]


def _expected(text: str, most: int) -> dict[str, object]:
    document = tomllib.loads(text)
    for stage in document["stage"]:
        stage["hints"] = _first(stage["hints"], most)
        stage.pop("advice", None)
    return document
