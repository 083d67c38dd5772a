// expect: tiled: too slow: into shared memory once per block
// Right answers, but every thread reads the whole array from global memory.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__device__ bool before(float a, float b) { return isnan(b) ? !isnan(a) : a < b; }

__global__ void place_by_rank(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = in[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const float other = in[j];
    rank += before(other, mine) || (!before(mine, other) && j < i);
  }
  out[rank] = mine;
}

void tiled(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
