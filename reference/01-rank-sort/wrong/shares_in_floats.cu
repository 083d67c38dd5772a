// expect: strided: wrong answer: nothing was written
// Computes as floats where each thread's share begins. From 2^24 on their products are rounded, so the
// last share may end before the last key.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place(const float* in, float* out, int n, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  const int first = static_cast<int>(static_cast<float>(t) * n / threads);
  const int end = static_cast<int>(static_cast<float>(t + 1) * n / threads);
  for (int i = first; i < end; ++i) {
    const float mine = in[i];
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += in[j] < mine;
    out[rank] = mine;
  }
}

void strided(const float* in, float* out, int n, int threads) {
  if (n == 0) return;
  place<<<kit::ceil_div(threads, 256), 256>>>(in, out, n, threads);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
