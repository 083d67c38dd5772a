"""Slips around an exchange: each cause for its own failure, and none for what looks alike."""

import pytest

from grader.study import exchanges

pytestmark = [pytest.mark.reads("grader/study"), pytest.mark.unit]

EXCHANGE = "if (keys[j] < keys[i]) { float a = keys[i]; keys[i] = keys[j]; keys[j] = a; }"
SOURCE = """
__global__ void step(float* keys, int n) {{
  int i = threadIdx.x, j = i + 1;
  {body}
}}
void global(float* keys, int n) {{
  // BEGIN STAGE 1 global: launch
  {code}
  // END STAGE 1
}}
"""
LAUNCH = "step<<<1, n>>>(keys, n);"
RACE = ("f(keys, 5): global memory keys[1] (20 bytes): kernel step, block (0,0,0): thread (0,0,0) "
        "writes at a.cu:4; thread (1,0,0) reads at a.cu:4; no __syncthreads() between")  # fmt: skip


def row(message: str, verdict: str = "wrong answer") -> dict[str, object]:
    return {"name": "global", "verdict": verdict, "message": message}


@pytest.mark.parametrize(("body", "message", "is_named"), [
    (EXCHANGE, RACE, True),
    (EXCHANGE, RACE.replace("keys[1]", "level[1]"), False),
    (EXCHANGE, RACE.replace("global memory", "shared memory"), False),
    (EXCHANGE, RACE.replace("a.cu", "kit.hpp"), False),
    (EXCHANGE + " __syncthreads();", RACE, False),  # perhaps in the wrong place
    (f"for (int p = 0; p < n; ++p) {{ {EXCHANGE} }}", RACE, False),  # several steps in a launch
    ("keys[i] = keys[j];", RACE, False),
])  # fmt: skip
def test_pairs_that_overlap(body: str, message: str, is_named: bool) -> None:
    source = SOURCE.format(body=body, code=LAUNCH)
    found = exchanges.overlapping(row(message, "race"), "a.cu", source)
    assert [cause[:33] for cause in found] == ["Threads (0,0,0) and (1,0,0) both "] * is_named
    assert not exchanges.overlapping(row(message), "a.cu", source)


LOST = "f(keys, 8) on 8 keys: wrong set of values: 1 occurs {}; first wrong at index 1: got 1, x"


@pytest.mark.parametrize(("said", "body", "code", "is_named"), [
    ("once in the input and 2 times in the output", EXCHANGE, LAUNCH, True),
    ("once in the input and not at all in the output", EXCHANGE, LAUNCH, True),
    ("2 times in the input and once in the output", EXCHANGE, LAUNCH, True),
    ("once in the input and 2 times in the output", "keys[i] = 1;", LAUNCH, False),
    ("once in the input and 2 times in the output", "keys[i] = in[j] + in[i];", LAUNCH, False),
    ("once in the input and 2 times in the output", EXCHANGE, "cudaMalloc(&p, n);" + LAUNCH, False),
    ("once in the input and 2 times in the output", EXCHANGE + " __syncthreads();", LAUNCH, False),
])  # fmt: skip
def test_a_key_that_is_lost(said: str, body: str, code: str, is_named: bool) -> None:
    source = SOURCE.format(body=body, code=code)
    found = exchanges.lost(row(LOST.format(said)), "a.cu", source)
    assert [cause[:17] for cause in found] == ["An exchange loses"] * is_named
    message = LOST.format(said)
    for other in ("f(keys, 8): not in order", message.replace("8 keys", "8 keys with NaN"),
                  message.replace(": 1 ", ": 1/3/4 ")):  # fmt: skip
        assert not exchanges.lost(row(other), "a.cu", source)


def test_an_exchange_that_writes_one_of_its_places() -> None:
    message = LOST.format("once in the input and 2 times in the output")
    only = "Of the two places of an exchange only keys[i] is "
    both = "An exchange loses one of its two keys: both places are"
    for body, said in (("keys[i] = keys[j];", only), (EXCHANGE, both)):
        source = SOURCE.format(body=body, code=LAUNCH)
        [cause] = exchanges.lost(row(message), "a.cu", source)
        assert cause.startswith(said)


TWICE = ("f(keys, {}) on {} keys: wrong set of values: 1 occurs once in the input and 2 times in "
         "the output; first wrong at index 1: got 1, expected 2")  # fmt: skip


@pytest.mark.parametrize(("body", "n", "is_named"), [
    ("tile[i] = b;\n tile[j] = b;\n __syncthreads();", 2, True),
    ("tile[i] = min(a, b); tile[j] = min(a, b);", 2, True),
    ("tile[i] = b;\n tile[j] = b;\n __syncthreads();", 3, False),  # of three keys nobody knows
    ("tile[i] = keys[i];\n __syncthreads();\n tile[rank] = mine;\n __syncthreads();", 2, False),
    ("tile[i] = b;\n tag[j] = b;\n __syncthreads(); tile[i] = tile[j];", 2, False),
])  # fmt: skip
def test_one_of_two_keys_in_both_places(body: str, n: int, is_named: bool) -> None:
    source = SOURCE.format(body=body, code=LAUNCH)
    found = exchanges.lost(row(TWICE.format(n, n)), "a.cu", source)
    assert [cause[:30] for cause in found] == ["Of the two keys 1 is there twi"] * is_named


