"""Slips of numbers: what stands for what does not exist, numbers for bits; silence for twins."""

import pytest

from grader.study import numbers

pytestmark = [pytest.mark.reads("grader/study"), pytest.mark.unit]

SOURCE = """
// BEGIN STAGE 1 global: idea (1 line)
void global(float* keys, int n) {{ {code} }}
// END STAGE 1
"""
PADDED = ("f(keys, 5) on 5 keys: wrong set of values: 3 stands once in the input and not at all in "
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
])  # fmt: skip
def test_a_padding_among_the_keys(got: str, due: str, code: str, is_named: bool) -> None:
    pairs = zip(got.split(), due.split(), strict=True)
    first = next(pair for pair in pairs if pair[0] != pair[1])
    message, source = PADDED.format(*first, got, due), SOURCE.format(code=code)
    found = numbers.padded(row(message), "a.cu", source)
    assert [cause.startswith(f"{first[0]} is there too often") for cause in found] == [
        True] * is_named  # fmt: skip
    assert not numbers.padded(row(message, "race"), "a.cu", source)


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
