"""Slips of beginners, in words that help: what the compiler adds, what never ended, where."""

import dataclasses

import pytest

from grader.base.checkout import Checkout
from grader.intake.submission import take_in
from grader.lab_file.manifest import Lab
from grader.study import causes, compiler_words, signature, slips, told, where
from grader.study.excerpt import excerpt, places

pytestmark = [pytest.mark.reads("grader/study"), pytest.mark.unit]

STOPPED = "f(in): the call did not return within 2 s; it last said:\n"
DOCUMENT = {"seed": {"public": 1, "secret": False}, "backend": "cpu"}


def row(verdict: str, message: str) -> dict[str, object]:
    return {"name": "global", "verdict": verdict, "message": message, "case": "", "cases": [],
            "handout": None}  # fmt: skip


# ---- what never ended ----


@pytest.mark.parametrize(("said", "words"), [
    ("the host was still launching kernels: 1078977 launches in 10.0 s so far, the last one of "
     "relax<float>", "A loop on the host launches relax<float> without end"),
    ("the host was still launching kernels: 1077 launches in 10.0 s so far, the last one of relax",
     "Each of the 1077 launches took 9.29 ms, long for one step of many. Does relax do in"),
    ("kernel relax was still running (block (0,0,0), thread (7,0,0))", "A loop in relax never"),
    ("no kernel was running: the host's own code went on after launch 3, of relax",
     "A loop on the host never ends; the last kernel before it was relax."),
])  # fmt: skip
def test_what_never_ended_is_the_likely_cause(said: str, words: str) -> None:
    [cause] = slips.endless(row("timed out", STOPPED + said))
    assert cause.startswith(words)
    assert slips.endless(row("crashed", STOPPED + said)) == ()
    assert slips.endless(row("timed out", STOPPED.partition(";")[0])) == ()


