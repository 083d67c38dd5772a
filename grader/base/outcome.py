"""What a command hands back: for people, for programs, and for the shell."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """`text` is printed, or with --json `document`; then the command ends with `exit_code`."""

    exit_code: int
    document: dict[str, Any]
    text: str
