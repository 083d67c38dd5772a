"""The likely cause of a failed stage: what the kit's own wrong files looked like when they failed.

`labs/NN-name/mistakes.json` holds, for every wrong file, the verdict and messages that it got with
the public seed, and one sentence that says what it does wrong. It holds nothing of the file itself,
so it is part of a student's copy. `./lab dev mistakes` writes it.

No cause is better than a wrong one. With the same seed the same mistake gives the same answers, so
the messages of all cases must be the same, but for what a student chooses freely: names of kernels
and lines. Only of a race in shared memory the places are free, too: whoever leaves out the same
barrier need not have the same array.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..base.checkout import Checkout
from ..base.files import sha256
from ..base.verdict import (
    DID_NOT_COMPILE,
    INFRASTRUCTURE,
    NOT_ATTEMPTED,
    PASSED,
    RACE,
    TIMED_OUT,
    WROTE_OUTSIDE,
)

FILE = "mistakes.json"
SCHEMA = 2
MOST = 2  # if more different causes fit, none of them is likely
SILENT = (PASSED, NOT_ATTEMPTED, DID_NOT_COMPILE, INFRASTRUCTURE)
FIRST_LINE = (RACE, WROTE_OUTSIDE, TIMED_OUT)  # what else is told depends on the rest of the file
# What the same mistake may have in another student's file.
OWN_WORDS = (
    (re.compile(r"0x[0-9a-f]+"), "0x#"),
    (re.compile(r"\b[\w-]+\.cu:\d+"), "the file"),
    (re.compile(r"\bkernel .+?(?=, block|[:;(]| has | was | made |$)"), "kernel"),
    (re.compile(r"\b(shared|global) memory \w+\[(?=.* at the file; )"), r"\1 memory ["),
    (re.compile(r"; it last said:$"), ""),
    (re.compile(r"\bPTX of .+? contains"), "PTX contains"),
)
PLACE = re.compile(r"\b[\w-]+\.cu:(\d+)")
SAME_LINE = re.compile(r"(shared memory .*?)(\b[\w-]+\.cu:\d+\b)(.*?)\2\b")
# Lines that the judge adds.
LAUNCHES = re.compile(r"the call made (\d+) launch(?:es)?")
STILL_RIGHT = re.compile(r"still right: (?:\w+::)*\w+\((.*)\)")
UNCHANGED = "the call left its buffers as they were"
ADDED = re.compile(f"{LAUNCHES.pattern}|{STILL_RIGHT.pattern}|{UNCHANGED}")
CALLED = re.compile(r" \(called from [\w.-]+:\d+\)")  # of a line in a helper
IN_A_HELPER = re.compile(r"\b[\w-]+\.cu:\d+ \(called from ([\w.-]+:\d+)\)")
NUMBER = re.compile(r"-?\d[\d,]*(\.\d+)?(e[+-]?\d+)?|-?\binf\b|-?\bnan\b", re.IGNORECASE)
CUT_SHORT = ""  # instead of a fingerprint: after a failure the judge takes little time for the rest
CALL = re.compile(r"[\w:]+\((?:\D*, )?(\d+)\b")  # "in_place::fast(keys, 4, 33): ..."
INPUT = re.compile(r"^.*?: (?=shared memory \[)")


@dataclass(frozen=True)
class Mistake:
    """A known mistake: what a stage with it gets, and the sentence that names the mistake.

    `others` are the fingerprints of what the other cases said that failed too. `file` is the hash
    of the wrong file. `after` is how many barriers of the kernel come before the first place of a
    race, -1 if there is none: it decides between mistakes that look alike.
    """

    stage: str
    verdict: str
    case: str
    message: str
    others: Mapping[str, str]
    cause: str
    file: str
    after: int = -1

    def document(self) -> dict[str, Any]:
        return asdict(self)

    def fits(self, seen: "Mistake") -> bool:
        """Whether a failed stage looks as with this mistake."""
        if (self.stage, self.verdict, self.case) != (seen.stage, seen.verdict, seen.case):
            return False
        if self.is_of_shared_memory:
            return shape(self.message) == shape(seen.message)
        if self.verdict == RACE:  # in which cases threads collide, depends on the size of a block
            return self.message == seen.message
        if self.verdict == TIMED_OUT:  # the other cases were not tried
            return self.message == seen.message
        alike = (CUT_SHORT in (said, seen.others.get(case)) or seen.others.get(case) == said
                 for case, said in self.others.items())  # fmt: skip
        return self.message == seen.message and all(alike)

    @property
    def is_of_shared_memory(self) -> bool:
        return self.verdict == RACE and "shared memory [" in self.message


def seen(
    stage: Mapping[str, Any], cause: str = "", file: str = "", source: str = ""
) -> Mistake:  # fmt: skip
    """A stage of a result, as mistakes are compared; `source` is the file that it is about."""
    verdict, case = stage["verdict"], stage["case"]
    others = {one["name"]: CUT_SHORT if one["verdict"] == TIMED_OUT != verdict
              else fingerprint(one["verdict"], one["message"]) for one in stage["cases"]
              if one["verdict"] not in SILENT and one["name"] != case}  # fmt: skip
    message = told(verdict, stage["message"])
    after = barriers_before(source, stage["message"]) if verdict == RACE else -1
    return Mistake(stage["name"], verdict, case, message, others, cause, file, after)


def barriers_before(source: str, message: str) -> int:
    """How many barriers are written in the kernel before the first place that the message names;
    -1 if it names none there."""
    lines = source.splitlines()
    said = IN_A_HELPER.sub(r"\1", message.partition("\n")[0])
    first = min(map(int, PLACE.findall(said)), default=0)
    if not 1 <= first <= len(lines):
        return -1
    before = "\n".join(line.partition("//")[0] for line in lines[: first - 1])
    return before.rpartition("__global__")[2].count("__syncthreads()")


def fingerprint(verdict: str, message: str) -> str:
    return sha256(f"{verdict}: {told(verdict, message)}".encode())[:16]


def told(verdict: str, message: str) -> str:
    """The message without what another student's file would say differently.

    What the checker found is its first line; which wrong answer came of it does not matter.
    """
    lines = [line for line in message.splitlines()  # without drawings
             if not line.startswith("  ") and not ADDED.fullmatch(line)]  # fmt: skip
    text = "\n".join(lines[:1] if verdict in FIRST_LINE else lines)
    text = CALLED.sub("", text)
    text = SAME_LINE.sub(r"\1\2\3the same line", text)
    for pattern, instead in OWN_WORDS:
        text = pattern.sub(instead, text)
    return text


def shape(message: str) -> str:
    """The message without numbers and inputs."""
    return NUMBER.sub("#", INPUT.sub("", message))


@cache
def known(checkout: Checkout, lab: str) -> tuple[Mistake, ...]:
    """The mistakes that are known of a lab; none if the file is missing or damaged."""
    return read(checkout.labs / lab / FILE)


def read(path: Path) -> tuple[Mistake, ...]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        listed = document["mistakes"] if document["schema"] == SCHEMA else []
        return tuple(Mistake(**one) for one in listed)
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def likely(
    mistakes: Sequence[Mistake], stage: Mapping[str, Any], source: str = ""
) -> tuple[str, ...]:
    """One or two sentences on what may be wrong with a failed stage of `source`; none if nothing
    fits well."""
    if stage["verdict"] in SILENT:
        return ()
    failed = seen(stage, source=source)
    fit = [one for one in mistakes if one.fits(failed)]
    closest = [one for one in fit if one.after == failed.after] or fit
    if len({one.cause for one in closest}) > 1:  # what fails at first on more keys explains less
        closest = [one for one in closest if _length(one) <= _length(failed)] or closest
    causes = tuple(dict.fromkeys(one.cause for one in closest))
    return causes if len(causes) <= MOST else ()


def _length(mistake: Mistake) -> int:
    """The first number of the call that failed first: how many elements it was about."""
    call = CALL.match(mistake.message)
    return int(call[1]) if call else 0