@pytest.mark.parametrize(("said", "found", "words"), [
    ("f(in, 5): failed: e: kernel k: zero blocks (a.cu:7)", "", "The number of blocks is 0."),
    ("f(in, 5): failed: e: kernel k: zero threads per block (a.cu:7)", "", "The number of threads"),
    ("a::f(in, 0): failed: e: kernel k: zero threads per block (a.cu:7)", "", "A block of as many"),
    ("f(in, 5, 10): kernel k: zero threads per block at a.cu:7", "", "The number of threads"),
    ("f(in, 0, 33): kernel k: zero threads per block at a.cu:7", "", "A block of as many"),
    ("f(in, 5): failed: e: kernel k: 16 blocks; at most 8", "", ""),
    ("f(keys, 9): an array of type 'float [8]': kernel k, block (0,0,0), thread (0,0,0) uses index "
     "8 at a.cu:30, outside of the array", "", "The array has 8 elements, and its last index is"),
    ("f(keys, 9): an array of type 'float [8]': kernel k, block (0,0,0), thread (0,0,0) uses index "
     "9 at a.cu:30, outside of the array", "", ""),
    ("f(keys, 9): shared memory s[8]: kernel k, block (0,0,0), thread (3,0,0) reads 4 bytes past "
     "its end at a.cu:30", "", "s ends before s[8]. Either"),
    ("kernel k: 1,025 threads per block; at most 1,024 (a.cu:7)", "", "A block has 1,024"),
    ("f(keys, 2): the program was ended (SIGSEGV): kernel k, block (0,0,0), thread (0,0,0): invalid"
     " access at (nil) at a.cu:3", "", "The pointer is null: "),
    ("f(keys, 2): kernel k, block (0,0,0), thread (0,0,0): invalid access at 0x8 at a.cu:3", "",
     ""),
    ("kernel k of 1,024 threads per block wrote nothing", "", ""),
    ("f(in, 5): kernel k, block (0,0,0): __syncthreads() at a.cu:32 is reached by 5 threads, 27 of "
     "32 have left the kernel", "", "Some threads of the block returned before this barrier."),
    ("kernel k, block (0,0,0): __syncthreads() at a.cu:3 is reached by 1 thread, 1 of 2 has left "
     "the kernel", "", "Some threads of the block returned before this barrier."),
    ("kernel k, block (0,0,0): __syncthreads() at a.cu:32 is reached by 5 threads, 27 of 32 wait "
     "elsewhere", "", ""),
    ("shared memory: kernel k, block (0,0,0), thread (0,0,0) writes 4 bytes although the launch "
     "asked for no dynamic shared memory at a.cu:4", "", "An array that is extern __shared__"),
    ("shared memory: kernel k, block (0,0,0), thread (0,0,0) writes 4 bytes past the end", "", ""),
    ("dynamic shared memory (8 bytes), element 2: kernel k, block (0,0,0), thread (2,0,0) reads 4 "
     "bytes past its end at a.cu:4", "", "An array that is extern __shared__ is as large"),
    ("dynamic shared memory (1 bytes), element 0: kernel k, block (0,0,0), thread (0,0,0) writes 4 "
     "bytes across its end at a.cu:4", "", "An array that is extern __shared__ is as large"),
    ("dynamic shared memory (8 bytes), element 2: kernel k: a race at a.cu:4", "", ""),
    ("dynamic shared memory (1 byte), element 0: kernel k, block (0,0,0), thread (0,0,0) writes 4 "
     "bytes across its end at a.cu:4", "", "An array that is extern __shared__ is as large"),
    ("f(in, 5): host memory: kernel k, block (0,0,0), thread (0,0,0) reads 4 bytes at a.cu:8; a "
     "kernel can only use memory of the device", "", "k got an address in the host's memory"),
    ("f(in, 5): host memory changed by kernel k", "", ""),
    ("f(keys, 5) with the device's memory full: ended: invalid access at 0x14", "f(keys, 5) with "
     "the device's memory full: no memory: kernel k writes 4 bytes at a.cu:53, where the program "
     "has none: the pointer is null", "In this test the device has no memory left: cudaMalloc"),
    ("f(keys, 5): no memory: kernel k writes 4 bytes at a.cu:53, where the program has none: the "
     "pointer is null", "", ""),
    ("f(keys, 1): cudaCreateTextureObject(&t) at a.cu:1: the texture's memory, which sizeInBytes "
     "tells, is smaller than one element (e)", "", "sizeInBytes counts bytes"),
    ("f(keys, 1): cudaCreateTextureObject(&t) at a.cu:1: the texture's memory is null", "", ""),
    ("f(keys, 1) wrote outside its buffer", "global memory count[2] (16 bytes): kernel k, thread "
     "(0,0,0) reads what was never written since cudaMalloc, at a.cu:2", "Memory of cudaMalloc, "),
    ("f(keys, 5): an array of type 'float [1024]': kernel k, block (0,0,0), thread (0,0,0) uses "
     "index -1 at a.cu:37, outside of the array", "", "The index is -1."),
    ("f(keys, 513): an array of type 'float [512]': kernel k, block (0,0,0), thread (512,0,0) uses "
     "index 512 at a.cu:30, outside of the array", "", "The array has 512 elements, but thread"),
    ("f(keys, 513): an array of type 'float [512]': kernel k, block (0,0,0), thread (5,0,0) uses "
     "index 512 at a.cu:30, outside of the array", "", "The array has 512 elements, and its last"),
    ("kernel k, block (0,0,0): threads of one block wait at different __syncthreads(): 1 thread at "
     "a.cu:3 and thread (1,0,0) at a.cu:9", "", "A __syncthreads() is inside an if or a loop"),
    ("f(in, 5) wrote outside: out[-1]", "global memory out[-1] (20 bytes): kernel k, block "
     "(0,0,0), thread (0,0,0) writes 4 bytes before its beginning at a.cu:3", "The index is -1."),
    ("f(in, 5): shared memory s[3]: kernel k, block (0,0,0), thread (2,0,0) reads what was never "
     "written in this block, at a.cu:49", "", "No thread of the block has stored s[3], and"),
    ("f(in, 5): global memory s[3]: kernel k, block (0,0,0), thread (2,0,0) reads what was never "
     "written, at a.cu:49", "", ""),
    ("f(in, 5) wrote outside: out[-2]", "global memory out[-2] (20 bytes): kernel k, block "
     "(0,0,0), thread (0,0,0) writes 4 bytes before its beginning at a.cu:3", "The index is neg"),
    ("f(in, 5) wrote outside", "global memory, buffer 16, other (8 bytes), element -1: kernel k, "
     "thread (0,0,0) writes 4 bytes before its beginning at a.cu:3", "The index is -1."),
    ("f(in, 5) wrote outside", "global memory, buffer 16, other (8 bytes), element -128: kernel k, "
     "thread (0,0,0) writes 4 bytes before its beginning at a.cu:3", "The index is negative."),
    ("warning: kernel k, block (0,0,0): __syncthreads() at a.cu:3 is reached by 1 thread, 1 of 2 "
     "has left the kernel", "", ""),
    ("f(keys, 9): global memory keys[4] (36 bytes): kernel k: block (0,0,0) writes; block (1,0,0) "
     "reads; blocks are not ordered within a launch", "", "Within a launch no block waits"),
    ("copy direction: DeviceToHost given, the target is device memory", "", "The target is in"),
    ("copy direction: HostToDevice given, the source is device memory", "", "The source is in"),
    ("copy direction: DeviceToDevice given, the source is host memory", "", ""),
    ("copy direction: HostToDevice given, the target is host memory", "", "The target is a"),
    ("copy direction: DeviceToHost given, the source is host memory", "", "The source is a"),
    ("f(keys, 5) with the device's memory full: failed: a.cu:3: cudaMalloc(&p, 8): "
     "cudaErrorMemoryAllocation: out of memory", "", "In this test the device has no memory"),
    ("f(keys, 5): failed: a.cu:3: cudaMalloc(&p, 8): cudaErrorMemoryAllocation: out of memory", "",
     ""),
    ("the target has fewer than the 4,096 bytes that are copied, or has been freed", "",
     "cudaMalloc and cudaMemcpy count bytes"),
    ("f(in, 5) wrote outside", "global memory in[5] (20 bytes): kernel k, block (0,0,0), thread "
     "(5,0,0) reads 4 bytes past its end at a.cu:3", "Thread 5 has no element of in:"),
    ("f(in, 0)", "global memory start[0] (0 bytes): kernel k, block (0,0,0), thread (0,0,0) writes "
     "4 bytes past its end at a.cu:3", ""),  # the index may be of another kind
    ("f(in, 5) wrote outside", "global memory in[5] (20 bytes): kernel k, block (0,0,0), thread "
     "(4,0,0) reads 4 bytes past its end at a.cu:3", ""),
    ("f(in, 5) wrote outside", "global memory in[5] (20 bytes): kernel k, block (1,0,0), thread "
     "(5,0,0) reads 4 bytes past its end at a.cu:3", ""),
    ("f(in, 5) wrote outside", "shared memory in[5] (20 bytes): kernel k, block (0,0,0), thread "
     "(5,0,0) reads 4 bytes past its end at a.cu:3", ""),
    ("f(keys, 4) on the keys 2, 1, 4, 3: 5 launches, but only the first phase changes something: "
     "at most 4 launches are granted", "", "The loop goes on after an even and an odd phase"),
    ("f(keys, 4) on the keys 2, 1, 4, 3: 5 launches; the contract allows 4", "", ""),
])  # fmt: skip
def test_a_message_that_shows_its_cause_is_explained(said: str, found: str, words: str) -> None:
    causes_shown = slips.shown(row("crashed", said), found)
    assert [cause[: len(words)] for cause in causes_shown] == ([words] if words else [])


PAST = ("global memory in[{at}] ({bytes} bytes): kernel k: thread (0,0,0) {does} {width} bytes "
        "past its end at a.cu:3")  # fmt: skip
READS_PAST, WRITES_PAST = "one after the last element. Either", "one after the last place. Either"


