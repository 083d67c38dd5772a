"""Preprocessed C++ as a list of tokens, with just enough structure to find brackets and names.

A token is a string. Blanks, line markers and whole system headers are tokens too, so joining the
list restores the text.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from .includes import Includes

Tokens = list[str]

# A source may be in any encoding: what is not UTF-8 passes through the rewriter as it is.
BYTES = "surrogateescape"


def readable(text: bytes) -> str:
    return text.decode(errors="replace")


def text_of(file: str) -> str:
    """What is in a file that preprocessed text names; "" if it is none. A #line may name anything,
    also a device that never ends."""
    try:
        path = Path(file)
        return path.read_text(encoding="utf-8", errors=BYTES) if path.is_file() else ""
    except (OSError, ValueError):
        return ""


# How g++ -E writes a letter of a name that is not ASCII's. No half of a surrogate pair.
_LETTER = r"\\U(000(?!0d[89a-f])[0-9a-f]{5})"
_TOKEN = re.compile(
    r"""
    ^\#[^\n]*                                     # line marker or pragma
  | [LuU8]*R"([^()\\\s]{0,16})\(.*?\)\1"          # raw string
  | "(?:\\.|[^"\\\n])*"
  | '(?:\\.|[^'\\\n])+'
  | <<<|>>>|<<|<=|>=|::|->|\.\.\.
  | (?:[^\W\d]|LETTER)(?:\w|LETTER)*             # a name
  | [0-9](?:[\w.]|'(?=\w))*                       # numbers, with digit separators
  | \s+
  | .
    """.replace("LETTER", _LETTER.replace("(000", "(?:000")),
    re.S | re.M | re.X,
)
_PLACES = re.compile(r'^# (\d+) "((?:\\.|[^"\\])*)"[^\n]*\n?', re.M)
_OWN_NAMES = ("cuda_on_cpu", "CUDA_ON_CPU")
_KIT = Path(__file__).resolve().parents[2]
_OPENERS = {")": "(", "]": "[", "}": "{"}


class RewriteError(Exception):
    """Something that the rewriter cannot translate: one sentence, with file and line."""


def refusal(tokens: Tokens, index: int, sentence: str) -> RewriteError:
    return RewriteError(f"{place(tokens, index)}: {sentence}")


def significant(tokens: Tokens, first: int, end: int) -> Tokens:
    return [token for token in tokens[first:end] if not is_blank(token)]


def tokenize(text: str) -> Tokens:
    """Tokens of preprocessed text; all text from a system header is one blank token."""
    tokens: Tokens = []
    includes = Includes()
    at = 0
    while match := _TOKEN.match(text, at):
        at = match.end()
        if match[0].startswith("# ") and includes.enter(match[0]):
            end, at = includes.way_back(text, at)
            tokens += [text[match.start() : end], text[end:at]]
        else:
            tokens.append(_with_letters(match[0]))
    return tokens


def split(text: str) -> Tokens:
    """Tokens of a piece of text in which nothing is from a header."""
    return [match[0] for match in _TOKEN.finditer(text)]


def digest(tokens: Tokens) -> str:
    """A hash of the user's text, with the names of the headers that are in it. Where the kit's own
    are does not count: without a sandbox each compilation has them elsewhere."""
    own = (token.partition("\n")[0].replace(f'"{_KIT}/', '"') if token.startswith("# ") else token
           for token in tokens)  # fmt: skip
    return hashlib.sha256("\n".join(own).encode(errors=BYTES)).hexdigest()


def place_of_own_name(tokens: Tokens) -> str:
    """FILE:LINE where the user's text names what is the CPU backend's own; "" if it does not."""
    for i, token in enumerate(tokens):
        if token.startswith(_OWN_NAMES):
            return place(tokens, i)
    return ""


def _with_letters(token: str) -> str:
    """A name as its author wrote it: `höhe` of `h\U000000f6he`."""
    if "\\U" not in token or '"' in token or not (token[0] == "\\" or is_name(token)):
        return token
    return re.sub(_LETTER, lambda match: chr(int(match[1], 16)), token)


def is_blank(token: str) -> bool:
    return token.isspace() or token.startswith("#") or not token


def is_name(token: str) -> bool:
    return token[:1].isalpha() or token[:1] == "_"


def place(tokens: Tokens, index: int) -> str:
    """FILE:LINE of a token, for messages."""
    file, line = "?", 1
    for token in tokens[:index]:
        start = 0
        for marker in _PLACES.finditer(token) if token.startswith("#") else ():
            file, line, start = marker[2], int(marker[1]), marker.end()
            line -= 0 if marker[0].endswith("\n") else 1
        line += token.count("\n", start)
    return f"{file}:{line}"


@dataclass(frozen=True)
class Where:
    """FILE:LINE of a token, as text. It is looked for only if a message has it: all that comes
    before the token is counted."""

    tokens: Tokens
    index: int

    def __str__(self) -> str:
        return place(self.tokens, self.index)


def next_significant(tokens: Tokens, index: int) -> int:
    """The first token from `index` on that is not blank; len(tokens) if there is none."""
    while index < len(tokens) and is_blank(tokens[index]):
        index += 1
    return index


def previous_significant(tokens: Tokens, index: int) -> int:
    """The last token up to `index` that is not blank; -1 if there is none."""
    while index >= 0 and is_blank(tokens[index]):
        index -= 1
    return index


def closing(tokens: Tokens, index: int) -> int:
    """The bracket that closes the one at `index`."""
    depth = 0
    for i in range(index, len(tokens)):
        if tokens[i] in ("(", "[", "{"):
            depth += 1
        elif tokens[i] in _OPENERS:
            depth -= 1
            if depth == 0:
                return i
    wrong = _unclosed(tokens, index)
    raise refusal(tokens, wrong, f"this '{tokens[wrong]}' is never closed")


def _unclosed(tokens: Tokens, index: int) -> int:
    """The bracket that meets the end of another's pair, or else of the text, before its own."""
    still_open: list[int] = []
    for i in range(index, len(tokens)):
        if tokens[i] in ("(", "[", "{"):
            still_open.append(i)
        elif tokens[i] in _OPENERS:
            if tokens[still_open[-1]] != _OPENERS[tokens[i]]:
                break
            still_open.pop()
    return still_open[-1]


def opening(tokens: Tokens, index: int) -> int:
    """The bracket that opens the one at `index`."""
    closer, opener, depth = tokens[index], _OPENERS[tokens[index]], 0
    for i in range(index, -1, -1):
        depth += (tokens[i] == closer) - (tokens[i] == opener)
        if depth == 0:
            return i
    raise refusal(tokens, index, f"this '{closer}' was never opened")


def opening_angle(tokens: Tokens, index: int) -> int:
    """The '<' of the template arguments that end with the '>' (or '>>>') at `index`."""
    depth, i = 0, index
    while i >= 0:
        token = tokens[i]
        if token in (">", ">>>"):
            depth += len(token)
        elif token == "<":
            depth -= 1
            if depth == 0:
                return i
        elif token in _OPENERS:
            i = opening(tokens, i)
        i -= 1
    raise refusal(tokens, index, "cannot find where these template arguments begin")


def split_commas(tokens: Tokens) -> list[Tokens]:
    """The parts between commas that are outside all brackets."""
    parts: list[Tokens] = [[]]
    depth = angle = 0
    for token in tokens:
        if token in ("(", "[", "{"):
            depth += 1
        elif token in _OPENERS:
            depth -= 1
        elif depth == 0 and token == "<":
            angle += 1
        elif depth == 0 and token in (">", ">>>"):
            angle -= len(token)
        if token == "," and depth == 0 and angle == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def erase(tokens: Tokens, first: int, last: int) -> None:
    """Removes tokens[first..last] but keeps line breaks and markers: later lines stay in place."""
    for i in range(first, last + 1):
        if not is_blank(tokens[i]):
            tokens[i] = "\n" * tokens[i].count("\n")
