"""Reads `__shared__ TYPE DECLARATOR, DECLARATOR;` into its parts."""

from __future__ import annotations

from dataclasses import dataclass

from .tokens import RewriteError, Tokens, Where, closing, is_name, opening, split_commas

_AFTER_STAR = {"*", "const", "volatile", "__restrict__", "__restrict"}
_STORAGE = {"__shared__", "static", "extern", "inline"}
_NO_INITIALISER = (
    "a __shared__ variable cannot have an initialiser: assign it in one thread, "
    "then __syncthreads()"
)


@dataclass
class Declaration:
    """`struct definition; specifier declarator, declarator;` without storage-class words."""

    definition: str  # of a struct that the declaration also defines
    alignments: list[str]  # alignas(16), __attribute__((aligned(16)))
    specifier: Tokens
    declarators: list[Tokens]


def parse(words: Tokens, where: Where, serial: int) -> Declaration:
    """`where` is the FILE:LINE for messages; `serial` makes generated names unique."""
    words, alignments = _take_alignments([word for word in words if word not in _STORAGE])
    definition = ""
    if "{" in words:
        words, definition = _take_definition(words, where, serial)
    segments = split_commas(words)
    name = name_index(segments[0], where)
    start = name
    while start > 0 and segments[0][start - 1] in _AFTER_STAR | {"("}:
        start -= 1
    while start < name and segments[0][start] not in ("*", "("):
        start += 1  # `int volatile x`: volatile belongs to the type of all declarators
    specifier = segments[0][:start]
    if not specifier:
        raise RewriteError(f"{where}: this __shared__ declaration has no type")
    return Declaration(definition, alignments, specifier, [segments[0][start:], *segments[1:]])


def _take_alignments(words: Tokens) -> tuple[Tokens, list[str]]:
    rest: Tokens = []
    alignments: list[str] = []
    i = 0
    while i < len(words):
        if words[i] in ("alignas", "__attribute__"):
            end = closing(words, i + 1)
            alignments.append(" ".join(words[i : end + 1]))
            i = end
        else:
            rest.append(words[i])
        i += 1
    return rest, alignments


def _take_definition(words: Tokens, where: Where, serial: int) -> tuple[Tokens, str]:
    """`struct { int a; } x` -> a named struct before x: its name can be a template argument."""
    brace = words.index("{")
    key = next(
        (i for i, word in enumerate(words[:brace]) if word in ("struct", "union", "class")), -1
    )
    if key < 0:
        raise RewriteError(f"{where}: {_NO_INITIALISER}")
    end = closing(words, brace)
    name = words[key + 1] if key + 1 < brace else f"cuda_on_cpu_shared_{serial}"
    definition = f"{words[key]} {name} {' '.join(words[brace : end + 1])}; "
    return [*words[:key], name, *words[end + 1 :]], definition


def name_index(declarator: Tokens, where: Where) -> int:
    """Index of the declared name: only array bounds, closing parentheses and the parameters of a
    function come after it, as in `(*table[4])(int)`."""
    if "=" in declarator:
        raise RewriteError(f"{where}: {_NO_INITIALISER}")
    i = len(declarator) - 1
    while i >= 0 and declarator[i] in ("]", ")"):
        start = opening(declarator, i)
        is_grouped = declarator[i] == ")" and (start == 0 or declarator[start - 1] != ")")
        i = i - 1 if is_grouped else start - 1
    if i < 0 or not is_name(declarator[i]):
        raise RewriteError(
            f"{where}: cannot read this __shared__ declaration: write __shared__ TYPE NAME[SIZE];"
        )
    return i
