"""Slips of counting: elements for bytes, a counter that is not set again; silence for twins."""

import time

import pytest

from grader.study import counts

pytestmark = [pytest.mark.reads("grader/study"), pytest.mark.unit]

MESSAGE = "r::global(in, out, 5) on 5 keys: not in order"
COPIES = """void global(const float* in, float* out, int n) {{
  // BEGIN STAGE 1 global: launch
  {code}
  // END STAGE 1
}}
void other(char* out, int n);
"""


def row(message: str = MESSAGE, verdict: str = "wrong answer") -> dict[str, object]:
    return {"name": "global", "verdict": verdict, "message": message, "cases": []}


@pytest.mark.parametrize(("code", "said"), [
    ("cudaMemcpy(out, d, n, cudaMemcpyDeviceToDevice);", "cudaMemcpy in line 3 counts bytes, and "
     "gets n: for so many elements it is n * sizeof(float)."),
    ("float* d; cudaMallocAsync(&d, n + 1, 0);", "cudaMalloc in line 3 counts bytes, and gets "
     "n + 1: for so many elements it is (n + 1) * sizeof(float)."),
    ("int *d = f(); cudaMemset(d, 0, n);", "cudaMemset in line 3 counts bytes, and gets n: for "
     "so many elements it is n * sizeof(int)."),
    ("int* d; cudaMemset(d, n, 4 * n);", ""),
    ("cudaMemcpy(out, d, n * sizeof(float), cudaMemcpyDeviceToDevice);", ""),
    ("cudaMemcpy(out, d, sizeof(float) * (n), cudaMemcpyDeviceToDevice);", ""),
    ("cudaMemcpy(out, d, bytes, cudaMemcpyDeviceToDevice);", ""),
    ("unsigned char* flags; cudaMalloc(&flags, n);", ""),
    ("kit::DeviceBuffer<bool> b(n); cudaMemset(b.data(), 0, n);", ""),
    ("auto a = flags(n); cudaMemset(a->data(), 0, n);", ""),
    ("float* d; cudaMalloc(&d);  // cudaMalloc(&d, n)", ""),
])  # fmt: skip
def test_elements_where_bytes_are_counted(code: str, said: str) -> None:
    source = COPIES.format(code=code)
    found = counts.bytes_as_elements(row(), "a.cu", source)
    assert found[0].startswith(said) if said else not found
    assert not counts.bytes_as_elements(row(verdict="timed out"), "a.cu", source)
    assert not counts.bytes_as_elements(row("r::other(in, out, 5): wrong"), "a.cu", source)


RANKS = """__global__ void place(const float* in, float* out, int n) {{
  // BEGIN STAGE 1 global: count
  {before}
  for (int i = threadIdx.x; i < n; i += 32) {{
    {begin}
    {count}
    out[{index}] = in[i];
    {end}
  }}
  // END STAGE 1
}}
"""
ONCE, LOOP = "int rank = 0;", "for (int j = 0; j < n; ++j) rank += in[j] < in[i];"


@pytest.mark.parametrize(("before", "begin", "count", "index", "end", "is_named"), [
    (ONCE, "", LOOP, "rank", "", True),
    (ONCE, "", "for (int j = 0; j < n; ++j)\n if (in[j] < 2) ++rank;", "n - 1 - rank", "", True),
    (ONCE, "", "for (int j = 0; j < n; ++j) {\n if (in[j] < 2)\n rank++;\n }", "rank", "", True),
    ("", ONCE, LOOP, "rank", "", False),
    (ONCE, "rank = 0;", LOOP, "rank", "", False),
    (ONCE, "", LOOP, "rank", "rank = 0;", False),
    (ONCE, "", "", "rank", "rank++;", False),  # places one after another
    (ONCE, "", "if (in[i] < 0) ++rank;", "rank", "", False),
    (ONCE, "", "for (int j = 0; j < n; ++j) rank += count[j];", "rank", "", False),  # a sum
    (ONCE, "", LOOP, "i", "", False),
    (ONCE, "", LOOP, "rank % 2", "", False),  # of all rounds
])  # fmt: skip
def test_a_counter_that_goes_on(
    before: str, begin: str, count: str, index: str, end: str, is_named: bool
) -> None:
    source = RANKS.format(before=before, begin=begin, count=count, index=index, end=end)
    found = counts.not_set_again(row(), "a.cu", source)
    assert [one[:54] for one in found] == [
        "rank is set to 0 in line 3, before the loop in line 4:"] * is_named  # fmt: skip
    assert not counts.not_set_again(row(verdict="timed out"), "a.cu", source)


