"""`./lab save` and `./lab restore`: kept versions of a student's file."""

import argparse
from dataclasses import asdict

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, UsageError
from ..base.outcome import Outcome
from ..base.text import line
from ..base.verdict import PASSED
from ..lab_file import manifest, target
from ..lab_file.manifest import Lab, Stage
from ..study import versions
from ..study.standing import ago
from ..study.versions import Version
from .parser import Commands


def add(commands: Commands) -> None:
    save = commands.add("save", save_version, "keep your file as it is now")
    save.add_argument("target", metavar="LAB")
    save.add_argument("--note", metavar="TEXT", help="what it is")
    restore = commands.add("restore", restore_version, "get back a kept version, or list them")
    restore.add_argument("target", metavar="LAB[.STAGE]")
    restore.add_argument("--version", type=int, metavar="N", help="its number in the list")


def save_version(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Keep the lab's file."""
    lab, _ = target.named(checkout, manifest.discover(checkout), arguments.target)
    note = line(arguments.note or "")
    kept = versions.keep_own(checkout, lab, note or "saved by hand")
    if kept is None:
        raise UsageError(f"labs/{lab.name}/{lab.source} is not there; there is nothing to save.")
    kept = versions.noted(checkout, lab.name, kept, note)
    text = (f"Kept as version {kept.number} of {lab.name}: {kept.why}\n"
            f"Get it back with: ./lab restore {lab.name} --version {kept.number}")  # fmt: skip
    return Outcome(ALL_PASSED, {"kept": asdict(kept)}, text)


def restore_version(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """With a stage: its newest version that passed. With --version: that one. Otherwise a list.

    What is there now is kept first.
    """
    lab, stage = target.named(checkout, manifest.discover(checkout), arguments.target)
    known = versions.versions(checkout, lab.name)
    if not known:
        raise UsageError(f"no version of {lab.name} is kept yet; ./lab save {lab.name} keeps one.")
    if stage is None and arguments.version is None:
        return _listed(lab, known)
    return _restored(checkout, lab, stage, _chosen(lab, stage, known, arguments.version))


def _listed(lab: Lab, known: list[Version]) -> Outcome:
    lines = [f"Kept versions of {lab.name}, the newest last:"]
    for one in known:
        passed = [name for name, verdict in one.verdicts.items() if verdict == PASSED]
        lines.append(f"  {one.number:>3}  {ago(one.when):<16} {one.why}")
        told = ", ".join(passed)
        lines += [f"       passed: {told}"] if passed and told not in one.why else []
    lines.append(f"Get one back with: ./lab restore {lab.name} --version N")
    return Outcome(ALL_PASSED, {"versions": [asdict(one) for one in known]}, "\n".join(lines))


def _chosen(lab: Lab, stage: Stage | None, known: list[Version], number: int | None) -> Version:
    if number is not None:
        found = next((one for one in known if one.number == number), None)
        if found is None:
            raise UsageError(f"{lab.name} has no version {number}; ./lab restore {lab.name} lists "
                             "them.")  # fmt: skip
        return found
    assert stage is not None
    found = versions.newest_passing(known, stage.name)
    if found is None:
        raise UsageError(f"no kept version passes {lab.name}.{stage.name}; choose one with "
                         "--version N.")  # fmt: skip
    return found


def _restored(checkout: Checkout, lab: Lab, stage: Stage | None, version: Version) -> Outcome:
    shown = f"labs/{lab.name}/{lab.source}"
    new = versions.content(checkout, lab.name, version)
    path = versions.own_file(checkout, lab)
    kept = versions.keep_own(checkout, lab, f"before version {version.number} was restored")
    if stage and path.is_file():
        new = versions.own_with_stage(checkout, lab, new.decode(), stage.name).encode()
    is_same = path.is_file() and path.read_bytes() == new
    versions.write_own(checkout, lab, new)
    what = f"stage {stage.name}" if stage else "the whole file"
    text = f"{shown}: {what} is version {version.number} again"
    text += f" ({version.why}, {ago(version.when)})."
    if is_same:
        text = f"{shown}: {what} was as in version {version.number} already; nothing has changed."
    elif kept:
        text += f"\nWhat was there is version {kept.number}."
    document = {"restored": asdict(version), "stage": stage.name if stage else None,
                "kept": asdict(kept) if kept else None}  # fmt: skip
    return Outcome(ALL_PASSED, document, text)
