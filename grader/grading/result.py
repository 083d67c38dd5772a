"""result.json: one document per submission and lab. Exporters and figures read only this."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from report.drawing import result_figure

from ..base import console
from ..base.errors import ALL_PASSED, REFUSED, SOME_FAILED, LabError
from ..base.errors import INFRASTRUCTURE as EXIT_INFRASTRUCTURE
from ..base.files import to_json, write_atomically
from ..base.steps import Step
from ..base.verdict import INFRASTRUCTURE, NOT_MEASURED, PASSED, Case
from ..lab_file.manifest import HandoutLine
from ..machine.hardware import Machine
from . import decisions
from .points import CounterPoints, FastPoints, StagePoints, Total

SCHEMA = 1
FILE_NAME = "result.json"
FAILED = "failed"


@dataclass(frozen=True)
class SubmissionInfo:
    name: str
    sha256: str


@dataclass(frozen=True)
class GraderInfo:
    version: str
    sha256: str


@dataclass(frozen=True)
class SeedInfo:
    """`secret` says that the seed was not the public one; the secret itself is not stored.

    `commitment` differs between two secrets, and is the same for the same one.
    """

    public: int
    secret: bool
    commitment: str | None = None


@dataclass(frozen=True)
class StageResult:
    """One stage; `orders` maps each run, by its name, to its verdict; `seconds` is wall clock."""

    name: str
    title: str
    verdict: str
    message: str
    case: str
    handout: HandoutLine | None
    points: StagePoints
    cases: tuple[Case, ...]
    orders: dict[str, str]
    calls: int
    seconds: float

    @property
    def in_full(self) -> bool:
        """Whether everything that could be measured passed."""
        return self.verdict == PASSED and all(
            part.verdict in (PASSED, NOT_MEASURED) for part in self.measured_parts
        )

    @property
    def measured_parts(self) -> tuple[FastPoints | CounterPoints, ...]:
        """The parts that have a verdict besides that on the answers."""
        return (*((self.points.fast,) if self.points.fast else ()), *self.points.counters)


@dataclass(frozen=True)
class Result:
    """What was found out about one submission to one lab."""

    schema: int
    lab: str
    title: str
    submission: SubmissionInfo
    grader: GraderInfo
    backend: str
    machine: Machine
    sandbox: str
    seed: SeedInfo
    started: str
    seconds: float
    verdict: str
    points: Total
    stages: tuple[StageResult, ...]
    measured: tuple[dict[str, Any], ...]
    notes: tuple[str, ...]
    profile: tuple[Step, ...] = ()

    def document(self) -> dict[str, Any]:
        """The result as plain JSON values."""
        return asdict(self)

    def write(self, folder: Path) -> Path:
        """Write the whole of `folder`/result.json, and return its path."""
        path = folder / FILE_NAME
        write_atomically(path, to_json(self.document()))
        return path


def overall(stages: tuple[StageResult, ...]) -> str:
    """`passed`, `failed`, or `infrastructure error` if one stage had one."""
    verdicts = [stage.verdict for stage in stages]
    parts = [part.verdict for stage in stages for part in stage.measured_parts]
    if not stages or INFRASTRUCTURE in verdicts or INFRASTRUCTURE in parts:
        return INFRASTRUCTURE
    return PASSED if all(stage.in_full for stage in stages) else FAILED


def exit_code(results: Iterable[Result], refused: int = 0) -> int:
    """0 only if every result passed in full; the kit's failures take precedence.

    A refusal takes precedence over a failure, because it has no verdict.
    """
    verdicts = [result.verdict for result in results]
    if INFRASTRUCTURE in verdicts:
        return EXIT_INFRASTRUCTURE
    if refused:
        return REFUSED
    return ALL_PASSED if verdicts and all(v == PASSED for v in verdicts) else SOME_FAILED


def keep(result: Result, folder: Path) -> bool:
    """Write result.json and the figure into `folder`. Returns False if that fails: on a full disk
    the table is still printed."""
    try:
        decisions.keep_decided(folder / FILE_NAME)
        result.write(folder)
        result_figure.draw_if_possible(result.document(), folder)
    except (LabError, OSError) as error:
        console.note(f"lab: {error}")
        return False
    return True
