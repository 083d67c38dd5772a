"""Every seeded bug of check/*.cu under our check mode and under the tools of compute-sanitizer."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.tests.hardware.programs import Builder, Source
from grader.tests.hardware.running import Clock, run
from grader.tests.seeded import marks

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
CLEAN, TIMED_OUT, NOT_MEASURED = "clean", "timed out", "not measured"
NOT_SUPPORTED = "not supported"  # three tools do not work where a program has child grids
REFUSAL = "is not supported by the selected tool"  # counted as an error or a hazard
SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:error|hazard)")


@dataclass(frozen=True)
class Case:
    """One case in one form. `ours` and the tools' words: reported, clean, timed out ..."""

    program: str
    case: str
    form: str  # bug or twin
    kind: str
    ours: str
    tools: dict[str, str]

    @property
    def sanitizer(self) -> list[str]:
        """The tools that reported something."""
        return [tool for tool, word in self.tools.items() if word == "reported"]


def our_word(program: Path, case: str, form: str, mark: tuple[str, list[str]], clock: Clock) -> str:
    """`reported` for a bug only with its kind and all its lines, as test_check.py asks."""
    done = run([str(program), case, form], clock)
    if done is None or done.code is None:
        return NOT_MEASURED if done is None else TIMED_OUT
    if form == "twin":
        return CLEAN if (done.code, done.errors) == (0, "") else "reported"
    kind, places = mark
    for word, text in re.findall(r"^warpwise: (\w+): (.*)$", done.errors, re.MULTILINE):
        word = "warning" if text.startswith("warning: ") else word
        same = word in (kind, "warp" if kind == "barrier" else kind)
        if same and (kind == "leak" or all(re.search(rf"{p}\b", text) for p in places)):
            return "reported"
    return CLEAN


def their_word(program: Path, case: str, form: str, tool: str, clock: Clock) -> str:
    log = program.with_name(f"{program.name}.{case}.{form}.{tool}.log")
    options = ["--leak-check", "full"] if tool == "memcheck" else []
    command = ["compute-sanitizer", "--tool", tool, *options, "--log-file", str(log)]
    done = run([*command, str(program), case, form], clock)
    if done is None or done.code is None:
        return NOT_MEASURED if done is None else TIMED_OUT
    return word_of(log.read_text(errors="replace") if log.is_file() else "")


def word_of(log: str) -> str:
    """A log in a word. Without a summary the tool did not finish."""
    found = SUMMARY.search(log)
    if not found:
        return NOT_MEASURED
    refused = REFUSAL in log
    if int(found[1]) > refused:
        return "reported"
    return NOT_SUPPORTED if refused else CLEAN


def measure(sources: list[Source], builder: Builder, clock: Clock) -> list[Case]:
    """Every bug and every twin, several at a time."""
    built = builder.both(sources, "check")
    jobs = [
        (source, case, form)
        for source in sources
        if source.name in built
        for case in source.runs
        for form in ("bug", "twin")
        if form == "twin" or case in marks(source.path)
    ]

    def one(job: tuple[Source, str, str]) -> Case:
        source, case, form = job
        here, there = built[source.name]
        mark = marks(source.path).get(case, ("none", []))
        ours = our_word(here, case, form, mark, clock)
        tools = {tool: their_word(there, case, form, tool, clock) for tool in TOOLS}
        return Case(source.name, case, form, mark[0], ours, tools)

    with ThreadPoolExecutor(builder.jobs) as pool:
        return list(pool.map(one, jobs))


def as_json(cases: list[Case]) -> list[dict]:
    return [asdict(case) for case in cases]
