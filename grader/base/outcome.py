"""What a command returns: to people, to programs, and to the shell."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """The command prints `text`, or `document` with --json. Then it ends with `exit_code`."""

    exit_code: int
    document: dict[str, Any]
    text: str
