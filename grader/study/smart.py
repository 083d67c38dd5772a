"""Characters that look like those of C++ and are others: pasted from a page, a chat or a PDF."""

import re
import unicodedata
from dataclasses import dataclass

# Comments and texts in quotes may hold any character.
ANY = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
SPACES = "\u00a0\u2002\u2003\u2007\u2009\u202f\u3000"
NOTHING = "\u200b\u2060\ufeff\u00ad"
TYPE = {
    **dict.fromkeys("“”„‟«»″＂", '"'), **dict.fromkeys("‘’‚‛′＇`´", "'"),
    **dict.fromkeys("–—−‐‑‒―", "-"), "×": "*", "∗": "*", "·": "*", "÷": "/", "∕": "/", "⁄": "/",
    "…": "...", "≤": "<=", "≥": ">=", "≠": "!=", "⟨": "<", "⟩": ">", "‹": "<", "›": ">", "∣": "|",
    "；": ";", "，": ",", "、": ",", "。": ".", "：": ":", "¦": "|", "ˆ": "^", "˜": "~", "∼": "~",
    **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
}  # fmt: skip


@dataclass(frozen=True)
class Smart:
    """One of them; `line` and `column` count from 1, `column` in characters."""

    line: int
    column: int
    said: str


def plain(text: str) -> str:
    """`text` with blanks instead of its comments and texts."""
    return ANY.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def find(text: str) -> list[Smart]:
    """All of them outside of comments and texts."""
    found = []
    for number, line in enumerate(plain(text).split("\n"), 1):
        for at, sign in enumerate(line):
            if what := _what(sign):
                found.append(Smart(number, at + 1, what))
    return found


def _what(sign: str) -> str:
    """What is wrong with a character, and what to type; "" if nothing is."""
    if sign.isascii() and sign not in TYPE:
        return ""
    code, category = f"U+{ord(sign):04X}", unicodedata.category(sign)
    if sign in SPACES or category[0] == "Z":
        return f"a space that C++ does not know ({code}); type a plain space"
    if sign in NOTHING or category[0] == "C":
        return f"an invisible character ({code}); delete it"
    instead = TYPE.get(sign) or unicodedata.normalize("NFKC", sign)
    if sign in TYPE or (instead != sign and instead.isascii() and not instead.isidentifier()):
        return f"{sign} ({code}) is no character of C++; type {instead}"
    is_of_a_name = f"a{sign}".isidentifier()
    return "" if is_of_a_name else f"{sign} ({code}) is no character of C++; leave it out"
