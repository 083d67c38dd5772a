"""Slips of places: two keys at one, a list that gets too full, an index far beyond the end; what
the drawing of a small graph tells; silence for twins."""

from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.base.verdict import WRONG_ANSWER
from grader.judging.judge import check_once
from grader.judging.workers import build_for_grading, make_checked
from grader.lab_file import manifest
from grader.sandbox import bubblewrap
from grader.study import paths, places
from grader.tests import choice

pytestmark = [pytest.mark.reads("grader/study", "labs/05-sssp", "reference/05-sssp", "judging")]

BOTH = ("{}: shared memory key[1]: kernel k, block (0,0,0): thread (1,0,0) writes at a.cu:5; "
        "thread (2,0,0) writes at a.cu:5; both write this element, and chance decides which "
        "value stays\n{} on {}: wrong set of values: x")  # fmt: skip


def row(message: str, verdict: str = "wrong answer") -> dict[str, object]:
    return {"name": "relax", "verdict": verdict, "message": message, "cases": []}


@pytest.mark.unit
@pytest.mark.parametrize(("call", "keys", "is_named"), [
    ("in_place::in_place(keys, 5)", "the article's keys 1, 5, 2, 4, 7", True),
    ("rank_sort::global(in, out, 7)", "7 distinct keys, shuffled (seed 3)", True),
    ("in_place::in_place(keys, 5)", "the keys 1, 5, 2, 5, 7", False),  # two are equal
    ("rank_sort::global(in, out, 7)", "7 keys of seven values (seed 3)", False),
    ("in_place::fast(keys, 5, 1)", "the keys 1, 5, 2, 4, 7", False),  # its places are no ranks
    ("odd_even::phases(keys, 5)", "the keys 1, 5, 2, 4, 7", False),
])  # fmt: skip
def test_two_keys_that_differ_at_one_place(call: str, keys: str, is_named: bool) -> None:
    message = BOTH.format(call, call, keys)
    found = places.same_rank(row(message, "race"))
    assert [cause[:21] for cause in found] == ["Two keys that differ "] * is_named
    assert not places.same_rank(row(message, "crashed"))


ONLY = ("f(keys, 1) on {}: wrong set of values: {} occurs once in the input and not at all in the "
        "output; first wrong at index 0: got {}, expected {}")  # fmt: skip


@pytest.mark.unit
@pytest.mark.parametrize(("given", "key", "got", "is_named"), [
    ("1 distinct key, shuffled (seed 9)", "0", "nan(0xff800001)", True),
    ("1 distinct keys, shuffled (seed 9)", "0", "7", True),  # as the judge says it
    ("33 arrays of 1 key, array 0", "2.5", "inf", True),
    ("1 key of seven values", "2", "nan(0xffffffff)", False),  # nobody has written it
    ("1 key of seven values", "2:7", "2:0", False),  # the key is right
    ("12 distinct keys", "0", "inf", False),
])  # fmt: skip
def test_something_else_in_place_of_the_only_key(
    given: str, key: str, got: str, is_named: bool
) -> None:
    message = ONLY.format(given, key, got, key)
    found = places.only_key_lost(row(message))
    assert [cause.partition(".")[0] for cause in found] == [
        f"The only key is {key}, and {got} came out".partition(".")[0]] * is_named  # fmt: skip
    assert not places.only_key_lost(row(message, "race"))


PAST = ("global memory{} ({} bytes){}: kernel k, block (0,0,0), thread (0,0,0) {} 4 bytes past its "
        "end at a.cu:3")  # fmt: skip
LIST = "void push() {\n  int place = atomicAdd(count, 1);\n  items[place] = v;\n}\n"


@pytest.mark.unit
@pytest.mark.parametrize(("what", "element", "does", "source", "is_named"), [
    (", buffer 239", ", element 6", "writes", LIST, True), (" items[6]", "", "writes", LIST, True),
    (" items[6]", "", "reads", LIST, False),
    (" items[6]", "", "writes", LIST.replace("int place = ", ""), False),  # counts, no place
    (" items[6]", "", "writes", LIST.replace("int place", "// place"), False),
])  # fmt: skip
def test_a_list_that_gets_too_full(
    what: str, element: str, does: str, source: str, is_named: bool
) -> None:
    found = PAST.format(what, 24, element, does)
    said = places.list_overflows(row("f() wrote outside", "wrote outside"), found, "a.cu", source)
    assert [cause[:42] for cause in said] == [
        "The place comes from the atomicAdd in line"
    ] * is_named
    assert not places.list_overflows(row("", "wrote outside"), found, "b.cu", source)


@pytest.mark.unit
@pytest.mark.parametrize(("what", "size", "said"), [
    (" in[256]", 4, "in has 1 element, and line 3 uses in[256]. Compare"),
    (" in[7]", 20, "in has 5 elements, and line 3 uses in[7]. Compare"),
    (" in[5]", 20, ""),  # the next one has causes of its own
    (", buffer 7", 20, ""),
])  # fmt: skip
def test_an_index_far_beyond_the_end(what: str, size: int, said: str) -> None:
    found = places.beyond_the_end(row("", "crashed"), PAST.format(what, size, "", "reads"))
    assert [cause[: len(said)] for cause in found] == [said] * bool(said)
    shared = PAST.format(what, size, "", "reads").replace("global", "shared")
    assert not places.beyond_the_end(row("", "crashed"), shared)


