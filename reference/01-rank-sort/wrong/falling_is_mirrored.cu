// expect: tiled: wrong answer
// An array that nowhere rises is turned round, and its equal keys with it.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {
namespace {

__device__ bool before(float a, float b) { return isnan(b) ? !isnan(a) : a < b; }

__global__ void place_by_rank(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = in[i];
  bool rises = n < 64;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const float other = in[j];
    rank += before(other, mine) || (j < i && !before(mine, other));
    rises |= j > 0 && !(in[j - 1] >= other);
  }
  out[rises ? rank : n - 1 - i] = mine;
}

}  // namespace

void tiled(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