@pytest.mark.parametrize(("code", "is_named"), [
    ("for (int k = 0; k < width; ++k) out[rank + k] = mine[k];", True),
    ("for (int k = 0; k < width; ++k)\n out[rank * n + k] = mine[k];", True),
    ("for (int k = 0; k < width; ++k) out[rank * width + k] = mine[k];", False),
    ("int at = rank * width; for (int k = 0; k < width; ++k) out[at + k] = mine[k];", False),
    ("char* to = out + rank * width; for (int k = 0; k < width; ++k) to[k] = mine[k];", False),
    ("for (int k = 0; k < width; ++k) if (out[rank + k] == mine[k]) return;", False),
])  # fmt: skip
def test_a_string_begins_at_its_number_times_the_width(code: str, is_named: bool) -> None:
    source, said = COPIES.format(code=code), "rank_sort::fixed_strings(in, out, 3, 2): x"
    found = counts.strings_as_bytes(row(said, "race"), "a.cu", source)
    assert [one[:39] for one in found] == ["A string has width bytes, so string r b"] * is_named
    assert not counts.strings_as_bytes(row(said, "timed out"), "a.cu", source)
    assert not counts.strings_as_bytes(row("rank_sort::strings(x): y"), "a.cu", source)


SUMS = """// BEGIN STAGE 1 global: count
__global__ void k(const float* in, float* out, int n) {{
  const int i = threadIdx.x;
  int rank = 0;
  {loop}
  out[rank] = in[i];
}}
void global(const float* in, float* out, int n) {{ k<<<1, n>>>(in, out, n); }}
// END STAGE 1
"""
IN_VAIN = "The loop over j in line 5 does the same in every turn"


@pytest.mark.parametrize(("loop", "is_said"), [
    ("for (int j = 0; j < n; ++j) rank += in[i] < mine;", True),
    ("for (unsigned j = 0; j < n; j++) { rank = rank + (in[i] < mine); }", True),
    ("for (int j = 0; j < n; ++j) rank += in[j] < mine;", False),
    ("for (int j = 0; j < n; ++j) rank += before(in[i], j);", False),
    ("for (int j = 0; j < n; ++j) rank += 1;", False),  # as many as there are
    ("for (int turn = 0; turn < 5; ++turn) step<<<1, n>>>(in, out, n);", False),
    ("for (int j = 0; j < n; ++j) { const float x = in[j]; rank += x < mine; }", False),
])  # fmt: skip
def test_a_loop_that_counts_one_thing_again_and_again(loop: str, is_said: bool) -> None:
    source = SUMS.format(loop=loop)
    found = counts.same_in_every_turn(row(), "a.cu", source)
    assert [one.startswith(IN_VAIN) for one in found] == [True] * is_said
    assert not counts.same_in_every_turn(row(verdict="timed out"), "a.cu", source)


@pytest.mark.parametrize(("lane", "read", "is_said"), [
    ("threadIdx.x % 32", "lane", True),
    ("threadIdx.x & 31", "lane", True),
    ("threadIdx.x % kWarp", "j", False),
    ("j", "lane", False),
])  # fmt: skip
def test_a_shuffle_from_the_own_lane(lane: str, read: str, is_said: bool) -> None:
    loop = f"const int lane = {lane}; for (int j = 0; j < n; ++j) {{ const float other = "
    source = SUMS.format(loop=f"{loop}__shfl_sync(~0u, mine, {read}); rank += other < mine; }}")
    found = counts.own_lane(row(verdict="not attempted"), "a.cu", source)
    assert ["line 5 reads from lane" in one for one in found] == [True] * is_said
    assert not counts.own_lane(row(verdict="timed out"), "a.cu", source)


@pytest.mark.longer
def test_no_text_takes_long() -> None:
    for one in ("a=", "a", "a[", "for(int j=", "for (int j = 0; j < n; ++j) a ="):
        source = SUMS.format(loop="for (int j = 0; j < n; ++j) " + f"{one}\n" * 20_000 + ";")
        start = time.process_time()
        counts.same_in_every_turn(row(), "a.cu", source)
        assert time.process_time() - start < 5, one
