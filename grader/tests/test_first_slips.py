"""What a beginner types and pastes: two words for a stage, a page's quotes, tabs in a line."""

import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from grader.base import columns
from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.commands import cli
from grader.commands.cli import main
from grader.lab_file import manifest, target
from grader.study import smart, told
from grader.study.compiler_words import errors
from grader.tests.fakes import LAB, plan

pytestmark = [pytest.mark.reads("grader/study", "grader/commands"), pytest.mark.unit]

Captured = pytest.CaptureFixture[str]


# ---- a lab and a stage as two words ----


@pytest.mark.parametrize(("words", "made"), [
    (["check", "01", "global"], ["check", "01.global"]),
    (["check", "demo", "global", "--again"], ["check", "demo.global", "--again"]),
    (["why", "--source", "a.cu", "demo", "strided"], ["why", "--source", "a.cu", "demo.strided"]),
    (["hint", "demo", "2"], ["hint", "demo.2"]),
    (["hint", "demo", "globl"], ["hint", "demo.globl"]),  # so that find_stage can say what is meant
    (["class", "decide", "ann", "01", "global", "--points", "1"],
     ["class", "decide", "ann", "01.global", "--points", "1"]),
    (["hint", "--level", "1", "demo"], ["hint", "--level", "1", "demo"]),  # an option's value
    (["check", "01.global", "strided"], ["check", "01.global", "strided"]),
    (["check", "nothing", "global"], ["check", "nothing", "global"]),
    (["hint", "deno", "global"], ["hint", "deno.global"]),  # so that find_target can, too
    (["hint", "deno", "nothing"], ["hint", "deno", "nothing"]),
    (["hint", "global"], ["hint", "global"]),
    (["hint", "deno", "globl"], ["hint", "deno.globl"]),  # both mistyped: both are proposed
    (["hint", "01", "globl"], ["hint", "01.globl"]),
    (["check", "--seed", "1", "demo"], ["check", "--seed", "1", "demo"]),
    (["class", "decide", "deno", "demo.global"], ["class", "decide", "deno", "demo.global"]),
])  # fmt: skip
def test_two_words_are_one_target(checkout: Checkout, words: list[str], made: list[str]) -> None:
    assert target.joined(manifest.discover(checkout), words) == made


def test_in_a_lab_s_folder_a_stage_needs_no_lab(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    labs = manifest.discover(checkout)
    with pytest.raises(UsageError, match="did you mean"):
        target.named(checkout, labs, "strided")
    monkeypatch.chdir(checkout.labs / LAB)
    lab, stage = target.named(checkout, labs, "strided")
    assert (lab.name, stage and stage.name) == (LAB, "strided")
    assert target.named(checkout, labs, "demo") == (lab, None)  # a lab's name is a lab
    assert target.named(checkout, labs, "01 global")[1] == lab.stages[0]  # both words in quotes
    with pytest.raises(UsageError, match="there is no lab 'stride'"):
        target.named(checkout, labs, "stride")


def test_every_command_that_takes_a_stage_is_listed() -> None:
    """A command's metavar says so; `joined` is asked for no other."""
    files = [*Path(cli.__file__).parent.glob("*.py"),
             *(Path(cli.__file__).parent / "course").glob("*.py")]  # fmt: skip
    takes = {path.stem for path in files if 'metavar="LAB[.STAGE]"' in path.read_text()
             or 'metavar="LAB.STAGE"' in path.read_text()}  # fmt: skip
    assert takes == {name.split()[-1].replace("restore", "save") for name in cli.TAKE_A_STAGE}


def test_it_works_from_the_command_line(checkout: Checkout, capsys: Captured) -> None:
    assert main(["hint", "demo", "strided"], checkout) == 0
    assert f"for {LAB}.strided" in capsys.readouterr().out
    assert main(["hint", "demo", "stried"], checkout) == 2
    assert "did you mean strided?" in capsys.readouterr().err
    assert main(["hint", "deno", "strided"], checkout) == 2
    assert "no lab 'deno' (did you mean demo.strided?)" in capsys.readouterr().err
    assert main(["hint", "deno", "stried"], checkout) == 2
    assert "no lab 'deno' (did you mean demo.strided?)" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "made"), [
    ("hint 02 in place", "hint 02.in-place"),
    ("check bitonic any length", "check bitonic.any-length"),
    ("hint sort globl", "hint sort.globl"), ("hint in place", "hint in place"),
    ("hint --level 3 02 fast", "hint --level 3 02.fast"),
    ("check in-place.fast --backend cpu", "check in-place.fast --backend cpu"),  # as `batched`
    ("check 02.in-place registers", "check 02.in-place registers"),
])  # fmt: skip
def test_two_words_of_the_kits_own_labs(words: str, made: str) -> None:
    labs = manifest.discover(Checkout.here())
    assert target.joined(labs, words.split()) == made.split()


