// Lanes that a warp function names and that do not call it, and values that nobody gave.
#include <cooperative_groups.h>

#include "case.cuh"

namespace cg = cooperative_groups;

__global__ void vote_in_branch(int *out, unsigned mask, int lanes) {
  unsigned votes = 0;
  if (static_cast<int>(threadIdx.x) < lanes) votes = __ballot_sync(mask, threadIdx.x & 1);  // BUG barrier vote_in_branch
  out[threadIdx.x] = votes;
}
CASE(vote_in_branch) {
  Buffer<int> out(32);
  vote_in_branch<<<1, 32>>>(out, bug ? ~0u : 0xffffu, 16);
}

__device__ int sum_of_warp(int value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_down_sync(~0u, value, step);  // BUG barrier function_in_branch
  return value;
}
__global__ void function_in_branch(int *out, int lanes) {
  int sum = 0;
  if (static_cast<int>(threadIdx.x) < lanes) {
    sum = sum_of_warp(threadIdx.x);
  } else {
    sum = 1;
  }
  out[threadIdx.x] = sum;
}
CASE(function_in_branch) {
  Buffer<int> out(32);
  function_in_branch<<<1, 32>>>(out, bug ? 20 : 32);
}

__global__ void unequal_rounds(int *out, int n, bool bug) {
  int count = 0;
  for (int i = bug ? threadIdx.x : 0; i < n; i += 32)
    count += __any_sync(~0u, i & 1);  // BUG barrier unequal_rounds
  out[threadIdx.x] = count;
}
CASE(unequal_rounds) {
  Buffer<int> out(32);
  unequal_rounds<<<1, 32>>>(out, 70, bug);
}

__global__ void tile_in_branch(int *out, int lanes) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int any = 0;
  if (static_cast<int>(threadIdx.x) < lanes) any = tile.any(threadIdx.x == 3);  // BUG barrier tile_in_branch
  out[threadIdx.x] = any;
}
CASE(tile_in_branch) {
  Buffer<int> out(32);
  tile_in_branch<<<1, 32>>>(out, bug ? 8 : 16);
}

__global__ void sum_of_part(int *out) {
  int value = threadIdx.x;
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_down_sync(~0u, value, step);  // BUG barrier sum_of_part
  if (threadIdx.x == 0) out[0] = value;
}
CASE(sum_of_part) {
  Buffer<int> out(1);
  sum_of_part<<<1, bug ? 20 : 32>>>(out);
}

__global__ void sum_without_those_who_left(int *out, int n) {
  if (static_cast<int>(threadIdx.x) >= n) return;
  int value = threadIdx.x;
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(~0u, value, step);  // BUG barrier sum_without_those_who_left
  out[threadIdx.x] = value;
}
CASE(sum_without_those_who_left) {
  Buffer<int> out(32);
  sum_without_those_who_left<<<1, 32>>>(out, bug ? 20 : 32);
}

// A vote waits for the lanes that have not left; those that have left before count for no.
__global__ void vote_after_leaving(int *out, int n) {
  if (static_cast<int>(threadIdx.x) >= n) {
    out[threadIdx.x] = 0;
    return;
  }
  unsigned votes = 0;
  for (int i = 0; i < 3; ++i) {
    if (i == 2 && threadIdx.x == 5) return;
    if (i != 1) votes += __ballot_sync(~0u, i == static_cast<int>(threadIdx.x));
  }
  out[threadIdx.x] = votes;
}
CASE(quiet_vote_after_leaving) {
  Buffer<int> out(32);
  vote_after_leaving<<<1, 32>>>(out, 20);
}

// The lanes that are here ask who is here; the others have gone past, and nobody waits for them.
__global__ void count_with_the_active(const int *in, int *count) {
  if (in[threadIdx.x] % 2 != 0) {
    const unsigned active = __activemask();
    const int leader = __ffs(static_cast<int>(active)) - 1;
    int base = 0;
    if (static_cast<int>(threadIdx.x) == leader) base = atomicAdd(count, __popc(active));
    base = __shfl_sync(active, base, leader);
    if (base < 0) __trap();
  }
}
CASE(quiet_active_mask) {
  Buffer<int> in(32), count(1);
  int values[32];
  for (int i = 0; i < 32; ++i) values[i] = i;
  cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  count_with_the_active<<<1, 32>>>(in, count);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
