"""The commonest failures of a class, and the wrong file of the lab that each one resembles."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.checkout import Checkout
from ..base.verdict import DID_NOT_COMPILE, NOT_ATTEMPTED, PASSED, WITHOUT_POINTS
from ..lab_file.manifest import Lab
from ..study.told import LAST_WORDS

EXPECT = re.compile(r"// expect(?: on cpu)?: ([a-z0-9-]+): ([a-z ]+?)(?::(?: (.+))?)?")
CASE = re.compile(r" ?\(case [0-9a-f]+\)")
NUMBER = re.compile(r"0x[0-9a-f]+|-?\d[\d,.]*(?:e[+-]?\d+)?|[-+]?\b(?:inf|nan)\b")
QUOTED = re.compile(r"\S+\.cuh?:#(?::#)?")
MOST = 10
WHOLE = "the file"  # what does not compile fails in every stage
WORDS = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class WrongFile:
    """A known mistake: its name, what it gets, and what it does, in a sentence."""

    name: str
    stage: str
    verdict: str
    text: str
    says: str
    words: frozenset[str]


@dataclass
class Failure:
    """One message, with its numbers left out, and who got it."""

    lab: str
    stage: str
    verdict: str
    message: str
    students: list[str] = field(default_factory=list)
    resembles: WrongFile | None = None


def wrong_files(checkout: Checkout, lab: Lab) -> list[WrongFile]:
    """What reference/NN-name/wrong holds; nothing in a copy without references."""
    found = []
    for path in sorted((checkout.reference / lab.name / "wrong").glob("*.cu")):
        lines = path.read_text(encoding="utf-8").split("\n")
        if match := EXPECT.fullmatch(lines[0].rstrip()):
            found.append(WrongFile(path.stem, match[1], match[2], match[3] or "", _says(lines[1:]),
                                   words("\n".join(lines[1:]))))  # fmt: skip
    return found


def _says(lines: Sequence[str]) -> str:
    """The comment below the first line, as one line."""
    said = []
    for line in lines:
        if not line.startswith("//"):
            break
        said.append(line.removeprefix("//").strip())
    return " ".join(said)


def words(source: str) -> frozenset[str]:
    """Neighbouring words of a source without comments: what two of them have in common."""
    plain = re.sub(r"//[^\n]*", "", source)
    found = WORDS.findall(plain)
    return frozenset(" ".join(three) for three in zip(found, found[1:], found[2:], strict=False))


def commonest(
    lab: str, graded: Iterable[tuple[str, dict[str, Any], str]], known: Sequence[WrongFile]
) -> list[Failure]:
    """Failures by message, the commonest first. `graded`: students with result and source."""
    found: dict[tuple[str, str, str], Failure] = {}
    sources: dict[tuple[str, str, str], str] = {}
    for student, result, source in graded:
        for stage in result["stages"]:
            if stage["verdict"] in (PASSED, NOT_ATTEMPTED, *WITHOUT_POINTS):
                continue
            message = LAST_WORDS.sub(": ", stage["message"]).split("\n")[0]
            name = WHOLE if stage["verdict"] == DID_NOT_COMPILE else stage["name"]
            key = (name, stage["verdict"], without_numbers(message))
            failure = found.setdefault(key, Failure(lab, name, stage["verdict"], message))
            if student not in failure.students:
                failure.students.append(student)
            sources.setdefault(key, source)
    for key, failure in found.items():
        failure.resembles = resembling(failure, sources[key], known)
    return sorted(found.values(), key=lambda f: (-len(f.students), f.stage, f.message))[:MOST]


def without_numbers(message: str) -> str:
    """A message by which two equal mistakes are known, whatever their inputs and lines."""
    return QUOTED.sub("FILE", NUMBER.sub("#", CASE.sub("", message)))


def resembling(failure: Failure, source: str, known: Sequence[WrongFile]) -> WrongFile | None:
    """The wrong file of the same stage and verdict whose code is closest to the source."""
    fits = [wrong for wrong in known
            if (wrong.stage, wrong.verdict) == (failure.stage, failure.verdict)
            and wrong.text in failure.message]  # fmt: skip
    mine = words(source)
    return max(fits, key=lambda wrong: len(wrong.words & mine) / (len(wrong.words) or 1),
               default=None)  # fmt: skip