@pytest.mark.parametrize(("at", "size", "width", "does", "words"), [
    (5, 20, 4, "reads", READS_PAST),
    (5, 40, 8, "reads", READS_PAST),
    (5, 20, 4, "writes", WRITES_PAST),
    (6, 20, 4, "reads", ""),  # too far for a slip of one
    (5, 24, 4, "reads", ""),
])  # fmt: skip
def test_an_index_that_is_one_too_large(
    at: int, size: int, width: int, does: str, words: str
) -> None:
    said = PAST.format(at=at, bytes=size, does=does, width=width)
    for message, found in ((said, ""), ("f(in) wrote outside", said)):
        causes_shown = slips.one_past_the_end(row("crashed", message), found)
        assert [words in cause for cause in causes_shown] == ([True] if words else [])
    shared = said.replace("global memory", "shared memory")
    assert not slips.one_past_the_end(row("crashed", shared), "")


@pytest.mark.parametrize(("test", "index", "words"), [
    ("j < blockDim.x", "j", "The loop in line 2 goes on while j < blockDim.x. That is not how many "
     "elements in has."),
    ("j < sizeof(in)", "j", "elements in has (sizeof of a pointer is the size of an address)."),
    ("j < n", "j", ""),
    ("j < blockDim.x", "t", ""),  # another index
])  # fmt: skip
def test_a_loop_that_ends_at_another_size(test: str, index: str, words: str) -> None:
    source = f"int rank = 0;\nfor (int j = 0; {test}; ++j)\n  rank += in[{index}] < mine;\n"
    said = PAST.format(at=5, bytes=20, does="reads", width=4)
    told = slips.loop_of_another_length(row("crashed", said), "", source)
    assert [cause.endswith(words) for cause in told] == ([True] if words else [])


def test_an_index_of_minus_1_that_the_checker_saw_is_the_cause() -> None:
    seen = "global memory keys[{}] (8 bytes): kernel k reads 4 bytes before its beginning at a.cu:3"
    [cause] = slips.before_the_first(seen.format(-1))
    assert cause.startswith("The index is -1.")
    assert not slips.before_the_first(seen.format(-2))
    assert not slips.before_the_first(seen.format(2).replace("before its beginning", "past it"))


def test_a_value_that_nobody_set() -> None:
    said = "f(in, 1): got nan(0xffffffff); the buffer held its input, so the call wrote "
    [cause] = slips.wrote_what_nobody_set(row("wrong answer", said + "nan(0xffffffff)"))
    assert cause.startswith("nan(0xffffffff) is what memory")
    for verdict, end in (("race", "nan(0xffffffff)"), ("wrong answer", "nan(0x7fc00000)")):
        assert not slips.wrote_what_nobody_set(row(verdict, said + end))


@pytest.mark.parametrize(("verdict", "said", "lacks"), [
    ("crashed", "f(in): kernel k: invalid access at 0x7fc2a243a2f0 at a.cu:3", True),  # of what?
    ("crashed", "f(in): ended by a signal", True),
    ("crashed", "f(in): global memory in[5] reads 4 bytes past its end at a.cu:3", False),
    ("wrote outside", "f(in) wrote outside its buffer: out[5]", True),
    ("wrong answer", "f(in): invalid access at 0x7fc2a243a2f0 at a.cu:3", False),
    ("wrong answer", "f(in): so the call wrote nan(0xffffffff)", True),
    ("wrong answer", "f(in): got 3, expected 4", False),
    ("wrong answer", "f(in, 2, 64): wrong set of values\n  got  0  nan(0xffffffff)", True),
    ("wrong answer", "f(in, 2, 65): wrong set\n  got  0  nan(0xffffffff)", False),  # takes long
    ("wrong answer", "f(in, 2, 64): wrong set of values\n  got  0  1", False),
    ("race", "f(in, 2, 64): wrong set of values\n  got  0  nan(0xffffffff)", False),
])  # fmt: skip
def test_the_checker_is_asked_where_it_may_know_more(verdict: str, said: str, lacks: bool) -> None:
    assert where.lacks_a_place(row(verdict, said), "a.cu") == lacks


@pytest.mark.parametrize(("size", "words", "named"), [
    (2, "writes 4 bytes across its end", True),
    (10, "reads 8 bytes across its end", True),
    (8, "writes 4 bytes across its end", False),  # the pointer is odd
    (10, "writes 4 bytes past its end", False),
])  # fmt: skip
def test_memory_that_was_counted_in_elements(size: int, words: str, named: bool) -> None:
    said = f"global memory, buffer 16, other ({size} bytes), element 0: kernel k: {words} at a.cu:1"
    for message, found in ((said, ""), ("f(in) wrote outside", said)):
        causes_shown = slips.counted_in_elements(row("crashed", message), found)
        assert [f"has {size} bytes" in cause for cause in causes_shown] == [True] * named


@pytest.mark.parametrize(("race", "also", "named"), [
    ("both write this element, and chance decides which value stays", "513 equal keys (", True),
    ("both write this element, and chance decides which value stays", "513 distinct keys", False),
    ("no __syncthreads() between", "513 equal keys (seed 145)", False),
])  # fmt: skip
def test_equal_keys_in_one_place(race: str, also: str, named: bool) -> None:
    said = f"f(keys, 792): shared memory m[3]: k; {race}\nf(keys, 513) on {also}: wrong set"
    assert bool(slips.same_place(row("race", said))) == named
    assert not slips.same_place(row("wrong answer", said))


@pytest.mark.parametrize(("verdict", "call", "named"), [
    ("crashed", "f(keys, 1073741825)", True),
    ("timed out", "b::f(keys, 4294967304)", True),
    ("crashed", "f(keys, 1073741824)", False),
    ("wrong answer", "f(keys, 1073741825)", False),  # says what should have been returned
    ("crashed", "f(keys, 5): 10737418250 bytes", False),
])  # fmt: skip
def test_a_call_that_had_to_be_refused(verdict: str, call: str, named: bool) -> None:
    found = slips.too_long(row(verdict, f"{call}: invalid access"))
    assert ["must be refused before" in cause for cause in found] == [True] * named


