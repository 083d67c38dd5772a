"""Everything that can go wrong, by the exit code that it causes."""

import tempfile
import traceback

from .text import escaped, line

ALL_PASSED = 0
SOME_FAILED = 1
USAGE = 2
INFRASTRUCTURE = 3
REFUSED = 4


class LabError(Exception):
    """An error whose text is one sentence for the user: what is wrong and what to do."""

    exit_code = INFRASTRUCTURE

    def __init__(self, message: str) -> None:
        super().__init__(escaped(message))  # it may quote a file's name or content


class UsageError(LabError):
    """The user's input cannot be used: a path, a name, a manifest, a submission."""

    exit_code = USAGE


class Refusal(UsageError):
    """What was handed in cannot be graded. `code` names the reason and does not change."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class InfrastructureError(LabError):
    """The machine or the kit failed: a missing tool, a broken build, a judge without a report.

    It never becomes a mark: neither a zero nor a pass.
    """


def report_defect(error: BaseException) -> str:
    """One sentence about an error that nobody foresaw; the details go to a file of their own."""
    kind = line(f"{type(error).__name__}: {error}")
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="warpwise-error-", suffix=".log", delete=False, encoding="utf-8",
            errors="backslashreplace",
        ) as log:  # fmt: skip
            traceback.print_exception(error, file=log)
    except OSError as failure:
        return f"a defect of the kit ({kind}); its details cannot be kept: {failure.strerror}."
    return f"a defect of the kit ({kind}); please report it, with {log.name}."
