"""Where in the student's file a failure comes from, if its message does not say.

A judge sees that a byte behind a buffer has changed, or that a program died; it does not see where.
The checker does, on small inputs. It decides nothing here.
"""

import re
from collections.abc import Mapping
from typing import Any

from ..base.checkout import Checkout
from ..base.verdict import CRASHED, NOT_ATTEMPTED, PASSED, TIMED_OUT, WROTE_OUTSIDE
from ..judging.judge import check_once
from ..judging.workers import make_checked
from ..lab_file.manifest import Lab
from ..sandbox.bubblewrap import Sandbox
from .told import plainly

WITHOUT_PLACE = (WROTE_OUTSIDE, CRASHED)
OF_THE_CALL = re.compile(r"^[\w:]+\([^)]*\)(?: on [^:]*)?: ")


def places(
    checkout: Checkout, lab: Lab, source: bytes, document: Mapping[str, Any], box: Sandbox
) -> dict[str, str]:
    """By stage what the checker says of it, with a line of the file."""
    asked = [
        stage["name"]
        for stage in document["stages"]
        if stage["verdict"] in WITHOUT_PLACE and f"{lab.source}:" not in stage["message"]
    ]
    if not asked:
        return {}
    bench, _ = make_checked(checkout, lab, source, document["seed"]["public"], box)
    if bench is None or bench.refused:
        return {}
    found: dict[str, str] = {}
    for name in asked:
        run = check_once(bench, name)
        said = next(iter(plainly(run.message).splitlines()), "")
        if run.verdict not in (PASSED, NOT_ATTEMPTED, TIMED_OUT) and f"{lab.source}:" in said:
            found[name] = OF_THE_CALL.sub("", said)
    return found