@pytest.mark.parametrize(("verdict", "call", "named"), [
    ("crashed", "b::f(keys, values on the host, 8)", True),
    ("wrote outside", "b::f(values on the host, 8)", True),
    ("wrong answer", "b::f(keys, values on the host, 8)", False),  # says what should be returned
    ("crashed", "b::f(keys, values, 8) on the host", False),
])  # fmt: skip
def test_a_pointer_that_had_to_be_refused(verdict: str, call: str, named: bool) -> None:
    found = slips.on_the_host(row(verdict, f"{call}: invalid access"))
    assert ["In this test values is a" in cause for cause in found] == [True] * named


UPDATED = ("f(dist): global memory dist[0] (16 bytes): kernel k, block (0,0,0): thread (0,0,0) {} "
           "at a.cu:1; thread (1,0,0) {} at a.cu:9; no __syncthreads() between")  # fmt: skip


@pytest.mark.parametrize(("one", "other", "named"), [
    ("updates atomically", "reads", True),
    ("reads", "updates atomically", True),
    ("updates atomically", "writes", False),
    ("writes", "reads", False),
])  # fmt: skip
def test_a_plain_read_beside_atomics(one: str, other: str, named: bool) -> None:
    found = slips.read_beside_atomics(row("race", UPDATED.format(one, other)))
    assert [cause.startswith("dist[0] is read while") for cause in found] == [True] * named


@pytest.mark.parametrize(("said", "named"), [
    ("s::relax_double(w, 3, dist) on sums that round, source 3: dist[0] = 9007199254740992, should "
     "be 9007199254740994: no path is this short", True),
    ("s::edges_double(w, 13) on two vertices: edge 1 is {0, 1} of weight 2.0000045299530029, "
     "should be {0, 1} of weight 2.0000046301140766", True),
    ("b::registers_doubles(keys, 5): got 1.0000000000000002, expected 1", False),  # its neighbour
    ("s::relax(w, 3, dist) on sums: dist[0] = 9007199254740992, should be 9007199254740994", False),
    ("s::relax_double(w, 3, dist) on sums: dist[0] = 16, should be 17", False),
    ("s::relax_double(w, 3, dist) on sums: dist[0] = inf, should be 17", False),
    ("s::relax_double(w, 3, dist) on sums: dist[0] = 3, should be 3.0", False),
])  # fmt: skip
def test_a_double_that_went_through_a_float(said: str, named: bool) -> None:
    found = slips.narrowed(row("wrong answer", said))
    assert ["so much a float holds" in cause for cause in found] == [True] * named
    assert not slips.narrowed(row("race", said))


@pytest.mark.parametrize(("one", "other", "named"), [
    (r"b\x00b", r"b\x00a", True),
    (r"b\x00", r"b\x00a", True),
    (r"b\x00b...", r"b\x00a...", False),  # cut
    (r"bb", r"ba", False),
    (r"b\x00a", r"a\x00a", False),
    (r"b\x00a", r"bb", False),
])  # fmt: skip
def test_strings_that_differ_after_a_byte_0(one: str, other: str, named: bool) -> None:
    said = f'f(in, 8, 5) on 5 strings: not in order: "{one}" at index 2 comes before "{other}"; x'
    found = slips.byte_zero(row("wrong answer", said))
    assert [cause[:26] for cause in found] == ["The two strings are alike "] * named


def test_equal_keys_that_change_places() -> None:
    said = "f(keys, 31) on 31 keys: equal keys changed places; first wrong at index 12"
    [cause] = slips.equal_keys(row("wrong answer", said))
    assert cause.startswith("Equal keys must keep their order")
    assert not slips.equal_keys(row("race", said))
    assert not slips.equal_keys(row("wrong answer", "f(in): not in order\n" + said))


@pytest.mark.parametrize(("verdict", "said", "named"), [
    ("wrong answer", "f(in, 5) on 5 keys with NaN (seed 48): not in order", True),
    ("race", "kernel k: a race\nf(in, 5) on 5 keys with NaN (seed 48): not in order", True),
    ("wrong answer", "f(in, 256) on 256 keys with NaN (seed 136): not in order", False),
    ("wrong answer", "f(in, 8) on 8 keys of random bits, many of them NaN: wrong", False),
    ("wrong answer", "on 5 keys with NaN (seed 48): so the call wrote nan(0xffffffff)", False),
    ("wrong answer", "on 5 keys with NaN (seed 48): nothing was written to index 0: got "
     "nan(0xffffffff)", True),
    ("wrong answer", "f(in, 5) on 5 distinct keys (seed 41): got nan, and NaN", False),
    ("crashed", "f(in, 5) on 5 keys with NaN (seed 48): crashed", False),
])  # fmt: skip
def test_a_first_failure_with_nan_names_nan(verdict: str, said: str, named: bool) -> None:
    assert bool(slips.only_with_nan(row(verdict, said))) == named


@pytest.mark.parametrize(("before", "after", "words"), [
    ("ff8f40ff", "7f86ff39", "Both keys are NaN, and they differ"),
    ("ff873727", "ff8afea9", "Both keys are NaN with a sign"),
    ("7f8afea9", "7f873727", "Both keys are NaN without a"),
    ("ff8afea9", "", "A NaN with a sign bit comes too"),
    ("7f8afea9", "", "The first input that fails"),
])  # fmt: skip
def test_of_two_nans_the_rule_is_said(before: str, after: str, words: str) -> None:
    said = ("bitonic::global(keys, 32) on 32 keys with NaN (seed 64): not in order: "
            f"nan(0x{before}) at index 29 comes before {after and f'nan(0x{after})' or '-1.5'}; "
            "first wrong at index")  # fmt: skip
    for call, begin in ((said, words), (said.replace("bitonic", "rank_sort"), "The first input")):
        [cause] = slips.only_with_nan(row("wrong answer", call))
        assert cause.startswith(begin)


