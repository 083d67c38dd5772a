"""A check on another machine: by ssh, or on a GPU of a cluster by Slurm's srun.

The other machine has a checkout of its own. It gets the student's file on its stdin, judges it, and
answers with the JSON document; it keeps nothing. Its stdin stays open for as long as somebody waits
here: when it closes (Ctrl-C, a lost connection, SIGKILL), the check there ends at once.
"""

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

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, INFRASTRUCTURE, InfrastructureError, UsageError
from ..base.reaper import ends_with_us
from ..base.scratch import remove_abandoned, scratch_folder
from .running import COMMAND

SLURM = "slurm"
SRUN_OPTIONS = "WARPWISE_SRUN"  # environment: more options for srun, such as --partition=gpu
FOLDER = "warpwise"  # the checkout on the other machine, in the home directory there
PLACE = re.compile(r"(?P<host>[A-Za-z0-9_][\w.@-]*)(:(?P<folder>[^\s:]+))?")
HOME = re.compile(r"~[\w.-]*(?:/|$)")
LARGEST = 1 << 20
UNREACHABLE = 255  # ssh's own exit status


def ask(checkout: Checkout, place: str, words: Sequence[str], source: bytes) -> dict[str, Any]:
    """The document of `./lab check WORDS` at `place`: HOST, HOST:FOLDER or slurm.

    Raises LabError.
    """
    command = _command(checkout, place, words)
    if not shutil.which(command[0]):
        raise InfrastructureError(f"{command[0]} is not installed here; --on {place} needs it.")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          start_new_session=True) as process:  # fmt: skip
        with ends_with_us(-process.pid, is_asked=True):  # srun gives its GPU back
            try:
                output = _talk(process, source)
            except BaseException:
                os.killpg(process.pid, signal.SIGTERM)
                raise
    return _understood(place, process.returncode, output)


def _command(checkout: Checkout, place: str, words: Sequence[str]) -> list[str]:
    asked = ["check", *words, "--json", "--guest"]
    if place == SLURM:
        more = shlex.split(os.environ.get(SRUN_OPTIONS, ""))
        return ["srun", "--gres=gpu:1", "--ntasks=1", "--quiet", *more,
                str(checkout.root / "lab"), *asked]  # fmt: skip
    found = PLACE.fullmatch(place)
    if not found:
        raise UsageError(f"--on: '{place}' is neither HOST, HOST:FOLDER nor {SLURM}.")
    folder = found["folder"] or FOLDER
    there = f"cd {_quoted(folder)} && exec ./lab {shlex.join(asked)}"
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
        process.stdin.flush()
    except BrokenPipeError:
        pass  # it has ended already, and says why
    return process.stdout.read()


def _understood(place: str, code: int, output: bytes) -> dict[str, Any]:
    try:
        document = json.loads(output)
        document["results"][0]["verdict"]
    except (ValueError, KeyError, TypeError, IndexError) as error:
        if code == UNREACHABLE:
            reason = "it cannot be reached; try: ssh " + place.partition(":")[0]
        elif place == SLURM:
            reason = f"srun ended with exit status {code}; is there a partition with GPUs (sinfo)?"
        else:
            reason = ("there is no checkout of the kit that answers; "
                      f"name its folder: --on {place.partition(':')[0]}:FOLDER")  # fmt: skip
        raise InfrastructureError(f"{place}: {reason}") from error
    return dict(document)


# ---- on the other machine -----------------------------------------------------------------------


def serve(words: Sequence[str], incoming: IO[bytes], out: IO[bytes]) -> int:
    """Judge what comes in, and answer. If the asker goes away, everything ends, and nothing is
    left."""
    source = _received(incoming)
    with scratch_folder("guest") as folder:
        file = folder / "guest.cu"
        file.write_bytes(source)
        process = subprocess.Popen([*COMMAND, "check", *words, "--json", "--file", str(file)],
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
