"""Which hand-ins of one lab are alike, on the lines that the students wrote. A hint for a person.

Lines of the skeleton and of the reference are left out first: everybody has the one, and a good
student comes close to the other. What many hand-ins share is left out as well. The rest is compared
by fingerprints that names and layout do not change (copydetect, after Schleimer, Wilkerson and
Aiken, "Winnowing", 2003).
"""

import io
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from copydetect import CodeFingerprint, compare_files

LONGEST_NOISE = 25  # characters: shorter matches say nothing
WINDOW = 6
FEWEST_LINES = 8  # of one's own: with fewer everybody looks like everybody
COMMON_SHARE = 0.2  # of all hand-ins: what as many have is common knowledge
FEWEST_COMMON = 6
LEAST = 0.5  # the share of both that must be alike,
LEAST_OF_ONE = 0.75  # or of one of them
FEWEST_SHARED = 0.25  # of the smaller one's fingerprints, before two are compared


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
    texts = {group[0]: text for text, group in equal.items()}
    prints = {who: _fingerprint(text) for who, text in texts.items()}
    for first, second in _candidates(prints, _common(prints.values())):
        _, shares, slices = compare_files(prints[first], prints[second])
        if min(shares) >= LEAST or max(shares) >= LEAST_OF_ONE:
            lines = sum(_count(texts[first][int(b) : int(e)]) for b, e in slices[0].T)
            found.append(Alike((first, second), min(0.99, float(max(shares))), lines))
    return sorted(found, key=lambda one: (-one.share, -one.lines, one.students))


def _count(text: str) -> int:
    return text.count("\n") + 1


def _fingerprint(text: str) -> CodeFingerprint:
    return CodeFingerprint("own.cu", LONGEST_NOISE, WINDOW, language="cuda", fp=io.StringIO(text))


def _common(prints: Iterable[CodeFingerprint]) -> set[int]:
    """The fingerprints that so many have that they tell nothing."""
    counts: Counter[int] = Counter()
    total = 0
    for one in prints:
        counts.update({int(h) for h in one.hashes})
        total += 1
    most = max(FEWEST_COMMON, COMMON_SHARE * total)
    return {value for value, count in counts.items() if count > most}


def _candidates(
    prints: Mapping[str, CodeFingerprint], common: set[int]
) -> list[tuple[str, str]]:
    """The pairs that share enough to be compared: of 300 hand-ins few of the 44,850 do."""
    rare = {who: {int(h) for h in one.hashes} - common for who, one in prints.items()}
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
