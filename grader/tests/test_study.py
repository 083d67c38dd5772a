"""What a student reads beside a verdict: causes, own lines, compiler's words, advice on speed."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.base.verdict import PASSED
from grader.lab_file import manifest
from grader.lab_file.manifest import Lab
from grader.lab_file.rules import CounterRule
from grader.study import causes, compiler_words, on_gpu, why
from grader.study.excerpt import excerpt, places
from grader.timing.kernel_profile import Kernel

pytestmark = [pytest.mark.reads("labs"), pytest.mark.unit]

HERE = Checkout.here()
LABS = [lab.name for lab in manifest.discover(HERE)]


def stage(one: causes.Mistake, **changed: Any) -> dict[str, Any]:
    return {"name": one.stage, "verdict": one.verdict, "case": one.case, "message": one.message,
            **changed}  # fmt: skip


# ---- likely causes ----


@pytest.mark.parametrize("lab", LABS)
def test_most_recorded_mistakes_are_recognised_and_named_among_at_most_two(lab: str) -> None:
    known = causes.known(HERE, lab)
    if not known:
        pytest.skip("none is recorded: ./lab dev mistakes")
    found = [one.cause in causes.likely(known, stage(one)) for one in known]
    assert sum(found) >= 0.7 * len(found)
    assert all(one.cause and one.cause.endswith(".") for one in known)


@pytest.mark.parametrize("lab", LABS)
def test_a_record_holds_nothing_of_the_wrong_file(lab: str) -> None:
    for one in causes.known(HERE, lab):
        assert "__global__" not in one.cause + one.message and ".cu:" not in one.message


RACE = (
    "a::b(keys, 5): shared memory {name}[0]: kernel {kernel}, block (0,0,0): thread (0,0,0) writes "
    "at mine.cu:{line}; thread (1,0,0) reads at mine.cu:19; no __syncthreads() between"
)
ONE = causes.Mistake(
    "b", "race", "b sorts", causes.told("race", RACE.format(name="key", kernel="k", line=22)),
    "No barrier.", "",
)  # fmt: skip


def test_other_names_lines_and_numbers_do_not_hide_a_mistake() -> None:
    other = RACE.format(name="tile", kernel="sort_all<4, true>", line=99) + "\nwrong: got 5"
    assert causes.likely([ONE], stage(ONE, message=other)) == ("No barrier.",)
    assert causes.likely([ONE], stage(ONE, message=other.replace("(keys, 5)", "(keys, 7)")))


def test_what_is_different_has_no_known_cause() -> None:
    assert not causes.likely([ONE], stage(ONE, verdict=PASSED))
    assert not causes.likely([ONE], stage(ONE, case="b keeps equal keys"))
    assert not causes.likely([ONE], stage(ONE, name="c"))
    assert not causes.likely([ONE], stage(ONE, message="b(keys, 5): index 3: got 7, expected 8"))


def test_what_fits_many_mistakes_names_none() -> None:
    many = [causes.Mistake("b", "race", "b sorts", ONE.message, f"Mistake {i}.", "")
            for i in range(3)]  # fmt: skip
    assert not causes.likely(many, stage(ONE))
    assert len(causes.likely(many[:2], stage(ONE))) == 2


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
    shown = excerpt(SOURCE, {2: "", 30: "", 99: ""})
    assert "      ..." in shown and len(shown) == 7
    assert places("no place", "mine.cu") == {} and excerpt(SOURCE, {}) == []


# ---- the compiler ----


CODE = "__global__ void k(float* a) {\n  __shared__ float t[8]; int b = lost;\n}\n"


def test_the_first_error_comes_first_at_the_students_column() -> None:
    rewritten = compiler_words.rewrite(CODE).split("\n")[1].index("lost") + 1
    output = (f"mine.cu:2:{rewritten}: error: 'lost' was not declared\n  2 | g++'s own picture\n"
              "mine.cu:3:1: error: something that follows\n")  # fmt: skip
    first, code, caret, rest = compiler_words.errors(output, "mine.cu", CODE)
    assert first == "mine.cu:2:34: error: 'lost' was not declared"
    assert code.index("lost") == caret.index("^")
    assert rest.startswith("1 more error")
    assert rewritten != 34, "the rewriter moves columns, or this test shows nothing"


def test_warnings_are_those_of_the_own_file_the_grave_ones_first() -> None:
    output = ("mine.cu:9:1: warning: unused variable 'x' [-Wunused-variable]\n"
              "kit.hpp:1:1: warning: not yours [-Wshadow]\n"
              "mine.cu:30:5: warning: 'y' is uninitialized [-Wuninitialized]\n" * 2)  # fmt: skip
    shown = compiler_words.warnings(output, "mine.cu", SOURCE)
    assert [line.split(":")[1] for line in shown] == ["30", "9"]
    assert compiler_words.warnings("", "mine.cu", SOURCE) == []


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
            assert json.loads(path.read_text())["schema"] == 1


# ---- on a GPU ----


def on(share: float = 0.0, **kernel: Any) -> on_gpu.OnGpu:
    """A call of 1 s, whose launches take `share` of it."""
    use = {"name": "k", "launches": 1, "grid": 1000, "block": 256, "registers": 32, "local": 0,
           "static_shared": 0, "dynamic_shared": 0, "spilled": 0, "occupancy": 1.0}  # fmt: skip
    point = {"n": 1 << 20, "seconds": [1.0]}
    return on_gpu.OnGpu(point, {"launch_seconds": share}, [Kernel(**{**use, **kernel})])


@pytest.mark.parametrize(("found", "words"), [
    (on(share=0.9), "launches"), (on(spilled=128), "spills 128 bytes"), (on(grid=4), "4 blocks"),
    (on(occupancy=0.12), "12 % of the threads"), (on(), ""),
])  # fmt: skip
def test_what_only_a_gpu_can_see(found: on_gpu.OnGpu, words: str) -> None:
    said = on_gpu.advice(found)
    assert words in said if words else said == ""


def test_the_time_and_the_kernels_are_told() -> None:
    first, head, row = on_gpu.told(on(share=0.1))
    assert first.startswith("On this GPU a call with n = 1,048,576 takes 1.00 s; its launches")
    assert "occupancy" in head and row.split()[:2] == ["k", "1"]
