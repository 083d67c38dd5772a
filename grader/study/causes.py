"""The likely cause of a failed stage: what the kit's own wrong files looked like when they failed.

`labs/NN-name/mistakes.json` holds, for every wrong file, the verdict and message that it got with
the public seed, and one sentence that says what it does wrong. It holds nothing of the file itself,
so it is part of a student's copy. `./lab dev mistakes` writes it.

A message is compared twice: as it is (without what a student chooses freely, such as names of
kernels and numbers of lines), and by its shape (without any number).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..base.checkout import Checkout
from ..base.verdict import (
    DID_NOT_COMPILE,
    INFRASTRUCTURE,
    NOT_ATTEMPTED,
    PASSED,
    RACE,
    WROTE_OUTSIDE,
)

FILE = "mistakes.json"
MOST = 2  # if more different causes fit, none of them is likely
SILENT = (PASSED, NOT_ATTEMPTED, DID_NOT_COMPILE, INFRASTRUCTURE)
# What the same mistake may have in another student's file.
OWN_WORDS = (
    (re.compile(r"0x[0-9a-f]+"), "0x#"),
    (re.compile(r"\b[\w-]+\.cu:\d+"), "the file"),
    (re.compile(r"\bkernel .+?(?=, block|[:;(]| has | was | made |$)"), "kernel"),
    (re.compile(r"\bshared memory \w+\["), "shared memory ["),
)
NUMBER = re.compile(r"-?\d[\d,]*(\.\d+)?(e[+-]?\d+)?|-?\binf\b|-?\bnan\b", re.IGNORECASE)
INPUT = re.compile(r" on [^:\n]*: ")


@dataclass(frozen=True)
class Mistake:
    """A known mistake: what a stage with it gets, and the sentence that names the mistake.

    `file` is the hash of the wrong file.
    """

    stage: str
    verdict: str
    case: str
    message: str
    cause: str
    file: str

    def document(self) -> dict[str, Any]:
        return asdict(self)


def facts(stage: dict[str, Any]) -> tuple[str, str, str, str]:
    """Of a stage's result: name, verdict, case, and the message to compare."""
    verdict = stage["verdict"]
    return stage["name"], verdict, stage["case"], told(verdict, stage["message"])


def told(verdict: str, message: str) -> str:
    """The message without what another student's file would say differently.

    What the checker found is its first line; which wrong answer came of it does not matter.
    """
    lines = [line for line in message.splitlines() if not line.startswith("  ")]  # no drawings
    text = "\n".join(lines[:1] if verdict in (RACE, WROTE_OUTSIDE) else lines)
    for pattern, instead in OWN_WORDS:
        text = pattern.sub(instead, text)
    return text


def shape(message: str) -> str:
    """The message without numbers and inputs."""
    return NUMBER.sub("#", INPUT.sub(": ", message))


@cache
def known(checkout: Checkout, lab: str) -> tuple[Mistake, ...]:
    """The mistakes that are known of a lab; none if the file is missing or damaged."""
    return read(checkout.labs / lab / FILE)


def read(path: Path) -> tuple[Mistake, ...]:
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))["mistakes"]
        return tuple(Mistake(**one) for one in listed)
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def likely(mistakes: Sequence[Mistake], stage: dict[str, Any]) -> tuple[str, ...]:
    """One or two sentences on what may be wrong with a failed stage; none if nothing fits well.

    First those with the same message. Otherwise those whose message has the same shape.
    """
    name, verdict, case, message = facts(stage)
    if verdict in SILENT:
        return ()
    alike = [one for one in mistakes if (one.stage, one.verdict) == (name, verdict)]
    same = [one for one in alike if (one.case, one.message) == (case, message)]
    if not same:
        same = [one for one in alike
                if (one.case, shape(one.message)) == (case, shape(message))]  # fmt: skip
    causes = tuple(dict.fromkeys(one.cause for one in same))
    return causes if len(causes) <= MOST else ()
