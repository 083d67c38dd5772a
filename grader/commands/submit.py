"""`./lab submit LAB`: packs what is handed in, after it has compiled from a clean copy."""

import argparse
import io
import os
import re
import subprocess
import zipfile
from datetime import UTC, datetime

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, SOME_FAILED, UsageError
from ..base.files import sha256, write_atomically
from ..base.outcome import Outcome
from ..base.text import line
from ..base.verdict import PASSED
from ..compiling.build import build
from ..grading.progress import recall
from ..judging.workers import make_bench
from ..lab_file import manifest, recorded, target
from ..lab_file.manifest import Lab
from ..sandbox import bubblewrap
from ..study import compiler_words, versions
from .parser import Commands

STUDENT = "WARPWISE_STUDENT"  # environment: the student's id
IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
EARLIEST = (1980, 1, 1, 0, 0, 0)  # for a zip: the same file is the same bytes


def add(commands: Commands) -> None:
    submit = commands.add("submit", run, "pack a lab's file to hand it in")
    submit.add_argument("target", metavar="LAB")
    submit.add_argument("--id", metavar="ID", help=f"your student id; or set {STUDENT}")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Exit code 1 if the file does not compile: then nothing is packed."""
    lab, _ = target.named(checkout, manifest.discover(checkout), arguments.target)
    student, origin = _student(checkout, arguments.id)
    shown = f"labs/{lab.name}/{lab.source}"
    source = versions.read_own(checkout, lab)
    build(checkout, "cpu")
    box = bubblewrap.for_own_file()
    bench, message = make_bench(checkout, lab, source, "cpu", arguments.seed, box, check=False)
    if bench is None or bench.refused:
        text = source.decode("utf-8", "replace")
        said = compiler_words.errors(message, lab.source, text) or [message or bench.refused]
        lines = [f"Not packed: {shown} cannot be graded from a clean copy.", *said]
        return Outcome(SOME_FAILED, {"packed": None, "because": "\n".join(said)}, "\n".join(lines))
    when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    path = checkout.out / "submit" / f"{lab.name}-{student}.zip"
    write_atomically(path, _packed(lab, source))
    versions.keep_own(checkout, lab, f"submitted by {student}")
    digest = sha256(source)
    lines = [
        f"Packed: {checkout.shown(path)}",
        f"  holds     {lab.source}, {len(source):,} bytes, and nothing else",
        f"  student   {student}{origin}",
        f"  time      {when}",
        f"  sha256    {digest}",
        "            (result.json of the grading shows the same under submission)",
        f"  checked   {_last_check(checkout, lab, digest)}",
        *_untouched(checkout, lab, source),
        "Your course says how to hand it in.",
    ]
    document = {"packed": str(path), "lab": lab.name, "student": student, "time": when,
                "sha256": digest, "because": None}  # fmt: skip
    return Outcome(ALL_PASSED, document, "\n".join(lines))


def _untouched(checkout: Checkout, lab: Lab, source: bytes) -> list[str]:
    """A line about a file in which nothing was written: it may be the wrong one."""
    given = recorded.skeleton(checkout, lab)
    if given is None or source.decode("utf-8", "replace") != given:
        return []
    return [f"  note      {lab.source} is as it was handed out: nothing of yours is in it"]


def _packed(lab: Lab, source: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        entry = zipfile.ZipInfo(lab.source, EARLIEST)
        entry.external_attr = 0o644 << 16
        archive.writestr(entry, source)
    return packed.getvalue()


def _student(checkout: Checkout, given: str | None) -> tuple[str, str]:
    """Who hands in, and where that is from if nobody said it. Raises UsageError if that is not
    known."""
    if given == "":
        raise UsageError("--id is empty: write --id YOUR-ID, or leave it out.")
    said = given or os.environ.get(STUDENT)
    # The whole address would make a file's name of half a line.
    name = said or _from_git(checkout).partition("@")[0]
    if not name:
        raise UsageError(f"who hands in? Add --id YOUR-ID, or set {STUDENT}.")
    if not IDENTIFIER.fullmatch(name):
        raise UsageError(f"'{line(name)}' cannot name a file; use letters, digits and . _ @ + -")
    return name, "" if said else "  (from git's user.email; --id ID says another)"


def _from_git(checkout: Checkout) -> str:
    command = ["git", "config", "user.email"]
    try:
        done = subprocess.run(command, cwd=checkout.root, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _last_check(checkout: Checkout, lab: Lab, digest: str) -> str:
    """What ./lab check last said about exactly this text."""
    known = recall(checkout, lab.name)
    about = {stage: entry["verdict"] for stage, entry in known.items() if entry["sha256"] == digest}
    if not about:
        return f"not since your last edit: ./lab check {lab.name}"
    passed = sum(verdict == PASSED for verdict in about.values())
    said = f"{passed} of {len(lab.stages)} stages passed on this machine"
    if missing := len(lab.stages) - len(about):
        said += f"; {missing} not since your last edit: ./lab check {lab.name}"
    return said
