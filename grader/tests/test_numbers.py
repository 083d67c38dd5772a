"""Slips of numbers: what stands for what does not exist, numbers for bits; silence for twins."""

import pytest

from grader.study import numbers

pytestmark = [pytest.mark.reads("grader/study"), pytest.mark.unit]

SOURCE = """
// BEGIN STAGE 1 global: idea (1 line)
void global(float* keys, int n) {{ {code} }}
// END STAGE 1
"""
PADDED = ("f(keys, 5) on 5 keys: wrong set of values: 3 occurs once in the input and not at all in "
          "the output; first wrong at index 0: got {}, expected {}\n"
          "  index     0  1  2  3\n  got       {}\n  expected  {}")  # fmt: skip
DISTANCE = "s::relax(w, 3, dist) on a star, source 0: dist[1] = {}, should be {}: x"


def row(message: str, verdict: str = "wrong answer") -> dict[str, object]:
    return {"name": "global", "verdict": verdict, "message": message}


@pytest.mark.parametrize(("got", "due", "code", "is_named"), [
    ("0 0 0 1", "1 2 3 4", "fill(0);", True),
    ("-2 0 0 1", "-2 1 2 3", "fill(0);", True),
    ("-2 1 1e+09", "-2 1 3.4e+38", "fill(1e9f);", True),
    ("-2 1 inf", "-2 1 7", "fill(INFINITY);", True),
    ("-2 1 inf", "-2 1 7", "fill(n);", False),  # no number of the stage's own
    ("0 0 0 2", "1 2 3 4", "fill(0);", False),  # 1 is lost, too
    ("5 1 2 3", "1 2 3 4", "fill(0);", False),
    ("0 0", "-0.25 0", "fill(0);", False),  # what is lost comes before it
    ("0 0", "0 nan(0x7fc00000)", "fill(0);", True),
])  # fmt: skip
def test_a_padding_among_the_keys(got: str, due: str, code: str, is_named: bool) -> None:
    pairs = zip(got.split(), due.split(), strict=True)
    first = next(pair for pair in pairs if pair[0] != pair[1])
    message, source = PADDED.format(*first, got, due), SOURCE.format(code=code)
    found = numbers.padded(row(message), "a.cu", source)
    assert [cause.startswith(f"{first[0]} is there too often") for cause in found] == [
        True] * is_named  # fmt: skip
    assert not numbers.padded(row(message, "race"), "a.cu", source)


TILED = """
constexpr int kTile = 256, kNoKey = {filler};
// BEGIN STAGE 1 global: idea (1 line)
__global__ void count(const float* in, float* out, int n) {{
  __shared__ int tile[kTile];
  int own[4];
  own[0] = threadIdx.x < n ? in[threadIdx.x] : 0;
  {load}
}}
void global(const float* in, float* out, int n) {{ count<<<1, 256>>>(in, out, n); }}
// END STAGE 1
"""
LOAD = "tile[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : {};"
BEYOND = "f(in, out, {0}) wrote outside its buffer: out[{1}], but out has {0} element{2}"


@pytest.mark.parametrize(("n", "place", "filler", "load", "is_named"), [
    (1, 255, "0", LOAD.format("kNoKey"), True), (1, 255, "INT_MAX", LOAD.format("0"), True),
    (1, 255, "0", LOAD.format("0.0f"), True), (2, 254, "7", LOAD.format("kNoKey"), True),
    (1, 255, "0x7FC00000", LOAD.format("kNoKey"), False),  # comes after every key
    (1, 255, "INT_MAX", LOAD.format("kNoKey"), False),
    (1, 255, "-1", LOAD.format("kNoKey"), False),  # may be the largest without a sign
    (1, 255, "0", LOAD.format("last(n)"), False),
    (1, 255, "0", "", False),  # `own` is each thread's alone
    (1, 100, "0", LOAD.format("kNoKey"), False),  # no tile has as many places
    (5, 256, "0", LOAD.format("kNoKey"), False),
])  # fmt: skip
def test_a_padding_that_is_counted(
    n: int, place: int, filler: str, load: str, is_named: bool
) -> None:
    message = BEYOND.format(n, place, "s" * (n > 1))
    source = TILED.format(filler=filler, load=load)
    found = numbers.padding_counted(row(message, "wrote outside"), "a.cu", source)
    assert [cause.partition(":")[0] for cause in found] == [
        f"out[{place}] is no place of {n} key{'s' * (n > 1)}"] * is_named  # fmt: skip
    assert all("Line 8 puts " in cause for cause in found)
    assert not numbers.padding_counted(row(message, "race"), "a.cu", source)


@pytest.mark.parametrize(("got", "due", "code", "is_named"), [
    ("1e+09", "inf", "start(1e9);", True),
    ("3.40282347e+38", "inf", "start(FLT_MAX);", True),
    ("1e+09", "inf", "start(n);", False),
    ("1e+09", "7", "start(1e9);", False),
])  # fmt: skip
def test_a_number_that_is_no_infinity(got: str, due: str, code: str, is_named: bool) -> None:
    message, source = DISTANCE.format(got, due), SOURCE.format(code=code)
    found = numbers.no_infinity(row(message), "a.cu", source)
    assert [cause.startswith(f"{got} is no infinity") for cause in found] == [True] * is_named
    assert not numbers.no_infinity(row(message, "race"), "a.cu", source)


@pytest.mark.parametrize(("got", "due", "words"), [
    ("4.20389539e-45", "3", ["4.20389539e-45 is the float with the bits of the integer 3"]),
    ("1.0779463e+09", "3.25", []),
    ("1.0789847e+09", "3.25", ["1.0789847e+09 is the integer with the bits of the float 3.25"]),
    ("4", "3", []),
    ("0", "3", []),
])  # fmt: skip
def test_a_number_for_bits(got: str, due: str, words: list[str]) -> None:
    found = numbers.number_for_bits(row(DISTANCE.format(got, due)))
    assert [cause[: len(word)] for cause, word in zip(found, words, strict=True)] == words


@pytest.mark.parametrize(("got", "is_said"), [("-1", True), ("-inf", True), ("1", False),
                                              ("0", False)])  # fmt: skip
def test_a_distance_below_zero(got: str, is_said: bool) -> None:
    message = DISTANCE.format(got, "3")
    found = numbers.below_zero(row(message))
    assert [one.startswith(f"{got} is less than 0") for one in found] == [True] * is_said
    assert not numbers.below_zero(row(message, "race"))
