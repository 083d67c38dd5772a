"""What a student reads beside a verdict: causes, own lines, compiler's words, advice on speed."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.authoring import mistakes
from grader.base.checkout import Checkout
from grader.base.files import sha256
from grader.base.verdict import PASSED
from grader.lab_file import manifest
from grader.lab_file.manifest import Lab
from grader.lab_file.rules import CounterRule
from grader.study import braces, causes, compiler_words, ncu, on_gpu, told, why
from grader.study.excerpt import excerpt, places
from grader.timing.kernel_profile import Kernel

pytestmark = [pytest.mark.reads("labs"), pytest.mark.unit]

HERE = Checkout.here()
LABS = [lab.name for lab in manifest.discover(HERE)]


def stage(one: causes.Mistake, **changed: Any) -> dict[str, Any]:
    return {"name": one.stage, "verdict": one.verdict, "case": one.case, "message": one.message,
            "cases": [], **changed}  # fmt: skip


# ---- likely causes ----


@pytest.mark.parametrize("lab", LABS)
def test_recorded_mistakes_are_recognised_and_named_among_at_most_two(lab: str) -> None:
    known = causes.known(HERE, lab)
    assert known, "none is recorded: ./lab dev mistakes"
    for one in known:
        fits = {other.cause for other in known if other.fits(one)}
        assert one.cause in fits and len(fits) <= causes.MOST, one.cause
    assert all(one.cause and one.cause.endswith(".") for one in known)


# Two that cannot be told apart by what they give; both are named.
ALIKE = [
    {"No barrier after the load: the first search reads keys that others have not loaded yet.",
     "No barrier at the end of a round: the next search reads places that have no key yet."},
    {"Of equal keys in two runs, those of the first run must come before those of the second. Here "
     "both runs count the same way, so places collide or stay empty.",
     "A key's place is the first place of its pair of runs, plus its place in its own run, plus "
     "the number of keys before it in the other run: one of the three is wrong or missing."},
    {"A thread serves one key: all keys after the first 1024 stay where they were.",
     "Equal keys are told apart by the number of the thread, which is the same for all its keys."},
    {"Rank sort in one launch of clusters, which need each other for nothing.",
     "Rank sort in one launch: no phases, and no tile."},
    {"The barrier of a phase is inside the branch of the threads that change a pair.",
     "No barrier between the phases of a tile."},
    {"Counts before all keys are in shared memory.",
     "Writes back before all keys have arrived at their new places."},
    {"Equal keys count the same smaller keys: one place gets two keys, another gets none.",
     "NaN is neither below nor equal to anything, so every NaN gets rank 0."},
    {"At least one distance of an edge is not read through the read-only cache.",
     "The kernel of stage 2 again: right answers, but no read goes through the read-only cache."},
    {"Does not ask where the keys are. A GPU that can read host memory even sorts them; on others "
     "the kernel ends with an illegal address.",
     "Knows pinned memory only: what CUDA has never heard of is taken for the device's."},
    {"Both threads of a pair compare and exchange: each reads what the other writes.",
     "The partner is i + stride for every thread. It is i ^ stride, so that each key is in one "
     "pair."},
    {"A step between tiles has n / 2 threads: if n is no power of two, too few for the pairs of "
     "the last size, whose indices have gaps.",
     "The doublings end at n: if n is no power of two, the last runs are never merged."},
    {"The first key of a tile in 16 bits: keys beyond 65,536 are never compared.",
     "The number of a tile in 10 bits: keys beyond 1024 tiles are never compared."},
    {"Half as many rounds as there are runs: a key that has farther to go does not arrive.",
     "Makes one round fewer than there are runs: too few for keys in reverse."},
]  # fmt: skip


@pytest.mark.parametrize("lab", LABS)
def test_no_mistake_is_taken_for_another(lab: str) -> None:
    """As if each were unknown: what another one's record says of it would be wrong."""
    known = causes.known(HERE, lab)
    taken = [{one.cause, other.cause} for one in known for other in known
             if one.cause != other.cause and other.fits(one)]  # fmt: skip
    assert all(pair in ALIKE for pair in taken), taken


