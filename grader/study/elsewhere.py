"""A check on another machine: by ssh, or on a GPU of a cluster by Slurm's srun.

The other machine has a checkout of its own. It gets the student's file on its stdin, judges it, and
answers with the JSON document; it keeps nothing. Its stdin stays open for as long as somebody waits
here: when it closes (Ctrl-C, a lost connection, SIGKILL), the check there ends at once.
"""

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO, Any

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import (
    ALL_PASSED,
    INFRASTRUCTURE,
    SOME_FAILED,
    USAGE,
    InfrastructureError,
    LabError,
    UsageError,
)
from ..base.reaper import ends_with_us, start
from ..base.scratch import remove_abandoned, scratch_folder
from .running import COMMAND

SLURM = "slurm"
SRUN_OPTIONS = "WARPWISE_SRUN"  # environment: more options for srun, such as --partition=gpu
FOLDER = "warpwise"  # the checkout on the other machine, in the home directory there
PLACE = re.compile(r"(?P<host>[A-Za-z0-9_][\w.@-]*)(:(?P<folder>[^\s:]+))?")
HOME = re.compile(r"~[\w.-]*(?:/|$)")
LARGEST = 1 << 20
OTHER_KIT = "its kit is another one than yours; ./lab upgrade brings both up to date"
UNREACHABLE, NO_FOLDER, NO_KIT = 255, 90, 91  # exit statuses: ssh's own, and those of the shell
COMPLAINT = re.compile(r"lab: |\./lab|srun: (error|fatal|option|\w+ option)|ssh: "
                       r"|.*(Permission denied|[Cc]onnect)|Host key |No \w+ host key"
                       r"|@|.*: cd: |Timeout,")  # fmt: skip
JOB_BEGAN = re.compile(r"Node failure|task \d+:|[Jj]ob step")  # srun's words about one that ended
# What ssh says, and what it means to somebody who has never set up a key.
SSH_SAYS = (
    (
        "IDENTIFICATION HAS CHANGED",
        "its key is another one than the last time; ask who runs it before you go on",
    ),
    ("closed by remote host", "the connection was lost; check again"),
    ("Host key verification failed", "its key is not known here; say once: ssh {host}"),
    ("Permission denied", "it asks for a password; give it your key once: ssh-copy-id {host}"),
)


def ask(
    checkout: Checkout, place: str, words: Sequence[str], source: bytes, stages: Sequence[str]
) -> dict[str, Any]:
    """The document of `./lab check WORDS` at `place`: HOST, HOST:FOLDER or slurm.

    It is about some of `stages`, or the kit there is too different. Raises LabError.
    """
    command = _command(checkout, place, words)
    if not shutil.which(command[0]):
        raise InfrastructureError(f"{command[0]} is not installed here; --on {place} needs it.")
    complaints: list[str] = []
    with start(command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
               stderr=subprocess.PIPE, start_new_session=True) as process:  # fmt: skip
        with ends_with_us(-process.pid, is_asked=True):  # srun gives its GPU back
            listener = threading.Thread(target=_listen, args=(process.stderr, complaints))
            listener.start()
            try:
                output = _talk(process, source)
                listener.join()
            except BaseException:
                os.killpg(process.pid, signal.SIGTERM)
                raise
    return _understood(place, process.returncode, output, complaints, stages)


def _command(checkout: Checkout, place: str, words: Sequence[str]) -> list[str]:
    asked = ["check", *words, "--json", "--guest"]
    if place == SLURM:
        try:
            more = shlex.split(os.environ.get(SRUN_OPTIONS, ""))
        except ValueError as error:
            raise UsageError(f"{SRUN_OPTIONS}: {error}.") from error
        return ["srun", "--gres=gpu:1", "--ntasks=1", *more,
                str(checkout.root / "lab"), *asked]  # fmt: skip
    found = PLACE.fullmatch(place)
    if not found:
        raise UsageError(f"--on: '{place}' is neither HOST, HOST:FOLDER nor {SLURM}.")
    folder = found["folder"] or FOLDER
    there = (f"cd {_quoted(folder)} || exit {NO_FOLDER}; test -x lab || exit {NO_KIT}; "
             f"exec ./lab {shlex.join(asked)}")  # fmt: skip
    return ["ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", found["host"], there]


def _quoted(folder: str) -> str:
    """For the shell there, to which a home directory (`~`, `~ann`) at the beginning is left."""
    home = HOME.match(folder)
    rest = folder[home.end() :] if home else folder
    return (home[0] if home else "") + (shlex.quote(rest) if rest else "")


def _talk(process: "subprocess.Popen[bytes]", source: bytes) -> bytes:
    assert process.stdin and process.stdout
    try:
        process.stdin.write(f"{len(source)}\n".encode() + source)
    except BrokenPipeError:
        pass  # it has ended already, and says why
    return process.stdout.read()


