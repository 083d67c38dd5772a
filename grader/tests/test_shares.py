"""Blocks and warps that have another part than is meant: each cause for its own failure, and none
for what looks alike."""

import re
from collections.abc import Mapping

import pytest

from grader.base.checkout import Checkout
from grader.lab_file import manifest
from grader.study import block_index, likely, shares

pytestmark = [pytest.mark.reads("grader/study", "reference"), pytest.mark.unit]

TILES = """
// BEGIN STAGE 1 global: idea (about 9 lines)
__device__ void load_tile(const float* keys, float* tile,
                          int n) {{
  for (int k = threadIdx.x; k < 512; k += 256) tile[k] = keys[{read}];
}}
__device__ void store_tile(float* keys, const float* tile, int n) {{ put(keys, tile, {written}); }}
__global__ void tiles(float* keys, int n) {{
  __shared__ float tile[512];
  load_tile(keys, tile, n);
  store_tile(keys, tile, n);
}}
// END STAGE 1
void global(float* keys, int n) {{
  // BEGIN STAGE 1 global: idea (about 9 lines)
  tiles<<<n / 512, 256>>>(keys, n);
  // END STAGE 1
}}
"""
RACE = ("global(keys, 1024): global memory keys[0] (4096 bytes): kernel tiles: {}; {}; blocks are "
        "not ordered within a launch\nmore")  # fmt: skip
WRITES = "block (0,0,0), thread (0,0,0) writes at a.cu:7 (called from a.cu:11)"
READS = "block (1,0,0), thread (0,0,0) reads at a.cu:5 (called from a.cu:10)"
OF_ALL, OF_BLOCK = "k", "blockIdx.x * 512 + k"


def stage(message: str, verdict: str = "race") -> Mapping[str, object]:
    return {"name": "global", "verdict": verdict, "message": message}


@pytest.mark.parametrize(("message", "read", "written", "is_named"), [
    (RACE.format(WRITES, READS), OF_ALL, OF_BLOCK, True),
    (RACE.format(READS, WRITES), OF_ALL, OF_BLOCK, True),  # in any order
    (RACE.format(WRITES, READS), OF_BLOCK, OF_BLOCK, False),
    (RACE.format(WRITES, READS), OF_ALL, OF_ALL, False),  # nobody knows which of them is meant
    (RACE.format(WRITES, READS), OF_BLOCK, OF_ALL, False),  # it is block 1 that is at fault
    (RACE.format(WRITES, READS.replace("thread (0,", "thread (3,")), OF_ALL, OF_BLOCK, False),
    (RACE.format(WRITES, READS.replace("block (1,", "block (0,")), OF_ALL, OF_BLOCK, False),
    (RACE.format(WRITES, READS.replace("a.cu", "b.cu")), OF_ALL, OF_BLOCK, False),
    (RACE.replace("global memory", "shared memory").format(WRITES, READS), OF_ALL, OF_BLOCK, False),
])  # fmt: skip
def test_a_tile_that_is_the_same_for_every_block(
    message: str, read: str, written: str, is_named: bool
) -> None:
    source = TILES.format(read=read, written=written)
    found = shares.same_in_every_block(stage(message), "a.cu", source)
    assert [cause[:58] for cause in found] == [
        "Thread 0 of block 1 uses keys[0], which is block 0's: the "] * is_named  # fmt: skip
    assert all("the index in line 10 is" in cause for cause in found)
    assert not shares.same_in_every_block(stage(message, "wrong answer"), "a.cu", source)


WARPS = """
constexpr int kWarp = 32, kWarps = 8;
// BEGIN STAGE 1 global: idea (about 9 lines)
__global__ void sort_each(float* keys, int n, int arrays) {{
  const int lane = threadIdx.x % kWarp, a = {number};
  if (a >= arrays) return;
  const float mine = keys[a * n + lane];
  {body}
}}
// END STAGE 1
void global(float* keys, int n, int arrays) {{
  // BEGIN STAGE 1 global: idea (about 9 lines)
  sort_each<<<{launch}>>>(keys, n, arrays);
  // END STAGE 1
}}
"""
BODY = "keys[a * n + rank] = mine;"
LAUNCH = "kit::ceil_div(arrays, kWarps), kWarps * kWarp"
BETWEEN_WARPS = ("global(keys, 1, 33): global memory keys[0] (132 bytes): kernel sort_each, block "
                 "(0,0,0): thread (0,0,0) writes at a.cu:8; thread ({},0,0) reads at a.cu:7; no "
                 "__syncthreads() between")  # fmt: skip