# ---- nothing where something is needed ----


def test_a_hint_without_a_name_is_about_what_is_next(checkout: Checkout, capsys: Captured) -> None:
    assert main(["hint"], checkout) == 0
    assert f"for {LAB}.global" in capsys.readouterr().out


def test_what_is_missing_is_named_with_an_example(checkout: Checkout, capsys: Captured) -> None:
    for words, said in (("why", "LAB.STAGE is missing; for example: ./lab why 01.tiled."),
                        ("class decide --points 1", "STUDENT, LAB[.STAGE], --because are missing; "
                         "for example: ./lab class decide ann"),
                        ("dev", "say one of check, exemplars, mistakes; for")):  # fmt: skip
        assert main(words.split(), checkout) == 2
        assert f"./lab {words.partition(' --')[0]}: {said}" in capsys.readouterr().err


def test_students_are_not_shown_what_cannot_work(checkout: Checkout, capsys: Captured) -> None:
    """In a copy without references; typed nevertheless, a command says why it does not work."""
    for is_there in (True, False):
        assert main(["--help"], checkout) == 0
        listed = set(re.findall(r"^    (\w+) ", capsys.readouterr().out, re.MULTILINE))
        assert listed >= {"check", "hint", "submit", "run", "grade"}
        assert (listed >= {"demo", "class", "cut", "dev"}) is is_there
        assert is_there or not listed & {"demo", "class", "cut", "new", "dev", "test", "release"}
        if is_there:
            shutil.rmtree(checkout.reference)
    assert main(["demo"], checkout) == 2
    assert "this copy of the kit has none" in capsys.readouterr().err


# ---- words of the compiler ----


def test_a_launch_without_an_argument_is_the_first_error() -> None:
    """As g++ 12 says it of a launch: the type of what has moved up comes before the number."""
    text = "f<<<1, 2>>>(in, n);\n"
    few = "error: too few arguments to function ‘void f(const float*, float*, int)’\n"
    said = "a.cu:1:99: error: invalid conversion from ‘int’ to ‘float*’ [-fpermissive]\n"
    first, *_ = errors(f"{said}a.cu:1:98: {few}", "a.cu", text)
    assert "too few arguments to function ‘void f(const float*, float*, int)’" in first
    assert "invalid conversion" in errors(f"{said}a.cu:2:98: {few}", "a.cu", text * 2)[0]


@pytest.mark.parametrize(("what", "named"), [
    ("assignment of read-only location ‘*(in + ((sizetype)(((long unsigned int)r) * 4)))’", "in"),
    ("increment of read-only location ‘* count’", ""),
    ("assignment of read-only variable ‘n’", ""),
])  # fmt: skip
def test_what_may_only_be_read_is_named(what: str, named: str) -> None:
    said = errors(f"a.cu:1:1: error: {what}", "a.cu", "in[r] = 1;\n")
    assert (f"{named} is const: what it points to may be read, not written." in said) is bool(named)


# ---- an untouched stage ----


def test_why_of_an_untouched_stage_says_so_at_once(checkout: Checkout, capsys: Captured) -> None:
    assert main(["why", "01.global"], checkout) == 1
    said = capsys.readouterr().out
    assert f"{LAB}.global is untouched" in said and "labs/01-demo/demo.cu" in said