def _listen(said: IO[bytes], complaints: list[str]) -> None:
    """Shows what is said there as it comes, but for complaints: they may be why nothing came."""
    with contextlib.suppress(ValueError):  # closed by whoever does not wait any more
        for raw in said:
            line = raw.decode("utf-8", "replace").rstrip()
            if COMPLAINT.match(line):
                complaints.append(line)
            elif line:
                console.note(line)


def _understood(
    place: str, code: int, output: bytes, complaints: Sequence[str], stages: Sequence[str]
) -> dict[str, Any]:
    try:
        document = json.loads(output)
        [result] = document["results"]
        if not {one["name"] for one in result["stages"]} <= set(stages):
            raise KeyError("stages")
    except (ValueError, KeyError, TypeError) as error:
        if output and code in (ALL_PASSED, SOME_FAILED):
            raise InfrastructureError(f"{place}: {OTHER_KIT}.") from error
        raise _no_answer(place, code, "\n".join(complaints)) from error
    return dict(result)


def _no_answer(place: str, code: int, said: str) -> LabError:
    """Why a check elsewhere has no document, in one sentence."""
    host, _, folder = place.partition(":")
    last = said.rpartition("\n")[2]
    theirs = re.findall(r"^lab: (.*)", said, re.MULTILINE)
    if code == UNREACHABLE and place != SLURM:
        known = (means for words, means in SSH_SAYS if words in said)
        means = next(known, "it cannot be reached" + (f" ({last})" if last else "")
                     + "; try: ssh {host}")  # fmt: skip
        return InfrastructureError(f"{place}: {means.format(host=host)}")
    if code in (NO_FOLDER, NO_KIT):
        lacks = "there is no folder" if code == NO_FOLDER else "no checkout of the kit is in"
        return InfrastructureError(f"{place}: {lacks} {folder or '~/' + FOLDER}; name the "
                                   f"checkout's: --on {host}:FOLDER")  # fmt: skip
    if "--guest" in said:
        return InfrastructureError(f"{place}: {OTHER_KIT}.")
    if theirs:
        kind = UsageError if code == USAGE else InfrastructureError
        return kind(f"{place}: {theirs[-1]}")
    if place == SLURM:
        return InfrastructureError(f"{place}: {_without_a_job(code, last)}")
    return InfrastructureError(f"{place}: the check there ended with exit status {code}"
                               + (f": {last}" if last else "."))  # fmt: skip


def _without_a_job(code: int, last: str) -> str:
    """Why srun has no answer, and what to do."""
    if JOB_BEGAN.search(last):
        return (f"the job ended before the check did ({last}): its node failed, its time was up, "
                "or somebody cancelled it; check again.")  # fmt: skip
    options = os.environ.get(SRUN_OPTIONS)
    if options and " option" in last:
        return f"srun does not take {SRUN_OPTIONS}: {options} ({last})."
    said = last or f"srun ended with exit status {code}"
    return f"{said}; is there a partition with GPUs (sinfo)?"


# ---- on the other machine -----------------------------------------------------------------------


def serve(words: Sequence[str], incoming: IO[bytes], out: IO[bytes]) -> int:
    """Judge what comes in, and answer. If the asker goes away, everything ends, and nothing is
    left."""
    source = _received(incoming)
    with scratch_folder("guest") as folder:
        file = folder / "guest.cu"
        file.write_bytes(source)
        process = start([*COMMAND, "check", *words, "--json", "--file", str(file)],
                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        start_new_session=True)  # fmt: skip
        gone = threading.Event()
        threading.Thread(target=_watch, args=(incoming, process, gone), daemon=True).start()
        with ends_with_us(-process.pid):
            output, _ = process.communicate()
    if gone.is_set():
        remove_abandoned()
        return INFRASTRUCTURE
    out.write(output)
    out.flush()
    return ALL_PASSED if output else process.returncode  # srun complains of any other


def _watch(incoming: IO[bytes], process: "subprocess.Popen[bytes]", gone: threading.Event) -> None:
    while incoming.read(4096):
        pass
    if process.poll() is None:
        gone.set()
        os.killpg(process.pid, signal.SIGKILL)


def _received(incoming: IO[bytes]) -> bytes:
    size = incoming.readline(16).strip()
    if not size.isdigit() or int(size) > LARGEST:
        raise UsageError("--guest: the file's size is expected on stdin.")
    source = b""
    while len(source) < int(size) and (part := incoming.read(int(size) - len(source))):
        source += part
    if len(source) != int(size):
        raise UsageError("--guest: the file ended too early.")
    return source


def standard_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Stdin without a buffer: a thread still reads it when the process ends."""
    return open(0, "rb", buffering=0, closefd=False), sys.stdout.buffer
