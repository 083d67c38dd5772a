"""When something was handed in, where a download does not say: the sheets that say it.

Moodle's grading worksheet names participants by number, address and time. Canvas's zip holds no
times either; its API lists them, and a browser that is logged in shows that list. A clone's own
times are what the student's machine says; GitHub Classroom's list of grades has GitHub's.
"""

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from ..base.errors import UsageError
from ..base.lists import ADDRESS, NUMBERED
from .dates import read_date
from .roster import read_table, read_text

# The columns of Moodle's worksheet, with what their cells look like in every language.
IDENTIFIER, EMAIL, TIME = "identifier", "email address", "last modified (submission)"
NO_TIME = ("", "-", "–", "—")
# Those of GitHub Classroom's list of grades.
REPOSITORY, WHO, ACCOUNT = "student_repository_name", "roster_identifier", "github_username"
PUSHED = "submission_timestamp"


@dataclass(frozen=True)
class Times:
    """Moodle's grading worksheet: e-mail address and time of each participant's submission.

    `users` are the times in Canvas's list of submissions, by Canvas's number of the student.
    `clones` say whose a repository of GitHub Classroom is, and the time; a group has several.
    `unread` are times in sheets that nobody could read.
    """

    rows: dict[str, tuple[str, datetime | None]]
    users: dict[str, datetime] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    clones: dict[str, list[tuple[tuple[str, ...], datetime | None]]] = field(default_factory=dict)

    def __or__(self, other: "Times") -> "Times":
        return Times(self.rows | other.rows, self.users | other.users, self.unread + other.unread,
                     self.clones | other.clones)  # fmt: skip


NO_TIMES = Times({})
SHEETS = (".csv", ".json")


def read_times(path: Path, zone: tzinfo) -> Times:
    """Raises UsageError if `path` is neither Moodle's worksheet nor another system's list."""
    if path.suffix.lower() == ".json":
        return Times({}, _canvas_times(path))
    columns, rows = read_table(read_text(path), str(path))
    if REPOSITORY in columns and PUSHED in columns:
        return _classroom_times(rows)
    identifier = _column(columns, rows, IDENTIFIER, NUMBERED)
    email, time = _column(columns, rows, EMAIL, ADDRESS), _time_column(columns, rows, zone)
    if identifier is None or (email is None and time is None):
        raise UsageError(f"{path}: is neither a grading worksheet of Moodle (Identifier, Email "
                         "address, Last modified (submission)) nor GitHub Classroom's list of "
                         f"grades ({REPOSITORY}, {PUSHED}).")  # fmt: skip
    found, unread = {}, []
    for row in rows:
        if number := re.search(r"\d+$", row.get(identifier, "")):
            said = row.get(time or "", "")
            found[number[0]] = (row.get(email or "", ""), read_date(said, zone))
            unread += [said] if said not in NO_TIME and found[number[0]][1] is None else []
    return Times(found, unread=tuple(unread))


def _classroom_times(rows: list[dict[str, str]]) -> Times:
    """By the repository's name, which is that of the clone's folder."""
    found: dict[str, list[tuple[tuple[str, ...], datetime | None]]] = {}
    unread = []
    for row in rows:
        said, time = row.get(PUSHED, "").strip(), None
        try:
            time = _iso_time(re.sub(r"\s*UTC$", "Z", said))
        except ValueError:
            unread.append(said)
        names = tuple(filter(None, (row.get(WHO, "").strip(), row.get(ACCOUNT, "").strip())))
        found.setdefault(row[REPOSITORY].strip().casefold(), []).append((names, time))
    return Times({}, unread=tuple(unread), clones=found)


def _column(
    columns: list[str], rows: list[dict[str, str]], title: str, form: re.Pattern[str]
) -> str | None:
    """The column with this title; in other languages the first whose cells all have this form."""
    if title in columns:
        return title
    return next((one for one in columns if rows
                 and all(form.fullmatch(row.get(one, "")) for row in rows)), None)  # fmt: skip


def _time_column(columns: list[str], rows: list[dict[str, str]], zone: tzinfo) -> str | None:
    """The first column with times is the submission's; the second is when it was marked."""
    if TIME in columns:
        return TIME
    return next((one for one in columns
                 if any(read_date(row.get(one, ""), zone) for row in rows)), None)  # fmt: skip


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
