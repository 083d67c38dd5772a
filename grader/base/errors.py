"""Everything that can go wrong, by the exit code that it causes."""

ALL_PASSED = 0
SOME_FAILED = 1
USAGE = 2
INFRASTRUCTURE = 3


class LabError(Exception):
    """An error whose text is one sentence for the user: what is wrong and what to do."""

    exit_code = INFRASTRUCTURE


class UsageError(LabError):
    """The user's input cannot be used: a path, a name, a manifest, a submission."""

    exit_code = USAGE


class InfrastructureError(LabError):
    """The machine or the kit failed: a missing tool, a broken build, a judge without a report.

    It never becomes a mark: neither a zero nor a pass.
    """