@pytest.mark.parametrize(("other", "body", "is_named"), [
    (32, BODY, True), (255, BODY, True),
    (31, BODY, False),  # of the same warp
    (32, BODY + " __syncthreads();", False),  # perhaps in the wrong place
])  # fmt: skip
def test_two_warps_with_one_array(other: int, body: str, is_named: bool) -> None:
    message = BETWEEN_WARPS.format(other)
    source = WARPS.format(number="blockIdx.x * 8 + lane", body=body, launch=LAUNCH)
    found = shares.warps_overlap(stage(message), "a.cu", source)
    assert [cause[:13] for cause in found] == ["Threads 0 and"] * is_named
    without = re.sub(r"threadIdx.x % kWarp", "threadIdx.x", source)
    assert not shares.warps_overlap(stage(message), "a.cu", without)
    assert not shares.warps_overlap(stage(message, "wrong answer"), "a.cu", source)


@pytest.mark.parametrize(("lane", "launch", "is_named"), [
    ("threadIdx.x", LAUNCH, True),
    ("threadIdx.x % kWarp", LAUNCH, False),
    ("threadIdx.x", "arrays, 32", False),  # a block is a warp
    ("threadIdx.x", "arrays, threads", False),  # nobody knows
])  # fmt: skip
def test_a_lane_that_is_the_number_in_the_block(lane: str, launch: str, is_named: bool) -> None:
    source = WARPS.format(number="blockIdx.x * 8 + threadIdx.x / kWarp", body=BODY, launch=launch)
    source = source.replace("lane = threadIdx.x % kWarp", f"lane = {lane}")
    found = shares.lane_of_the_block(stage("x", "wrong answer"), "a.cu", source)
    assert [cause[:33] for cause in found] == ["lane is threadIdx.x in sort_each,"] * is_named
    assert not shares.lane_of_the_block(stage("x", "timed out"), "a.cu", source)


RIGHT = "blockIdx.x * kWarps + threadIdx.x / kWarp"


@pytest.mark.parametrize(("number", "body", "launch", "words"), [
    ("blockIdx.x + threadIdx.x / kWarp", BODY, LAUNCH, "begin 1 further, so blocks have the same"),
    ("blockIdx.x * kWarp + threadIdx.x / kWarp", BODY, LAUNCH, "begin 32 further, so blocks leave"),
    ("blockIdx.x * 4 + threadIdx.x / 32", BODY, LAUNCH, "begin 4 further, so blocks have the same"),
    (RIGHT, BODY, LAUNCH, ""),
    (RIGHT, BODY, "arrays / 16, 16 * kWarp", "begin 8 further, so blocks have the same numbers"),
    ("blockIdx.x * (blockDim.x / kWarp) + threadIdx.x / kWarp", BODY, LAUNCH, ""),
    ("blockIdx.x * kWarp + threadIdx.x / kWarp", f"for (; a < arrays; a += 8) {BODY}", LAUNCH, ""),
    ("blockIdx.x * kWarp + threadIdx.x / kWarp", f"for (int k = 0; k < 4; ++k) put(a + k * kWarps);"
     f" {BODY}", LAUNCH, ""),
    ("blockIdx.x * kWarp + threadIdx.x / kWarp", BODY, "arrays, threads", ""),  # who knows
    ("n * blockIdx.x + threadIdx.x / kWarp", BODY, LAUNCH, ""),
])  # fmt: skip
def test_numbers_of_warps_that_do_not_follow_each_other(
    number: str, body: str, launch: str, words: str
) -> None:
    source = WARPS.format(number=number, body=body, launch=launch)
    message = "global(keys, 2, 33) on 33 arrays: not in order: 0 at index 0 comes before -0.25"
    for verdict in ("wrong answer", "race", "wrote outside"):
        found = shares.groups_miscounted(stage(message, verdict), "a.cu", source)
        assert len(found) == bool(words) and all(words in cause for cause in found)
        assert not block_index.miscounted(stage(message, verdict), "a.cu", source)
    assert not shares.groups_miscounted(stage(message, "crashed"), "a.cu", source)


@pytest.mark.longer
def test_no_reference_counts_its_warps_wrongly() -> None:
    here = Checkout.here()
    for lab in manifest.discover(here):
        source = (here.reference / lab.name / lab.source).read_text()
        for one in lab.stages:
            failed = {**stage(f"{one.name}(5, 5): x", "wrong answer"), "name": one.name}
            assert not shares.groups_miscounted(failed, lab.source, source)


def test_a_race_that_the_checker_saw_is_asked_for_its_cause() -> None:
    """A place beyond the end has come of it; without such a race nothing is said."""
    source = WARPS.format(number="blockIdx.x * 8 + lane", body=BODY, launch=LAUNCH)
    beyond = stage("global(keys, 1, 33) wrote outside its buffer: keys[33]", "wrote outside")
    race = BETWEEN_WARPS.format(32).partition(": ")[2]
    for found, is_named in ((race, True), ("", False), (race.replace("32,0", "31,0"), False)):
        failure = likely.Failure({**beyond, "case": "", "cases": []}, "a.cu", source, found, "", ())
        assert [one[:13] for one in likely.cause(failure)] == ["Threads 0 and"] * is_named
