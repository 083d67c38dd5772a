"""Does the sandbox hold? A canary inside tries what a submission must not be able to do."""

import fcntl
import os
from pathlib import Path

from ..base import process
from ..base.checkout import Checkout
from ..base.scratch import scratch_folder
from . import seccomp
from .bubblewrap import FILTER_DESCRIPTOR, SCRATCH_BYTES, Sandbox

SECONDS = 60.0
MOST_PROCESSES = 2000  # the canary starts no more than this
SECRET = "a-secret-of-the-grader"
HIDDEN = "/etc/passwd"  # an example of the files that a compiler must not find


def failures(checkout: Checkout, sandbox: Sandbox) -> list[str]:
    """What the canary could do, in words; empty if the sandbox holds."""
    with scratch_folder() as folder:
        source = checkout.root / "grader" / "trials" / "canary.cpp"
        build = ["g++", "-std=c++20", "-O1", str(source), "-o", str(folder / "canary")]
        built = process.run(build, limit=SECONDS)
        if not built.ok:
            return [f"the canary cannot be built: {built.last_line}"]
        found = [words for use in (seccomp.USES if sandbox.seccomp else ("cpu",))
                 for words in _run(folder / "canary", checkout, sandbox, use)]  # fmt: skip
        return [*dict.fromkeys(found), *_compile(folder, sandbox)]


def _run(canary: Path, checkout: Checkout, sandbox: Sandbox, use: str) -> list[str]:
    """What a program can do that runs with the filter of `use`."""
    arguments = [str(checkout.root / "README.md"), str(MOST_PROCESSES), SECRET]
    if sandbox.seccomp or not sandbox:
        arguments.append("calls")
    environment = {"WARPWISE_CANARY": SECRET}
    if not sandbox:
        finished = process.run([canary, *arguments], limit=SECONDS, env=environment)
    else:
        opened = os.open(canary, os.O_RDONLY)
        file = fcntl.fcntl(opened, fcntl.F_DUPFD, FILTER_DESCRIPTOR + 1)
        os.close(opened)
        inside = ["--perms", "0555", "--file", str(file), "/canary"]
        command = sandbox.command(["/canary", *arguments], inside, SCRATCH_BYTES, use=use)
        try:
            finished = process.run(command, limit=SECONDS, env=environment, pass_fds=(file,))
        finally:
            os.close(file)
    if finished.ok and not finished.output:
        return []
    return finished.output.splitlines() or [f"the canary ended with {finished.returncode}"]


def _compile(folder: Path, sandbox: Sandbox) -> list[str]:
    """A compiler inside must find no file that it was not given."""
    room = folder / "room"
    room.mkdir()
    folder.chmod(0o755)
    found: list[str] = []
    for what, text in (("includes", f'#include "{HIDDEN}"\n'),
                       ("embeds", f'asm(".incbin \\"{HIDDEN}\\"");\n')):  # fmt: skip
        (room / "hidden.cpp").write_text(text)
        line = "g++ -c hidden.cpp -o /tmp/hidden.o"
        command = sandbox.compiler_command(room, line) if sandbox else ["/bin/sh", "-c", line]
        said = process.run(command, limit=SECONDS, cwd=room).output
        if not any(words in said for words in ("No such file", "file not found")):
            found.append(f"its compiler {what} {HIDDEN}")
    return found
