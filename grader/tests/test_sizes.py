"""At which size a stage goes wrong, and the numbers of the file that lie there; else nothing."""

import pytest

from grader.base.verdict import RACE, WRONG_ANSWER
from grader.study import sizes

CONTRACT = "inline constexpr std::size_t kTile = 1024;\n"
SOURCE = """constexpr unsigned kKeys = kTile, kThreads = kKeys / 2, kOther = 700;
// BEGIN STAGE 1 shared: all
void shared(float* keys, unsigned n) {
  const unsigned tiles = n / kKeys;
  sort<<<tiles, kThreads>>>(keys, n);
  if (tiles > 1) merge<<<tiles, kKeys / 2>>>(keys, n);
}
// END STAGE 1
"""


def stage(right: str, wrong: str, verdict: str = WRONG_ANSWER) -> dict[str, str]:
    message = f"b::shared({wrong}) on keys: not in order: 2 at index 0 comes before 1"
    return {"name": "shared", "verdict": verdict,
            "message": f"{message}\nthe call made 1 launch\nstill right: b::shared({right})"}


@pytest.mark.parametrize(("right", "wrong", "said"), [
    ("keys, 1024", "keys, 1025", "n = 1024 is right, n = 1025 is wrong; kKeys is 1024."),
    ("keys, 1025", "keys, 1034", "n = 1025 is right, n = 1034 is wrong; kKeys is 1024."),
    ("keys, 512", "keys, 513", "n = 512 is right, n = 513 is wrong; kThreads is 512; blocks of "
     "lines 5 and 6 have 512 threads."),
    ("keys, 513", "keys, 1000", "n = 513 is right, n = 1000 is wrong; kThreads is 512; blocks "
     "of lines 5 and 6 have 512 threads."),
    ("keys, 600", "keys, 900", "n = 600 is right, n = 900 is wrong."),  # kOther is not used
    ("keys, 8, 33", "keys, 8, 64", "n = 33 is right, n = 64 is wrong."),
    ("keys, 31", "keys, 32", ""),
    ("keys, 64, 8", "keys, 65, 9", ""),
])  # fmt: skip
def test_what_lies_between_a_right_size_and_a_wrong_one(right: str, wrong: str, said: str) -> None:
    assert sizes.told(stage(right, wrong), "b.cu", SOURCE, CONTRACT) == said


def test_the_sizes_of_a_race_are_those_of_the_wrong_answer_that_came_of_it() -> None:
    made = stage("keys, 512", "keys, 513", RACE)
    made["message"] = "b::shared(keys, 1025): shared memory tile[1]: ...\n" + made["message"]
    said = sizes.told(made, "b.cu", SOURCE, CONTRACT)
    assert said.startswith("n = 512 is right, n = 513 is wrong; kThreads is 512;")


def test_nothing_is_said_without_a_call_that_was_right() -> None:
    made = stage("keys, 64", "keys, 65")
    made["message"] = made["message"].partition("\nstill")[0]
    assert not sizes.told(made, "b.cu", SOURCE, CONTRACT)
