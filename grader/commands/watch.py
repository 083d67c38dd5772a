"""`./lab watch [LAB]`: judges the current stage again after every save, on one screen."""

import argparse
import contextlib
import re
import time
from collections.abc import Sequence
from typing import Any

from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, SOME_FAILED, LabError
from ..base.outcome import Outcome
from ..base.verdict import DID_NOT_COMPILE, PASSED, WITHOUT_POINTS
from ..grading.progress import following, standing
from ..lab_file import manifest, target
from ..lab_file.manifest import Lab, Stage
from ..study import standing as words
from ..study.running import Running
from ..study.screen import View, render
from ..study.terminal import Terminal
from ..study.told import Check, one_stage
from ..study.watching import Watcher, fingerprint
from .parser import Commands

TICK_SECONDS = 1.0
GONE_SECONDS = 0.3  # how long an editor may need to put a new file where the old one was
CHECK, ALL, WHY, BENCH = "check", "check all", "why", "bench"


def add(commands: Commands) -> None:
    watch = commands.add("watch", run, "judge the current stage after every save; keys for more")
    watch.add_argument("target", nargs="?", metavar="LAB[.STAGE]",
                       help="default: the stage that ./lab next names")  # fmt: skip


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Until q or Ctrl-C, or without a keyboard until the first check has ended. Exit code 0 if the
    current stage has passed, otherwise 1."""
    lab, stage = begin(checkout, arguments.target)
    with Terminal() as terminal:
        session = _Session(checkout, arguments, terminal, lab, stage)
        try:
            session.loop()
        except KeyboardInterrupt:
            pass
        finally:
            session.close()
        terminal.leave()
    passed = session.verdict == PASSED
    document = {"lab": session.lab.name, "stage": session.stage.name, "verdict": session.verdict}
    return Outcome(ALL_PASSED if passed else SOME_FAILED, document, "")


def begin(checkout: Checkout, text: str | None) -> tuple[Lab, Stage]:
    """The lab and stage to watch: a lab's first stage that has not passed, or what is next."""
    labs = manifest.discover(checkout)
    lab, stage = target.named(checkout, labs, text) if text else (target.here(checkout, labs), None)
    if stage and lab:
        return lab, stage
    rows = standing(checkout)
    mine = [row for row in rows if lab and row["name"] == lab.name]
    found = following(mine) if lab else words.ahead(checkout, rows)
    if found is None:
        lab = lab or labs[0]
        return lab, lab.stages[0]
    lab = manifest.find(labs, found[0]["name"])
    return lab, manifest.find_stage(lab, found[1]["name"])


