"""One of a thing is singular, whatever a template says; more than one is not."""

import pytest

from grader.base.text import counted, singular, verb

pytestmark = [pytest.mark.reads("grader/base"), pytest.mark.unit]


@pytest.mark.parametrize(("said", "shown"), [
    ("f(keys, 0) made 1 launches; the contract", "f(keys, 0) made 1 launch; the contract"),
    ("on 1 arrays of 31 keys (seed 1)", "on 1 array of 31 keys (seed 1)"),
    ("on 1 distinct keys, shuffled (seed 9)", "on 1 distinct key, shuffled (seed 9)"),
    ("dynamic shared memory (1 bytes), element 0", "dynamic shared memory (1 byte), element 0"),
    ("a chain of 1 vertices", "a chain of 1 vertex"),
    ("on 31 keys and 11 launches", "on 31 keys and 11 launches"),
    ("0.1 keys, -1 keys and 2.1 bytes", "0.1 keys, -1 keys and 2.1 bytes"),
    ("1 keystrokes", "1 keystrokes"),
    ("only the first 1 phases change something", "only the first phase changes something"),
    ("only the first 2 phases change something", "only the first 2 phases change something"),
])  # fmt: skip
def test_one_of_a_thing_is_singular(said: str, shown: str) -> None:
    assert singular(said) == shown


def test_a_count_has_its_word() -> None:
    assert (counted(1, "point"), counted(1.0, "point")) == ("1 point", "1 point")
    assert (counted(2, "day"), counted(1.5, "day"), counted(0, "day")) == (
        "2 days", "1.5 days", "0 days")  # fmt: skip
    assert counted(1_000_000, "row") == "1000000 rows"
    assert (verb(1, "wait"), verb(2, "wait"), verb(0, "wait")) == ("waits", "wait", "wait")
