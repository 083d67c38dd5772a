"""Mutation testing: small faults are put into the kit, and its tests must notice each of them.

    python3 -m grader.tests.mutants.mutants [--only ROOM] [--jobs N] [--shard I/N]
                                            [--out FILE.json] [--checkout PATH]

The list of faults is fixed: see listed.py. A fault in a reference is noticed if the judge no longer
says `passed` of its stage; any other if a named test fails. Everything happens in copies of the
checkout under build/mutants. Before a mutant counts, its tests must pass without it. Exit codes: 0
every mutant was killed or is equivalent, 1 some survived, 2 usage, 3 some could not be tried.
"""

import argparse
import fcntl
import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from queue import Queue
from typing import TextIO

from grader.base.checkout import Checkout
from grader.base.errors import ALL_PASSED, INFRASTRUCTURE, SOME_FAILED, LabError, UsageError
from grader.base.verdict import INFRASTRUCTURE as BROKEN
from grader.base.verdict import PASSED
from grader.judging.full_judge import judge_fully
from grader.judging.workers import make_bench
from grader.lab_file import manifest
from grader.sandbox import bubblewrap
from grader.tests.mutants.listed import Mutant, chosen, one_line, read_lists
from grader.tests.mutants.scratch import Scratch, Tried

KILLED, SURVIVED, EQUIVALENT, ERROR = "killed", "survived", "equivalent", "error"
TEST_SECONDS = 420.0  # for the tests of one mutant
REFERENCES_AT_ONCE = 2
PUBLIC_SEED = 1
BUILT = (".cpp", ".hpp", ".cu")


@dataclass(frozen=True)
class Outcome:
    """What became of one mutant; `by` is the test, the verdict or the reason."""

    label: str
    state: str
    by: str = ""
    seconds: float = 0.0

    @property
    def line(self) -> str:
        return f"{self.state:10} {self.label}: {self.by} ({self.seconds:.0f} s)"