class _Session:
    """What is watched, what runs, and what the screen says about it."""

    def __init__(
        self, checkout: Checkout, arguments: argparse.Namespace, terminal: Terminal, lab: Lab,
        stage: Stage,
    ) -> None:  # fmt: skip
        self.checkout, self.terminal = checkout, terminal
        self.flags = ["--seed", str(arguments.seed)]
        self.flags += ["--backend", arguments.backend] if arguments.backend else []
        self.lab, self.stage = lab, stage
        self.verdict: str | None = None
        self.state, self.headline, self.body = "....", "", list[str]()
        self.job: Running | None = None
        self.kind = CHECK
        self.level = 0
        self.checked: str | None = None  # hash of the file that the last check has read
        self.watcher: Watcher | None = None
        self.gone_since: float | None = None
        self.row: dict[str, Any] = {"name": lab.name, "source": f"labs/{lab.name}/{lab.source}",
                                    "stages": []}  # fmt: skip

    # ---- the loop ----

    def loop(self) -> None:
        self._watch()
        self.start(CHECK)
        while True:
            self._look_at_file()
            if self.job and self.job.done:
                self.finished(self.job)
            self.draw()
            if self.terminal.ended and self.job is None:
                return  # nobody can press a key, so one check is all
            wait = TICK_SECONDS if self.job else GONE_SECONDS if self.gone_since else 3600.0
            key = self.terminal.key(wait)
            if key == "q":
                return
            self.pressed(key)

    def close(self) -> None:
        if self.watcher:
            self.watcher.stop()
        if self.job:
            self.job.cancel()

    def _watch(self) -> None:
        if self.watcher:
            self.watcher.stop()
        self.watcher = Watcher(self.file, self.terminal.wake)

    @property
    def file(self) -> Any:
        return self.checkout.labs / self.lab.name / self.lab.source

    @property
    def name(self) -> str:
        return f"{self.lab.name}.{self.stage.name}"

    def _look_at_file(self) -> None:
        """A new content starts a check; one that is running is about old text, and is given up."""
        now = fingerprint(self.file)
        if now is None:
            self._gone()
        elif now != self.checked or self.gone_since:
            self.gone_since = None
            self.start(CHECK)

    def _gone(self) -> None:
        self.gone_since = self.gone_since or time.monotonic()
        if time.monotonic() - self.gone_since >= GONE_SECONDS and self.checked is not None:
            self._cancel()
            self.checked, self.verdict = None, None
            self.state, self.headline = "FAIL", f"{self.lab.source} is gone"
            self.body = [f"Save it again, or get the handout's: ./lab reset {self.lab.name}"]

    # ---- what runs ----

    def start(self, kind: str) -> None:
        """Start a command; one that is still running is given up."""
        replaced = self.job is not None and kind == CHECK
        self._cancel()
        self.kind, self.state = kind, "...."
        words = {CHECK: ["check", self.name, "--json"], ALL: ["check", self.lab.name, "--json"],
                 WHY: ["why", self.name], BENCH: ["bench", self.name]}[kind]  # fmt: skip
        self.headline = {CHECK: f"checking {self.stage.name}", ALL: f"checking {self.lab.name}",
                         WHY: f"why is {self.stage.name} slow?",
                         BENCH: f"timing {self.stage.name}"}[kind]  # fmt: skip
        if kind == CHECK:
            self.level = 0
            self.headline += " again: you saved meanwhile" if replaced else ""
        if kind in (CHECK, ALL):
            self.checked = fingerprint(self.file)
        self.body = []
        self.job = Running(self.checkout, [*words, *self.flags], self.terminal.wake)

    def _cancel(self) -> None:
        if self.job:
            self.job.cancel()
        self.job = None

    def finished(self, job: Running) -> None:
        self.job = None
        if self.kind in (WHY, BENCH):
            self._show_text(job)
        elif document := job.document():
            self._show_check(document)
        else:
            self.state, self.headline = "OPEN", "this could not be checked"
            self.body = [job.said]

    def _show_text(self, job: Running) -> None:
        self.state = "PASS" if self.verdict == PASSED else "OPEN"
        self.headline = f"{self.kind}: {self.name}"
        self.body = job.output.splitlines() or [job.said]

    def _show_check(self, said: dict[str, Any]) -> None:
        document = said["results"][0]
        found, warnings = (said.get(key, {}).get(self.lab.name) for key in ("found", "warnings"))
        file = self.file
        source = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        check = Check(self.checkout, self.lab, document, source, warnings or "",
                      found=found or {})  # fmt: skip
        verdicts = {stage["name"]: stage["verdict"] for stage in document["stages"]}
        self.verdict = verdicts[self.stage.name]
        open_verdict = self.verdict in WITHOUT_POINTS
        self.state = "PASS" if self.verdict == PASSED else "OPEN" if open_verdict else "FAIL"
        self.headline = f"{self.stage.name}: {self.verdict}  ({document['seconds']:.1f} s)"
        self.body = one_stage(check, self.stage.name)
        if self.kind == ALL:
            others = [f"{name}: {verdict}" for name, verdict in verdicts.items()]
            self.body = ["All stages: " + ", ".join(others), *self.body]

    # ---- keys ----

    def pressed(self, key: str) -> None:
        if key == "n":
            self.next()
        elif key == "h":
            self.hint()
        elif key in ("c", "w", "b", "r"):
            self.start({"c": ALL, "w": WHY, "b": BENCH, "r": CHECK}[key])

    def next(self) -> None:
        """Go to the next stage that has not passed, in this lab before any other."""
        if self.gone_since:
            return
        rows = standing(self.checkout)
        mine = [row for row in rows if row["name"] == self.lab.name]
        here = (self.lab.name, self.stage.name)
        found = following(mine, here) or following(rows, here)
        if found is None and any(words.is_stale(stage) for row in mine for stage in row["stages"]):
            self.start(ALL)
            return
        if found is None:
            self.body = [f"Every stage has passed. Hand in: ./lab submit {self.lab.name}"]
            return
        labs = manifest.discover(self.checkout)
        before = self.lab
        self.lab = manifest.find(labs, found[0]["name"])
        self.stage = manifest.find_stage(self.lab, found[1]["name"])
        self.verdict = None
        if self.lab != before:
            self._watch()
        self.start(CHECK)

    def hint(self) -> None:
        """The next hint each time, up to the plainest."""
        hints = self.stage.hints
        self.level = min(self.level + 1, len(hints))
        more = "; h again says more" if self.level < len(hints) else ""
        shown = f"hint {self.level} of {len(hints)}{more}: {hints[self.level - 1]}"
        rest = [line for line in self.body if not line.startswith("hint ")]
        self.body = [shown, *rest]

    # ---- the screen ----

    def draw(self) -> None:
        columns, rows = self.terminal.size
        lines = render(self._view(), columns, rows, self.terminal.colour)
        moving = self.job is not None and self.job.seconds > TICK_SECONDS
        self.terminal.show(lines, moving)

    def _view(self) -> View:
        row = self._row()
        headline, body = self.headline, self.body
        if self.job:
            headline += f" ... {self.job.seconds:.0f} s"
            body = [self.job.said] if self.job.said and self.job.seconds > 2 * TICK_SECONDS else []
        return View(self.lab.name, words.bar(row["stages"]), self.stage.name, self.stage.number,
                    len(self.lab.stages), self.state, headline, body, self._todo(row))  # fmt: skip

    def _of_error(self) -> str:
        """Where the compiler's first error is: it may be in another stage than this one."""
        first = next(iter(self.body), "").strip()
        found = re.match(rf"{re.escape(self.lab.source)}:(\d+)", first)
        if not found or self.verdict != DID_NOT_COMPILE:
            return ""
        return f"labs/{self.lab.name}/{self.lab.source}:{found[1]}"

    def _row(self) -> dict[str, Any]:
        """Where the lab stands; where it stood, while its folder has another name."""
        with contextlib.suppress(LabError, StopIteration):
            self.row = next(row for row in standing(self.checkout) if row["name"] == self.lab.name)
        return self.row

    def _todo(self, row: dict[str, Any]) -> str:
        if self.job or self.gone_since:
            return f"{row['source']}"
        if self.verdict != PASSED:
            place = self._of_error() or words.place(self.checkout, row["source"], self.stage.name)
            return f"Edit {place} and save."
        stale = [one["name"] for one in row["stages"] if words.is_stale(one)]
        before = f"{words.names(stale)} passed before your last edit."
        left: Sequence[Any] = [one for one in row["stages"] if one["verdict"] != PASSED]
        if left:
            return "Press n for the next stage" + (f", c to check all: {before}" if stale else ".")
        if stale:
            return f"Press c to check all: {before}"
        return f"All stages of {self.lab.name} have passed. Hand in: ./lab submit {self.lab.name}"
