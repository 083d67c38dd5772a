"""How long tasks took on this machine, so that the next time says how long is left.

`build/durations.json` holds the last few seconds of each task. It is a help and no result: a file
that is damaged, or cannot be written, is as good as none.
"""

import contextlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from . import console
from .checkout import Checkout
from .errors import LabError
from .files import to_json, write_atomically

FILE = "durations.json"
KEPT = 5  # of each task; their median is expected
SHORTEST = 1.0  # seconds: nobody waits for less


def expected(checkout: Checkout, task: str) -> float:
    """The seconds that `task` takes here; 0 if it was never done."""
    return median(_read(checkout).get(task, [0.0]))


def remember(checkout: Checkout, task: str, seconds: float) -> None:
    """Keep what `task` took, if that was long enough to wait for."""
    if seconds < SHORTEST:
        return
    known = _read(checkout)
    known[task] = [*known.get(task, []), round(seconds, 1)][-KEPT:]
    with contextlib.suppress(LabError):
        write_atomically(_file(checkout), to_json(known))


@contextmanager
def progress(checkout: Checkout, task: str, key: str = "") -> Iterator[console.Progress]:
    """As console.progress, with the time that is left; what does not fail is remembered.

    `key` tells apart what takes a different time under the same words.
    """
    key = key or task
    with console.progress(task, expected(checkout, key)) as line:
        yield line
    remember(checkout, key, line.seconds)


def _file(checkout: Checkout) -> Path:
    return checkout.build(FILE)


def _read(checkout: Checkout) -> dict[str, list[float]]:
    try:
        listed = json.loads(_file(checkout).read_text(encoding="utf-8"))
        return {str(task): [float(one) for one in times] for task, times in listed.items() if times}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
