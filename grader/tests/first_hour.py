"""A student's first hour, done by a program: from a fresh clone through lab 02.

A missing barrier is found, a slow stage explained, a figure drawn, a file handed in. Everything on
the page was printed by the kit.

    python3 -m grader.tests.first_hour            writes labs/first-hour.md and its figure
    python3 -m grader.tests.first_hour --built    with what is built here; the page says so

It takes some minutes. The times beside the steps mean something only on a quiet machine; on a busy
one they are left out. What the student writes comes from the references; three mistakes are made on
purpose.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import unified_diff
from pathlib import Path

from grader.base.checkout import Checkout
from grader.compiling import stamp
from grader.compiling.build import build
from grader.machine import hardware
from grader.study.versions import with_stage

PAGE, FIGURE = "first-hour.md", "first-hour.svg"
LAB_1, LAB_2 = "labs/01-rank-sort/rank_sort.cu", "labs/02-in-place/in_place.cu"
BUSY = 1.5  # runnable programs for each core, before the first step
MOST_LINES = 34  # of an output; the page says how many are left out
MOST_DIFF = 34  # lines of an edit: what is longer is a solution, and shown nowhere
LATER = ("strided", "stable", "descending", "strings")
GUARD = "  if (i >= n) return;  // the last block is seldom full\n"
BARRIER = "  __syncthreads();  // all keys are loaded before any thread compares\n"
# Right, but every thread reads every key from global memory.
SLOW_KERNEL = """__global__ void place_by_rank_slowly(const float* in, float* out, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  const float mine = in[i];
  int rank = 0;
  if (isnan(mine)) {
    for (int j = 0; j < n; ++j) rank += !isnan(in[j]) || j < i;
  } else {
    for (int j = 0; j < n; ++j) rank += in[j] < mine || (in[j] == mine && j < i);
  }
  out[rank] = mine;
}"""
SLOW_LAUNCH = """  if (n == 0) return;
  place_by_rank_slowly<<<kit::ceil_div(n, kBlock), kBlock>>>(in, out, n);
  CUDA_CHECK_LAUNCH();"""
Edit = Callable[[str], str]


@dataclass(frozen=True)
class Step:
    """What a student does: reads `says`, perhaps edits a file, then types `./lab WORDS`."""

    says: str
    words: str
    file: str = ""
    edit: Edit | None = None
    code: int = 0


def solution(path: str) -> str:
    here = Checkout.here()
    return (here.reference / Path(path).parent.name / Path(path).name).read_text(encoding="utf-8")


def solved(path: str, *stages: str) -> Edit:
    """The stages as the reference has them."""

    def edit(mine: str) -> str:
        for stage in stages:
            mine = with_stage(mine, solution(path), stage, path)
        return mine

    return edit


def without(line: str, edit: Edit) -> Edit:
    """The first such line is forgotten."""

    def forgetful(mine: str) -> str:
        text = edit(mine)
        assert line in text, line
        return text.replace(line, "", 1)

    return forgetful


def slow_tiled(mine: str) -> str:
    texts = iter((SLOW_KERNEL, SLOW_LAUNCH))
    region = re.compile(r"(// BEGIN STAGE 6 .*?\n).*?(\n *// END STAGE 6)", re.DOTALL)
    return region.sub(lambda found: found[1] + next(texts) + found[2], mine)


STEPS = (
    Step("Where do I stand?", ""),
    Step("A hint for it. (`./lab watch` would show all this on one screen, and check after each "
         "save.)", "hint 01.global"),
    Step("The first try: a thread for every key. The check is the first command that needs the "
         "kit's own parts, so they are built now, once.", "check 01.global", LAB_1,
         without(GUARD, solved(LAB_1, "global")), 1),
    Step("Thread 5 has no key: the line that stops the last block's spare threads was forgotten.",
         "check 01.global", LAB_1, solved(LAB_1, "global")),
    Step("The next four stages.", "check 01", LAB_1, solved(LAB_1, *LATER), 1),
    Step("The last stage, at first as the others: every thread reads every key.", "check 01.tiled",
         LAB_1, slow_tiled, 1),
    Step("Right, but points for memory are missing. Why is it slow?", "why 01.tiled"),
    Step("So a block loads a tile into shared memory once, and its threads count there. Then the "
         "whole lab, with its figure.", "check 01", LAB_1, solved(LAB_1, "tiled")),
    Step("And now?", "why 01.tiled"),
    Step("A page for the report, with the figure and the questions of the handout.", "report 01"),
    Step("The hand-in.", "submit 01 --id ann"),
    Step("Lab 02, with a barrier forgotten.", "check 02.in-place", LAB_2,
         without(BARRIER, solved(LAB_2, "in-place")), 1),
    Step("Both places of the race are shown, and what is missing between them. With the barrier:",
         "check 02.in-place", LAB_2, solved(LAB_2, "in-place")),
    Step("The rest of lab 02.", "check 02", LAB_2, solved(LAB_2, "registers", "batched", "fast")),
    Step("What was kept meanwhile, without asking for it.", "restore 02"),
    Step("The second hand-in.", "submit 02 --id ann"),
    Step("And what is next?", ""),
)  # fmt: skip


def main(words: Sequence[str]) -> int:
    here, built = Checkout.here(), "--built" in words
    is_busy = os.getloadavg()[1] > BUSY * hardware.describe().cores
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "warpwise"
        started = time.monotonic()
        subprocess.run(["git", "clone", "-q", str(here.root), str(clone)], check=True)
        cloned = time.monotonic() - started
        if here.venv.is_dir():
            (clone / ".venv").symlink_to(here.venv)
        if built:
            _lend_build(here, Checkout(clone))
        parts = [_step(clone, number, step, is_busy) for number, step in enumerate(STEPS, 1)]
        if not is_busy:  # a figure of speed would show the other programs
            shutil.copy(clone / "report/out/check/01-rank-sort/speedup.svg", here.labs / FIGURE)
    text, seconds = "\n".join(part for part, _ in parts), cloned + sum(time for _, time in parts)
    head = _head(cloned, 0 if is_busy else seconds, built)
    (here.labs / PAGE).write_text(head + text, encoding="utf-8")
    print(f"{here.shown(here.labs / PAGE)}: {len(STEPS)} steps, {seconds:.0f} s of waiting")
    return 0


def _lend_build(here: Checkout, clone: Checkout) -> None:
    """As if the clone had been built; it is of the same commit."""
    build(here, "cpu")
    for name in (*stamp.MADE, "grading.stamp"):
        place = clone.build("cpu") / name
        place.parent.mkdir(parents=True, exist_ok=True)
        copied = shutil.copytree if (here.build("cpu") / name).is_dir() else shutil.copy
        copied(here.build("cpu") / name, place)
    stamp.keep(clone, "cpu", "grading", stamp.reading(clone))


def _head(cloned: float, seconds: float, built: bool) -> str:
    """`seconds` is 0 if the machine was busy."""
    machine = hardware.describe()
    gpu = machine.gpu.name if machine.gpu else "no GPU"
    load = f", load average {os.getloadavg()[2]:.1f}" if seconds else ""
    took = (f"All commands together took {seconds / 60:.1f} minutes; each has its time beside it. "
            "The rest of the hour is for reading and thinking."
            if seconds else "The machine did other work meanwhile, so how long the commands took "
            "is left out, and the figure is of an earlier day.")  # fmt: skip
    before = "the Python packages" + (" and the kit's own parts" if built else "")
    about = (
        "From a clone through lab 02, as it was printed: a missing guard and a missing barrier are "
        "found, a slow stage is explained, a figure drawn, two files handed in. Parts of the "
        "solutions can be seen.",
        f"`python3 -m grader.tests.first_hour` made this page on {date.today()}, on "
        f"{machine.cores} cores, {gpu}{load}, with {before} made ready before. {took}",
    )
    parts = ["# A first hour", *(textwrap.fill(text, 140) for text in about),
             "    git clone https://.../warpwise && cd warpwise"
             + (f"     # {cloned:.1f} s" if seconds else "")]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _step(clone: Path, number: int, step: Step, is_busy: bool) -> tuple[str, float]:
    """The step's part of the page, and how long the command took. Ends the program if the command
    does something else than the page promises."""
    diff = _edited(clone, step) if step.edit else []
    started = time.monotonic()
    env = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    done = subprocess.run([clone / "lab", *step.words.split()], cwd=clone, env=env,
                          capture_output=True, text=True)  # fmt: skip
    seconds = time.monotonic() - started
    print(f"{number:2} {seconds:6.1f} s  ./lab {step.words}", flush=True)
    if done.returncode != step.code:
        sys.exit(f"exit code {done.returncode} instead of {step.code}:\n{done.stdout}{done.stderr}")
    lines = ["", f"**{number}. {step.says}**", ""]
    if diff and len(diff) <= MOST_DIFF:
        lines += ["```diff", *diff, "```", ""]
    elif diff:
        added = sum(line.startswith("+") for line in diff)
        lines += [f"({added} lines in `{step.file}`, not shown here.)", ""]
    command = f"$ ./lab {step.words}".rstrip()
    shown = _shortened(_plain(done.stdout, clone).splitlines())
    timed = command if is_busy else f"{command:<72}# {seconds:.1f} s"
    lines += ["```text", timed, *shown, "```"]
    if step.words == "check 01" and step.code == 0:
        lines += ["", f"![Speedup of the six stages over one CPU core]({FIGURE})"]
    return "\n".join(lines) + "\n", seconds


def _edited(clone: Path, step: Step) -> list[str]:
    """Carry out the edit; returns the difference."""
    assert step.edit is not None
    file = clone / step.file
    before = file.read_text(encoding="utf-8")
    after = step.edit(before)
    file.write_text(after, encoding="utf-8")
    diff = unified_diff(before.splitlines(), after.splitlines(), step.file, step.file,
                        lineterm="", n=1)  # fmt: skip
    return [line for line in diff if not line.startswith("+++")]


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[: MOST_LINES - 2], f"... {len(lines) - MOST_LINES + 2} more lines"]


def _plain(text: str, clone: Path) -> str:
    return text.replace(f"{clone}/", "").replace(str(clone), ".")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