@pytest.mark.parametrize("lab", LABS)
def test_every_wrong_file_that_fails_by_itself_is_recorded(lab: str) -> None:
    """Those that only lose points, do nothing, or are another algorithm have no record."""
    files = [path.read_text() for path in (HERE.reference / lab / "wrong").glob("*.cu")]
    due = {sha256(text.encode()) for text in files if not mistakes.leaves_no_trace(text)}
    assert {one.file for one in causes.known(HERE, lab)} == due, "run ./lab dev mistakes"


@pytest.mark.parametrize(
    ("text", "silent"),
    [("// expect: tile: too slow: words\n// Right, but slow.\n", True),
     ("// expect: tile: not attempted\n// Nothing.\n", True),
     ("// expect: tile: race:\n// Another algorithm.\n", True),
     ("// expect: tile: race:\n// No barrier; too slow besides.\n", False),
     ("// expect: tile: wrong answer: too slow\n// A key is lost.\n", False)],
)  # fmt: skip
def test_a_wrong_file_that_leaves_no_trace_says_so(text: str, silent: bool) -> None:
    assert mistakes.leaves_no_trace(text) is silent


@pytest.mark.parametrize("lab", LABS)
def test_a_record_holds_nothing_of_the_wrong_file(lab: str) -> None:
    for one in causes.known(HERE, lab):
        assert "__global__" not in one.cause + one.message and ".cu:" not in one.message


@pytest.mark.parametrize("lab", LABS)
def test_no_record_is_about_what_the_kit_does_itself(lab: str) -> None:
    """It has no line: "the host unregisters at ?"."""
    assert [one.message for one in causes.known(HERE, lab) if " at ?" in one.message] == []


RACE = (
    "a::b(keys, 5): shared memory {name}[0]: kernel {kernel}, block (0,0,0): thread (0,0,0) writes "
    "at mine.cu:{line}; thread (1,0,0) reads at mine.cu:19; no __syncthreads() between"
)
ONE = causes.Mistake(
    "b", "race", "b sorts", causes.told("race", RACE.format(name="key", kernel="k", line=22)), {},
    "No barrier.", "",
)  # fmt: skip


def test_other_names_lines_and_numbers_do_not_hide_a_mistake() -> None:
    other = RACE.format(name="tile", kernel="sort_all<4, true>", line=99) + "\nwrong: got 5"
    assert causes.likely([ONE], stage(ONE, message=other)) == ("No barrier.",)
    assert causes.likely([ONE], stage(ONE, message=other.replace("(keys, 5)", "(keys, 7)")))
    known = replace(ONE, message=causes.told("race", RACE.format(name="k", kernel="k", line=9)))
    swapped = RACE.replace(" writes ", " ? ").replace(" reads ", " writes ").replace("?", "reads")
    assert not causes.likely([known], stage(ONE, message=swapped.format(name="k", kernel="k",
                                                                        line=9)))  # fmt: skip


def test_what_is_different_has_no_known_cause() -> None:
    assert not causes.likely([ONE], stage(ONE, verdict=PASSED))
    assert not causes.likely([ONE], stage(ONE, case="b keeps equal keys"))
    assert not causes.likely([ONE], stage(ONE, name="c"))
    assert not causes.likely([ONE], stage(ONE, message="b(keys, 5): index 3: got 7, expected 8"))


KERNEL = """__global__ void other() { __syncthreads(); }
__global__ void k() {
  key[0] = 1;
  {barrier}
  x = key[1];
}
"""


def test_of_two_that_look_alike_the_one_after_as_many_barriers_is_named() -> None:
    said = RACE.format(name="key", kernel="k", line=5).replace("mine.cu:19", "mine.cu:6")
    known = [replace(ONE, after=0, cause="None loaded."), replace(ONE, after=1, cause="No last.")]
    sources = {
        barrier: KERNEL.replace("{barrier}", barrier)
        for barrier in (
            "",
            "__syncthreads();",
            "// __syncthreads();",
            "__syncthreads(); __syncthreads();",
        )
    }
    named = {barrier: causes.likely(known, stage(ONE, message=said), source)
             for barrier, source in sources.items()}  # fmt: skip
    both = ("None loaded.", "No last.")
    assert list(named.values()) == [both[:1], both[1:], both[:1], both]
    assert causes.likely(known, stage(ONE, message=said)) == both  # the file is not known