SMALLER = "keys[i] = fminf(a, b); keys[j] = fmaxf(a, b);"


@pytest.mark.parametrize(("key", "got", "due"), [("-0", "0", "-0"), ("1", "2", "1")])
def test_a_key_that_fmin_loses_is_no_lost_exchange(key: str, got: str, due: str) -> None:
    source = SOURCE.format(body=f"const float a = keys[i], b = keys[j]; {SMALLER}", code=LAUNCH)
    said = (f"f(keys, 31) on 31 keys: wrong set of values: {key} occurs 2 times in the input and "
            f"not at all in the output; first wrong at index 11: got {got}, expected {due}")
    assert not exchanges.lost(row(said), "a.cu", source)
    assert exchanges.lost(row(said), "a.cu", source.replace("minf", "x").replace("maxf", "y"))


NAN = ("f(keys, 5) on 5 keys with NaN (seed 48): wrong set of values: inf occurs once in the input "
       "and 2 times in the output; first wrong at index 4: got inf, expected nan(0x7fbf535a)")


@pytest.mark.parametrize(("body", "words"), [
    ("keys[i] = i < n ? in[i] : INFINITY;", ["INFINITY in place of keys"]),
    ("keys[i] = i < n ? in[i] : __int_as_float(0x7f800000);", ["0x7f800000 in place of k"]),
    ("keys[i] = i < n ? in[i] : __builtin_inff();", ["__builtin_inff() in place of k"]),
    (SMALLER, ["Of a NaN and a number fminf() gi"]),
    (f"keys[i] = INFINITY; {SMALLER}", []),
    (EXCHANGE, []),
])  # fmt: skip
def test_a_nan_that_is_gone(body: str, words: list[str]) -> None:
    source = SOURCE.format(body=body, code=LAUNCH)
    found = exchanges.nan_lost(row(NAN), "a.cu", source)
    assert [one[: len(word)] for one, word in zip(found, words, strict=True)] == words
    for other in (NAN.replace(": inf", ": 7"), NAN.replace("expected nan", "expected 5")):
        assert not exchanges.nan_lost(row(other), "a.cu", source)
    assert not exchanges.nan_lost(row(NAN, "race"), "a.cu", source)


PAIRS = "f(k, v, 4): wrong set of values: -inf:13 occurs once in the input and not at all in the {}"


@pytest.mark.parametrize(("end", "is_named"), [
    ("output; first wrong at index 0: got -inf:76, expected -inf:13", True),
    ("output; x: got 1:7, expected 1:3\n  index  0 1\n  got  1:7 2:5\n  expected  1:3 2:5", True),
    ("output; x: got 1:7, expected 1:3\n  index  0 1\n  got  1:7 2:5\n  expected  1:3 3:5", False),
    ("output; x: got nan(0x7fc00000):1, expected nan(0x7fbf535a):1", False),
])  # fmt: skip
def test_values_that_are_not_with_their_keys(end: str, is_named: bool) -> None:
    found = exchanges.left_behind(row(PAIRS.format(end)))
    assert [cause[:18] for cause in found] == ["The keys are right"] * is_named
    assert not exchanges.left_behind(row(PAIRS.format(end), "race"))
    assert not exchanges.left_behind(row(PAIRS.format(end).replace("v, 4)", "v, 1)")))


@pytest.mark.parametrize(("order", "code", "is_named"), [
    ("0 at index 0 comes before -0.25; ", "bits(__float_as_uint(a));", True),
    ("-1 at index 0 comes before -2; ", "*(unsigned*)&a;", True),
    ("5 at index 0 comes before 2; ", "bits(__float_as_uint(a));", False),
    ("0 at index 0 comes before -0.25; ", "a < b;", False),
    ("-nan(0x1) at index 0 comes before -2; ", "bits(__float_as_uint(a));", False),
])  # fmt: skip
def test_negative_keys_as_bits(order: str, code: str, is_named: bool) -> None:
    message = f"f(keys, 2) on 2 keys: not in order: {order}first wrong at index 0"
    source = SOURCE.format(body="", code=code)
    cases = [{"name": "global sorts eight keys", "verdict": "passed"}]
    found = exchanges.order_of_bits({**row(message), "cases": cases}, "a.cu", source)
    for other in ({**row(message), "cases": [{**cases[0], "verdict": "race"}]},
                  {**row(message.replace("s, 2)", "s, 1025)")), "cases": cases}):  # fmt: skip
        assert not exchanges.order_of_bits(other, "a.cu", source)
    assert [cause[:16] for cause in found] == ["A negative float"] * is_named
