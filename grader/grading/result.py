"""result.json: one document per submission and lab. Exporters and figures read only this."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from report.drawing import result_figure

from ..base import console
from ..base.errors import ALL_PASSED, REFUSED, SOME_FAILED, LabError
from ..base.errors import INFRASTRUCTURE as EXIT_INFRASTRUCTURE
from ..base.files import sha256, to_json, write_atomically
from ..base.steps import Step
from ..base.verdict import INFRASTRUCTURE, NOT_MEASURED, PASSED, Case
from ..lab_file.manifest import HandoutLine
from ..machine.hardware import Machine
from . import decisions
from .derived import SCHEMA as SCHEMA
from .derived import complete, note
from .points import CounterPoints, FastPoints, StagePoints, Total

FILE_NAME = "result.json"
TIME = "%Y-%m-%dT%H:%M:%SZ"  # UTC
FAILED = "failed"


@dataclass(frozen=True)
class SubmissionInfo:
    """`student`, `attempt` and `handed_in` (UTC) come from a course, never from a submission."""

    name: str
    sha256: str
    student: str | None = None
    attempt: int | None = None
    handed_in: str | None = None


@dataclass(frozen=True)
class GraderInfo:
    """`commit` is the checkout's, None outside of git; `changed`: its files differ from it."""

    version: str
    sha256: str
    commit: str | None = None
    changed: bool | None = None


@dataclass(frozen=True)
class Toolchain:
    """Versions of g++ and of the CUDA toolkit; None where there is none, or it does not say."""

    compiler: str | None
    cuda: str | None


@dataclass(frozen=True)
class Figure:
    """A drawing beside result.json: its file's name and hash."""

    file: str
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
    """One stage; `orders` maps each run, by its name, to its verdict, but of a race that the
    checker found only the checker's; `seconds` is wall clock."""

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
    """What was found out about one submission to one lab.

    `notes` are for the student. `staff_notes` are not: they may name the kit's own trouble.
    """

    schema: int
    lab: str
    title: str
    submission: SubmissionInfo
    grader: GraderInfo
    toolchain: Toolchain
    backend: str
    machine: Machine
    sandbox: str
    seed: SeedInfo
    started: str
    finished: str
    seconds: float
    verdict: str
    points: Total
    stages: tuple[StageResult, ...]
    measured: tuple[dict[str, Any], ...]
    notes: tuple[str, ...]
    staff_notes: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    profile: tuple[Step, ...] = ()

    def document(self) -> dict[str, Any]:
        """The result as plain JSON values, as result.schema.json describes them."""
        document = asdict(self)
        names = [stage.name for stage in self.stages]
        for stage in document["stages"]:
            stage.setdefault("staff_message", "")
        for key in ("notes", "staff_notes"):
            document[key] = [note(text, names) for text in document[key]]
        return complete({**document, "refusal": None})

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


def overall_of(stages: Sequence[dict[str, Any]]) -> str:
    """The same of a document's stages."""
    verdicts = [stage["verdict"] for stage in stages]
    parts = [part for stage in stages
             for part in (stage["points"]["fast"], *stage["points"]["counters"])]  # fmt: skip
    verdicts += [part["verdict"] for part in parts if part]
    if not verdicts or INFRASTRUCTURE in verdicts:
        return INFRASTRUCTURE
    answers = {stage["verdict"] for stage in stages}
    return PASSED if answers == {PASSED} and set(verdicts) <= {PASSED, NOT_MEASURED} else FAILED


def exit_code(results: Iterable[Result], refused: int = 0) -> int:
    """0 only if every result passed in full; the kit's failures take precedence.

    A refusal takes precedence over a failure, because it has no verdict.
    """
    return _exit_code([result.verdict for result in results], refused)


def exit_code_of(documents: Iterable[dict[str, Any]]) -> int:
    """The same for results that another machine has written."""
    return _exit_code([str(document["verdict"]) for document in documents], 0)


def _exit_code(verdicts: list[str], refused: int) -> int:
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
        drawn, whole = _draw(result, folder)
        replace(result, figures=drawn).write(folder)
    except (LabError, OSError) as error:
        console.note(f"lab: {error}")
        return False
    return whole


def _draw(result: Result, folder: Path) -> tuple[tuple[Figure, ...], bool]:
    """The figures, drawn into `folder`. If that fails there are none, and the second is False."""
    try:
        drawn = result_figure.draw_if_possible(result.document(), folder)
        return tuple(Figure(path.name, sha256(path.read_bytes())) for path in drawn), True
    except (LabError, OSError) as error:
        console.note(f"lab: {error}")
        return (), False
