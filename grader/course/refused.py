"""The result of a hand-in that cannot be graded: a row, a reason, and a person looks at it."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from ..base.checkout import Checkout
from ..base.text import line
from ..grading.derived import OPEN, SCHEMA
from ..grading.order import Order
from ..grading.provenance import grader_info, toolchain
from ..grading.result import TIME
from ..machine import hardware

REFUSED = "refused"


def refused_result(
    checkout: Checkout, order: Order, source: str, code: str, reason: str
) -> dict[str, Any]:
    """A document of schema 2. Its points are not earned, and not lost before a person has looked.

    `source` is the hash of everything that was handed in.
    """
    now = datetime.now(UTC).strftime(TIME)
    possible = sum(stage.correct + stage.fast + sum(rule.points for rule in stage.counters)
                   for stage in order.lab.stages)  # fmt: skip
    seed = order.seed
    return {
        "schema": SCHEMA,
        "lab": order.lab.name,
        "title": order.lab.title,
        "submission": {"name": order.name, "sha256": source, "student": None, "attempt": None,
                       "handed_in": None},
        "grader": asdict(grader_info(checkout, order.lab)),
        "toolchain": asdict(toolchain()),
        "backend": order.backend,
        "machine": asdict(hardware.describe()),
        "sandbox": order.sandbox.text,
        "seed": {"public": seed.public, "secret": seed.secret is not None,
                 "commitment": seed.commitment},
        "started": now,
        "finished": now,
        "seconds": 0.0,
        "verdict": REFUSED,
        "refusal": {"code": code, "reason": reason},
        "points": {"earned": 0, "possible": possible, "not_measured": possible,
                   "open": {**dict.fromkeys(OPEN, 0), "other": possible}},
        "needs_review": [{"stage": None, "code": REFUSED, "text": line(reason)}],
        "stages": [],
        "measured": [],
        "figures": [],
        "notes": [],
        "staff_notes": [],
        "profile": [],
    }  # fmt: skip
