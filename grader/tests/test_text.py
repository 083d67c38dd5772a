"""What a submission wrote is shown escaped; what honest people write stays as it is."""

import json
import unicodedata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from grader.base import columns
from grader.base.errors import UsageError
from grader.base.files import to_json
from grader.base.text import escaped, escaped_bytes, escaped_values, line, piece
from grader.base.verdict import Case, Run
from grader.grading.result_table import table
from grader.tests import choice
from grader.tests.fakes import LAB, result
from report.drawing import result_figure

pytestmark = pytest.mark.reads()

HONEST = (
    "plain", "Zürich, naïve, Łódź", "漢字かな交じり文", "한국어", "Ελληνικά", "עברית", "العربية",
    "می‌خواهم", "हिन्दी क्‍ष", "😀 👨‍👩‍👧 ❤️‍🔥", "e\u0301", "a\nb\tc", "“quotes” – × ≤ ∞",
)  # fmt: skip
HOSTILE = (
    "\x1b[2J", "a\rb", "\x07", "\x00", "\x7f", "\x9b31m", "\u202eabc", "\u2066x\u2069", "\u200e",
    "\u200bx", "\ufeffx", "\u2028x", "\u2029x", "\x85", "\x0b", "\x0c", "\x1c", "\ud800", "\udc80",
    "\ufffe", "\U000e0041", "a\u200db", "\u00ad", "\u061c",
)  # fmt: skip


@pytest.mark.parametrize("text", HONEST)
def test_honest_text_is_not_touched(text: str) -> None:
    assert escaped(text) == text
    assert Run("forward", "passed", text).message == text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_escaped_once(text: str) -> None:
    shown = escaped(text)
    assert "\\" in shown and escaped(shown) == shown
    assert all(unicodedata.category(c)[0] != "C" for c in shown)
    assert shown.encode() and len(shown.splitlines()) == 1
    assert Run("", "crashed", text, text, retried=text).case == shown
    assert Case(text, "crashed", text, 0.0).name == shown


def test_a_pile_of_accents_does_not_cover_other_lines() -> None:
    assert escaped("a" + "\u0301" * 50).count("\u0301") < 5


def test_a_line_is_one_line_and_not_too_long() -> None:
    assert line("a\n  PASS [  0.00s]") == "a\\n  PASS [  0.00s]"
    assert len(line("x" * 10**6)) == 200


@pytest.mark.parametrize(
    ("at", "shown", "now"),
    [(0, "0123...", 0), (5, "...3456...", 5), (9, "...6789", 6), (2, "0123...", 2)],
)
def test_of_a_long_line_the_place_in_question_is_shown(at: int, shown: str, now: int) -> None:
    assert piece("0123456789", at, 4) == (shown, now) and shown[now] == str(at)
    assert piece("0123456789", at, 10) == ("0123456789", at)


def test_a_line_of_source_is_escaped_and_its_place_stays_the_same() -> None:
    shown, at = piece("a\x1b[2J bad", 6)
    assert shown == "a\\x1b[2J bad" and shown[at:] == "bad"
    assert piece("ab", 3) == ("ab", 3)


def test_an_error_shows_no_control_characters() -> None:
    assert "\x1b" not in str(UsageError("no such file: \x1b[31m"))


def test_json_from_a_judge_is_escaped_as_a_whole() -> None:
    hostile = {"m\x1b": ["\u202e", {"k": "\udc80"}], "n": 3, "b": None}
    assert escaped_values(hostile) == {"m\\x1b": ["\\u202e", {"k": "\\x80"}], "n": 3, "b": None}