def test_a_stage_is_untouched_until_there_is_code(checkout: Checkout) -> None:
    lab = manifest.find(manifest.discover(checkout), "01")
    text = (checkout.labs / LAB / "demo.cu").read_text()
    assert told.is_untouched(checkout, lab, text, "global")
    assert told.is_untouched(checkout, lab, text.replace("// TODO", "// soon"), "global")
    begin = text.index("\n", text.index("BEGIN STAGE 1 global")) + 1
    assert not told.is_untouched(checkout, lab, text[:begin] + "int x;\n" + text[begin:], "global")
    assert not told.is_untouched(checkout, lab, plan("global", "any", "{}"), "global")  # no marks
    assert not told.is_untouched(checkout, lab, text.replace("// END STAGE 1", ""), "global")


# ---- characters of a page ----


@pytest.mark.parametrize(("code", "column", "words"), [
    ("auto s = “x”;", 10, 'type "'), ("char c = ‘x’;", 10, "type '"), ("a = b – c;", 7, "type -"),
    ("a = b × c;", 7, "type *"), ("int n；", 6, "type ;"), ("f（x）;", 2, "type ("),
    ("if (a ≤ b)", 7, "type <="), ("int\u00a0n;", 4, "type a plain space"),
    ("int n\u037e", 6, "type ;"), ("int n = x²;", 10, "type 2"),
    ("int n = 😀1;", 9, "leave it out"),
    ("in\u202et n;", 3, "delete it"), ("int\u2028n;", 4, "type a plain space"),
    ("in\u200bt n;", 3, "delete it"), ("\tk<<<1,\u30001>>>();", 8, "U+3000"),
])  # fmt: skip
def test_a_character_of_a_page_is_named_with_its_place(
    code: str, column: int, words: str
) -> None:
    text = f"// “a comment”\n{code}\n"
    first = smart.find(text)[0]
    assert (first.line, first.column) == (2, column) and words in first.said
    shown = errors("demo.cu:2:1: error: stray ‘\\342’ in program\n", "demo.cu", text)
    assert shown[0].startswith(f"demo.cu:2:{column}: error: ") and words in shown[0]


@pytest.mark.parametrize("text", [
    "// “fine” – and ×", "/* ‘fine’\n – */ int n;", 'auto s = "“fine” – ×";', "char c = '“';",
    "int größe = 1;", "int größe, 数, e\u0301;", "a - b; // 5×", "int n = 1'000;",
])  # fmt: skip
def test_comments_texts_and_names_may_hold_them(text: str) -> None:
    assert smart.find(text) == []


def test_what_the_compiler_takes_is_not_named() -> None:
    """A raw string may hold quotes between such characters."""
    text = 'auto s = R"("say “hello”")";\nint main() { return 1 }\n'
    assert smart.find(text)
    shown = errors("demo.cu:2:22: error: expected ‘;’ before ‘}’ token\n", "demo.cu", text)
    assert shown[0] == "demo.cu:2:22: error: expected ‘;’ before ‘}’ token"


# ---- slips that g++ does not name ----


def said_by_gxx(folder: Path, text: str) -> str:
    """All lines about the first error, with what the compiler of this machine really says."""
    (folder / "demo.cu").write_text(text)
    said = subprocess.run(["g++", "-x", "c++", "-c", "demo.cu", "-o", "x.o"], cwd=folder,
                          capture_output=True, text=True, check=False).stderr  # fmt: skip
    return "\n".join(errors(said, "demo.cu", text))


@pytest.mark.parametrize(("loop", "said"), [
    ("for (int j = 0; j < n; ++j); {", "Line 3 ends with a ; and that is the whole loop: its j is"),
    ("for (auto j = 0; j < n; ++j) ;  // all keys\n  {", "Line 3 ends with a ;"),
    ("for (int i = 0; i < n; ++i); {", ""),  # of another name
    ("for (int j = 0; j < n; ++j) f(j); {", ""),
    ("// for (int j = 0; j < n; ++j);\n  {", ""),
])  # fmt: skip
def test_a_loop_that_ends_before_its_body_is_named(tmp_path: Path, loop: str, said: str) -> None:
    text = f"void f(int);\nvoid g(int n) {{ int a = n;\n  {loop}\n    f(j + a);\n  }}\n}}\n"
    told_ = said_by_gxx(tmp_path, text)
    assert "‘j’ was not declared" in told_
    assert said in told_ if said else "whole loop" not in told_


