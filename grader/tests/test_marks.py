"""The marks: what is cut, what is kept, and every malformed form refused with file:line."""

import pytest

from grader.base.errors import UsageError
from grader.lab_file import marks

pytestmark = [pytest.mark.reads("labs", "reference"), pytest.mark.unit]

GOOD = """\
int a;
  // BEGIN STAGE 1 one: do it (about 2 lines)
  // STUB: return 1;
  // STUB:   return 2;
  solve();
  // END STAGE 1
int b;
    // BEGIN STAGE 2 two: also
    secret();
    // END STAGE 2
// BEGIN STAGE 1 one: a second region
more();
// END STAGE 1
"""


def test_cut_replaces_each_inside_by_its_stub_or_a_todo() -> None:
    assert marks.cut(GOOD, "x.cu", ["one", "two"]) == """\
int a;
  // BEGIN STAGE 1 one: do it (about 2 lines)
  return 1;
    return 2;
  // END STAGE 1
int b;
    // BEGIN STAGE 2 two: also
    // TODO: your code
    // END STAGE 2
// BEGIN STAGE 1 one: a second region
// TODO: your code
// END STAGE 1
"""


def test_keep_leaves_the_named_stages_solved_and_cuts_the_others() -> None:
    half = marks.cut(GOOD, "x.cu", ["one", "two"], keep={"one"})
    assert "solve();" in half and "more();" in half and "secret();" not in half
    assert marks.cut(GOOD, "x.cu", keep={"one", "two"}) == GOOD


def test_frame_drops_the_insides_only() -> None:
    frame = marks.frame(GOOD, "x.cu")
    assert "int b;" in frame and "solve" not in frame and "STUB" not in frame
    assert frame == marks.frame(marks.cut(GOOD, "x.cu"), "x.cu")


def test_edits_inside_a_stage_are_no_difference_and_outside_are_one() -> None:
    inside = GOOD.replace("solve();", "mine();\n  and();")
    assert marks.first_difference(inside, GOOD, "x.cu") is None
    assert marks.first_difference(inside.replace("int b;", "int c;"), GOOD, "x.cu") == 8
    assert marks.first_difference(GOOD + "int d;\n", GOOD, "x.cu") is not None


BEGIN, END = "// BEGIN STAGE 1 one: do\n", "// END STAGE 1\n"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (BEGIN + BEGIN + END, 2, "of line 1 is still open; write // END STAGE 1 after"),
        ("\n" + BEGIN + "code;\n", 2, "never ended; write // END STAGE 1 after its last line"),
        ("\n" + END, 2, r"no stage is open; its line // BEGIN STAGE 1 NAME: .* is missing above"),
        (BEGIN + "// END STAGE 2\n", 2, "but stage 1 is open, since line 1; both must"),
        ("// BEGIN STAGE 2 one: do\n// END STAGE 2\n", 1, "number 1"),
        ("// BEGIN STAGE 1 three: do\n" + END, 1, "not a stage"),
        ("// BEGIN STAGE 1: do\n" + END, 1, "looks like a mark"),
        ("// BEGIN STAGE 1 one:\n" + END, 1, "looks like a mark"),
        ("// begin stage 1 one: do\n", 1, "looks like a mark"),
        ("// BEGN STAGE 1 one: do\n", 1, "looks like a mark"),
        ("//BEGIN STAGE 1 one: do\n", 1, "looks like a mark"),
        ("// Begin Stge 1 one: do\n", 1, "looks like a mark"),
        (BEGIN + "// END STGE 1\n", 2, "looks like a mark.*; a mark is a line // BEGIN"),
        (BEGIN + "f(); // END STAGE 1\n", 2, "looks like a mark"),
        (BEGIN + "code;\n// STUB: late;\n" + END, 3, "directly below"),
        ("// STUB: outside;\n", 1, "looks like a mark"),
    ],
)
def test_malformed_marks_are_refused_with_their_line(text: str, line: int, said: str) -> None:
    with pytest.raises(UsageError, match=rf"^x\.cu:{line}: .*{said}"):
        marks.parse(text, "x.cu", ["one", "two"])


@pytest.mark.parametrize("text", [GOOD, "// this stage ends here\n// the end of each stage\n", ""])
def test_prose_and_good_marks_are_accepted(text: str) -> None:
    marks.parse(text, "x.cu", ["one", "two"])
