// Lab 01, the plain form of the stage with points beyond right answers: as `stable`, one thread for
// every key, which reads all keys from global memory. There are no tiles.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {
namespace {

constexpr int kBlock = 256;

__device__ bool before(float a, float b) { return isnan(b) ? !isnan(a) : a < b; }

__global__ void place_by_rank(const float* in, float* out, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  const float mine = in[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const float other = in[j];
    const bool tie = !before(other, mine) && !before(mine, other);
    rank += before(other, mine) || (tie && j < i);
  }
  out[rank] = mine;
}

}  // namespace

void tiled(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, kBlock), kBlock>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