@pytest.mark.parametrize("text", [*HONEST, *HOSTILE])
def test_json_keeps_the_meaning_and_shows_nothing_unsafe(text: str) -> None:
    written = to_json({"text": text})
    assert json.loads(written) == {"text": text}
    assert written.encode()  # no half of a surrogate pair
    unsafe = {c for c in written if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert unsafe <= set("\n\u200c\u200d")


@pytest.mark.parametrize(("bytes_of_it", "shown"), [
    ("grün ö漢😀".encode(), "grün ö漢😀"), (b"a\xe9b", "a\\xe9b"), (b"\xe2\x80\xae|", "\\u202e|"),
    (b"\x1b\xc3", "\\x1b\\xc3"), (b"plain\n", "plain\n"),
])  # fmt: skip
def test_bytes_are_shown_as_the_text_that_they_are(bytes_of_it: bytes, shown: str) -> None:
    assert escaped_bytes(bytes_of_it.decode("latin-1")) == shown


def failed(stage: str, message: str) -> dict[str, Any]:
    points = {"correct": {"earned": 0, "possible": 10}, "fast": None, "counters": []}
    return {
        "name": stage, "title": "t", "verdict": "crashed", "message": message,
        "case": "", "handout": None, "points": points, "cases": [], "orders": {},
        "staff_message": "",
        "calls": 1, "seconds": 1.0,
    }  # fmt: skip


def document_of(stages: list[dict[str, Any]], note: str) -> dict[str, Any]:
    return {
        "lab": LAB, "title": "Demo", "backend": "cpu", "submission": {"name": line(note)},
        "stages": stages, "notes": [{"text": note}], "staff_notes": [],
        "points": {"earned": 0, "possible": 10, "not_measured": 0},
    }  # fmt: skip


def test_a_long_message_of_several_stages_is_said_once() -> None:
    long, other, short = "same words " * 20, "other words " * 20, "no kernel"
    stages = [failed("a", long), failed("b", other), failed("c", long), failed("d", short),
              failed("e", short)]  # fmt: skip
    text = table(document_of(stages, "x"))
    assert text.count(long) == text.count(other) == 1
    assert text.count("as stage") == text.count("as stage 1\n") == 1
    assert text.count(short) == 2  # no longer than what would refer to it


def test_a_fake_verdict_line_never_begins_a_line_of_the_table() -> None:
    fake = "oops\n  PASS [   0.01s]  1 global             10/10\n  10 of 10 points"
    stage = failed("global", fake) | {"case": f"case {fake}"}
    lines = table(document_of([stage], fake)).splitlines()
    assert [text for text in lines if text.startswith("  PASS") or text[2:3].isdigit()] == [
        "  0 of 10 points"
    ]
    assert sum("FAIL" in text for text in lines) == 1


@pytest.mark.parametrize("name", choice.first_of(
    2, [r"$\frac{", "a\x1b[31m\u202e<script>", "$x$", "ö漢😀", "$"], Path(result_figure.__file__)
))  # fmt: skip
def test_a_figure_shows_any_name_as_text(tmp_path: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    document = result()
    document["submission"]["name"] = line(name)
    figures = result_figure.draw_if_possible(document, tmp_path)
    [svg] = [path for path in figures if path.suffix == ".svg"]
    assert ElementTree.parse(svg) and "\u202e" not in svg.read_text()


# ---- as wide as a terminal ----------------------------------------------------------------------


SCREEN = """\033[1m02-demo  A title that is long\033[0m  (labs/02-demo/demo.cu, CPU backend)
        likely cause: two threads meet at one place of the array
          index     0  1  2  3  4  5  6  7  8  9 10 11 12
        ->   19 |     out[t] = in[t];    // thread (1,0,0) reads
             20 | a line of code that is far too long for it
short"""


def test_prose_is_broken_between_words_and_stays_indented() -> None:
    shown = columns.fitted(SCREEN, 50).split("\n")
    assert shown == [
        "\033[1m02-demo  A title that is long\033[0m",
        "  (labs/02-demo/demo.cu, CPU backend)",
        "        likely cause: two threads meet at one",
        "          place of the array",
        "          index     0  1  2  3  4  5  6  7  8  9 10 11 12",
        "        ->   19 |     out[t] = in[t];",
        "                | // thread (1,0,0) reads",
        "             20 | a line of code that is far too >",
        "short",
    ]
    assert columns.fitted(SCREEN, 200) == SCREEN
    narrow = columns.fitted(SCREEN, 36).split("\n")
    assert narrow[-4:-2] == ["                | // thread (1,0,0)", "                |   reads"]


@pytest.mark.parametrize(("before", "columns_", "shown"), [
    (20, 80, ["    7 | " + "a" * 20 + "Bc", "      | " + " " * 20 + "^"]),
    (60, 40, ["    7 | <" + "a" * 19 + "Bc", "      | " + " " * 20 + "^"]),
])  # fmt: skip
def test_a_caret_stays_below_its_column(before: int, columns_: int, shown: list[str]) -> None:
    """A line is moved left where the caret would be cut off; what it points to is always seen."""
    lines = [f"    7 | {'a' * before}Bc", f"      | {' ' * before}^"]
    made = columns.fitted("\n".join(lines), columns_).split("\n")
    assert made == shown
    assert made[0][made[1].index("^")] == "B"


def test_no_caret_is_lost_at_any_width() -> None:
    for before in range(90):
        code = "x" * before + "B" + "y" * 30
        for wide in (30, 50, 60, 80):
            text = f"    7 | {code}\n      | {' ' * before}^"
            code_line, caret = columns.fitted(text, wide).split("\n")
            assert code_line[caret.index("^")] == "B" and max(map(len, (code_line, caret))) <= wide


def test_a_line_that_begins_far_to_the_right_is_moved_to_the_left() -> None:
    """Where it would be a strip of a few words; not where it has half of the screen."""
    line = " " * 39 + "-/12  speed: not measured (time on the CPU backend is not GPU time)"
    assert columns.fitted(line, 60).split("\n") == [
        " " * 15 + "-/12  speed: not measured (time on the CPU",
        " " * 17 + "backend is not GPU time)",
    ]
    assert columns.fitted(line, 80).startswith(" " * 39 + "-/12")
    assert columns.fitted(line, 120) == line


def test_nothing_is_lost_but_blanks() -> None:
    for wide in (61, 79):
        words = columns.fitted(SCREEN.replace(" 20 | ", " 20   "), wide).split()
        assert [word for word in words if word != "|"] == [
            word for word in SCREEN.split() if word != "|"
        ]
