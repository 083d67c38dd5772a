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


def latest_time(said: datetime, zone: tzinfo) -> datetime:
    """What a clock in `zone` shows, as a time in that zone.

    An hour that comes twice when the clocks are put back means the later one, and one that is left
    out means as much later: a date for students is never earlier than they may read it.
    """
    if said.tzinfo is None:
        said = max(said.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return said.astimezone(UTC).astimezone(zone)