@pytest.mark.longer
def test_a_line_that_no_person_wrote_is_not_searched_for_loops() -> None:
    """Else this takes minutes: one name again and again."""
    line = f"for (int j = 0{' , j' * 100_000}"
    said = "demo.cu:2:1: error: ‘j’ was not declared in this scope\n"
    begun = time.process_time()
    shown = errors(said, "demo.cu", f"{line}\nj;\n")
    assert shown[0].startswith("demo.cu:2:1") and "whole loop" not in "".join(shown)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(("call", "meant"), [
    ("copy(edges, p, 4)", "&edges"), ("copy(p, edges, 4)", "&edges"), ("copy(x, p, 4)", "&x"),
    ("copy(edges + 1, p, 4)", ""), ("copy(&edges, p, 4, 5)", ""),
])  # fmt: skip
def test_a_value_where_an_address_is_wanted(tmp_path: Path, call: str, meant: str) -> None:
    text = ("void copy(void* to, const void* from, int bytes);\n"
            f"void g(float x, int edges, int* p) {{ {call}; }}\n")  # fmt: skip
    said = said_by_gxx(tmp_path, text)
    assert "error" in said
    assert f"An address is wanted here: {meant}" in said if meant else "wanted" not in said


def test_a_merge_that_is_not_done_is_named_at_its_first_line(tmp_path: Path) -> None:
    text = "int a;\n<<<<<<< HEAD\nint b = 1;\n=======\nint b = 2;\n>>>>>>> theirs\n"
    said = said_by_gxx(tmp_path, text)
    assert said.startswith("demo.cu:2:1: error: a merge of git that is not done: keep one")
    indented = said_by_gxx(tmp_path, text.replace("<<<", "  <<<", 1))
    assert indented.startswith("demo.cu:2:1: error: a merge of git")
    in_comments = f"/*\n{text}*/\nint c = wrong;\n"
    assert "demo.cu:9:9: error: ‘wrong’ was not declared" in said_by_gxx(tmp_path, in_comments)
    assert "merge" not in said_by_gxx(tmp_path, "void k() {\nk\n<<<<<<< 1;\n}\n")  # one mark only


# ---- the caret of an error ----


@pytest.mark.parametrize("before", ["  int a = 1; ", "\tint a = 1; ", "\tint a; \t", "\t\t",
                                    '  auto s = "ööö"; ', '  auto s = "日本語"; ', "  /* 😀 */ ",
                                    '\tauto s = "é日"; \t'])  # fmt: skip
def test_the_caret_is_under_the_word(tmp_path: Path, before: str) -> None:
    """With what the compiler of this machine really says."""
    text = f"void f() {{\n{before}int b = wrong;\n}}\n"
    (tmp_path / "demo.cu").write_text(text)
    said = subprocess.run(["g++", "-x", "c++", "-c", "demo.cu", "-o", "x.o"], cwd=tmp_path,
                          capture_output=True, text=True, check=False).stderr  # fmt: skip
    first, code, caret, *_ = errors(said, "demo.cu", text)
    assert first.startswith(f"demo.cu:2:{len(before) + len('int b = ') + 1}: error: ")
    assert _cells(caret.partition("^")[0]) == _cells(code.partition("wrong")[0])


def _cells(text: str) -> int:
    """Columns of a screen, with tabs to each eighth."""
    place = 0
    for sign in text:
        place += 8 - place % 8 if sign == "\t" else columns.width(sign)
    return place


def test_what_is_named_nowhere_is_no_lab(checkout: Checkout) -> None:
    with pytest.raises(UsageError, match="there is no lab 'sort'"):
        target.named(checkout, manifest.discover(checkout), "sort")