@dataclass
class Runner:
    """Tries mutants of the checkout at `origin`, in copies of it in `folder`."""

    origin: Path
    folder: Path
    jobs: int = 1
    limit: float = TEST_SECONDS
    free: dict[tuple[str, ...], "Queue[Scratch]"] = field(default_factory=dict)
    healthy: dict[tuple[object, ...], str] = field(default_factory=dict)
    built: Checkout | None = None  # the copy whose judges judge references
    held: list[TextIO] = field(default_factory=list)  # locks of the copies

    def run(self, mutants: list[Mutant], tell: Callable[[Outcome], None]) -> None:
        """Try all of them, and tell each outcome as soon as it is known."""
        references = [mutant for mutant in mutants if mutant.lab]
        others = [mutant for mutant in mutants if not mutant.lab]
        for labs in {m.labs for m in mutants if not m.equivalent}:
            self.free[labs] = self._copies(labs)
        for some, jobs in ((others, self.jobs), (references, min(self.jobs, REFERENCES_AT_ONCE))):
            if some is references and any(not mutant.equivalent for mutant in some):
                with self._scratch(()) as scratch:
                    scratch.build()
                    self.built = scratch.checkout
            with ThreadPoolExecutor(jobs) as pool:
                for outcome in pool.map(self.try_out, some):
                    tell(outcome)

    def try_out(self, mutant: Mutant) -> Outcome:
        """One mutant from its text to its outcome; whatever stops that is an error."""
        started, label = time.monotonic(), mutant.label("")
        try:
            text = (self.origin / mutant.path).read_text(encoding="utf-8")
            label = mutant.label(text)
            mutated = mutant.applied(text)
            if mutant.equivalent:
                return Outcome(label, EQUIVALENT, mutant.equivalent)
            if mutant.path.endswith(".py"):
                compile(mutated, mutant.path, "exec")
            judged = self._judged(mutant, mutated) if mutant.lab else self._tested(mutant, mutated)
        except (LabError, OSError, SyntaxError) as error:
            judged = Outcome(label, ERROR, one_line(str(error)))
        return replace(judged, label=label, seconds=round(time.monotonic() - started, 1))

    # ---- any file but a reference ---------------------------------------------------------------

    def _tested(self, mutant: Mutant, mutated: str) -> Outcome:
        with self._scratch(mutant.labs) as scratch:
            problem = self._twin((scratch.root, mutant.tests), lambda: self._pass(scratch, mutant))
            if problem:
                return Outcome("", ERROR, f"the tests fail without the mutant: {problem}")
            with scratch.changed(mutant.path, mutated):
                if mutant.path.endswith(BUILT):
                    scratch.build()
                tried = scratch.run_tests(mutant.tests, self.limit)
        if tried.problem:
            return Outcome("", ERROR, tried.problem)
        if tried.failed:
            return Outcome("", KILLED, tried.failed)
        return Outcome("", SURVIVED, f"{tried.skipped} tests were skipped" * bool(tried.skipped))

    def _pass(self, scratch: Scratch, mutant: Mutant) -> str:
        """Why the tests do not pass on the unchanged copy; "" if they do."""
        if mutant.path.endswith(BUILT):
            scratch.build()
        tried: Tried = scratch.run_tests(mutant.tests, self.limit)
        return tried.problem or tried.failed

    # ---- references -----------------------------------------------------------------------------

    def _judged(self, mutant: Mutant, mutated: str) -> Outcome:
        """The judge's verdict on the stage. No file is changed: the text goes to the compiler."""
        checkout = self.built
        assert checkout is not None  # run() has built it
        original = (self.origin / mutant.path).read_bytes()
        problem = self._twin((mutant.path, mutant.stage),
                             lambda: _verdict(checkout, mutant, original)[1])  # fmt: skip
        if problem:
            return Outcome("", ERROR, f"the stage does not pass without the mutant: {problem}")
        verdict, said = _verdict(checkout, mutant, mutated.encode())
        if verdict in ("", BROKEN):
            return Outcome("", ERROR, one_line(said))
        return Outcome("", SURVIVED if verdict == PASSED else KILLED, one_line(said))

    # ---- copies ---------------------------------------------------------------------------------

    def _twin(self, key: tuple[object, ...], ask: Callable[[], str]) -> str:
        """What `ask` says of the unchanged text; asked once."""
        if key not in self.healthy:
            self.healthy[key] = ask()
        return self.healthy[key]

    @contextmanager
    def _scratch(self, labs: tuple[str, ...]) -> Iterator[Scratch]:
        """A copy for this thread alone."""
        scratch = self.free[labs].get()
        try:
            yield scratch
        finally:
            self.free[labs].put(scratch)

    def _copies(self, labs: tuple[str, ...]) -> "Queue[Scratch]":
        """One copy per job; those that another process has are left to it."""
        copies: Queue[Scratch] = Queue()
        for number in itertools.count():
            scratch = Scratch(self._root(labs, number), labs)
            if copies.qsize() == self.jobs:
                return copies
            if self._take(scratch.root):
                scratch.renew(self.origin)
                copies.put(scratch)
        raise AssertionError("numbers do not end")

    def _take(self, root: Path) -> bool:
        """Whether the copy at `root` is now this process's, until it ends."""
        root.mkdir(parents=True, exist_ok=True)
        file = root.with_name(f"{root.name}.lock").open("w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return False
        self.held.append(file)
        return True

    def _root(self, labs: tuple[str, ...], number: int) -> Path:
        """build/mutants/checkout, and checkout-01-02-1 for the second copy of two labs."""
        parts = ["checkout", *(lab[:2] for lab in labs), *([str(number)] if number else [])]
        return self.folder / "-".join(parts)


def _verdict(checkout: Checkout, mutant: Mutant, source: bytes) -> tuple[str, str]:
    """The stage's verdict and the judge's message; no verdict where it does not compile.

    The message of what passed is "", so that it serves as a problem as well.
    """
    lab = manifest.find(manifest.discover(checkout), mutant.lab)
    stage = next((stage for stage in lab.stages if stage.name == mutant.stage), None)
    if stage is None:
        return "", f"{lab.name} has no stage {mutant.stage}"
    bench, message = make_bench(checkout, lab, source, "cpu", PUBLIC_SEED, bubblewrap.find())
    if bench is None or bench.checked is None:
        return "", f"does not compile: {message}"
    run = judge_fully(checkout, lab, stage, source, bench).run
    return run.verdict, "" if run.verdict == PASSED else f"{run.verdict}: {run.message}"


def summary(outcomes: list[Outcome]) -> str:
    """`N mutants: K killed, S survived, E equivalent`, and the errors if there are any."""
    counts = {state: sum(outcome.state == state for outcome in outcomes)
              for state in (KILLED, SURVIVED, EQUIVALENT, ERROR)}  # fmt: skip
    text = (f"{len(outcomes)} mutants: {counts[KILLED]} killed, {counts[SURVIVED]} survived, "
            f"{counts[EQUIVALENT]} equivalent")  # fmt: skip
    return text + (f", {counts[ERROR]} not tried (error)" if counts[ERROR] else "")


def exit_code(outcomes: list[Outcome]) -> int:
    states = {outcome.state for outcome in outcomes}
    if ERROR in states:
        return INFRASTRUCTURE
    return SOME_FAILED if SURVIVED in states else ALL_PASSED


def _shard(text: str) -> tuple[int, int]:
    index, _, count = text.partition("/")
    if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        raise argparse.ArgumentTypeError(f"{text}: must be I/N with 1 <= I <= N, as in 2/3")
    return int(index), int(count)


def _jobs(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= (os.cpu_count() or 1):
        raise argparse.ArgumentTypeError(f"{text}: must be 1 to the number of cores")
    return int(text)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="ROOM", help="a room, or the beginning of a path")
    parser.add_argument("--jobs", type=_jobs, default=1, help="mutants at a time (1)")
    parser.add_argument("--shard", type=_shard, default=(1, 1), metavar="I/N",
                        help="every N-th mutant, from the I-th on")  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="FILE", help="the outcomes as JSON")
    parser.add_argument("--checkout", type=Path, default=Checkout.here().root, metavar="PATH",
                        help="what is mutated (this checkout)")  # fmt: skip
    given = parser.parse_args(arguments)
    outcomes: list[Outcome] = []

    def tell(outcome: Outcome) -> None:
        outcomes.append(outcome)
        print(outcome.line, flush=True)
        if given.out:
            made = {"summary": summary(outcomes), "mutants": [asdict(each) for each in outcomes]}
            given.out.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")

    try:
        origin = given.checkout.resolve()
        if not (origin / "pyproject.toml").is_file():
            raise UsageError(f"{origin}: is not a checkout of the kit.")
        mutants = chosen(read_lists(), given.only, given.shard)
        Runner(origin, origin / "build" / "mutants", given.jobs).run(mutants, tell)
    except (LabError, OSError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return error.exit_code if isinstance(error, LabError) else INFRASTRUCTURE
    except KeyboardInterrupt:
        print(f"mutants: interrupted; until then {summary(outcomes)}", file=sys.stderr)
        return 130
    print(summary(outcomes))
    return exit_code(outcomes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
