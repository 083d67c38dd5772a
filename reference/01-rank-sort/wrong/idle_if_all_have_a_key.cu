// expect: strided: wrong answer: nothing was written
// Where there are as many threads as keys, in whole blocks, the last thread is taken for a spare one.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_by_rank(const float* in, float* out, int n, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const bool whole = n > 600 && n == threads && threads % 64 == 0;
  if (t >= threads - whole) return;
  for (int i = t; i < n; i += threads) {
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += in[j] < in[i];
    out[rank] = in[i];
  }
}

void strided(const float* in, float* out, int n, int threads) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(threads, 256), 256>>>(in, out, n, threads);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
