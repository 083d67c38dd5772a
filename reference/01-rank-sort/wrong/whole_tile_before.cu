// expect: tiled: wrong answer
// In large arrays a tile without a key above mine counts as a whole, though it may be behind mine
// and have keys equal to mine.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

constexpr int kTile = 1024, kThreads = 256;

__device__ bool before(float a, float b) { return isnan(b) ? !isnan(a) : a < b; }

__global__ void place_by_tiles(const float* in, float* out, int n) {
  __shared__ float tile[kTile];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float mine = i < n ? in[i] : 0;
  int rank = 0;
  for (int start = 0; start < n; start += kTile) {
    const int count = min(kTile, n - start);
    bool none_above = n > 4096 && (start > i || start + kTile <= i);
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += kThreads) tile[k] = in[start + k];
    __syncthreads();
    for (int k = 0; k < count; ++k) none_above &= !before(mine, tile[k]);
    for (int k = 0; k < count && !none_above; ++k)
      rank += before(tile[k], mine) || (!before(mine, tile[k]) && start + k < i);
    if (none_above) rank += count;
  }
  if (i < n) out[rank] = mine;
}

void tiled(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_tiles<<<kit::ceil_div(n, kThreads), kThreads>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
