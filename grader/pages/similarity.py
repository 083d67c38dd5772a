"""Which hand-ins of one lab are alike, on the lines that the students wrote. A hint for a person.

Lines of the skeleton and of the reference are left out first: everybody has the one, and a good
student comes close to the other. What many hand-ins share is left out as well. The rest is compared
by fingerprints that names and layout do not change (copydetect, after Schleimer, Wilkerson and
Aiken, "Winnowing", 2003).
"""

import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from operator import or_

from copydetect import CodeFingerprint

LONGEST_NOISE = 25  # characters: shorter matches say nothing
WINDOW = 6
FEWEST_LINES = 8  # of one's own: with fewer everybody looks like everybody
COMMON_SHARE = 0.2  # of all hand-ins: what as many have is common knowledge
FEWEST_COMMON = 6
LEAST = 0.5  # the share of both that must be alike,
LEAST_OF_ONE = 0.75  # or of one of them
FEWEST_SHARED = 0.25  # of the smaller one's fingerprints, before two are compared
TOKEN = re.compile(
    r"(?P<nothing>\s+|//[^\n]*|/\*.*?\*/)|(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<name>[^\W\d]\w*(?=(?P<call>\s*\())?)|\d[\w.']*|.", re.DOTALL
)  # fmt: skip
KEYWORDS = frozenset(
    "auto bool break case char const constexpr continue do double else float for goto if inline "
    "int long return short signed sizeof static struct switch template typename unsigned using "
    "void volatile while __global__ __device__ __host__ __shared__ __syncthreads __syncwarp "
    "threadIdx blockIdx blockDim gridDim".split()
)  # what is no name of the student's


@dataclass(frozen=True)
class Alike:
    """Hand-ins that are alike: two, or any number of equal ones.

    `share`: of the own code of one of them that the other has as well. `lines`: how many.
    """

    students: tuple[str, ...]
    share: float
    lines: int

    @property
    def is_identical(self) -> bool:
        return self.share == 1.0


def own_lines(source: str, known: frozenset[str]) -> str:
    """The lines of `source` that are not known: neither of the skeleton nor of the reference."""
    kept = (line for line in source.split("\n") if _bare(line) and _bare(line) not in known)
    return "\n".join(kept)


def known_lines(*texts: str) -> frozenset[str]:
    """What `own_lines` leaves out."""
    return frozenset(_bare(line) for text in texts for line in text.split("\n"))


def _bare(line: str) -> str:
    return "".join(line.split("//")[0].split())


def alike(sources: Mapping[str, str], known: frozenset[str]) -> list[Alike]:
    """Hand-ins that are alike, the most alike first. `sources`: files by their students."""
    equal: dict[str, list[str]] = {}
    for who, source in sources.items():
        text = own_lines(source, known)
        if _count(text) >= FEWEST_LINES:
            equal.setdefault(text, []).append(who)
    found = [Alike(tuple(group), 1.0, _count(text)) for text, group in equal.items()
             if len(group) > 1]  # fmt: skip
    prints = {group[0]: Print.of(text) for text, group in equal.items()}
    for first, second in _candidates(prints, _common(prints.values())):
        one, other = prints[first], prints[second]
        shares = one.share_in(other), other.share_in(one)
        if min(shares) >= LEAST or max(shares) >= LEAST_OF_ONE:
            found.append(Alike((first, second), min(0.99, max(shares)), one.lines_in(other)))
    return sorted(found, key=lambda one: (-one.share, -one.lines, one.students))


def _count(text: str) -> int:
    return text.count("\n") + 1


def without_names(text: str) -> tuple[str, list[int]]:
    """Code without layout and comments, in which each name is one letter; and the line of each of
    its characters."""
    parts: list[str] = []
    line_of: list[int] = []
    number = 0
    for token in TOKEN.finditer(text):
        kept = token[0]
        if token["nothing"]:
            kept = ""
        elif token["text"]:
            kept = "S"
        elif token["name"] and kept not in KEYWORDS:
            kept = "F" if token["call"] else "V"
        parts.append(kept)
        line_of += [number] * len(kept)
        number += token[0].count("\n")
    return "".join(parts), line_of


@dataclass(frozen=True)
class Print:
    """The fingerprints of one hand-in. `places` has a bit for each character that a fingerprint
    covers, so what two have in common is counted without looking at characters."""

    places: Mapping[int, int]
    line_of: Sequence[int]

    @classmethod
    def of(cls, text: str) -> "Print":
        plain, line_of = without_names(text)
        made = CodeFingerprint("own.cu", LONGEST_NOISE, WINDOW, filter=False, fp=io.StringIO(plain))
        covers = (1 << LONGEST_NOISE) - 1
        return cls({int(value): reduce(or_, (covers << int(at) for at in places))
                    for value, places in made.hash_idx.items()}, line_of)  # fmt: skip

    @cached_property
    def size(self) -> int:
        return reduce(or_, self.places.values(), 0).bit_count()

    def _common(self, other: "Print") -> int:
        both = self.places.keys() & other.places.keys()
        return reduce(or_, map(self.places.__getitem__, both), 0)

    def share_in(self, other: "Print") -> float:
        """How much of this one the other has as well."""
        return self._common(other).bit_count() / self.size if self.size else 0.0

    def lines_in(self, other: "Print") -> int:
        bits = f"{self._common(other):b}"[::-1]
        return len({self.line_of[at] for at, bit in enumerate(bits) if bit == "1"})


def _common(prints: Iterable[Print]) -> set[int]:
    """The fingerprints that so many have that they tell nothing."""
    counts: Counter[int] = Counter()
    total = 0
    for one in prints:
        counts.update(one.places.keys())
        total += 1
    most = max(FEWEST_COMMON, COMMON_SHARE * total)
    return {value for value, count in counts.items() if count > most}


def _candidates(
    prints: Mapping[str, Print], common: set[int]
) -> list[tuple[str, str]]:
    """The pairs that share enough to be compared: of 300 hand-ins few of the 44,850 do."""
    rare = {who: one.places.keys() - common for who, one in prints.items()}
    owners: dict[int, list[str]] = {}
    for who, values in rare.items():
        for value in values:
            owners.setdefault(value, []).append(who)
    shared: Counter[tuple[str, str]] = Counter()
    for group in owners.values():
        shared.update(combinations(sorted(group), 2))
    return sorted(
        (first, second) for (first, second), count in shared.items()
        if count >= FEWEST_SHARED * min(len(rare[first]), len(rare[second]))
    )  # fmt: skip
