// expect: tiled: wrote outside
// Each round loads the block's own keys again, not those of the next tile.
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
  for (int start = 0; start < n; start += kTile) {
    const int j = i;
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
