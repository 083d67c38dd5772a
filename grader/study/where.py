"""Where in the student's file a failure comes from, if its message does not say.

A judge sees that a byte behind a buffer has changed, or that a program died; it does not see where.
The checker does, on small inputs. It decides nothing here.
"""

import re
from collections.abc import Mapping
from typing import Any

from ..base.checkout import Checkout
from ..base.verdict import CRASHED, NOT_ATTEMPTED, PASSED, TIMED_OUT, WRONG_ANSWER, WROTE_OUTSIDE
from ..judging.judge import check_once
from ..judging.workers import make_checked
from ..lab_file.manifest import Lab, Stage
from ..sandbox.bubblewrap import Sandbox
from .slips import UNSET_VALUE, wrote_what_nobody_set
from .told import plainly

WITHOUT_PLACE = (WROTE_OUTSIDE, CRASHED)
OUTSIDE = re.compile(r" (?:(?:past|across) its end|before its beginning|outside of the array)\b")
ADDRESS = re.compile(r": invalid access at 0x[0-9a-f]+ at ")
UNSET = re.compile(r"\bnever written\b|\bindex -1\b|\[-1\]")
CALL = re.compile(r"[\w:]+\(([^()]*)\)")
SMALL = 64  # elements
OF_THE_CALL = re.compile(r"^[\w:]+\([^)]*\)(?: on [^:]*)?: ")


def places(
    checkout: Checkout, lab: Lab, source: bytes, document: Mapping[str, Any], box: Sandbox
) -> dict[str, str]:
    """By stage what the checker says of it, with a line of the file."""
    verdicts = {
        stage["name"]: stage["verdict"]
        for stage in document["stages"]
        if lacks_a_place(stage, lab.source)
    }
    if not verdicts:
        return {}
    bench, _ = make_checked(checkout, lab, source, document["seed"]["public"], box,
                            called=stages_of(lab, document))  # fmt: skip
    if bench is None or bench.refused:
        return {}
    found: dict[str, str] = {}
    for name in verdicts:
        run = check_once(bench, name)
        if run.verdict in (PASSED, NOT_ATTEMPTED, TIMED_OUT):
            continue
        said = [plainly(message).partition("\n")[0]
                for message in (run.message, *(case.message for case in run.cases))]  # fmt: skip
        said = [line for line in said if f"{lab.source}:" in line
                and (verdicts[name] != WRONG_ANSWER or UNSET.search(line))]  # fmt: skip
        if said:
            found[name] = OF_THE_CALL.sub("", _of(verdicts[name], said))
    return found


def stages_of(lab: Lab, document: Mapping[str, Any]) -> list[Stage]:
    """Those that a result is about."""
    names = {stage["name"] for stage in document["stages"]}
    return [stage for stage in lab.stages if stage.name in names]


def lacks_a_place(stage: Mapping[str, Any], file: str) -> bool:
    """Whether the checker may know more: a line of the student's `file`, or which buffer an address
    is in. Of an answer that is wrong it knows a place if nobody has set what was read."""
    if stage["verdict"] in WITHOUT_PLACE and ADDRESS.search(stage["message"]):
        return True
    is_unset = wrote_what_nobody_set(stage) or _left_places_out(stage)
    is_open = stage["verdict"] in WITHOUT_PLACE or is_unset
    return bool(is_open) and f"{file}:" not in stage["message"]


def _left_places_out(stage: Mapping[str, Any]) -> bool:
    """Whether a small call left places unwritten: perhaps by an index that nobody has set. Of a
    large call the checker would take long."""
    call = CALL.match(stage["message"])
    is_small = call and all(int(number) <= SMALL for number in re.findall(r"\d+", call[1]))
    return stage["verdict"] == WRONG_ANSWER and bool(is_small) and UNSET_VALUE in stage["message"]


def _of(verdict: str, said: list[str]) -> str:
    """What the checker says first; of a write outside first what is outside, if a case has it."""
    outside = (line for line in said if OUTSIDE.search(line))
    return next(outside, said[0]) if verdict == WROTE_OUTSIDE else said[0]
