"""A time as a person in some place of the world reads it."""

from datetime import UTC, datetime, tzinfo

SECONDS = "%Y-%m-%d %H:%M:%S %Z"  # 2026-11-20 18:59:00 EST
MINUTES = "%Y-%m-%d %H:%M %Z"


def local_time(time: datetime | str | None, zone: tzinfo = UTC, form: str = SECONDS) -> str:
    """A time, perhaps as a file has it, in a zone. What is no time stays as it is."""
    if not time:
        return ""
    try:
        known = datetime.fromisoformat(time) if isinstance(time, str) else time
    except ValueError:
        return str(time)
    return known.astimezone(zone).strftime(form)
