"""What a command hands back: for people, for programs, and for the shell."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .errors import ALL_PASSED, INFRASTRUCTURE, SOME_FAILED, USAGE
from .result import Result
from .verdict import INFRASTRUCTURE as INFRASTRUCTURE_ERROR
from .verdict import PASSED


@dataclass(frozen=True)
class Outcome:
    """`text` is printed, or with --json `document`; then the command ends with `exit_code`."""

    exit_code: int
    document: dict[str, Any]
    text: str


def exit_code(results: Iterable[Result], refused: int = 0) -> int:
    """0 only if every result passed in full; the kit's own failures weigh more than the user's."""
    verdicts = [result.verdict for result in results]
    if INFRASTRUCTURE_ERROR in verdicts:
        return INFRASTRUCTURE
    if refused:
        return USAGE
    return ALL_PASSED if verdicts and all(v == PASSED for v in verdicts) else SOME_FAILED