@pytest.mark.parametrize(("code", "named"), [
    ("fill<<<1, 1>>>(big, __int_as_float(0xFFFFFFFF));", False), ("cudaMemset(p, 0xff, n);", False),
    ("fill<<<1, 1>>>(big, INFINITY);", True), ("x = bits & 0xFF00;", True),
])  # fmt: skip
def test_a_padding_of_ones_is_no_memory_that_nobody_set(code: str, named: bool) -> None:
    source = f"  // BEGIN STAGE 1 global: idea (about 9 lines)\n  {code}\n  // END STAGE 1\n"
    stage = row("wrong answer", f"f(keys, 5): got nan(0xffffffff); {slips.WRITTEN_UNSET}")
    assert bool(slips.wrote_what_nobody_set(stage, "a.cu", source)) == named


@pytest.mark.parametrize(("lost", "got", "is_changed"), [
    ("nan(0x7fbf535a):17", "nan(0x7fc00000):17", True),
    ("nan(0x7fbf535a)", "3", False),
    ("3", "nan(0x7fc00000)", False),
])  # fmt: skip
def test_a_nan_with_other_bits(lost: str, got: str, is_changed: bool) -> None:
    said = (f"f(in, 5) on 5 keys with NaN (seed 48): wrong set of values: {lost} occurs once in "
            f"the input and not at all in the output; first wrong at index 4: got {got}, expected")
    [cause] = slips.only_with_nan(row("wrong answer", said))
    assert cause.startswith("A NaN came out with other bits") == is_changed


@pytest.mark.parametrize(("verdict", "said", "found", "named"), [
    ("crashed", "f(in): (SIGSEGV): kernel k, block (0,0,0): invalid access at (nil)", "", True),
    ("crashed", "kernel k: invalid access at 0x3f80\nmore", "", True),
    ("crashed", "kernel k: invalid access at an address that cannot exist", "", True),
    ("crashed", "kernel k: invalid access at 0x3f80 at a.cu:7", "", False),
    ("crashed", "kernel k: invalid access at (nil)", "kernel k uses index 8 at a.cu:3", False),
    ("crashed", "f(in): host code accesses (nil)", "", False),
    ("race", "kernel k: invalid access at (nil)", "", False),
])  # fmt: skip
def test_a_crash_without_a_line_has_a_likely_cause(
    verdict: str, said: str, found: str, named: bool
) -> None:
    shown = slips.overwritten_stack(row(verdict, said), found)
    assert ["overwritten its own stack" in cause for cause in shown] == [True] * named


@pytest.mark.parametrize(("verdict", "said", "name"), [
    ("race", "f(in): shared memory rank: kernel k, block (0,0,0): thread (0,0,0) reads", "rank"),
    ("race", "f(in): shared memory rank[3]: kernel k, block (0,0,0): thread (0,0,0) reads", ""),
    ("race", "f(in): global memory out: kernel k\nshared memory rank: kernel k", ""),
    ("crashed", "f(in): shared memory rank: kernel k, block (0,0,0)", ""),
])  # fmt: skip
def test_a_variable_that_all_threads_share_is_named(verdict: str, said: str, name: str) -> None:
    shown = slips.one_for_all(row(verdict, said))
    assert [cause.split()[0] for cause in shown] == ([name] if name else [])


@pytest.mark.parametrize(("code", "named"), [
    ("if (a == NAN) return false;", True), ("if (NAN != a) return a < b;", True),
    ("if (isnan(a)) return false;", False), ("best = NAN;", False), ("a <= kNAN", False),
    ("// a == NAN is false", False), ("if (a == NANOSECONDS) return 1;", False),
])  # fmt: skip
def test_who_compares_with_nan_is_told_that_nothing_equals_it(code: str, named: bool) -> None:
    source = f"// BEGIN STAGE 1 global: idea (1 line)\n{code}\n// END STAGE 1\n"
    for verdict, is_cause in (("race", named), ("wrong answer", named), ("timed out", False)):
        assert bool(slips.equals_nan(row(verdict, ""), "a.cu", source)) == is_cause
    others = {**row("race", ""), "name": "strided"}  # another stage's code is no cause
    assert slips.equals_nan(others, "a.cu", source) == ()


@pytest.mark.parametrize(("said", "named"), [
    ("a.cu:2:7: warning: ‘rank’ may be used uninitialized [-Wmaybe-uninitialized]", True),
    ("a.cu:2:7: warning: ‘rank’ is used uninitialized [-Wuninitialized]", True),
    ("a.cu:2:7: warning: ‘rank$’ may be used uninitialized [-Wmaybe-uninitialized]", True),
    ("a.cu:2:7: warning: ‘rank$0’ may be used uninitialized [-Wmaybe-uninitialized]", True),
    ("a.cu:4:7: warning: ‘rank’ is used uninitialized [-Wuninitialized]", False),  # elsewhere
    ("b.hpp:2:7: warning: ‘rank’ is used uninitialized [-Wuninitialized]", False),
    ("a.cu:2:7: warning: unused variable ‘rank’ [-Wunused-variable]", False),
])  # fmt: skip
def test_a_variable_without_a_value_is_named(said: str, named: bool) -> None:
    source = "// BEGIN STAGE 1 global: idea (1 line)\nint rank;\n// END STAGE 1\nint rank;\n"
    shown = slips.without_value(row("wrote outside", ""), "a.cu", source, said + "\n")
    assert [cause.startswith("rank may be used before it has a value (line 2)")
            for cause in shown] == [True] * named  # fmt: skip


def test_a_record_of_what_took_too_long_fits_whatever_was_not_tried_after_it() -> None:
    known = causes.Mistake("global", "timed out", "", "f(in): did not return", {"b": "0"}, "x.", "")
    assert known.fits(dataclasses.replace(known, others={"b": "1", "c": "1"}))
    assert not known.fits(dataclasses.replace(known, message="g(in): did not return"))


# ---- the compiler's words ----

