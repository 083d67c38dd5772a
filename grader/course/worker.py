"""A grading process: takes one task after another on its input, and answers each with one line.

It is a process of its own, so what breaks it cannot end the class. It knows tasks and folders; of a
student a submission's sandbox gets the source and nothing else.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..base.checkout import Checkout
from ..base.errors import InfrastructureError, LabError, report_defect
from ..base.files import sha256, to_json, write_atomically
from ..base.verdict import INFRASTRUCTURE, PASSED, TIMED_OUT
from ..grading.grade import grade
from ..grading.order import Order
from ..grading.result import FILE_NAME, Result
from ..grading.times import time_judged
from ..lab_file.manifest import Lab
from ..sandbox import bubblewrap
from ..sandbox.bubblewrap import Sandbox
from . import hand_ins, seeds, tasks
from .course import Course
from .hand_ins import HandIn
from .refused import refused_result
from .trouble import trouble_here

JUDGE, ALONE, TIME = "judge", "alone", "time"  # the phases
# The answers. After `lost` the next task is taken; `trouble` stops the class.
DONE, JUDGED, CROWDED, LOST, TROUBLE = "done", "judged", "crowded", "lost", "trouble"

Answer = dict[str, Any]
Grade = Callable[[Checkout, Order], Result]


@dataclass(frozen=True)
class Place:
    """Where this process works, and how: what the loop gave it as its argument, as JSON."""

    checkout: Checkout
    course: Course
    backend: str
    public_seed: int
    trust: bool
    cores: tuple[int, ...]

    @classmethod
    def read(cls, text: str) -> "Place":
        said = json.loads(text)
        checkout = Checkout(Path(said["checkout"]))
        course = Course.load(checkout, Path(said["course"]))
        return cls(checkout, course, said["backend"], said["seed"], said["trust"],
                   tuple(said["cores"]))  # fmt: skip

    @cached_property
    def sandbox(self) -> Sandbox:
        return bubblewrap.for_others(self.trust)

    @property
    def draws(self) -> bool:
        return self.backend == "gpu" or self.course.settings.figures

    def order(self, task: str, lab: Lab, source: bytes) -> Order:
        """Its name is the task's: no student's name goes further than this."""
        seed = seeds.seed_of(self.course, self.public_seed)
        timed = self.backend == "cpu" and self.draws  # on a GPU in the second phase
        return Order(lab, task, source, self.backend, seed, lab.stages, self.sandbox, timed,
                     figures=self.course.settings.figures)  # fmt: skip


def serve(place: Place, grade: Grade = grade) -> None:
    """Answer every line of the standard input. Ends with it."""
    if place.cores:
        os.sched_setaffinity(0, place.cores)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing else may write where answers are read
    for line in sys.stdin:
        answers.write(json.dumps(_answer(place, json.loads(line), grade)) + "\n")
        answers.flush()


def _answer(place: Place, task: dict[str, Any], grade: Grade) -> Answer:
    try:
        lab = place.course.settings.lab(task["lab"]).lab
        folder = Path(task["folder"])
        hand_in = HandIn(task["student"], lab, task["attempt"], folder, None,
                         place.course.settings.kit)  # fmt: skip
        if hand_in.sha256 != task["source"]:
            raise InfrastructureError(f"{folder}: was changed meanwhile; call again.")
        return _Work(place, task["task"], hand_in).do(task["phase"], grade)
    except LabError as error:
        return {"said": TROUBLE, "text": str(error)}
    except Exception as error:
        return {"said": LOST, "text": report_defect(error)}


@dataclass(frozen=True)
class _Work:
    """One phase of one task."""

    place: Place
    task: str
    hand_in: HandIn

    def do(self, phase: str, grade: Grade) -> Answer:
        place, lab = self.place, self.hand_in.lab
        if refusal := self.hand_in.refusal:
            order = place.order(self.task, lab, b"")
            document = refused_result(place.checkout, order, self.hand_in.sha256, *refusal)
            return self.finish(document)
        assert isinstance(self.hand_in.content, hand_ins.Submission)
        order = place.order(self.task, lab, self.hand_in.content.source)
        if phase == TIME:
            waiting = tasks.judged(place.course, self.task)
            if waiting is None:
                raise InfrastructureError(f"{self.task}: what was judged is gone; call again.")
            return self.finish(time_judged(place.checkout, order, waiting))
        document = grade(place.checkout, order).document()
        timed_out = any(s["verdict"] == TIMED_OUT for s in document["stages"])
        if phase == JUDGE and timed_out and place.backend == "cpu":
            write_atomically(self.crowded, "")
            return {"said": CROWDED, **_summary(document)}
        if place.backend == "gpu" and any(s["verdict"] == PASSED for s in document["stages"]):
            if text := self.trouble(document):
                return {"said": TROUBLE, "text": text}
            tasks.keep_judged(place.course, self.task, document)
            return {"said": JUDGED, **_summary(document)}
        return self.finish(document)

    @property
    def crowded(self) -> Path:
        """Says that the program took too long while others ran, too: it gets another try alone. On
        a GPU the judge has given it one, with all of the GPU."""
        return self.place.course.judged / f"{self.task}.alone"

    def trouble(self, document: dict[str, Any]) -> str:
        if document["verdict"] != INFRASTRUCTURE:
            return ""
        return trouble_here(self.place.course.folder, self.place.checkout, self.place.backend)

    def finish(self, document: dict[str, Any]) -> Answer:
        """Store the result, unless this machine is why there is none."""
        if text := self.trouble(document):
            return {"said": TROUBLE, "text": text}
        tasks.store(self.place.course, self.task, lambda folder: self._fill(document, folder))
        tasks.forget_judged(self.place.course, self.task)
        self.crowded.unlink(missing_ok=True)
        return {"said": DONE, **_summary(document)}

    def _fill(self, document: dict[str, Any], folder: Path) -> None:
        if self.place.draws and document["measured"]:
            from report.drawing import result_figure

            drawn = result_figure.draw_if_possible(document, folder)
            document["figures"] = [{"file": path.name, "sha256": sha256(path.read_bytes())}
                                   for path in drawn]  # fmt: skip
        write_atomically(folder / FILE_NAME, to_json(document))


def _summary(document: dict[str, Any]) -> dict[str, Any]:
    points = document["points"]
    return {"verdict": document["verdict"], "earned": points["earned"],
            "possible": points["possible"], "not_measured": points["not_measured"],
            "review": len(document["needs_review"])}  # fmt: skip


if __name__ == "__main__":
    serve(Place.read(sys.argv[1]))
