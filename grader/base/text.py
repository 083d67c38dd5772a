"""Text that somebody else wrote, made safe to show.

A submission chooses its file names, its messages and what the compiler quotes of it. Shown as they
are, such texts could move the cursor, reverse the reading direction or begin a line that looks like
a verdict. Every character that is not plain text is therefore shown as an escape sequence. Letters,
accents, ideographs and emoji of all scripts stay what they are.

Escaped text is plain ASCII where it was changed, so that escaping it again changes nothing.
"""

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

PLAIN = re.compile(r"[\x20-\x7e\n\t]*")
BEYOND_ASCII = re.compile(r"[^\x00-\x7e]")
# Cc controls, Cf formats (bidirectional overrides, zero widths), Cs halves of surrogate pairs,
# Zl and Zp line and paragraph separators.
UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")
JOINERS = "\u200c\u200d"  # within words of many scripts, and within emoji
MOST_MARKS = 4  # accents on one letter: more of them cover the lines above and below
LINE_LENGTH = 200
MOST_NAMED = 10  # of what may be hundreds


def escaped(text: str) -> str:
    """`text` with everything escaped that is not plain text, a line break or a tab."""
    text = text.replace("\r\n", "\n")
    if PLAIN.fullmatch(text):
        return text
    shown: list[str] = []
    marks = 0
    for index, character in enumerate(text):
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        is_kept = character in "\n\t" or (_is_safe(text, index) and marks <= MOST_MARKS)
        shown.append(character if is_kept else _escape(character))
    return "".join(shown)


def line(text: str, most: int = LINE_LENGTH) -> str:
    """`text` escaped and on one line, of at most this many characters."""
    shown = escaped(text).replace("\n", "\\n").replace("\t", "\\t")
    return shown if len(shown) <= most else shown[: most - 3] + "..."


def shortened(text: str, lines: int, most: int) -> str:
    """The first `lines` lines of escaped `text`, each of at most this many characters."""
    kept = text.split("\n")[:lines]
    return "\n".join(part if len(part) <= most else part[: most - 3] + "..." for part in kept)


def piece(text: str, at: int = 0, most: int = LINE_LENGTH) -> tuple[str, int]:
    """A line of somebody's source, escaped; of one that is too long what is around place `at`. And
    where that place is then."""
    at += len(escaped(text[:at])) - len(text[:at])
    text = escaped(text)
    if len(text) <= most:
        return text, at
    first = max(0, min(at - most // 2, len(text) - most))
    before, after = "..." * (first > 0), "..." * (first + most < len(text))
    return f"{before}{text[first : first + most]}{after}", at - first + len(before)


def close_to(word: str, known: Iterable[str]) -> str:
    """The known word that is most like this one; "" if none is."""
    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)), "")


def nearest(word: str, known: Iterable[str]) -> str:
    """` (did you mean stable?)` if a known word is like this one; otherwise ""."""
    found = close_to(word, known)
    return f" (did you mean {found}?)" if found else ""


def escaped_values(value: Any, shown: Callable[[str], str] = escaped) -> Any:
    """A JSON value in which every string, keys too, is escaped."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, list):
        return [escaped_values(one, shown) for one in value]
    if isinstance(value, dict):
        return {shown(str(key)): escaped_values(one, shown) for key, one in value.items()}
    return value


def escaped_bytes(text: str) -> str:
    """Escaped text of which each character was one byte. What is no UTF-8 is shown as `\\xe9`."""
    return escaped(text.encode("latin-1", "replace").decode("utf-8", "backslashreplace"))


def json_escaped(document: str) -> str:
    """JSON text of the same meaning in which unsafe characters of strings are JSON escapes."""
    return BEYOND_ASCII.sub(_json_escape, document)


def _is_safe(text: str, index: int) -> bool:
    character = text[index]
    if character in JOINERS:
        return 0 < index < len(text) - 1 and _joins(text[index - 1]) and _joins(text[index + 1])
    return unicodedata.category(character) not in UNSAFE and not _is_noncharacter(character)


def _joins(neighbour: str) -> bool:
    return ord(neighbour) > 0x7F and unicodedata.category(neighbour)[0] in "LMS"


def _is_noncharacter(character: str) -> bool:
    """Such code points are never text, and XML forbids some of them."""
    code = ord(character)
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how Python holds a byte that is not UTF-8
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(match: re.Match[str]) -> str:
    character = match[0]
    if character in JOINERS or unicodedata.category(character) not in UNSAFE:
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def named(words: Sequence[str], between: str = ", ", most: int = MOST_NAMED) -> str:
    """The first of these words, and how many more there are."""
    more = len(words) - most
    return between.join(words[:most]) + (f" and {more} more" if more > 0 else "")


def counted(count: float, what: str) -> str:
    """`1 day`, `2 days`, `1.5 days`: for words that get an s."""
    number = f"{count}" if isinstance(count, int) else f"{count:g}"
    return f"{number} {what}{'' if count == 1 else 's'}"


ONE = re.compile(
    r"(?<=[ (])1 ((?:distinct |equal |uniform |live )?(?:launch|thread|block|phase|round|key|array|"
    r"dimension|record|element|string|byte|arc|edge))(?:es|s)\b"
)


def singular(message: str) -> str:
    """`1 key` for `1 keys`: the judge's words have a number before them, whatever it is."""
    message = ONE.sub(r"1 \1", message).replace(" 1 round are ", " 1 round is ")
    message = message.replace(" 1 phase change something", " 1 phase changes something")
    message = message.replace(" the first 1 phase ", " the first phase ")
    return re.sub(r"(?<=[ (])1 vertices\b", "1 vertex", message)


def verb(count: float, word: str) -> str:
    """`waits` for one, `wait` for more."""
    return f"{word}s" if count == 1 else word