def test_of_two_that_look_alike_the_one_that_needs_more_keys_is_not_named() -> None:
    later = replace(ONE, message=ONE.message.replace("(keys, 5)", "(keys, 8)"), cause="Ties.")
    both = ("No barrier.", "Ties.")
    for n, named in ((5, both[:1]), (7, both[:1]), (8, both), (2, both)):  # 2: neither explains it
        said = ONE.message.replace("(keys, 5)", f"(keys, {n})")
        assert causes.likely([ONE, later], stage(ONE, message=said)) == named
    assert causes.likely([later], stage(ONE)) == both[1:]  # alone it is still the likely one


def test_what_fits_many_mistakes_names_none() -> None:
    many = [causes.Mistake("b", "race", "b sorts", ONE.message, {}, f"Mistake {i}.", "")
            for i in range(3)]  # fmt: skip
    assert not causes.likely(many, stage(ONE))
    assert len(causes.likely(many[:2], stage(ONE))) == 2


WRONG = "b({n}): not in order: 3 comes before 1; first wrong at index 0: got 2, expected 1"


def failed(small: str, large: str) -> dict[str, Any]:
    """A stage whose two cases say these messages; "" is a case that passed."""
    cases = [{"name": name, "verdict": "wrong answer" if said else PASSED, "message": said}
             for name, said in (("b sorts", small), ("b sorts many", large))]  # fmt: skip
    first = next(case for case in cases if case["message"])
    return {"name": "b", "verdict": "wrong answer", "case": first["name"],
            "message": first["message"], "cases": cases}  # fmt: skip


def test_a_wrong_answer_has_a_cause_only_if_all_cases_answer_alike() -> None:
    """Small inputs have few wrong answers: many mistakes give the same."""
    small, large = WRONG.format(n=3), WRONG.format(n=4099)
    known = [causes.seen(failed(small, large), "The last key is dropped.")]
    drawn = f"{small}\n  index 0 1 2"
    assert causes.likely(known, failed(drawn, large)) == ("The last key is dropped.",)
    assert not causes.likely(known, failed(small, "")), "the other one fails there"
    assert not causes.likely(known, failed(small, large.replace("got 2", "got 7")))
    assert not causes.likely(known, failed(small.replace("b(3)", "b(4)"), large))


def test_a_write_outside_has_a_cause_only_at_the_same_place() -> None:
    text = "b(in, 5): in[5] (20 bytes): thread ({t},0,0) reads 4 bytes past its end at mine.cu:{n}"
    known = [causes.seen(stage(ONE, verdict="wrote outside", message=text.format(t=5, n=3)),
                         "No guard.")]  # fmt: skip
    same, other = (stage(ONE, verdict="wrote outside", message=text.format(t=t, n=8))
                   for t in (5, 0))  # fmt: skip
    assert causes.likely(known, same) == ("No guard.",)
    assert not causes.likely(known, other), "a loop that is one too long is another mistake"


@pytest.mark.parametrize("text", ["", "{", '{"mistakes": 3}', '{"mistakes": [{"a": 1}]}'])
def test_a_damaged_record_is_no_record(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text)
    assert causes.read(tmp_path / "m.json") == ()


# ---- the student's own lines ----


SOURCE = "\n".join(f"line {number}" for number in range(1, 41))


def test_both_places_of_a_race_are_shown_with_who_does_what() -> None:
    marked = places(RACE.format(name="k", kernel="k", line=22), "mine.cu")
    assert marked == {22: "thread (0,0,0) writes", 19: "thread (1,0,0) reads"}
    shown = excerpt(SOURCE, marked)
    assert shown[0].endswith("| line 18") and shown[-1].endswith("| line 23")
    assert [line[:2] for line in shown] == ["  ", "->", "  ", "  ", "->", "  "]