COUT = """a.cu:2:8: error: ‘cout’ is not a member of ‘std’
    2 |   std::cout << n;
a.cu:1:1: note: ‘std::cout’ is defined in header ‘<iostream>’; did you forget to ‘#include it’?
a.cu:3:1: error: another
"""
DEDUCED = """a.cu:2:8: error: no matching function for call to ‘k(int)’
a.cu:1:24: note: candidate: ‘template<class O> void k(int)’
a.cu:2:8: note:   couldn’t deduce template parameter ‘O’
"""


@pytest.mark.parametrize(("said", "note"), [
    (COUT, "‘std::cout’ is defined in header ‘<iostream>’; did you forget to ‘#include it’?"),
    (DEDUCED, "couldn’t deduce template parameter ‘O’"),
])  # fmt: skip
def test_a_note_that_says_what_to_do_is_kept(said: str, note: str) -> None:
    text = '#include "a.hpp"\n  std::cout << n;\n'
    assert note in compiler_words.errors(said, "a.cu", text)
    without = "\n".join(line for line in said.splitlines() if "note:" not in line)
    assert note not in compiler_words.errors(without, "a.cu", text)


def test_a_note_to_the_second_error_is_not_the_firsts() -> None:
    said = "a.cu:1:1: error: first\n" + COUT
    assert not any("iostream" in line for line in compiler_words.errors(said, "a.cu", "int a;\n"))


def test_a_name_is_shown_on_the_line_of_the_launch_that_has_it() -> None:
    text = "void f() {\n  sort<Ascendng>\n      <<<1, 2>>>(keys);\n}\n"
    said = "a.cu:3:9: error: ‘Ascendng’ was not declared in this scope\n"
    shown = compiler_words.errors(said, "a.cu", text)
    assert shown[0].startswith("a.cu:2:8: error: ") and shown[2].index("^") == 8 + 7
    elsewhere = compiler_words.errors(said.replace("Ascendng", "other"), "a.cu", text)
    assert elsewhere[0].startswith("a.cu:3:")


def test_two_chevrons_are_one_too_few() -> None:
    said = "a.cu:1:2: error: invalid operands of types ‘void(int)’ to binary ‘operator<<’\n"
    [*_, advice] = compiler_words.errors(said, "a.cu", "k<<1, 2>>(n);\n")
    assert advice.startswith("A launch has three of each")
    assert "three" not in compiler_words.errors(said, "a.cu", "std::cout << k;\n")[-1]


INDEXED = "a.cu:1:22: error: no match for ‘operator*’ (operand types are ‘uint3’ and ‘dim3’)\n"
GIVEN = "a.cu:1:2: error: no matching function for call to "


@pytest.mark.parametrize(("said", "text", "words"), [
    (INDEXED, "  int i = blockIdx * blockDim.x;", "blockIdx has three parts: blockIdx.x"),
    ('a.cu:1:14: error: macro "CUDA_CHECK" passed 2 arguments, but takes just 1\n',
     "  CUDA_CHECK(k<<<1, 256>>>(in));", "A launch has no value to check."),
    ('a.cu:1:14: error: macro "CUDA_CHECK" passed 2 arguments, but takes just 1\n',
     "  CUDA_CHECK(cudaFree(a), cudaFree(b));", ""),
    ("a.cu:1:29: error: invalid conversion from ‘cudaStream_t’ {aka ‘CUstream_st*’} to "
     "‘std::size_t’ {aka ‘long unsigned int’} [-fpermissive]\n", "  k<<<1, 256, s>>>(in);",
     "The third part of a launch is bytes"),
    ("a.cu:1:29: error: invalid conversion from ‘cudaStream_t’ {aka ‘CUstream_st*’} to "
     "‘std::size_t’ {aka ‘long unsigned int’} [-fpermissive]\n", "  f(s);", ""),
    ("a.cu:1:6: error: invalid types ‘float*[float]’ for array subscript\n", "  out[rank] = 1;",
     "An index must be an integer"),
    ("a.cu:1:6: error: lvalue required as left operand of assignment\n", "if (i < n and a = b) {",
     "= gives a value to what is left of it."),
    ("a.cu:1:6: error: invalid types ‘int[int]’ for array subscript\n", "  out[rank] = 1;", ""),
    (INDEXED, "  dim3 a = b * blockIdx.x;", ""),
    (GIVEN + "‘cudaMalloc(int*&, long unsigned int)’", "cudaMalloc(p, 4);", "cudaMalloc writes an"),
    (GIVEN + "‘cudaMalloc(int**, const char*)’", "cudaMalloc(&p, q);", ""),
    (GIVEN + "‘shared_variable<float [n]>(f(int)::<lambda()>)’", "__shared__ float a[n];",
     "the size of a __shared__ array must be a constant."),
    ("a.cu:1:2: error: ‘string’ in namespace ‘std’ does not name a type", "std::string a;", ""),
    ("a.cu:1:2: error: ‘rank’ does not name a type", "rank = 0;", "If this is code of a function"),
    ("a.cu:2:1: error: ‘_’ does not name a type", "int a;\n_\n", "The file ends here, in the midd"),
    ("a.cu:1:1: error: ‘rank’ does not name a type", "rank = b\nint a;", "If this is code of a"),
    ("a.cu:1:2: error: expected ‘}’ at end of input", "{\n", "or the rest of the file."),
])  # fmt: skip
def test_slips_of_the_first_week_are_told(said: str, text: str, words: str) -> None:
    lines = compiler_words.errors(said + "\n", "a.cu", text + "\n")
    assert any(words in line for line in lines) if words else len(lines) <= 3


def test_how_many_errors_follow_is_said_only_if_it_is_known() -> None:
    said = [f"a.cu:{line}:1: error: ‘a’ was not declared\n" for line in range(1, 13)]
    for count, words in ((11, "10 more errors follow; begin"), (12, "More errors follow; begin")):
        *_, last = compiler_words.errors("".join(said[:count]), "a.cu", "a;\n" * 12)
        assert last.startswith(words)


