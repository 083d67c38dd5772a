// Odd-even transposition sort (Habermann's parallel neighbour-sort, 1972). Neighbours are compared
// in pairs, even pairs and odd pairs in turn; after n phases any array of n keys is sorted. It is
// what bubble sort becomes when everyone may swap at once.
//
// That is n * n / 2 comparisons and, with a launch for each phase, n launches and n passes over
// memory. A launch costs as much as ten thousand comparisons, so the stages differ in how much
// happens between two launches: one phase, several hundred of them in registers, or a merge of two
// whole runs. No barrier reaches beyond a block: only the end of a launch does.
#include "odd_even.hpp"

#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"

namespace odd_even {
namespace {

// Threads of a block where no shared memory asks for more or less: a multiple of the warp's 32 that
// divides what a multiprocessor holds.
constexpr int kBlock = 256;

// ---- stage 1: phases ----------------------------------------------------------------------------

__global__ void compare_neighbours(float* keys, int n, int parity) {
  // BEGIN STAGE 1 phases: put one pair of neighbours in order (about 8 lines)
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;  // also the last key of all, when it has no partner in this phase
  const float first = keys[i];
  const float second = keys[i + 1];
  if (second < first) {  // strictly: equal keys keep their order
    keys[i] = second;
    keys[i + 1] = first;
  }
  // END STAGE 1
}

// ---- stage 2: early exit ------------------------------------------------------------------------

// BEGIN STAGE 2 early-exit: the same, and say so when something changed (about 12 lines)
__global__ void compare_and_tell(float* keys, int n, int parity, int* changed) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;
  const float first = keys[i];
  const float second = keys[i + 1];
  if (second < first) {
    keys[i] = second;
    keys[i + 1] = first;
    // Everyone who writes writes the same, so no atomic is needed. Nobody in this launch resets it:
    // a block that starts late would wipe out what an early one had said.
    *changed = 1;
  }
}
// END STAGE 2

}  // namespace

// ---- entry points -------------------------------------------------------------------------------

void phases(float* keys, int n) {
  // BEGIN STAGE 1 phases: n phases, a launch for each: the next one begins when all have swapped (about 5 lines)
  if (n < 2) return;
  const int pairs = n / 2;  // in an odd phase of an even n the last thread finds no partner
  for (int phase = 0; phase < n; ++phase)
    compare_neighbours<<<kit::ceil_div(pairs, kBlock), kBlock>>>(keys, n, phase % 2);
  CUDA_CHECK_LAUNCH();
  // END STAGE 1
}

void early_exit(float* keys, int n) {
  // BEGIN STAGE 2 early-exit: stop when an even and an odd phase have changed nothing (about 14 lines)
  if (n < 2) return;
  const int blocks = kit::ceil_div(n / 2, kBlock);
  kit::DeviceBuffer<int> changed(1);
  int some_change = 1;
  for (int phase = 0; phase < n && some_change; phase += 2) {
    // In the same stream as the launches: done before the first of them begins.
    CUDA_CHECK(cudaMemsetAsync(changed.data(), 0, sizeof(int)));
    compare_and_tell<<<blocks, kBlock>>>(keys, n, 0, changed.data());
    compare_and_tell<<<blocks, kBlock>>>(keys, n, 1, changed.data());
    CUDA_CHECK_LAUNCH();
    // One answer for two phases: one clean phase alone proves nothing, two of both parities all.
    changed.copy_to(std::span(&some_change, 1));
  }
  // END STAGE 2
}

}  // namespace odd_even
