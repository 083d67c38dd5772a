// For every element, the sum of all elements before it. Many threads, vertices or keys use it to
// find where to begin writing when their output must lie one after the other.
#pragma once

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "pool_buffer.hpp"

namespace kit {

inline constexpr int kSumTile = 256;  // elements that a block sums; also its number of threads

/// The prefix sums inside every tile, and the total of every tile.
template <typename Count>
__global__ void sum_tiles(const Count* count, int n, Count* first, Count* total) {
  __shared__ Count sum[kSumTile];
  const int t = threadIdx.x, i = blockIdx.x * kSumTile + t;
  const Count mine = i < n ? count[i] : Count{0};
  sum[t] = mine;
  __syncthreads();  // all counts are in shared memory
  for (int step = 1; step < kSumTile; step *= 2) {
    const Count left = t >= step ? sum[t - step] : Count{0};
    __syncthreads();  // all have read before anyone adds
    sum[t] += left;
    __syncthreads();  // all have added before anyone reads
  }
  if (i < n) first[i] = sum[t] - mine;
  if (t == kSumTile - 1) total[blockIdx.x] = sum[t];
}

template <typename Count>
__global__ void add_tiles_before(const Count* before, int n, Count* first) {
  const int i = blockIdx.x * kSumTile + threadIdx.x;
  if (i < n) first[i] += before[i / kSumTile];
}

/// first[i] becomes count[0] + ... + count[i - 1], for i = 0 ... n. This is where the places of
/// element i begin; first[n] is the number of all places. Device pointers; n >= 1. Throws
/// CudaError.
template <typename Count>
void sum_before(const Count* count, int n, Count* first) {
  const int tiles = ceil_div(n, kSumTile);
  PoolBuffer<Count> total(tiles), before(tiles + 1);
  sum_tiles<<<tiles, kSumTile>>>(count, n, first, total.data());
  CUDA_CHECK_LAUNCH();
  const Count* all = total.data();
  if (tiles > 1) {
    sum_before(total.data(), tiles, before.data());
    add_tiles_before<<<tiles, kSumTile>>>(before.data(), n, first);
    CUDA_CHECK_LAUNCH();
    all = before.data() + tiles;
  }
  CUDA_CHECK(cudaMemcpyAsync(first + n, all, sizeof(Count), cudaMemcpyDeviceToDevice));
}

}  // namespace kit
