"""At which size a stage goes wrong, and the numbers of the file that lie there; else nothing."""

import pytest

from grader.base.verdict import RACE, WRONG_ANSWER
from grader.study import sizes

CONTRACT = "inline constexpr std::size_t kTile = 1024;\n"
SOURCE = """constexpr unsigned kKeys = kTile, kThreads = kKeys / 2, kOther = 700;
// BEGIN STAGE 1 shared: all
void sort_in(float* keys, unsigned n) {
  const unsigned tiles = n / kKeys;
  sort<<<tiles, kThreads>>>(keys, n);
}
// END STAGE 1
"""


def stage(right: str, wrong: str, verdict: str = WRONG_ANSWER) -> dict[str, str]:
    message = f"b::shared({wrong}) on keys: not in order: 2 at index 0 stands before 1"
    return {"name": "shared", "verdict": verdict,
            "message": f"{message}\nthe call made 1 launch\nstill right: b::shared({right})"}


@pytest.mark.parametrize(("right", "wrong", "said"), [
    ("keys, 1024", "keys, 1025", "It is right for 1024, and wrong for 1025. kKeys is 1024."),
    ("keys, 1025", "keys, 1034", "It is right for 1025, and wrong for 1034. kKeys is 1024."),
    ("keys, 512", "keys, 513", "It is right for 512, and wrong for 513. kThreads is 512. Blocks of "
     "line 5 have 512 threads."),
    ("keys, 513", "keys, 1000", "It is right for 513, and wrong for 1000. kThreads is 512. Blocks "
     "of line 5 have 512 threads."),
    ("keys, 600", "keys, 900", "It is right for 600, and wrong for 900."),  # kOther is not used
    ("keys, 33, 8", "keys, 64, 8", "It is right for 33, and wrong for 64."),
    ("keys, 31", "keys, 32", ""),
    ("keys, 64, 8", "keys, 65, 9", ""),
])  # fmt: skip
def test_what_lies_between_a_right_size_and_a_wrong_one(right: str, wrong: str, said: str) -> None:
    assert sizes.told(stage(right, wrong), "b.cu", SOURCE, CONTRACT) == said


def test_nothing_is_said_without_a_call_that_was_right() -> None:
    assert not sizes.told(stage("keys, 64", "keys, 65", RACE), "b.cu", SOURCE, CONTRACT)
    made = stage("keys, 64", "keys, 65")
    made["message"] = made["message"].partition("\nstill")[0]
    assert not sizes.told(made, "b.cu", SOURCE, CONTRACT)