def test_a_second_main_is_named() -> None:
    said = "a.cu:9: multiple definition of `main'; lib/libworker.a(worker.o): first defined here"
    [shown] = compiler_words.errors(said, "a.cu", "int main() {}\n")
    assert shown.startswith("a.cu:9: error: a second main()")
    assert compiler_words.errors(said.replace("main", "helper"), "a.cu", "") == []


# ---- the message and the student's lines ----


def test_an_error_that_a_later_call_tells_names_its_place_once() -> None:
    failed = "a::f(in): failed: a.cu:9: cudaGetLastError(): cudaErrorLaunchFailure: unspecified: "
    barrier = "barrier: kernel k: threads wait at a.cu:3 and thread (5,0,0) at a.cu:7"
    assert told.plainly(failed + barrier) == (
        "a::f(in): kernel k: threads wait at a.cu:3 and thread (5,0,0) at a.cu:7 "
        "(cudaErrorLaunchFailure, seen after line 9)")  # fmt: skip
    asked = told.plainly(failed + "freed twice")
    assert asked == "a::f(in): freed twice (cudaErrorLaunchFailure, seen at a.cu:9)"
    call = ("a::f(in): failed: a.cu:9: cudaMemcpy(to, in, 4, kind): cudaErrorInvalidValue: invalid "
            "argument: the target is host memory")  # fmt: skip
    assert told.plainly(call) == ("a::f(in): cudaMemcpy(to, in, 4, kind) at a.cu:9: the target is "
                                  "host memory (cudaErrorInvalidValue)")  # fmt: skip


def test_where_nothing_was_written_no_value_is_told() -> None:
    said = "f(in): nothing was written to index 7; first wrong at index 7: got nan(0xf), expected 6"
    assert told.plainly(said) == "f(in): nothing was written to index 7, where 6 is expected"
    other = said.replace("wrong at index 7", "wrong at index 3")
    assert told.plainly(other) == other


def test_what_a_pair_is_made_of_is_said() -> None:
    said = "f(in): first wrong at index 0: got 1.5:2, expected nan(0x7f):-3"
    assert told.plainly(said) == said + " (each is key:value)"
    for other in ("got 1, expected 2", 'got "a:b", expected "b:a"'):
        plain = f"f(in): first wrong at index 0: {other}"
        assert told.plainly(plain) == plain


def test_of_a_write_outside_what_is_outside_comes_first() -> None:
    said = ["a race at a.cu:3", "global memory a[8]: thread 1 reads 4 bytes past its end at a.cu:4"]
    assert where._of("wrote outside", said) == said[1] and where._of("crashed", said) == said[0]
    assert where._of("wrote outside", said[:1]) == said[0]


def test_what_the_checker_adds_is_told_once(checkout: Checkout, lab: Lab) -> None:
    message = "f(in): ended: kernel k: division by zero"
    check = told.Check(checkout, lab, DOCUMENT, "a\nb\n", found={"global": "ended: kernel k: "
                       "division by zero at demo.cu:2"})  # fmt: skip
    lines = told.about(check, row("crashed", message))
    assert lines[0] == f"{message} at demo.cu:2" and not any("found:" in line for line in lines)
    other = dataclasses.replace(check, found={"global": "a race at demo.cu:2"})
    assert "found: a race at demo.cu:2" in told.about(other, row("crashed", message))


def test_a_function_with_other_parameters_is_told_from_one_that_does_nothing(
    checkout: Checkout, lab: Lab
) -> None:
    source = "// BEGIN STAGE 1 global: x\nint x;\n// END STAGE 1\n"
    check = told.Check(checkout, lab, DOCUMENT, source)
    told_so = told.about(check, row("not attempted", "the file does not define global"))[0]
    assert told_so.endswith(f"no function global with the parameters that {lab.contract} gives it")
    assert "left its output" in told.about(check, row("not attempted", "nothing written"))[0]


@pytest.mark.parametrize(("source", "rows"), [
    ("\nvoid  global(\n  float n)\n{\n}\n", ["demo.cu:2   void global( float n)"]),
    ("void globl(int n) {\n}\n", ["demo.cu defines no function global"]),
    ("// void global(int n) {\nvoid f() { global(3); }\n", ["demo.cu defines no function global"]),
    ("static void global(int k) { }\n",
     ["demo.cu:1   static void global(int k)"]),
    ("void global(int k) { }\n", ["demo.cu:1   void global(int k)",
                                   "They are alike: is yours in another namespace?"]),
])  # fmt: skip
def test_what_is_asked_and_what_there_is_are_shown(
    lab: Lab, source: str, rows: list[str]
) -> None:
    contract = "// void global();\n/// Stage 1.\nvoid global(int n);\nint other(int n);\n"
    told_ = [line.strip() for line in signature.told("global", lab, contract, source)]
    assert told_[0].split(maxsplit=1) == ["demo.hpp:3", "void global(int n);"[:-1]]
    assert told_[1:] == rows
    assert signature.told("none", lab, contract, source) == []


def test_what_happens_in_a_line_takes_the_place_of_its_comment() -> None:
    message = "kernel sort_per_block, block (1,0,0), thread (2,0,0) reads 4 bytes at a.cu:1"
    [shown] = excerpt('x = "//";  // mine\n', places(message, "a.cu"))
    assert shown == '->    1 | x = "//";    // block (1,0,0), thread (2,0,0) reads 4 bytes'
    assert excerpt("x;  // mine\n", {1: ""})[0].endswith("// mine")
    message = "kernel k, thread (2,0,0) reads what was never written, at a.cu:1"
    assert excerpt("x;\n", places(message, "a.cu")) == [
        "->    1 | x;    // thread (2,0,0) reads what was never written"]  # fmt: skip


@pytest.mark.parametrize(("data", "words"), [
    (b"a\nb\xfc\n", "(line 2, byte 4)"), (b"a\n\n\0", "a NUL byte in line 3"),
])  # fmt: skip
def test_a_text_that_is_none_names_the_line(
    checkout: Checkout, lab: Lab, data: bytes, words: str
) -> None:
    path = checkout.root / lab.source
    path.write_bytes(data)
    assert words in str(take_in(path, [lab]).refused[0])


