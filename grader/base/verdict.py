"""The complete set of verdicts, and how several runs of a stage become one verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .text import escaped

PASSED = "passed"
NOT_ATTEMPTED = "not attempted"
WRONG_ANSWER = "wrong answer"
WROTE_OUTSIDE = "wrote outside"
RACE = "race"
CRASHED = "crashed"
TIMED_OUT = "timed out"
TOO_SLOW = "too slow"
INCONCLUSIVE = "inconclusive"
DID_NOT_COMPILE = "did not compile"
REJECTED = "rejected"
NOT_MEASURED = "not measured"
INFRASTRUCTURE = "infrastructure error"

VERDICTS = (
    PASSED, NOT_ATTEMPTED, WRONG_ANSWER, WROTE_OUTSIDE, RACE, CRASHED, TIMED_OUT, TOO_SLOW,
    INCONCLUSIVE, DID_NOT_COMPILE, REJECTED, NOT_MEASURED, INFRASTRUCTURE,
)  # fmt: skip

# These verdicts say nothing about the solution's quality: its points stay open, they are not zero.
WITHOUT_POINTS = (REJECTED, NOT_MEASURED, INFRASTRUCTURE, INCONCLUSIVE)


@dataclass(frozen=True)
class Case:
    """One input of a stage and the judge's verdict on it; `seconds` is wall-clock time."""

    name: str
    verdict: str
    message: str
    seconds: float

    def __post_init__(self) -> None:
        _escape(self, "name", "message")


@dataclass(frozen=True)
class SeenRace:
    """An expected race that occurred: its index in the stage's list, and the source lines."""

    number: int
    lines: str


@dataclass(frozen=True)
class Run:
    """One run of a stage by the judge, with its threads run in `order`.

    `was_killed`: SIGKILL ended a worker, and the judge did not send it. `had_its_time`: a worker
    that timed out ran for as long as it may, or slept. `machine_was_well`: the control worked
    before the submission ran. `retried`: what went wrong in the first attempt, if there was a
    second.
    """

    order: str
    verdict: str
    message: str = ""
    case: str = ""
    calls: int = 0
    cases: tuple[Case, ...] = ()
    seconds: float = 0.0
    launched: tuple[str, ...] = ()  # the kernels' names as written in launches; CPU backend only
    entered: tuple[str, ...] = ()  # what kernels called through pointers; of the checker only
    races: tuple[SeenRace, ...] = ()
    was_killed: bool = False
    had_its_time: bool = False
    machine_was_well: bool = False
    retried: str = ""

    def __post_init__(self) -> None:
        _escape(self, "message", "case", "retried")


def _escape(record: Case | Run, *fields: str) -> None:
    """Whoever made these texts, they may quote the submission."""
    for name in fields:
        object.__setattr__(record, name, escaped(getattr(record, name)))


def settles(run: Run) -> bool:
    """Whether the first run alone decides `merge`'s answer, so other orders need not be tried."""
    return run.verdict not in (PASSED, WRONG_ANSWER)


def merge(runs: Sequence[Run]) -> Run:
    """One verdict from the runs of a stage in several thread orders.

    An infrastructure error in any run is the verdict, because nothing is known then. Otherwise the
    first run decides if its verdict is neither passed nor wrong answer. An answer that is right in
    one order and wrong in another is a race. In all other cases the first failing run decides.
    """
    if not runs:
        return Run("", INFRASTRUCTURE, "the stage was never run")
    for run in runs:
        if run.verdict == INFRASTRUCTURE:
            return run
    if settles(runs[0]):
        return runs[0]
    failures = [run for run in runs if run.verdict != PASSED]
    if not failures:
        return runs[0]
    wrong = next((run for run in failures if run.verdict == WRONG_ANSWER), None)
    if wrong and len(failures) < len(runs):
        return _race(runs, wrong)
    return failures[0]


def with_check(verdict: Run, checked: Run) -> Run:
    """The verdict after a run under the checker.

    A stage passes only if the checker agrees; if the checker could not run, the stage does not
    pass. If the checker finds the cause of a wrong answer (a race, or an access outside, with
    source lines), that cause becomes the verdict; the wrong answer follows in the message. After a
    race it does so only if it is of the same case: blocks of a large grid run on several cores, so
    whether a race shows there, and how, is chance. What the checker says of it is the same each
    time.
    """
    if verdict.verdict == PASSED:
        if checked.verdict != PASSED:
            return checked
        return replace(verdict, races=checked.races, entered=checked.entered)
    if checked.verdict not in (RACE, WROTE_OUTSIDE, CRASHED):
        return verdict
    if verdict.verdict == RACE or (checked.verdict == RACE and checked.case != verdict.case):
        return checked
    return replace(checked, message=f"{checked.message}\n{verdict.message}")


def _race(runs: Sequence[Run], wrong: Run) -> Run:
    right = ", ".join(run.order for run in runs if run.verdict == PASSED)
    message = (
        "the answer depends on the order in which the threads run: "
        f"right in order {right}, wrong in order {wrong.order}"
    )
    if wrong.message:
        first, line, more = wrong.message.partition("\n")  # what is drawn has lines of its own
        message += f" ({first}){line}{more}"
    return Run(
        wrong.order, RACE, message, wrong.case, wrong.calls, wrong.cases,
        wrong.seconds,
    )  # fmt: skip