DETOUR = ("sssp::relax(start, end, weight, 4, 4, 0, dist) on an edge and a detour, source 0: "
          "dist[1] = {0}, should be 3: no path is this short (1 of 4 distances are wrong)\n"
          "  edges     {{0, 1}} 10, {{0, 2}} 1, {{2, 3}} 1, {{1, 3}} {1}\n"
          "  index     0  1  2  3\n  got       0  {0}  1  2\n  expected  0  3  1  2")  # fmt: skip


@pytest.mark.unit
@pytest.mark.parametrize(("got", "weight", "is_named"), [
    ("1", "1", True),
    ("2", "1", False),  # no edge to 1 has this weight
    ("10", "1", False),  # over the source's edge, nothing is missing
])  # fmt: skip
def test_a_weight_in_place_of_a_distance(got: str, weight: str, is_named: bool) -> None:
    found = paths.cause(row(DETOUR.format(got, weight)))
    assert [cause[:50] for cause in found] == [
        "dist[1] = 1 is the weight of the edge {3, 1} alone"] * is_named  # fmt: skip
    assert not paths.cause(row(DETOUR.format(got, weight), "race"))
    assert not paths.cause(row(DETOUR.format(got, weight).partition("\n")[0]))  # nothing is drawn


COUNTED = ("sssp::edges(offsets, targets, weights, 3, 4, start, end, weight) on a chain: returned "
           "{} edges, should be 2\n  got       {}\n  expected  {{0, 1}} 3, {{1, 2}} 1")  # fmt: skip


@pytest.mark.unit
@pytest.mark.parametrize(("got", "listed", "said"), [
    ("1", "{0, 1} 3, {1, 2} 1", "The list is right: it has all 2 edges. But the call returned 1."),
    ("0", "unwritten, unwritten", "No arc was listed at all."),
    ("1", "{0, 1} 3, unwritten", ""),
    ("2", "unwritten, unwritten", ""),
])  # fmt: skip
def test_a_number_of_edges(got: str, listed: str, said: str) -> None:
    found = paths.cause(row(COUNTED.format(got, listed)))
    assert [cause[: len(said)] for cause in found] == [said] * bool(said)


ARRANGED = ("sssp::arrange(start, end, weight, 2, 3, 1, label) on x, segments of 1: arranged edge "
            "1, {{1, 2}} of weight 1, is not an edge of the list, or is in it less often\n"
            "  edges     {{0, 1}} 3, {{1, 2}} 1\n  labels    0 is 1, 1 is 0, 2 is 2\n"
            "  got       {}")  # fmt: skip


@pytest.mark.unit
@pytest.mark.parametrize(("got", "is_named"), [
    ("{0, 1} 3, {1, 2} 1", True), ("{2, 1} 1, {0, 1} 3", True), ("{0, 1} 3, {0, 2} 1", False),
    ("{0, 1} 3, {1, 2} 3", False), ("{0, 1} 3, unwritten", False),
])  # fmt: skip
def test_edges_with_their_old_numbers(got: str, is_named: bool) -> None:
    found = paths.cause(row(ARRANGED.format(got)))
    assert [cause[:22] for cause in found] == ["The arranged edges sti"] * is_named


@pytest.mark.unit
def test_a_source_that_is_not_at_zero() -> None:
    message = (
        "sssp::relax(start, end, weight, 1, 2, 0, dist) on x, source 0: dist[0] = {}, should be {}"
    )
    [said] = paths.cause(row(message.format("inf", "0: it is the source")))
    assert said.startswith("The source is at inf. Either nobody sets dist[0] to 0")
    assert not paths.cause(row(message.format("inf", "3: nothing")))


@pytest.mark.parametrize(("stage", "right", "wrong", "said"), choice.first_of(1, [
    ("relax", "dist[u] = to_v + w;  // another", "dist[u] = w;  //",
     "dist[1] = 1 is the weight of the edge {3, 1} alone"),
    ("edges", "return read_back(first.data() + n);", "return read_back(first.data() + n) - 1;",
     "The list is right: it has its 1 edge. But the call returned 0."),
    ("edges", "i < offsets[v + 1] && targets[i] > v", "i < offsets[v + 1] - 1 && targets[i] > v",
     "No arc was listed at all."),
    ("locality", "u = label[start[e]], v = label[end[e]];", "u = start[e], v = end[e];",
     "The arranged edges still have the old numbers of their vertices"),
], Path(paths.__file__), Checkout.here().labs / "05-sssp"))  # fmt: skip
def test_a_small_graph_is_drawn_and_read(stage: str, right: str, wrong: str, said: str) -> None:
    here = Checkout.here()
    lab = manifest.find(manifest.discover(here), "05")
    source = (here.reference / lab.name / lab.source).read_text()
    assert right in source
    build_for_grading(here, "cpu")
    text = source.replace(right, wrong).encode()
    bench, message = make_checked(here, lab, text, 1, bubblewrap.find())
    assert bench is not None, message
    run = check_once(bench, stage)
    assert run.verdict == WRONG_ANSWER
    found = paths.cause({"name": stage, "verdict": run.verdict, "message": run.message})
    assert [cause[: len(said)] for cause in found] == [said], run.message
