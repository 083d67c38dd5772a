"""Which clause of the rule for records a message shows; and silence where it shows none."""

import pytest

from grader.study import records

pytestmark = [pytest.mark.reads("grader/study"), pytest.mark.unit]

CALL = "odd_even::records(order, level, value, payload, 2, live, 6) on six records: "


@pytest.mark.parametrize(("first", "second", "why"), [
    ("0/9/9", "1/1/5", "it is live, and a record of order 0 comes after all that are."),
    ("2/1/5", "1/3/1", "both are live, and its level 3 is higher than 1. How large their orders "
     "are does not count."),
    ("2/1/5", "2/3/1", "both are live, and its level 3 is higher than 1."),
    ("1/-3/-inf", "1/-3/-2.5e-07",
     "both are live, their levels are equal, and its value is larger."),
    ("0/1/1", "0/2/2", ""),  # neither belongs before the other
    ("2/3/1", "1/1/5", ""),
    ("2/3/1", "1/3/1", ""),
    ("2/3/1", "0/3/1", ""),
])  # fmt: skip
def test_two_records_in_the_wrong_order(first: str, second: str, why: str) -> None:
    said = CALL + f"not in order: {first} at index 1 comes before {second}; first wrong at index 1"
    stage = {"verdict": "wrong answer", "message": said}
    assert records.rule(stage) == (f"{second} belongs before {first}: {why}" if why else "")
    assert not records.rule({**stage, "verdict": "race"})
    assert not records.rule({**stage, "message": said.replace("live, 6)", "live, 3301)")})


@pytest.mark.parametrize(("got", "part"), [
    ("1/3/9  3/3/5  2/1/1", "value"),
    ("1/3/9  9/3/4  2/1/1", "order"),
    ("1/3/9  3/7/4  2/1/1", "level"),
    ("1/3/9  3/7/4  3/3/1", ""),  # two parts
    ("1/3/9  2/2/2", ""),
])  # fmt: skip
def test_a_part_of_a_record_that_stays(got: str, part: str) -> None:
    said = (CALL + "wrong set of values: 3/3/4 occurs once in the input and not at all in the "
            f"output; first wrong\n  index  0\n  got  {got}\n  expected  3/3/4")  # fmt: skip
    found = records.cause({"verdict": "wrong answer", "message": said})
    assert [cause.split(" does")[0] for cause in found] == [f"A record's {part}"] * bool(part)


def test_which_records_are_live() -> None:
    said = {"verdict": "wrong answer", "message": CALL + "counted 2 live records, there are 4"}
    assert records.rule(said) == records.LIVE
    assert not records.rule({**said, "verdict": "race"})


def test_where_a_coordinate_is() -> None:
    said = CALL + "the payload did not move with its record: coordinate 0 at index 3 is 1, expected"
    stage = {"verdict": "wrong answer", "message": said}
    assert records.rule(stage).startswith("Coordinate d of record i is payload[d * n + i].")
    assert not records.rule({**stage, "message": said.replace("live, 6)", "live, 66001)")})


@pytest.mark.parametrize(("said", "words"), [
    ("counted -1 live records, there are 0; before the call *live was -1", "*live is what it was"),
    ("equal keys changed places; first wrong at index 4: got 0/8/7, expected 0/9/9", "Of two"),
    ("equal keys changed places; first wrong at index 2: got 1/1/5, expected 2/1/5", "Two live"),
    ("equal keys changed places; first wrong at index 2: got 0, expected -0", ""),  # no records
    ("counted 3 live records, there are 4; before the call *live was -1", ""),
    ("the payload did not move with its record: coordinate 0 at index 3 is 1, expected 2", ""),
    ("not in order: 3 at index 1 comes before 2; first wrong at index 1", ""),
])  # fmt: skip
def test_what_else_a_message_of_records_shows(said: str, words: str) -> None:
    found = records.cause({"verdict": "wrong answer", "message": CALL + said})
    assert [cause[: len(words)] for cause in found] == ([words] if words else [])


@pytest.mark.parametrize(("counted", "due", "is_said"), [
    (1024, 4, True),
    (128, 4, True),
    (5, 4, False),
    (8, 4, False),
    (0, 4, False),
    (7, 0, False),
])  # fmt: skip
def test_a_block_s_count_that_each_thread_adds(counted: int, due: int, is_said: bool) -> None:
    message = f"{CALL}counted {counted} live records, there are {due}"
    found = records.cause({"verdict": "wrong answer", "message": message})
    assert [one.startswith(f"{counted} is {counted // (due or 1)} times") for one in found] == [
        True] * is_said  # fmt: skip


@pytest.mark.parametrize(("place", "is_said"), [
    ("float* at = r.payload + static_cast<size_t>(d) * r.dimensions + i;", True),
    ("swap(payload[i * dimensions + d], payload[(i + 1) * dimensions + d]);", True),
    ("float* at = payload + d * n + i;", False),
    ("cudaMalloc(&payload, n * dimensions * sizeof(float));", False),
])  # fmt: skip
@pytest.mark.parametrize("said", [
    "the payload did not move with its record: coordinate 0 at index 0 is 0, expected 4",
    "global memory payload[3] (48 bytes): kernel k: thread (0,0,0) writes at a.cu:3",
])  # fmt: skip
def test_a_payload_whose_places_come_from_the_dimensions(
    place: str, is_said: bool, said: str
) -> None:
    source = f"// BEGIN STAGE 3 records: rule\nvoid records() {{\n{place}\n}}\n// END STAGE 3"
    stage = {"name": "records", "verdict": "race", "message": CALL + said}
    found = records.interleaved(stage, "a.cu", source)
    assert [one.startswith("Line 3 multiplies") for one in found] == [True] * is_said
    assert not records.interleaved({**stage, "verdict": "timed out"}, "a.cu", source)
    assert not records.interleaved({**stage, "message": CALL + "x"}, "a.cu", source)
