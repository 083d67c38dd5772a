// Odd-even transposition sort (Habermann's parallel neighbour-sort, 1972). Neighbours are compared
// in pairs, even pairs and odd pairs in turn; after n phases any array of n keys is sorted. It is
// what bubble sort becomes if all pairs may swap at once.
//
// That is n * n / 2 comparisons and, with one launch per phase, n launches and n passes over
// memory. A launch costs as much as ten thousand comparisons. So the stages differ in how much
// happens until all blocks wait for each other: one phase, several hundred phases in registers, or
// a merge of two whole runs. Only the end of a launch and the barrier of a cooperative grid reach
// beyond a block; __syncthreads() does not.
#include <climits>
#include <span>
#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"
#include "pool_buffer.hpp"

namespace odd_even {
namespace {

// Threads per block if shared memory does not demand another number: a multiple of the 32 lanes of
// a warp that divides the number of threads that a multiprocessor holds.
constexpr int kBlock = 256;

// ---- stage 1: phases ----------------------------------------------------------------------------

__global__ void compare_neighbours(float* keys, int n, int parity) {
  // BEGIN STAGE 1 phases: put one pair of neighbours in order (about 8 lines)
  // TODO: your code
  // END STAGE 1
}

// ---- stage 2: early exit ------------------------------------------------------------------------

// BEGIN STAGE 2 early-exit: the same, but report whether something changed (about 25 lines)
// TODO: your code
// END STAGE 2

// ---- stage 3: records ---------------------------------------------------------------------------

// BEGIN STAGE 3 records: the rule, a swap of all parts of a record, the count (about 50 lines)
// TODO: your code
// END STAGE 3

// ---- stage 4: texture ---------------------------------------------------------------------------

// BEGIN STAGE 4 texture: a texture object that frees itself, and the comparison through it (about 35 lines)
// TODO: your code
// END STAGE 4

// ---- stage 5: tiled -----------------------------------------------------------------------------

// BEGIN STAGE 5 tiled: a hundred phases in registers, with a halo (about 40 lines)
// TODO: your code
// END STAGE 5

// ---- stage 6: merge-split -----------------------------------------------------------------------

// BEGIN STAGE 6 merge-split: sort runs in shared memory, then merge and split neighbours (about 105 lines)
// TODO: your code
// END STAGE 6

}  // namespace

// ---- entry points -------------------------------------------------------------------------------

void phases(float* keys, int n) {
  // BEGIN STAGE 1 phases: n phases, one launch each: the next begins when all pairs are done (about 5 lines)
  // TODO: your code
  // END STAGE 1
}

void early_exit(float* keys, int n) {
  // BEGIN STAGE 2 early-exit: stop when an even and an odd phase have changed nothing (about 4 lines)
  // TODO: your code
  // END STAGE 2
}

void records(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n) {
  // BEGIN STAGE 3 records: count, then launch phases until nothing changes (about 7 lines)
  // TODO: your code
  // END STAGE 3
}

void texture(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n) {
  // BEGIN STAGE 4 texture: make three textures, then as stage 3 (about 12 lines)
  // TODO: your code
  // END STAGE 4
}

void tiled(float* keys, int n) {
  // BEGIN STAGE 5 tiled: an even number of launches, to and fro between two arrays (about 9 lines)
  // TODO: your code
  // END STAGE 5
}

void merge_split(float* keys, int n) {
  // BEGIN STAGE 6 merge-split: sort pieces, make runs of them, then as many rounds as there are runs (about 15 lines)
  // TODO: your code
  // END STAGE 6
}

}  // namespace odd_even
