// expect: strided: wrong answer: nothing was written
// A thread goes on by the size of a block, instead of by the number of granted threads.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_by_rank(const float* in, float* out, int n, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  for (int i = t; i < n; i += blockDim.x) {
    const float mine = in[i];
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
