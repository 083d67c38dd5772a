// expect: strided: wrong answer: nothing was written
// Serves at most 1100 keys in a thread: "there are always enough threads".
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place(const float* in, float* out, int n, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  for (int k = 0, i = t; k < 1100 && i < n; ++k, i += threads) {
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += in[j] < in[i];
    out[rank] = in[i];
  }
}

void strided(const float* in, float* out, int n, int threads) {
  if (n == 0) return;
  place<<<kit::ceil_div(threads, 256), 256>>>(in, out, n, threads);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
