"""When something was handed in, where a download does not say: the sheets that say it.

Moodle's grading worksheet names participants by number, address and time. Canvas's zip holds no
times either; its API lists them, and a browser that is logged in shows that list.
"""

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from ..base.errors import UsageError
from .roster import read_table, read_text

WORKSHEET_TIME = ("%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%d %B %Y, %I:%M %p")


@dataclass(frozen=True)
class Times:
    """Moodle's grading worksheet: e-mail address and time of each participant's submission.

    `users` are the times in Canvas's list of submissions, by Canvas's number of the student.
    """

    rows: dict[str, tuple[str, datetime | None]]
    users: dict[str, datetime] = field(default_factory=dict)

    def __or__(self, other: "Times") -> "Times":
        return Times(self.rows | other.rows, self.users | other.users)


NO_TIMES = Times({})
SHEETS = (".csv", ".json")


def read_times(path: Path, zone: tzinfo) -> Times:
    """Raises UsageError if `path` is neither Moodle's worksheet nor Canvas's list."""
    if path.suffix.lower() == ".json":
        return Times({}, _canvas_times(path))
    columns, rows = read_table(read_text(path), str(path))
    if not {"identifier", "email address"} <= set(columns):
        raise UsageError(f"{path}: is not a grading worksheet of Moodle with English columns "
                         "(Identifier, Email address, Last modified (submission)).")  # fmt: skip
    found = {}
    for row in rows:
        if number := re.search(r"\d+$", row.get("identifier", "")):
            said = row.get("last modified (submission)", "")
            found[number[0]] = (row["email address"], _worksheet_time(said, zone))
    return Times(found)


def _canvas_times(path: Path) -> dict[str, datetime]:
    """What Canvas's API answers at /api/v1/courses/N/assignments/N/submissions. A browser gets it
    after `while(1);`."""
    try:
        said = json.loads(read_text(path).removeprefix("while(1);"))
        if not isinstance(said, list) or not all(isinstance(one, dict) for one in said):
            raise ValueError
        return {str(one["user_id"]): time for one in said
                if (time := _iso_time(one["submitted_at"]))}  # fmt: skip
    except (ValueError, KeyError) as error:
        raise UsageError(f"{path}: is not Canvas's list of submissions (user_id, "
                         "submitted_at, ...).") from error  # fmt: skip


def _iso_time(text: Any) -> datetime | None:
    if not text:
        return None
    time = datetime.fromisoformat(str(text))
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _worksheet_time(text: str, zone: tzinfo) -> datetime | None:
    for form in WORKSHEET_TIME:
        try:
            return datetime.strptime(text, form).replace(tzinfo=zone)
        except ValueError:
            continue
    return None