def test_places_far_apart_are_two_pieces_and_a_line_that_is_not_there_is_left_out() -> None:
    assert excerpt("a\x0cb\nc\n", {2: ""}, around=0) == ["->    2 | c"]
    shown = excerpt(SOURCE, {2: "", 30: "", 99: ""})
    assert "      ..." in shown and len(shown) == 7
    assert places("no place", "mine.cu") == {} and excerpt(SOURCE, {}) == []


# ---- the compiler ----


CODE = "__global__ void k(float* a) {\n  __shared__ float t[8]; int b = lost;\n}\n"


def test_of_a_very_long_line_a_piece_is_shown_with_the_caret_below_its_place() -> None:
    text = f"{'a();' * 20_000}wrong();{'b();' * 20_000}"
    said = f"mine.cu:1:{text.index('wrong') + 1}: error: ‘wrong’ was not declared in this scope"
    _, code, caret = compiler_words.errors(said, "mine.cu", text)[:3]
    assert code[caret.index("^") :].startswith("wrong()") and len(code) < 250
    assert len(excerpt(text, {1: "thread (0,0,0) reads"})[0]) < 250


def test_the_first_error_comes_first_at_the_students_column() -> None:
    output = ("mine.cu:2:34: error: 'lost' was not declared\n  2 | the compiler's own picture\n"
              "mine.cu:3:1: error: something that follows\n")  # fmt: skip
    first, code, caret, rest = compiler_words.errors(output, "mine.cu", CODE)
    assert first == "mine.cu:2:34: error: 'lost' was not declared"
    assert code.index("lost") == caret.index("^")
    assert rest.startswith("1 more error")


def test_warnings_are_those_of_the_own_file_the_grave_ones_first() -> None:
    output = ("mine.cu:9:1: warning: unused variable 'x' [-Wunused-variable]\n"
              "kit.hpp:1:1: warning: not yours [-Wshadow]\n"
              "mine.cu:4:3: warning: ignoring loop annotation\n"
              "mine.cu:30:5: warning: 'y' is uninitialized [-Wuninitialized]\n" * 2)  # fmt: skip
    shown = compiler_words.warnings(output, "mine.cu", SOURCE)
    assert [line.split(":")[1] for line in shown] == ["30", "9"]
    assert compiler_words.warnings("", "mine.cu", SOURCE) == []


@pytest.mark.parametrize(("code", "type_", "is_said"), [
    ("int mine = in[i];", "‘float’ to ‘int’", True),
    ("unsigned u = in[i];", "‘double’ to ‘unsigned int’", True),
    ("float f = in[i];", "‘double’ to ‘float’", False),
    ("int blocks = ceil(n / 256.0);", "‘double’ to ‘int’", False),
    ("int key; key = mine;", "‘float’ to ‘int’", True),
    ("int key; key = mine * 2;", "‘float’ to ‘int’", False),
])  # fmt: skip
def test_what_becomes_an_integer_unsaid_is_warned_of(code: str, type_: str, is_said: bool) -> None:
    at = next(code.index(what) + 1 for what in ("]", "ceil", "mine") if what in code)
    said = f"a.cu:1:{at}: warning: conversion from {type_} may change value [-Wfloat-conversion]"
    assert bool(compiler_words.warnings(said, "a.cu", code)) == is_said


# ---- why ----


def line(number: int, space: str, access: str, requests: int, pieces: int, ideal: int) -> Any:
    return {"line": f"mine.cu:{number}", "space": space, "access": access, "requests": requests,
            "pieces": pieces, "ideal": ideal, "branches": 0, "uniform_branches": 0}  # fmt: skip


def kernels(*lines: Any, launches: int = 1, barriers: int = 0, diverged: int = 0) -> Any:
    return [{"kernel": "k", "launches": launches, "barriers": barriers, "branches": 100,
             "uniform_branches": 100 - diverged, "lines": list(lines)}]  # fmt: skip


GOOD = kernels(line(1, "global", "load", 1000, 4000, 4000),
               line(2, "shared", "load", 8000, 8000, 8000))  # fmt: skip


