"""Kept versions of a student's file, so that one that worked is never lost.

They are in report/out/saved/LAB: NNNN.cu with NNNN.json, which says when and why it was kept, and
what the last check said about it. `checked.cu` is the file that the last check has read.
"""

import contextlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..base.checkout import Checkout
from ..base.errors import Refusal, UsageError
from ..base.files import sha256, to_json, write_atomically
from ..base.verdict import PASSED
from ..grading.progress import TIME, recall
from ..intake.submission import read_source
from ..lab_file import marks
from ..lab_file.manifest import Lab

MOST = 400  # versions of one lab; the oldest that never passed a stage go first
CHECKED = "checked.cu"


@dataclass(frozen=True)
class Version:
    """One kept version; `verdicts` are by stage, as far as they were known."""

    number: int
    when: str
    why: str
    sha256: str
    verdicts: dict[str, str]

    def passes(self, stage: str) -> bool:
        return self.verdicts.get(stage) == PASSED


def folder(checkout: Checkout, lab: str) -> Path:
    return checkout.out / "saved" / lab


def own_file(checkout: Checkout, lab: Lab) -> Path:
    return checkout.labs / lab.name / lab.source


def read_own(checkout: Checkout, lab: Lab) -> bytes:
    """The student's file. Raises UsageError, with what to do if it is not there or empty."""
    path = own_file(checkout, lab)
    try:
        return read_source(path)
    except Refusal as refusal:
        if refusal.code not in ("missing", "empty") and path.exists():
            raise
        what = "is empty" if path.exists() else "is not there"
        if other := _under_another_name(path, lab):
            names = f"{_quoted(checkout, other)} {_quoted(checkout, path)}"
            raise UsageError(f"{checkout.shown(path)} {what}, but {checkout.shown(other)} has the "
                             f"lab's stages. Give it the right name: mv {names}") from refusal
        raise UsageError(f"{checkout.shown(path)} {what}; ./lab reset {lab.name} writes the "
                         "handout's text.") from refusal  # fmt: skip


def _under_another_name(path: Path, lab: Lab) -> Path | None:
    """The newest file beside `path` with stages of the lab: saved as rank_sort.cpp, or (1).cu."""
    found: list[tuple[float, Path]] = []
    for other in path.parent.glob("*"):
        with contextlib.suppress(OSError, Refusal):
            is_other = other.is_file() and other.name != path.name
            if is_other and marks.names(read_source(other).decode()) & set(lab.stage_names):
                found.append((other.stat().st_mtime, other))
    return max(found)[1] if found else None


def _quoted(checkout: Checkout, path: Path) -> str:
    return shlex.quote(str(checkout.shown(path)))


def write_own(checkout: Checkout, lab: Lab, text: str | bytes) -> None:
    """Replace the student's file; where it is a link, the file that the link leads to."""
    path = own_file(checkout, lab)
    write_atomically(path.resolve() if path.is_file() else path, text)


def versions(checkout: Checkout, lab: str) -> list[Version]:
    """Every kept version, the oldest first. What is damaged is left out."""
    found: list[Version] = []
    for path in sorted(folder(checkout, lab).glob("[0-9]*.json")):
        try:
            version = Version(**json.loads(path.read_text(encoding="utf-8")))
            datetime.strptime(version.when, TIME)
            if path.stem == f"{version.number:04}" and path.with_suffix(".cu").is_file():
                version.passes("")  # its verdicts are by stage
                found.append(version)
        except (OSError, ValueError, TypeError, AttributeError):
            continue
    return sorted(found, key=lambda version: version.number)


def content(checkout: Checkout, lab: str, version: Version) -> bytes:
    """The text of a kept version. Raises UsageError if it is not what was kept."""
    path = folder(checkout, lab) / f"{version.number:04}.cu"
    text = path.read_bytes()
    if sha256(text) != version.sha256:
        raise UsageError(f"{checkout.shown(path)}: was changed after it had been kept.")
    return text