@pytest.mark.parametrize(("code", "named"), [
    ("count[key] = count[key] + 1;", False), ("count[key]++;", True), ("++count[key];", True),
    ("count[key] += 1;", True), ("*sum |= bit;", True), ("if (x) --left;", True),
    ("for (int k = 0; k < n; ++k) out[rank + k] = mine[k];", False),  # it counts k, and no element
    ("for (int k = 0; k < size(n); ++k) out[k] += mine[k];", True),
    ("out[place++] = mine;", False), ("out[i] = mine;  // ++", False), ("out[i] <= mine;", False),
])  # fmt: skip
def test_an_update_without_atomics_is_named_if_the_line_reads_what_it_writes(
    code: str, named: bool
) -> None:
    said = "f(in): global memory a[0]: thread (0,0,0) writes at a.cu:2; thread (1,0,0) at a.cu:2"
    shown = slips.update_without_atomics(row("race", said), "a.cu", f"x\n{code}\n")
    assert [cause.split(":")[0] for cause in shown] == [
        "Several threads change one element here, and updates get lost"] * named  # fmt: skip


BY_ORDER = "the answer depends on the order in which the threads run: right in order forward"
LATE = ("sssp::edges(offsets, targets, weights, {n}, {arcs}, start, end, weight) on a tree: edge 7 "
        "is {{{got}, 313}} of weight 5, should be {{28, 29}} of weight 1")  # fmt: skip


@pytest.mark.parametrize(("verdict", "said", "code", "named"), [
    ("race", BY_ORDER, "int place = atomicAdd(count, 1);", True),
    ("race", BY_ORDER, "out[atomicAdd(count, 1)] = v;", True),
    ("race", BY_ORDER, "atomicAdd(count, 1);", False),  # a sum is the same in any order
    ("race", BY_ORDER, "// place = atomicAdd(count, 1);", False),
    ("race", "shared memory a[1]: no __syncthreads()", "int place = atomicAdd(count, 1);", False),
    ("wrong answer", LATE.format(n=900, arcs=5000, got=30), "p = atomicAdd(count, 1);", True),
    ("wrong answer", LATE.format(n=9, arcs=50, got=30), "p = atomicAdd(count, 1);", False),
    ("wrong answer", LATE.format(n=900, arcs=5000, got=28), "p = atomicAdd(count, 1);", False),
    ("crashed", LATE.format(n=900, arcs=5000, got=30), "p = atomicAdd(count, 1);", False),
])  # fmt: skip
def test_places_from_atomic_add_are_the_cause_of_another_order(
    verdict: str, said: str, code: str, named: bool
) -> None:
    source = f"// BEGIN STAGE 1 global: idea (1 line)\n{code}\n// END STAGE 1\n"
    shown = slips.places_as_they_come(row(verdict, said), "a.cu", source)
    assert ["in line 2 gives places in the order" in cause for cause in shown] == [True] * named
    assert not slips.places_as_they_come({**row(verdict, said), "name": "b"}, "a.cu", source)


@pytest.mark.parametrize(("said", "shown"), [
    ("f(keys, 1) on 1 arrays of 1 keys", "f(keys, 1) on 1 array of 1 key"),
    ("257 records of 1 dimensions: counted 1 live records", "257 records of 1 dimension: counted "
     "1 live record"), ("took 1 launches, 21 launches", "took 1 launch, 21 launches"),
])  # fmt: skip
def test_one_is_no_plural(said: str, shown: str) -> None:
    assert told.plainly(said) == shown


@pytest.mark.parametrize(("got", "more", "is_named"), [
    ("1 5 2 4 7", "", True),
    ("1 2 5 4 7", "", False),
    ("1 5 2 4", "", False),  # a drawing that is cut short
    ("1 5 2 4 7", "\nthe call left its buffers as they were", False),  # that is said already
])  # fmt: skip
def test_keys_that_stayed_where_they_were(got: str, more: str, is_named: bool) -> None:
    said = ("f(in, out, 5) on the article's keys 1, 5, 2, 4, 7: not in order: 5 at index 1 comes "
            f"before 2\n  index  0 1 2 3 4\n  got  {got}\n  expected  1 2 4 5 7{more}")
    found = slips.kept_its_place(row("wrong answer", said))
    assert [cause[:23] for cause in found] == ["Each key came out at th"] * is_named
    assert not slips.kept_its_place(row("race", said))
    assert not slips.kept_its_place(row("wrong answer", said.replace("keys 1", "5 keys, 1")))


def test_a_member_has_the_name_that_a_student_wrote() -> None:
    said = "a.cu:2:7: warning: ‘pair${}’ may be used uninitialized [-Wmaybe-uninitialized]"
    named = {part: compiler_words.parse(said.format(part))[0].text for part in ("first", "", "3")}
    assert [text.partition("’")[0] for text in named.values()] == ["‘pair.first", "‘pair", "‘pair"]


@pytest.mark.parametrize(("got", "due", "is_said"), [
    ("0  3  1  2", "1  2  4  5", True),
    ("1  5  2  4", "1  2  4  5", False),
    ("0  3", "1  2", False),  # perhaps by chance
    ("0  3  1  4", "1  2  4  5", False),
])  # fmt: skip
def test_ranks_where_keys_are_due(got: str, due: str, is_said: bool) -> None:
    message = ("f(in, out, 5) on the article's keys 1, 5, 2, 4, 7: wrong set of values: x\n"
               f"  index     0  1  2  3\n  got       {got}\n  expected  {due}")  # fmt: skip
    stage = {"verdict": "wrong answer", "message": message}
    assert bool(slips.ranks_for_keys(stage)) == is_said
    assert not slips.ranks_for_keys({**stage, "verdict": "race"})
    worded = message.replace("4, 7:", "4, 7, where the first phase changes nothing:")
    assert not slips.ranks_for_keys({**stage, "message": worded})