@pytest.mark.parametrize(("mine", "part", "words"), [
    (kernels(line(1, "global", "load", 64000, 64000, 64000)), "global loads", "shared memory"),
    (kernels(line(1, "global", "load", 1000, 32000, 4000)), "scattered accesses", "neighbouring"),
    (kernels(line(2, "shared", "load", 8000, 256000, 8000)), "bank conflicts", "pad"),
    (kernels(line(2, "shared", "load", 800000, 800000, 800000)), "shared accesses", "registers"),
    (kernels(line(3, "global", "atomic", 9000, 9000, 9000)), "atomics", "one thread"),
    (kernels(launches=50), "launches", "one launch"),
    (kernels(barriers=90000), "barriers", "__syncwarp"),
])  # fmt: skip
def test_the_advice_is_about_what_costs_most(lab: Lab, mine: Any, part: str, words: str) -> None:
    found = why.findings(mine, GOOD)
    assert found[0].part.name == part
    assert words in why.advice(lab.stages[0], found)


def test_the_good_form_itself_gets_no_advice_about_memory(lab: Lab) -> None:
    assert why.findings(GOOD, GOOD) == []
    shown = why.explained(lab.stages[0], GOOD, GOOD, 4096, SOURCE)
    assert "no more of memory than the good form" in shown[0]


def test_three_sentences_one_table_the_lines_and_one_thing_to_try(lab: Lab) -> None:
    mine = kernels(line(7, "global", "load", 64000, 64000, 64000), launches=3)
    shown = why.explained(lab.stages[0], mine, GOOD, 4096, SOURCE)
    assert shown[3] == "" and "64,000 where the good form has 1,000, 64 times" in shown[0]
    assert any("100%  mine.cu:7  line 7" in text for text in shown)
    assert shown[-1].startswith("Try: ") and sum(text.startswith("Try") for text in shown) == 1


def test_the_labs_own_advice_comes_before_the_general_one(lab: Lab) -> None:
    rule = CounterRule("global.load.requests", None, 8, 1.0, 2.0, 1.0, "Use the trick.")
    own = manifest.Stage(1, "s", "S", (), 1, 0, ("h",), None, (rule,))
    found = why.findings(kernels(line(1, "global", "load", 64000, 64000, 64000)), GOOD)
    assert why.advice(own, found) == "Use the trick."
    assert why.advice(lab.stages[0], found) != "Use the trick."


def test_records_are_json_that_the_kit_writes(checkout: Checkout) -> None:
    assert causes.known(checkout, "01-demo") == ()
    for name in LABS:
        path = HERE.labs / name / causes.FILE
        if path.is_file():
            assert json.loads(path.read_text())["schema"] == causes.SCHEMA


# ---- on a GPU ----


def on(share: float = 0.0, **kernel: Any) -> on_gpu.OnGpu:
    """A call of 1 s, whose launches take `share` of it."""
    use = {"name": "k", "launches": 1, "grid": 1000, "block": 256, "registers": 32, "local": 0,
           "static_shared": 0, "dynamic_shared": 0, "spilled": 0, "occupancy": 1.0}  # fmt: skip
    point = {"n": 1 << 20, "seconds": [1.0]}
    return on_gpu.OnGpu(point, {"launch_seconds": share}, [Kernel(**{**use, **kernel})])


def with_setup(**more: Any) -> on_gpu.OnGpu:
    """A small kernel prepares a large one: it matters only if it takes long."""
    large = on().kernels[0]
    setup = replace(large, name="setup<float>", grid=1, block=1, occupancy=0.01)
    return replace(on(), kernels=[setup, large], **more)


@pytest.mark.parametrize(("found", "words"), [
    (on(share=0.9), "launches"), (on(spilled=128), "spills 128 bytes"), (on(grid=4), "4 blocks"),
    (on(occupancy=0.12), "12 % of the threads"), (on(), ""), (on(grid=1), "1 block,"),
    (with_setup(), ""), (with_setup(profile=ncu.Profile("setup", 1, 0.9, {}, {})), "has 1 block"),
    (replace(on(), profile=ncu.Profile("k", 1, 1.0, {}, {"barrier": 2.0})), "fewer barriers"),
])  # fmt: skip
def test_what_only_a_gpu_can_see(found: on_gpu.OnGpu, words: str) -> None:
    said = on_gpu.advice(found)
    assert words in said if words else said == ""


