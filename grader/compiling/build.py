"""Building the kit's own C++ parts with CMake: judges, workers, the CPU backend."""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..base import console, process
from ..base.checkout import ELSEWHERE, Checkout
from ..base.errors import InfrastructureError
from ..machine import hardware
from . import stamp

BUILD_SECONDS = 1800.0
NEEDED_MIB = 300  # of a disk, for all that is built
# Targets that read what a stamp stands for and nothing else, neither tests nor references.
STAMPED = re.compile(r"([\w-]+\.)?grading|warpwise-data")
TAIL = 4096  # bytes of a build tool's output in which it says what is done
DONE = re.compile(rb"^\[ *(?:(\d+)%|(\d+)/(\d+))\]", re.MULTILINE)  # of make, and of ninja


@contextmanager
def lock(checkout: Checkout, name: str, busy: str = "") -> Iterator[None]:
    """Let one process at a time have build/<name>; the others wait, and say `busy`."""
    path = checkout.build(f"{name}.lock")
    checkout.require_place()
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if busy:
                console.note(busy)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build(
    checkout: Checkout,
    backend: str,
    target: str | None = "grading",
    definitions: tuple[str, ...] = (),
) -> bool:
    """Bring build/<backend> up to date: `target`, or everything with None.

    Returns False if a stamp shows that it was up to date, and nothing was built. Raises
    InfrastructureError with the end of the build's output.
    """
    stamped = target if target and STAMPED.fullmatch(target) and not definitions else ""
    if stamped and stamp.is_current(checkout, backend, stamped):
        return False
    known = bool(stamped) and stamp.is_kept(checkout, backend, stamped)
    when = " again, because the kit has changed" if known else ", once"
    what = f"building the {backend.upper()} backend's {_parts(target)}{when}"
    with lock(checkout, backend), console.progress(what) as line:
        read = stamp.reading(checkout)
        _configure(checkout, backend, definitions)
        command = ["cmake", "--build", str(checkout.build(backend)), "--parallel", str(_jobs())]
        _step(checkout, [*command, "--target", target] if target else command, line)
        if stamped:
            stamp.keep(checkout, backend, stamped, read)
    return True


def built_runtime(checkout: Checkout, mode: str) -> Path | None:
    """libcuda_on_cpu.a, with the library of cucc.py's `mode` beside it, if the kit's own build has
    both and is up to date."""
    folder = checkout.build("cpu") / "lib"
    library = folder / "libcuda_on_cpu.a"
    needed = [library] if mode == "run" else [library, folder / f"libcuda_on_cpu_{mode}.a"]
    there = all(path.is_file() for path in needed)
    return library if there and stamp.is_current(checkout, "cpu", "grading") else None


def _parts(target: str | None) -> str:
    """What a target builds, in words."""
    if target is None:
        return "parts and tests"
    lab, _, part = target.partition(".")
    if part == "grading":
        return f"runtime and the judge of {lab}"
    return "runtime and judges" if target == "grading" else target


def _jobs() -> int:
    """One compiler per core, but no more than memory bears: a CUDA or Catch2 file needs 1.5 GiB."""
    here = hardware.describe()
    return max(1, min(here.cores, int(here.memory_gib / 1.5) or 1))


def _configure(checkout: Checkout, backend: str, definitions: tuple[str, ...]) -> None:
    """Run CMake's first step where it has not been run, or was run for another place."""
    cache = checkout.build(backend) / "CMakeCache.txt"
    home = f"CMAKE_HOME_DIRECTORY:INTERNAL={checkout.root}\n"
    known = cache.read_text(encoding="utf-8", errors="replace") if cache.is_file() else ""
    fresh = ["--fresh"] if known and home not in known else []
    finished = (checkout.build(backend) / "build.ninja").is_file() or (
        checkout.build(backend) / "Makefile"
    ).is_file()
    if not known or fresh or definitions or not finished:
        options = [f"-D{definition}" for definition in definitions]
        place = ["-B", str(checkout.build(backend))]
        _step(checkout, ["cmake", "--preset", backend, *place, *fresh, *options])


def _step(checkout: Checkout, command: list[str], line: console.Progress | None = None) -> None:
    """Run one command; what it says is done goes to `line`."""
    nvcc = hardware.find_nvcc()
    env = {"CUDACXX": nvcc} if nvcc else {}
    with tempfile.TemporaryFile() as said:

        def look(_: int) -> bool:
            if line:
                line.reached(_part_done(said))
            return False

        finished = process.run(command, cwd=checkout.root, limit=BUILD_SECONDS, env=env,
                               stdout=said, stop=look)  # fmt: skip
        said.seek(0)
        output = said.read().decode("utf-8", "replace") + finished.output
    console.verbose(output.rstrip())
    if finished.ok:
        return
    if full := _full(checkout):  # what the tools say of it helps nobody
        raise InfrastructureError(full)
    reason = "it took too long" if finished.timed_out else f"exit status {finished.returncode}"
    end = "\n".join(output.rstrip().splitlines()[-40:])
    place = checkout.build("cpu").parent
    raise InfrastructureError(
        f"`{' '.join(command)}` failed ({reason}). Its last lines:\n{end}\nIf something in {place} "
        f"was removed or damaged, this makes it anew: rm -r {place}"
    )


def _full(checkout: Checkout) -> str:
    """Why a build cannot work, if the disk has no room for it."""
    place = checkout.build("cpu").parent
    there = next(one for one in (place, *place.parents) if one.is_dir())
    free = shutil.disk_usage(there).free >> 20
    if free >= NEEDED_MIB:
        return ""
    return (f"only {free} MiB are free in {there}; a build needs {NEEDED_MIB}. Free some space, or "
            f"set {ELSEWHERE} to a folder on another disk.")  # fmt: skip


def _part_done(said: BinaryIO) -> float:
    """How much of a build is done, from 0 to 1, as its tool said last."""
    size = os.fstat(said.fileno()).st_size
    found = DONE.findall(os.pread(said.fileno(), TAIL, max(0, size - TAIL)))
    if not found:
        return 0.0
    percent, number, of = (int(word or 0) for word in found[-1])
    return number / of if of else percent / 100
