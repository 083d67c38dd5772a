"""Results of `./lab check` that need not be found again: nothing that they depend on has changed.

Only verdicts that come out the same each time are kept. A result that is shown again says so.
"""

import contextlib
import hashlib
from dataclasses import astuple
from pathlib import Path

from ..base.checkout import Checkout
from ..base.errors import LabError
from ..base.files import sha256, to_json, write_atomically
from ..base.verdict import (
    DID_NOT_COMPILE,
    NOT_ATTEMPTED,
    PASSED,
    RACE,
    REJECTED,
    WRONG_ANSWER,
    WROTE_OUTSIDE,
)
from ..compiling import stamp
from ..machine import hardware
from .derived import Document, note
from .order import Order
from .provenance import grader_info
from .read_result import read_result

# Time, memory and other programs on the machine play no part in these.
REPEATABLE = {
    PASSED, NOT_ATTEMPTED, WRONG_ANSWER, WROTE_OUTSIDE, RACE, REJECTED, DID_NOT_COMPILE
}  # fmt: skip
BACKEND = "cpu"  # a GPU need not give the same wrong answer twice
MOST = 200  # kept results: 10 kB each
STOPPED = "the compiler"  # the beginning of a message that a busy machine may have caused


def place(checkout: Checkout, order: Order) -> Path | None:
    """Where the result of this order is kept; None if it is not.

    The name stands for everything that the result depends on, as it is now. So it is asked before
    the grading: what changes meanwhile belongs to the next one.
    """
    if order.backend != BACKEND:
        return None
    reference = checkout.reference / order.lab.name / order.lab.source
    parts = (
        order.lab.name, order.name, sha256(order.source), order.backend, order.seed.value,
        [stage.name for stage in order.stages], order.sandbox.text, order.timed, order.notes,
        grader_info(checkout, order.lab).sha256, stamp.inputs(checkout),
        stamp.outputs(checkout, order.backend), astuple(hardware.describe()),
        reference.is_file() and sha256(reference.read_bytes()),
    )  # fmt: skip
    key = hashlib.sha256(repr(parts).encode()).hexdigest()
    return checkout.build(order.backend) / "verdicts" / key[:32]


def recall(file: Path | None) -> Document | None:
    """The result that is kept there, with a note that says when it was found."""
    if file is None:
        return None
    try:
        result = read_result(file)
    except LabError:  # there is none, or it is damaged
        return None
    again = f"nothing has changed since {result['started']}: that result is shown again"
    return {**result, "notes": [*result["notes"], note(again, [])]}


def keep(file: Path | None, result: Document) -> None:
    """Keep a result, if it would come out the same again. A full disk is no reason to fail."""
    if file is None or not all(map(_repeatable, result["stages"])):
        return
    with contextlib.suppress(LabError, OSError):
        write_atomically(file, to_json(result))
        kept = sorted(file.parent.iterdir(), key=lambda path: path.stat().st_mtime)
        for path in kept[:-MOST]:
            path.unlink()


def _repeatable(stage: Document) -> bool:
    stopped = stage["verdict"] == DID_NOT_COMPILE and stage["message"].startswith(STOPPED)
    return stage["verdict"] in REPEATABLE and not stopped
