"""The questions of a lab's handout, as text that a page may show."""

import re
from pathlib import Path

from markupsafe import Markup, escape

HEADING = "## For the report"
QUESTION = re.compile(r"\d+\.\s+(.*)")
CODE = re.compile(r"`([^`]+)`")


def questions(readme: Path) -> list[Markup]:
    """The numbered paragraphs below the heading; none if the page has no such heading."""
    if not readme.is_file():
        return []
    _, found, rest = readme.read_text(encoding="utf-8").partition(f"\n{HEADING}\n")
    section = rest.partition("\n## ")[0] if found else ""
    paragraphs: list[str] = []
    for line in section.splitlines():
        if match := QUESTION.fullmatch(line):
            paragraphs.append(match[1])
        elif paragraphs and line.startswith("   "):
            paragraphs[-1] += " " + line.strip()
    return [with_code(text) for text in paragraphs]


def with_code(text: str) -> Markup:
    """Text with `code` set as code, and all else escaped."""
    parts = CODE.split(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if odd % 2 else escape(part)
        for odd, part in enumerate(parts)
    )
