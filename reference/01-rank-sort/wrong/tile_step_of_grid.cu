// expect: tiled: race
// From tile to tile it goes on by the keys of the whole grid, and passes over all tiles but the
// first.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

constexpr int kTile = 256;

__device__ unsigned ordered(float key) {
  if (isnan(key)) return 0xFFFFFFFFu;
  if (key == 0.0f) key = 0.0f;
  const unsigned bits = __float_as_uint(key);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__global__ void place_by_tiles(const float* in, float* out, int n) {
  __shared__ unsigned tile[kTile];
  const int i = blockIdx.x * kTile + threadIdx.x;
  const unsigned mine = i < n ? ordered(in[i]) : 0;
  int rank = 0;
  for (int start = 0; start < n; start += kTile * gridDim.x) {
    const int j = start + static_cast<int>(threadIdx.x);
    tile[threadIdx.x] = j < n ? ordered(in[j]) : 0xFFFFFFFFu;
    __syncthreads();
    for (int k = 0; k < kTile; ++k)
      rank += tile[k] < mine || (tile[k] == mine && start + k < i);
    __syncthreads();
  }
  if (i < n) out[rank] = in[i];
}

void tiled(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_tiles<<<kit::ceil_div(n, kTile), kTile>>>(in, out, n);
}

}  // namespace rank_sort
