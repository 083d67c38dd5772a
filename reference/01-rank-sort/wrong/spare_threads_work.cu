// expect on cpu: strided: wrong answer: more threads work than the contract grants
// The last block is whole, and its threads beyond those granted serve keys as well.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place(const float* in, float* out, int n, int threads) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
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
