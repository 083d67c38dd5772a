// Rank sort in place. The shared memory of one block has room for the keys of one array, but not
// always for both keys and result. So the result goes back into the array. Every key has to leave
// its old place before another key moves in: the barriers here are for that.
//
// Each stage loads a key from global memory once and stores it once; comparisons read shared
// memory. The stages differ in what they keep where: ranks in shared memory, ranks in registers, an
// array per warp. The last stage compares less: binary search finds a rank in a sorted run.
#include <cstddef>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {
namespace {

constexpr int kWarp = 32;

/// n rounded up to whole warps: a block's threads come in warps anyway.
constexpr int whole_warps(int n) { return kit::ceil_div(n, kWarp) * kWarp; }

// ---- stage 1: in place --------------------------------------------------------------------------

__global__ void sort_in_shared(float* keys, int n) {
  // BEGIN STAGE 1 in-place: load, count, move, write back, with barriers between (about 16 lines)
  // TODO: your code
  // END STAGE 1
}

// ---- stage 2: registers -------------------------------------------------------------------------

// BEGIN STAGE 2 registers: up to 12 keys per thread, ranks in registers (about 35 lines)
// TODO: your code
// END STAGE 2

// ---- stage 3: batched ---------------------------------------------------------------------------

// BEGIN STAGE 3 batched: one block per array, or one warp per small array (about 25 lines)
// TODO: your code
// END STAGE 3

// ---- stage 4: fast ------------------------------------------------------------------------------

// BEGIN STAGE 4 fast: ranks in a pair of sorted runs, found by binary search (about 25 lines)
// TODO: your code
// END STAGE 4

}  // namespace

// ---- entry points -------------------------------------------------------------------------------

void in_place(float* keys, int n) {
  // BEGIN STAGE 1 in-place: launch one block with a thread for every key (about 3 lines)
  // TODO: your code
  // END STAGE 1
}

void registers(float* keys, int n) {
  // BEGIN STAGE 2 registers: as few keys per thread as 1024 threads allow (about 8 lines)
  // TODO: your code
  // END STAGE 2
}

void batched(float* keys, int n, int arrays) {
  // BEGIN STAGE 3 batched: launch a warp or a block for each array (about 8 lines)
  // TODO: your code
  // END STAGE 3
}

void fast(float* keys, int n, int arrays) {
  // BEGIN STAGE 4 fast: launch a block for each array, a thread for each key (about 5 lines)
  // TODO: your code
  // END STAGE 4
}

}  // namespace in_place