def keep(
    checkout: Checkout, lab: str, source: bytes, why: str, verdicts: Mapping[str, str]
) -> Version:
    """Keep `source`, unless the newest version is the same: then that one is returned."""
    known = versions(checkout, lab)
    if known and known[-1].sha256 == sha256(source) and known[-1].verdicts == dict(verdicts):
        return known[-1]
    number = 1 + max((int(path.stem) for path in folder(checkout, lab).glob("[0-9]*.*")
                      if path.stem.isdecimal()), default=0)  # fmt: skip
    when = datetime.now(UTC).strftime(TIME)
    made = Version(number, when, why, sha256(source), dict(verdicts))
    place = folder(checkout, lab)
    write_atomically(place / f"{number:04}.cu", source)
    write_atomically(place / f"{number:04}.json", to_json(asdict(made)))
    _forget_old(place, [*known, made])
    return made


def noted(checkout: Checkout, lab: str, version: Version, note: str) -> Version:
    """A kept version that somebody gives a name; what it was called before stays."""
    if note in version.why:
        return version
    made = replace(version, why=f"{note} ({version.why})")
    write_atomically(folder(checkout, lab) / f"{version.number:04}.json", to_json(asdict(made)))
    return made


def _forget_old(place: Path, known: list[Version]) -> None:
    spare = len(known) - MOST
    for version in [one for one in known if PASSED not in one.verdicts.values()][: max(0, spare)]:
        for suffix in (".json", ".cu"):
            (place / f"{version.number:04}{suffix}").unlink(missing_ok=True)


def keep_own(checkout: Checkout, lab: Lab, why: str) -> Version | None:
    """Keep the student's file as it is now, if there is one."""
    path = own_file(checkout, lab)
    if not path.is_file():
        return None
    source = path.read_bytes()
    known = {stage: entry["verdict"] for stage, entry in recall(checkout, lab.name).items()
             if entry["sha256"] == sha256(source)}  # fmt: skip
    return keep(checkout, lab.name, source, why, known)


def before_remembering(checkout: Checkout, lab: Lab, source: bytes, result: dict[str, Any]) -> None:
    """Called after a check, before its verdicts replace the last ones.

    If a verdict changes, the file of the check before is kept with the verdicts that it had. What
    passes a stage for the first time is kept at once.
    """
    before = {stage: entry["verdict"] for stage, entry in recall(checkout, lab.name).items()}
    after = {stage["name"]: stage["verdict"] for stage in result["stages"]}
    changed = [name for name, verdict in after.items() if before.get(name) != verdict]
    last = folder(checkout, lab.name) / CHECKED
    if changed and last.is_file() and PASSED in before.values():
        text = last.read_bytes()
        if text != source:
            why = f"before a check that changed {', '.join(changed)}"
            keep(checkout, lab.name, text, why, before)
    gained = [name for name in changed if after[name] == PASSED]
    if gained:
        keep(checkout, lab.name, source, f"passed {', '.join(gained)}", {**before, **after})
    write_atomically(last, source)


def newest_passing(known: list[Version], stage: str) -> Version | None:
    return next((one for one in reversed(known) if one.passes(stage)), None)


def own_with_stage(checkout: Checkout, lab: Lab, theirs: str, stage: str) -> str:
    """The student's file with one stage as it is in `theirs`, and its own line ends. Raises
    UsageError."""
    path = own_file(checkout, lab)
    shown = checkout.shown(path)
    try:
        mine = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown}: is not UTF-8 text; save it as UTF-8, or leave out the stage to "
                         "take the whole file.") from error  # fmt: skip
    made = with_stage(mine.replace("\r\n", "\n"), theirs, stage, shown)
    return made.replace("\n", "\r\n") if "\r\n" in mine else made


def with_stage(mine: str, theirs: str, stage: str, where: str) -> str:
    """`mine` with the regions of one stage as they are in `theirs`. Raises UsageError."""
    regions = [region for region in marks.parse(mine, where) if region.name == stage]
    others = [region for region in marks.parse(theirs, where) if region.name == stage]
    if not regions or len(regions) != len(others):
        raise UsageError(
            f"{where}: has {len(regions)} regions of stage {stage} instead of {len(others)}; "
            "leave out the stage to take the whole file."
        )
    lines, new = mine.split("\n"), theirs.split("\n")
    for region, other in reversed(list(zip(regions, others, strict=True))):
        lines[region.begin + 1 : region.end] = new[other.begin + 1 : other.end]
    return "\n".join(lines)