def test_the_time_and_the_kernels_are_told() -> None:
    first, head, row = on_gpu.told(on(share=0.1))
    assert first.startswith("On this GPU a call with n = 1,048,576 takes 1.00 s; its launches")
    assert "occupancy" in head and row.split()[:2] == ["k", "1"]


# ---- a beginner's slips -------------------------------------------------------------------------


@pytest.mark.parametrize(("said", "text", "words"), [
    ("a.cu:2:1: error: expected ‘,’ or ‘;’ before ‘int’", "float x = in[i]  // mine\nint y;",
     "A ; may be missing at the end of line 1: float x = in[i]"),
    ("a.cu:1:13: error: expected ‘;’ before ‘}’ token", "{ int x = 1 }",
     "A ; may be missing at the end of line 1"),
    ("a.cu:1:1: error: ‘out’ does not name a type", "out[1] = 2;", "a } above it is one too many"),
    ("a.cu:1:1: error: expected ‘}’ at end of input", "{", "A } may be missing"),
    ("a.cu:5:1: error: ‘out’ does not name a type", "void f() {\n  if (a) {\n  }\n  }\n out = 2;",
     "one too many: look at the } in line 4. It ends what line 1 begins, and is indented oth"),
    ("a.cu:5:2: error: ‘in’ was not declared in this scope",
     "void f(int in,\n       int out) {\n  if (a) {\n  }}\n int x = in;",
     "If ‘in’ is declared above, a } may be one too many: look at the } in line 4. It ends what l"),
    ("a.cu:5:1: error: a function-definition is not allowed here before ‘{’ token",
     "void f() {\n  for (;;) {\n    f();\n}\nvoid g() { }",
     "A } may be missing above this line: look at the } in line 4. It ends what line 2 begins"),
    ("a.cu:1:14: error: no matching function for call to ‘cuda_on_cpu::Launch::run(void (*)(const "
     "float*, float*, int), f(const float*, float*, int)::<lambda(auto:5 ...)>, const float*&, "
     "int&, float*&)’", "  rank<<<1, 2>>>(in, n, out);",
     "rank is launched with (const float*, int, float*), but takes (const float*, float*, int)"),
    ("a.cu:1:14: error: no matching function for call to ‘cuda_on_cpu::Launch::run(void (*)(int*, "
     "int), main()::<lambda(auto:7 ...)>, float*&, int)’\nlaunch.hpp:129:50: note:   no known "
     "conversion for argument 3 from ‘float*’ to ‘std::type_identity_t<int*>’ {aka ‘int*’}",
     "  rank<<<1, 2>>>(in, 3);", "argument 1 is float*, and the kernel wants int*"),
    ("a.cu:1:9: error: no matching function for call to ‘cuda_on_cpu::Configuration::Configuration("
     "int, std::vector<int>&)’", "  k<<<1, v>>>(in);",
     "<<<int, std::vector<int>>>>: a launch wants blocks and threads"),
    ("a.cu:1:190: error: expected ‘;’ before ‘}’ token", "  k<<<1, 2>>>(in)",
     "A ; may be missing at the end of line 1: k<<<1, 2>>>(in)"),
])  # fmt: skip
def test_a_slip_is_named_as_a_beginner_needs_it(said: str, text: str, words: str) -> None:
    shown = "\n".join(compiler_words.errors(said, "a.cu", text))
    assert words in shown and "cuda_on_cpu" not in shown


def test_braces_are_indented_as_people_do_it() -> None:
    """Nothing is odd in the kit's own files, nor where a list ends, or a brace begins a line."""
    files = [*HERE.reference.glob("0*/*.cu"), *HERE.reference.glob("0*/plain/*.cu")]
    assert len(files) >= 10
    assert [path.name for path in files if braces.odd(path.read_text())] == []
    for text in ("void f()\n{\n\tfor (;;)\n\t{\n\t}\n}", "int a[] = {1,\n           2};",
                 "switch (a) {\n  case 1: {\n  }\n}", 'f("{"); // {\n  }'):  # fmt: skip
        assert not braces.odd(text)
    assert braces.odd("void f() {\n  g(); }")


