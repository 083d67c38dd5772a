"""Results of `./lab check` that need not be found again: nothing that they depend on has changed.

Only verdicts that come out the same each time are kept. A result that is shown again says so.
"""

import contextlib
import hashlib
import pickle
from dataclasses import astuple, replace
from pathlib import Path

from ..base.checkout import Checkout
from ..base.errors import LabError
from ..base.files import sha256, write_atomically
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
from .order import Order
from .provenance import grader_info
from .result import Result, StageResult

# Time, memory and other programs on the machine play no part in these.
REPEATABLE = {
    PASSED, NOT_ATTEMPTED, WRONG_ANSWER, WROTE_OUTSIDE, RACE, REJECTED, DID_NOT_COMPILE
}  # fmt: skip
BACKEND = "cpu"  # a GPU need not give the same wrong answer twice
MOST = 200  # kept results: 10 kB each
STOPPED = "the compiler"  # the beginning of a message that a busy machine may have caused


def recall(checkout: Checkout, order: Order) -> Result | None:
    """The kept result of the same order, with a note that says when it was found."""
    if order.backend != BACKEND:
        return None
    try:
        result = pickle.loads(_file(checkout, order).read_bytes())
    except Exception:  # there is none, or an older kit has written it
        return None
    if not isinstance(result, Result):
        return None
    again = f"nothing has changed since {result.started}: that result is shown again"
    return replace(result, notes=(*result.notes, again))


def keep(checkout: Checkout, order: Order, result: Result) -> None:
    """Keep a result, if it would come out the same again. A full disk is no reason to fail."""
    if order.backend != BACKEND or not all(map(_repeatable, result.stages)):
        return
    file = _file(checkout, order)
    with contextlib.suppress(LabError, OSError):
        write_atomically(file, pickle.dumps(result))
        kept = sorted(file.parent.iterdir(), key=lambda path: path.stat().st_mtime)
        for path in kept[:-MOST]:
            path.unlink()


def _repeatable(stage: StageResult) -> bool:
    stopped = stage.verdict == DID_NOT_COMPILE and stage.message.startswith(STOPPED)
    return stage.verdict in REPEATABLE and not stopped


def _file(checkout: Checkout, order: Order) -> Path:
    """Named after everything that the result depends on."""
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
