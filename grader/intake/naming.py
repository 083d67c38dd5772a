"""Which of the files that were handed in is a lab's: the name says it, with the small changes that
honest students and their systems make to it."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from ..base.errors import Refusal
from ..base.text import line, named
from ..lab_file.manifest import Lab
from .container import FILE, LINK, Container, is_visible

# What browsers and file managers add to the name of a second copy.
COPY = re.compile(r"(\s*\(\d{1,4}\)|\s*-\s*(copy|kopie)|\s+copy|-\d{1,4})+$", re.IGNORECASE)
MOST_COPIES = 3  # that a note names
AMONG_OTHERS = 3  # see _likeness
INCLUDED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"(?:[^"\n]*/)?([^"/\n]+)"', re.MULTILINE)
WORD = re.compile(r"[^\W_]+")
SHOWN_AS_TEXT = ".txt"  # added by systems that hide a file's suffix
ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")

Match = tuple[Lab, PurePosixPath, tuple[str, ...]]  # a lab, its file, what was forgiven


def find_matches(
    container: Container, labs: Sequence[Lab], refused: list[Refusal]
) -> list[Match]:
    """For each lab its file; what is in its place or cannot be told apart is added to `refused`."""
    found: list[Match] = []
    deepest = _depth_of_names(container, labs)
    for lab in labs:
        try:
            if file := _match(container, lab, deepest):
                likeness = _likeness(file.name, lab.source)
                if likeness == AMONG_OTHERS and _is_like(file, labs) > 1:
                    continue  # `rank_sort in_place.cu` is nobody's
                notes = renamed(str(file), lab) if likeness else ()
                found.append((lab, file, notes + _left(container, file, lab)))
        except Refusal as refusal:
            refused.append(refusal)
    return found


def _match(container: Container, lab: Lab, deepest: int) -> PurePosixPath | None:
    """The file most alike in name, then nearest to the top; two of the same rank are refused."""
    ranks: dict[PurePosixPath, tuple[int, int]] = {}
    impostors: list[PurePosixPath] = []
    for path, kind in container.kinds.items():
        likeness = _likeness(path.name, lab.source) if is_visible(path) else None
        if likeness == AMONG_OTHERS and len(path.parts) > deepest:
            continue
        if likeness is not None and kind == FILE:
            ranks[path] = (likeness, len(path.parts))
        elif likeness is not None:
            impostors.append(path)
    if not ranks and impostors:
        kind = container.kinds[impostors[0]]
        reason = f"{line(str(impostors[0]))} is a {kind}, not a file"
        code = "link" if kind == LINK else "not-a-file"
        raise Refusal(code, f"{container.where}: {reason}.")
    best = sorted(path for path, rank in ranks.items() if rank == min(ranks.values()))
    if len(best) > 1:
        names = ", ".join(line(str(path)) for path in best[:5])
        question = f"which {lab.source} is meant? There are: {names}"
        raise Refusal("ambiguous", f"{container.where}: {question}.")
    return best[0] if best else None


def _depth_of_names(container: Container, labs: Sequence[Lab]) -> int:
    """How far from the top a file may be whose name only holds a lab's words: as far as one that
    has a lab's name. `tests/tiles_in_place.cu` below `odd_even.cu` is not handed in."""
    depths = [len(path.parts) for path in container.files for lab in labs if is_visible(path)
              and _likeness(path.name, lab.source) not in (AMONG_OTHERS, None)]  # fmt: skip
    return min(depths, default=sys.maxsize)


def _left(container: Container, taken: PurePosixPath, lab: Lab) -> tuple[str, ...]:
    """A note about copies beside the file that was taken, such as `demo-1.cu`: perhaps one of them
    is what was meant."""
    copies = [path for path in sorted(container.files) if path != taken and is_visible(path)
              and path.parent == taken.parent
              and _likeness(path.name, lab.source) not in (AMONG_OTHERS, None)]  # fmt: skip
    if not copies:
        return ()
    names = named([line(str(path)) for path in copies], most=MOST_COPIES)
    return (f"{line(str(taken))} was taken; beside it {names} was left out",)


def find_lone(container: Container, labs: Sequence[Lab]) -> PurePosixPath | None:
    """The one .cu file of a hand-in of which no part is named as a lab's file: students hand in
    `solution.cu`. None if it is not alone, or beside an archive that may hold the right one."""
    visible = {path: kind for path, kind in container.kinds.items() if is_visible(path)}
    sources = [path for path in visible if path.suffix.lower() == ".cu"]
    if len(sources) != 1 or visible[sources[0]] != FILE:
        return None
    if any(_is_like(path, labs) or path.suffix.lower() in (".zip", *ARCHIVES) for path in visible):
        return None
    return sources[0]


def _likeness(name: str, wanted: str) -> int | None:
    """0: `name` is the wanted one. 1: but for upper case. 2: but for a copy's number. 3: the wanted
    words are among others, as in `My solution in-place v2.cu`."""
    if name == wanted:
        return 0
    if name.casefold() == wanted.casefold():
        return 1
    stem, dot, suffix = name.rpartition(".")
    original = f"{COPY.sub('', stem[-64:] if len(stem) > 64 else stem)}{dot}{suffix}"
    if original.casefold() == wanted.casefold():
        return 2
    return AMONG_OTHERS if _has_words(name.casefold(), wanted.casefold()) else None


def _has_words(name: str, wanted: str) -> bool:
    stem, dot, suffix = wanted.rpartition(".")
    bare = name.removesuffix(SHOWN_AS_TEXT)
    words, looked_for = WORD.findall(bare), WORD.findall(stem)
    count = len(looked_for)
    found = any(words[n : n + count] == looked_for for n in range(len(words)))
    return found and bare.endswith(dot + suffix)


def _is_like(file: PurePosixPath, labs: Sequence[Lab]) -> int:
    """How many labs a file may be for, by its name."""
    return sum(_likeness(file.name, lab.source) is not None for lab in labs)


def of_another_lab(source: bytes, lab: Lab, known: Sequence[Lab]) -> tuple[str, ...]:
    """A note about a file that includes another lab's contract and not its own."""
    included = set(INCLUDED.findall(source))
    if lab.contract.encode() in included:
        return ()
    return tuple(f"the file includes {other.contract} and not {lab.contract}: it looks like the "
                 f"file of {other.name}" for other in known
                 if other.contract.encode() in included)[:1]  # fmt: skip


def renamed(name: str, lab: Lab) -> tuple[str, ...]:
    return (f"the file was named {line(name)}; it was taken as {lab.source}",)


def lab_of(path: Path, labs: Sequence[Lab], only: Lab | None) -> tuple[Lab, tuple[str, ...]]:
    if only:
        return only, ()
    found = [(likeness, lab) for lab in labs
             if (likeness := _likeness(path.name, lab.source)) is not None]  # fmt: skip
    alike = [(likeness, lab) for likeness, lab in found if likeness == min(one for one, _ in found)]
    if len(alike) == 1:
        likeness, lab = alike[0]
        return lab, renamed(path.name, lab) if likeness else ()
    names = ", ".join(lab.source for lab in labs)
    raise Refusal(
        "unknown-name",
        f"{line(str(path))}: no lab hands in a file of this name ({names}); add --lab LAB.",
    )
