// expect: strided: wrong answer: nothing was written
// Takes c = n / threads keys per thread. The keys of the remainder are never sorted.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_by_rank(const float* in, float* out, int n, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  const int c = n / threads;
  for (int j = 0; j < c; ++j) {
    const float mine = in[c * t + j];
    int rank = 0;
    for (int k = 0; k < n; ++k) rank += in[k] < mine;
    out[rank] = mine;
  }
}

void strided(const float* in, float* out, int n, int threads) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(threads, 256), 256>>>(in, out, n, threads);
}

}  // namespace rank_sort
