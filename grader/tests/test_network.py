"""The strides that loops make, if no network has them; nothing of right and of unknown ones."""

import pytest

from grader.study import network

pytestmark = [pytest.mark.reads("grader/study"), pytest.mark.unit]

SOURCE = """
Result global(float* keys, std::size_t n) {{
  // BEGIN STAGE 1 global: launch
  const auto length = static_cast<unsigned>(n);
  {sizes}
    // a step
    {strides}
      step<<<1, n>>>(keys, size, stride);
  // END STAGE 1
}}
"""
SIZES = "for (unsigned size = 2; size <= length; size *= 2)"
STRIDES = "for (unsigned stride = size / 2; stride > 0; stride /= 2) {"
DUE = "A network for 8 keys has [1] [2 1] [4 2 1]."


def told(sizes: str, strides: str, n: int = 8, verdict: str = "wrong answer") -> str:
    message = f"bitonic::global(keys, {n}) on keys: not in order"
    stage = {"name": "global", "verdict": verdict, "message": message}
    found = network.strides(stage, "a.cu", SOURCE.format(sizes=sizes, strides=strides))
    return found[0] if found else ""


@pytest.mark.parametrize(("sizes", "strides", "groups"), [
    (SIZES.replace("<=", "<"), STRIDES, "[1] [2 1]"),
    (SIZES, STRIDES.replace("> 0", "> 1"), "[none] [2] [4 2]"),
    (SIZES, STRIDES.replace("size / 2", "size / 4"), "[none] [1] [2 1]"),
    (SIZES, STRIDES.replace("size / 2", "size >> 2").replace("/= 2", ">>= 1"), "[none] [1] [2 1]"),
    (SIZES, "for (int stride = 1; stride < size; stride *= 2)", "[1] [1 2] [1 2 4]"),
    (SIZES + " {\n const bool up = true;", STRIDES.replace("/= 2", "-= 2"), "[1] [2] [4 2]"),
    (SIZES.replace("= 2;", "= 4;"), STRIDES, "[2 1] [4 2 1]"),
])  # fmt: skip
def test_strides_that_no_network_has_are_shown(sizes: str, strides: str, groups: str) -> None:
    assert told(sizes, strides) == (
        "With n = 8 the loops in lines 5 and 7 go through the strides "
        f"{groups}: a group for each size. {DUE}".replace("7", "8" if "{" in sizes else "7")
    )


def test_a_network_for_any_length_covers_it() -> None:
    assert "A network for 5 keys has [1] [2 1] [4 2 1]." in told(SIZES, STRIDES, n=5)
    assert not told(SIZES.replace("size <=", "size / 2 <"), STRIDES, n=5)


def test_one_size_more_is_told_if_its_partners_do_not_exist() -> None:
    one_more = SIZES.replace("size <=", "size <= 2 *")
    assert "[8 4 2 1]" in told(one_more, STRIDES, verdict="wrote outside")
    assert not told(one_more, STRIDES)  # a kernel may leave out what is not there


@pytest.mark.parametrize(("sizes", "strides"), [
    (SIZES, STRIDES),
    (SIZES.replace("*= 2", "<<= 1"), STRIDES.replace("/= 2", ">>= 1")),
    (SIZES, STRIDES.replace("size / 2", "size").replace("> 0", "> 1")),  # twice: the article's
    ("for (unsigned size = 1; size < n; size = size * 2)", STRIDES.replace("size / 2", "size")),
    (SIZES + " {\n step<<<1, n>>>(keys, size);", STRIDES.replace("/ 2", "/ 4")),  # a first step
    ("step<<<1, n>>>(keys, 2);\n " + SIZES.replace("= 2;", "= 4;"), STRIDES),
    (SIZES, STRIDES.replace("> 0", "> last")),  # not known
    (SIZES, "unsigned stride = 1;\n while (stride < size)"),
    (SIZES, STRIDES.replace("stride /= 2", "stride = next(stride)")),
    (SIZES.replace("size *= 2", "size *= k"), STRIDES),
    ("for (int k = 1; k <= 3; ++k)", "for (int stride = 1 << (k - 1); stride; stride /= 2)"),
])  # fmt: skip
def test_nothing_is_said_of_right_ones_and_of_others(sizes: str, strides: str) -> None:
    assert not told(sizes, strides)