def test_another_error_gets_no_advice() -> None:
    said = compiler_words.errors("a.cu:1:5: error: ‘x’ was not declared", "a.cu", "y = x;")
    assert said == ["a.cu:1:5: error: ‘x’ was not declared", "    1 | y = x;", "      |     ^"]


def test_an_error_of_cuda_begins_with_its_reason() -> None:
    message = ("a::f(in, 5): failed: a.cu:198: cudaGetLastError(): cudaErrorInvalidConfiguration: "
               "invalid configuration argument: kernel k: zero blocks (a.cu:197)")  # fmt: skip
    assert told.plainly(message) == (
        "a::f(in, 5): kernel k: zero blocks at a.cu:197 (cudaErrorInvalidConfiguration, seen "
        "after line 198)"
    )
    assert told.plainly("a: ended; it last said:\nkernel k ran") == "a: ended: kernel k ran"
    drawing = "x\n  index     0                1\n  got       7  nan(0xffffffff)"
    assert told.plainly(f"{drawing}\n  expected  1                2") == (
        "x\n  index     0          1\n  got       7  unwritten\n  expected  1          2"
    )
    assert told.plainly(f"{drawing}\n  expected  1") == f"{drawing}\n  expected  1"  # no table
    assert told.plainly("got nan(0xffffffff)") == "got nan(0xffffffff)"
    wrote = f"the call wrote nan(0xffffffff)\n{drawing}\n  expected  1                2"
    assert told.plainly(f"so {wrote}") == f"so {wrote}"
    due = f"{drawing}\n  expected  1  nan(0xffffffff)"
    assert told.plainly(due) == due
    race = "in[1]: thread (0,0,0) writes; thread (1,0,0) reads; no __syncwarp() between"
    assert told._with(["f() wrote outside"], race)[1] == f"also found: {race}"
    assert told._with(["f() failed"], "in[8]: past its end")[1] == "found: in[8]: past its end"
    one = "made 1 launches for 1 keys; 21 launches, 1,001 keys and 1 passes"
    assert told.plainly(one) == "made 1 launch for 1 key; 21 launches, 1,001 keys and 1 passes"


@pytest.mark.parametrize(("line", "named"), [("  rank[t] += 1;", True), ("  ++rank[t];", True),
                                              ("  rank[t] = 1;", False)])  # fmt: skip
def test_a_lost_update_is_named(checkout: Checkout, lab: Lab, line: str, named: bool) -> None:
    message = ("f(in): shared memory rank[0]: kernel k: thread (0,0,0) writes at demo.cu:2; thread "
               "(1,0,0) reads at demo.cu:2; no __syncthreads() between")  # fmt: skip
    row = {"name": "global", "verdict": "race", "message": message, "case": "", "cases": [],
           "handout": None}  # fmt: skip
    document = {"seed": {"public": 1, "secret": False}}
    lines = told.about(told.Check(checkout, lab, document, f"first\n{line}\n"), row)
    assert any("atomicAdd" in one for one in lines) == named


def test_code_that_changes_nothing_is_told_from_no_code(checkout: Checkout, lab: Lab) -> None:
    row = {"name": "global", "verdict": "not attempted", "message": ""}
    mark = "// BEGIN STAGE 1 global: x\n{}\n// END STAGE 1\n"
    document = {"seed": {"public": 1, "secret": False}, "backend": "cpu"}
    for code, words in (("int x;", "left its output as it was"), ("// TODO", "write it at")):
        check = told.Check(checkout, lab, document, mark.format(code))
        assert words in told.about(check, row)[0]
    mine = told.Check(checkout, lab, document, mark.format("int x;"))
    assert told.about(mine, row)[1].startswith("A kernel is launched")  # launches are counted
    elsewhere = told.Check(checkout, lab, {**document, "backend": "gpu"}, mine.source)
    assert told.about(elsewhere, row)[1].startswith("Either no kernel is launched")
